"""The equations of a step that constraints hold, and Newton's iteration for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from polhode.integrate.elimination import solve_held
from polhode.integrate.newton import Solved, iterated


class Held(NamedTuple):
    """The equations at a trial u (k,).

    r (k,)  balance without reactions;  B (m, k)  their directions:  r = B^T l
    c (m,)  what the constraints miss:  c = 0
    """

    r: Any
    B: Any
    c: Any


def solve_step(equations: Callable[[Any], Held], start: Any, scale: Any) -> Solved:
    """u with r(u) = B(u)^T l and c(u) = 0, all derivatives exact.

    `scale` (k,) is the size of the unknowns in their own units. Rows may be redundant,
    and loads then are not unique: nothing is asked of them.
    """
    k, m = len(start), equations(start).c.shape[0]

    def increment(x: Any) -> Any:
        u, loads = x[:k], x[k:]

        def both(u: Any) -> Any:
            here = equations(u)
            pair = here.r - here.B.T @ loads, here.c
            return pair, (pair, here.B)

        (K, A), ((r, c), B) = jax.jacfwd(both, has_aux=True)(u)
        return jnp.concatenate(solve_held(K, -r, (A, B), -c))

    free = jnp.concatenate([start, jnp.zeros(m)])
    found = iterated(increment, free, jnp.concatenate([scale, jnp.full(m, jnp.inf)]))
    return Solved(found.u[:k], found.is_solved)
