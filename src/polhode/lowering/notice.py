"""A line in the terminal about what is being compiled, after half a second of it.

It is written to the error stream, only where that is a terminal, and takes itself away:
nothing of it is left among the answers.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, final

SECONDS = 0.5  # of work before a line is printed: less is not felt as waiting
DEPTH = 4  # functions inside functions that are looked into for what they are about
ERASE = "\r\x1b[2K"


@final
class Notice:
    """Use as a context, as often as there is work: half a second counts in all."""

    def __init__(self, function: Any):
        self._function, self._began = function, time.monotonic()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._operations, self._is_shown, self._is_on = 0, False, False

    def __enter__(self) -> Notice:
        if not _silences and sys.stderr is not None and sys.stderr.isatty():
            self._is_on = True
            left = max(0.0, SECONDS - (time.monotonic() - self._began))
            # A daemon, so that no exit waits for it.
            self._timer = threading.Timer(left, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        with self._lock:
            self._is_on = False
            if self._is_shown:
                _write(ERASE)
                self._is_shown = False

    def size(self, operations: int) -> None:
        """So many scalar operations are to become code."""
        self._operations = operations
        if self._is_shown:
            self._show()

    def _show(self) -> None:
        with self._lock:
            if self._is_on:
                _write(f"{ERASE}{self.line}")
                self._is_shown = True

    @property
    def line(self) -> str:
        """The line that is printed."""
        what = f"polhode: compiling {title_of(self._function)}"
        if not self._operations:
            return f"{what} (once; then it is in the cache) ..."
        return f"{what}: {self._operations} operations ..."


_silences: list[object] = []  # one for each command that draws in the terminal


@contextmanager
def silence() -> Iterator[None]:
    """No line meanwhile: somebody else draws, and two would write over each other."""
    mark = object()
    _silences.append(mark)
    try:
        yield
    finally:
        _silences.remove(mark)


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # closed meanwhile: a line less
        pass


def title_of(function: Any) -> str:
    """What a function is about: the system that it closes over, or its own name."""
    found = _system_name(function, DEPTH)
    return repr(found or getattr(function, "__name__", "a function"))


def _system_name(value: Any, depth: int) -> str:
    if hasattr(value, "coordinate_names"):
        return str(getattr(value, "name", ""))
    system = getattr(value, "system", None)
    if system is not None:
        return _system_name(system, 0)
    if not depth:
        return ""
    inside = [getattr(value, "function", None)]
    for cell in getattr(value, "__closure__", None) or ():
        try:
            inside.append(cell.cell_contents)
        except ValueError:  # not yet filled
            continue
    names = (_system_name(each, depth - 1) for each in inside if each is not None)
    return next(filter(None, names), "")
