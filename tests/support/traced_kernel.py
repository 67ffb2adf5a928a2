"""What a function gives when it is traced: by NumPy, without a compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from polhode.lowering.evaluation.plan import Plan, Unplanned
from polhode.lowering.trace.trace import closed_jaxpr


def evaluated(function: Callable[..., Any], arguments: tuple) -> Any:
    """The function traced with these arguments, in double precision, and evaluated.

    What NumPy has no function for is compiled by XLA.
    """
    leaves, tree = jax.tree.flatten(arguments)
    with jax.enable_x64(True):
        leaves = [np.asarray(jax.numpy.asarray(leaf)) for leaf in leaves]

    def flat(*values: Any) -> Any:
        return function(*jax.tree.unflatten(tree, values))

    trace, shape = closed_jaxpr(flat, *leaves)
    try:
        with np.errstate(all="ignore"):
            found = Plan(trace)(*leaves)
    except Unplanned:
        with jax.enable_x64(True):
            return jax.jit(flat)(*leaves)
    return jax.tree.unflatten(shape, [*map(np.asarray, found)])
