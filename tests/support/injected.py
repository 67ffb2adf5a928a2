"""Ctrl-C at a chosen line of chosen modules, again and again at another one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType, ModuleType
from typing import Any


class Injection:
    """While it lasts, the `at`-th line that runs in some modules raises Ctrl-C.

    Only this thread is meant, as by Python itself. `lines` counts those that ran.
    """

    def __init__(self, modules: Iterable[ModuleType], at: int):
        self._files = {module.__file__ for module in modules}
        self._at, self.lines, self.place = at, 0, ""

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename in self._files else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                self.place = f"{frame.f_code.co_qualname}, line {frame.f_lineno}"
                raise KeyboardInterrupt
        return self._line

    def __enter__(self) -> Injection:
        self._before = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *facts: object) -> None:
        sys.settrace(self._before)


def interrupted(
    modules: Iterable[ModuleType], at: int, job: Callable[[], Any]
) -> tuple[Any, Injection]:
    """What a job gives, or None where Ctrl-C came out of it; and where that was."""
    injection = Injection(modules, at)
    try:
        with injection:
            return job(), injection
    except KeyboardInterrupt:
        return None, injection
