"""Arrays of random keys where they are moved: each word on its own."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from polhode.lowering.ir.program import Lowering, Value, is_key, pack_keys, unpack_keys
from polhode.lowering.trace.trace import Equation

Rule = Callable[..., Value]

# Primitives that move elements without looking at them.
MOVING = ("select_n", "gather", "scatter", "dynamic_slice", "dynamic_update_slice")


def word_by_word(rule: Rule) -> Rule:
    """The rule, applied to first and to second words where it moves keys."""

    def moved(low: Lowering, equation: Equation, *values: Value) -> Value:
        if not is_key(equation.outvars[0].aval):
            return rule(low, equation, *values)
        twin = SimpleNamespace(
            primitive=equation.primitive,
            params=equation.params,
            invars=[_word(v) for v in equation.invars],
            outvars=[_word(v) for v in equation.outvars],
        )
        keys = [is_key(v.aval) for v in equation.invars]
        words = [unpack_keys(v) if k else v for v, k in zip(values, keys, strict=True)]
        halves = []
        for part in (0, 1):
            pairs = zip(words, keys, strict=True)
            halves.append(
                rule(low, twin, *(w[..., part] if k else w for w, k in pairs))
            )
        return pack_keys(np.stack(halves, axis=-1))

    return moved


def _word(variable: Any) -> Any:
    """A variable of 32-bit words in place of one of keys."""
    aval = variable.aval
    if not is_key(aval):
        return variable
    return SimpleNamespace(aval=SimpleNamespace(shape=aval.shape, dtype="uint32"))
