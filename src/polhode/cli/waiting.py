"""A sign of life for commands that take longer, from two seconds on, in terminals only.

What is going on and for how long; where the share that is done is known, a bar. It
takes itself away: nothing of it is left among the answers.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast, final

SECONDS = 2.0


@final
class Waiting:
    """A progress line while a command takes long; silent without a terminal."""

    def __init__(self, title: str, console: Any = None):
        self._title, self._console = title, console
        self._can_draw = console is not None or sys.stderr.isatty()
        self._lock, self._bar = threading.Lock(), cast(Any, None)
        self._began, self._is_over = time.monotonic(), False
        self._facts: dict[str, Any] = {"completed": 0.0, "total": None, "name": ""}
        self._timer = threading.Timer(SECONDS, self._draw)
        self._timer.daemon = True
        if self._can_draw:
            self._timer.start()

    def __call__(self, done: int, total: int, name: str) -> None:
        """So many of a list are done, and what comes next."""
        self._tell(
            completed=done, total=total, name=f"{done:.0f} of {total:.0f} {name}"
        )

    def watch(self, progress: Any) -> None:
        """A run goes on: its share, how quickly, and how long it will take yet."""
        from polhode.integrate.host.progress import remaining

        rate = f"{progress.steps / max(progress.seconds, 1e-9):.3g} steps/s"
        left = progress.seconds * (1 - progress.share) / max(progress.share, 1e-9)
        words = f"{rate}, {remaining(left)}" if progress.share > 0 else rate
        self._tell(completed=progress.share, total=1.0, name=words)

    def stage(self, title: str) -> None:
        """Something else begins, of unknown length."""
        self._title = title
        self._tell(completed=0.0, total=None, name="")

    def close(self) -> None:
        """Take it away."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._bar is not None:
                self._bar.stop()

    def _tell(self, **facts: Any) -> None:
        self._facts = facts
        if not self._can_draw:
            return
        if time.monotonic() - self._began >= SECONDS:
            self._draw()

    def _draw(self) -> None:
        """Draw the last report; the first time perhaps from the timer's thread."""
        with self._lock:
            if self._is_over:
                return
            if self._bar is None:
                self._bar = _bar(self._title, self._console)
            words = {**self._facts, "description": self._title}
            self._bar.update(self._bar.task_ids[0], **words)


@contextmanager
def waiting(title: str, console: Any = None) -> Iterator[Waiting]:
    """While this lasts, somebody waits."""
    from polhode.lowering.notice import silence

    line = Waiting(title, console)
    try:
        with silence():
            yield line
    finally:
        line.close()


def _bar(title: str, console: Any) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    first, last = (
        TextColumn(words, markup=False)
        for words in ("{task.description}", "{task.fields[name]}")
    )
    columns = (SpinnerColumn(), first, BarColumn(), TimeElapsedColumn(), last)
    where = console or Console(stderr=True)
    bar = Progress(*columns, console=where, transient=True)
    bar.add_task(title, total=None, name="")
    bar.start()
    return bar
