"""Many small functions in few programs of native code, and what each of them gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import polhode as ph

TOGETHER = (
    24  # functions in one program: above, LLVM takes longer for all than for each
)


class CompiledTogether:
    """By name, what each call gives in native code.

    calls  by name, a function and its arguments

    A program is made when the first of its functions is asked for. Where they do not
    compile together each is compiled alone, so that the one to blame fails under its
    own name.
    """

    def __init__(self, calls: dict[str, tuple[Callable[..., Any], tuple]]) -> None:
        self.calls = calls
        names = [*calls]
        groups = [
            tuple(names[k : k + TOGETHER]) for k in range(0, len(names), TOGETHER)
        ]
        self._group = {name: group for group in groups for name in group}
        self._given_by = cache(self._run)

    def __getitem__(self, name: str) -> Any:
        together = self._given_by(self._group[name])
        if name in together:
            return together[name]
        function, arguments = self.calls[name]
        return _native(function, *arguments)

    def _run(self, group: tuple[str, ...]) -> dict[str, Any]:
        functions = {name: self.calls[name][0] for name in group}
        given = {name: self.calls[name][1] for name in group}

        def every(given: dict[str, tuple]) -> dict[str, Any]:
            return {name: functions[name](*given[name]) for name in group}

        try:
            return _native(every, given)
        except Exception:
            return {}


def _native(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives, with no fallback and no primitive without a rule."""
    program = ph.compile(function, *arguments, backend="llvm")
    assert program.report().backend == "llvm"
    return program(*arguments)
