"""How many threads native calls may take: of this process, or while something lasts.

    POLHODE_THREADS=4 python run.py      of the process
    with at_most_threads(1): ...         of what is called inside, in this thread

Several workers on one machine each see all of its cores; without a limit each would
take them all. The number of threads changes no bit of a result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from polhode.errors import CompileError

VARIABLE = "POLHODE_THREADS"
_limit: ContextVar[int | None] = ContextVar("polhode thread limit", default=None)


def thread_limit() -> int | None:
    """The limit that holds here, or None."""
    own = _limit.get()
    return own if own is not None else _of_process()


@contextmanager
def at_most_threads(count: int | None) -> Iterator[None]:
    """So many threads a call inside; None leaves the limit as it is."""
    mark = _limit.set(_limit.get() if count is None else count)
    try:
        yield
    finally:
        _limit.reset(mark)


def _of_process() -> int | None:
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise CompileError(
            f"{VARIABLE} is {text!r}, not a number of threads.",
            "It says how many threads a native call of this process may take.",
            f"Set a whole number from one on, such as {VARIABLE}=4, or unset it.",
        )
    return int(text)
