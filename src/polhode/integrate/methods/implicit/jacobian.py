"""Exact Jacobians inside implicit steps: straight code for few unknowns, else a loop.

    J e_k = d/ds f(x + s e_k)

Straight code skips the zeros of each column but holds the function as often as there
are unknowns; a loop holds it once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array

STRAIGHT = 4


def jacobian(function: Callable[[Any], Any], x: Array) -> tuple[Any, Any]:
    """f(x) and df/dx, where f gives an array (m,) of x (n,)."""
    if len(x) <= STRAIGHT:

        def twice(x: Array) -> tuple[Any, Any]:
            value = function(x)
            return value, value

        J, value = jax.jacfwd(twice, has_aux=True)(x)
        return value, J

    def column(_: object, direction: Any) -> tuple[None, Any]:
        return None, jax.jvp(function, (x,), (direction,))[1]

    _, columns = lax.scan(column, None, jnp.eye(len(x)))
    return function(x), columns.T
