"""The equations of a step that constraints hold, and Newton's iteration for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp

from polhode.integrate.elimination import solve_held
from polhode.integrate.jacobian import jacobian
from polhode.integrate.newton import Solved, implicit, iterated, spread


class Held(NamedTuple):
    """The equations at a trial u (k,).

    r (k,)  balance without reactions;  B (m, k)  their directions:  r = B^T l
    c (m,)  what the constraints miss:  c = 0
    """

    r: Any
    B: Any
    c: Any


def solve_step(
    equations: Callable[[Any], Held], rows: int, start: Any, scale: Any
) -> Solved:
    """u with r(u) = B(u)^T l and c(u) = 0, all derivatives exact.

    `scale` (k,) is the size of the unknowns in their own units. The `rows`
    may be redundant, and loads then are not unique: nothing is asked of them.
    """
    k = len(start)

    def missed(x: Any) -> Any:
        here = equations(x[:k])
        return jnp.concatenate([here.r - here.B.T @ x[k:], here.c])

    def increment(x: Any) -> Any:
        u, loads = x[:k], x[k:]
        value, J = jacobian(lambda u: missed(jnp.concatenate([u, loads])), u)
        pair = J[k:], equations(u).B
        return jnp.concatenate(solve_held(J[:k], -value[:k], pair, -value[k:]))

    free = jnp.concatenate([start, jnp.zeros(rows)])
    found = iterated(increment, free, lambda step: spread(step[:k] / scale))
    u = implicit(found.u, missed, lambda J, b: _without_rank(J, b, k))
    return Solved(u[:k], found.is_solved)


def _without_rank(J: Any, b: Any, k: int) -> Any:
    """x with J x = b,  J = [[K, -B^T], [A, 0]], where rows may be redundant."""
    pair = J[k:, :k], -J[:k, k:].T
    return jnp.concatenate(solve_held(J[:k, :k], b[:k], pair, b[k:]))
