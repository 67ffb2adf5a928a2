"""A bar for commands that go through a list, from two seconds on, in terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 2.0


@contextmanager
def waiting(
    title: str, console: Any = None
) -> Iterator[Callable[[int, int, str], None]]:
    """What to call with (done, total, name of the next); it takes itself away."""
    began = time.monotonic()
    bars: list[Any] = []

    def tell(done: int, total: int, name: str) -> None:
        if time.monotonic() - began < SECONDS:
            return
        if not bars and (console is not None or sys.stderr.isatty()):
            bars.append(_bar(title, console))
        for bar in bars:
            bar.update(bar.task_ids[0], completed=done, total=total, name=name)

    try:
        yield tell
    finally:
        for bar in bars:
            bar.stop()


def _bar(title: str, console: Any) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    words = ("{task.description}", "{task.completed:.0f} of {task.total:.0f}")
    texts = [TextColumn(w, markup=False) for w in (*words, "{task.fields[name]}")]
    where = console or Console(stderr=True)
    bar = Progress(texts[0], BarColumn(), *texts[1:], console=where, transient=True)
    bar.add_task(title, total=1.0, name="")
    bar.start()
    return bar
