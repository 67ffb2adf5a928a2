"""A function evaluated on the host: by NumPy, or by XLA where it is long.

Which of the two is decided by the trace alone, so that the same question has the same
bits whenever it is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from polhode.fingerprint import fingerprint
from polhode.lowering.evaluation.plan import Plan, Unplanned
from polhode.lowering.trace.trace import double_precision

# NumPy's calls beyond which XLA's code is worth its seconds: 0.1 s each time.
MOST = 50_000


class Evaluation:
    """A function of trees of arrays, in double; one plan for each of their shapes."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.known: dict[Any, Callable[[list[Any]], Any]] = {}

    def __call__(self, leaves: list[Any], tree: Any) -> Any:
        """What it gives for the leaves of (arguments, arguments by name)."""
        values = [np.asarray(leaf, float) for leaf in leaves]
        key = (tree, *(value.shape for value in values))
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._planned(tree, values)
        return found(values)

    def _planned(self, tree: Any, values: list[Any]) -> Callable[[list[Any]], Any]:
        def flat(*leaves: Any) -> Any:
            arguments, by_name = jax.tree.unflatten(tree, leaves)
            return self.function(*arguments, **by_name)

        shapes = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in values]
        with double_precision():
            trace, shape = jax.make_jaxpr(flat, return_shape=True)(*shapes)
        try:
            with np.errstate(all="ignore"):
                plan = Plan(trace)
        except Unplanned:
            return _by_xla(flat)
        if plan.cost > MOST:
            return _by_xla(flat)
        types = [variable.aval.dtype for variable in trace.jaxpr.outvars]
        result = jax.tree.structure(shape)

        def run(values: list[Any]) -> Any:
            with np.errstate(all="ignore"):  # NaN is a value like others
                found = plan(*values)
            arrays = [np.array(*pair) for pair in zip(found, types, strict=True)]
            return jax.tree.unflatten(result, arrays)

        return run

    def __fingerprint__(self) -> bytes:
        """Of the function alone: see `polhode.fingerprint`."""
        return fingerprint(self.__described__())

    def __described__(self) -> tuple:
        """The function alone; plans are made from it."""
        return (self.function,)


def _by_xla(flat: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    compiled = jax.jit(flat)

    def run(values: list[Any]) -> Any:
        with double_precision():
            return jax.tree.map(np.asarray, compiled(*values))

    return run
