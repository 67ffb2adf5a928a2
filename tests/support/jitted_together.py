"""Many small functions in one program of XLA: one compilation instead of one each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import jax


class JittedTogether:
    """By name, what each call gives under `jit` in double precision.

    calls  by name, a function and its arguments

    They are compiled when the first is asked for. Where they do not compile together
    each is compiled alone, so that the one to blame fails under its own name.
    """

    def __init__(self, calls: dict[str, tuple[Callable[..., Any], tuple]]) -> None:
        self.calls = calls

    def __getitem__(self, name: str) -> Any:
        if name in self._together:
            return self._together[name]
        function, arguments = self.calls[name]
        with jax.enable_x64(True):
            return jax.jit(function)(*arguments)

    @cached_property
    def _together(self) -> dict[str, Any]:
        functions = {name: function for name, (function, _) in self.calls.items()}
        given = {name: arguments for name, (_, arguments) in self.calls.items()}

        def every(given: dict[str, tuple]) -> dict[str, Any]:
            return {name: functions[name](*given[name]) for name in functions}

        try:
            with jax.enable_x64(True):
                return jax.jit(every)(given)
        except Exception:
            return {}
