"""Progress of runs, and a bar in the terminal for those of more than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, final

import numpy as np

from polhode.errors import IntegrationWarning
from polhode.tracebacks import warn

SECONDS = 2.0


class Progress(NamedTuple):
    """How far a call has come: the share of all time requested, steps, seconds."""

    share: float
    steps: int
    seconds: float


Watch = Callable[[Progress], Any]


class Clock(NamedTuple):
    """Reports how far some of the runs of a call have come, where anybody watches.

    start, stop   (runs,) times
    share         of all runs of the call: before these, and of these
    began         when the call began, by `time.perf_counter`
    """

    watch: Watch | None
    start: np.ndarray
    stop: np.ndarray
    share: tuple[float, float]
    began: float

    def tell(self, t: np.ndarray, accepted: np.ndarray) -> None:
        """Report the times (runs,) that were reached, and steps so far."""
        if self.watch is None:
            return
        span = np.where(self.stop == self.start, 1.0, self.stop - self.start)
        before, own = self.share
        share = before + own * float(np.mean((t - self.start) / span))
        seconds = time.perf_counter() - self.began
        self.watch(Progress(share, int(np.sum(accepted)), seconds))


@contextmanager
def progress_report(watch: Watch | None, name: str) -> Iterator[Watch | None]:
    """The caller's watch, or a bar where there is a terminal to draw it in."""
    if watch is not None or not _can_draw():
        yield watch and Guarded(watch)
        return
    bar = Bar(name)
    try:
        yield bar
    finally:
        bar.close()


@final
class Guarded:
    """A watch of the user's own: what it raises costs the run nothing."""

    def __init__(self, watch: Watch):
        self._watch: Watch | None = watch

    def __call__(self, progress: Progress) -> None:
        if self._watch is None:
            return
        try:
            self._watch(progress)
        except Exception as reason:
            self._watch = None
            warning = IntegrationWarning(
                f"the watch raised {type(reason).__name__}: {reason}. It is told no"
                " more, and the run goes on; only Ctrl-C ends it"
            )
            warning.__cause__ = reason
            warn(warning)


@final
class Bar:
    """Draws share, steps a second and the time that remains, from two seconds on."""

    def __init__(self, name: str, console: Any = None):
        self._name, self._console = name, console
        self._drawn: Any = None

    def __call__(self, progress: Progress) -> None:
        if progress.seconds < SECONDS:
            return
        if self._drawn is None:
            self._begin()
        rate = f"{progress.steps / progress.seconds:.3g} steps/s"
        left = progress.seconds * (1 - progress.share) / max(progress.share, 1e-9)
        facts = {"rate": rate, "left": remaining(left)}
        task = self._drawn.task_ids[0]
        self._drawn.update(task, completed=progress.share, **facts)

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Drawn

        words = ("{task.description}", "{task.percentage:>3.0f} %")
        facts = ("{task.fields[rate]}", "{task.fields[left]}")
        # Names are the user's: brackets in them are no markup.
        before, after = (
            [TextColumn(word, markup=False) for word in part] for part in (words, facts)
        )
        console = self._console or Console(stderr=True)
        columns = (before[0], BarColumn(), before[1], *after)
        self._drawn = Drawn(*columns, console=console, transient=True)
        self._drawn.add_task(self._name, total=1.0, rate="", left="")
        self._drawn.start()

    def close(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self._drawn.stop()


def remaining(seconds: float) -> str:
    """A time that remains, in words.

    >>> remaining(5.2), remaining(754.0), remaining(9000.0)
    ('5 s left', '12 min 34 s left', '2 h 30 min left')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s left"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s left"
    return f"{whole // 3600} h {whole % 3600 // 60} min left"


def _can_draw() -> bool:
    return sys.stderr.isatty()
