"""What must not be cut short by Ctrl-C: it is done in a thread, where none arrives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast, final

T = TypeVar("T")


def _nothing(result: Any) -> None:
    """What is undone of most."""


@final
class Job(Generic[T]):
    """Something that is done once, however often it is begun."""

    def __init__(self, function: Callable[[], T]):
        self._function, self._lock = function, threading.Lock()
        self.done = threading.Event()
        self.is_begun = False
        self.result: T | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Do it, unless that was begun already."""
        with self._lock:
            if self.is_begun:
                return
            self.is_begun = True
        try:
            self.result = self._function()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()

    def cancel(self) -> None:
        """Never do it, unless that was begun already."""
        with self._lock:
            if not self.is_begun:
                self.is_begun = True
                self.done.set()


def uninterrupted(function: Callable[[], T], undo: Callable[[T], Any] = _nothing) -> T:
    """What a function gives; Ctrl-C on the way is raised when it has returned.

    What it gave is undone then, for nobody would have it.
    """
    job, pressed = Job(function), None
    while not job.done.is_set():
        try:
            if not job.is_begun:
                threading.Thread(target=job.run, name="polhode-storage").start()
            job.done.wait()
        except KeyboardInterrupt as interrupt:
            pressed = interrupt
    if job.error is not None:
        raise job.error
    result = cast(T, job.result)
    if pressed is not None:
        undo(result)
        raise pressed
    return result
