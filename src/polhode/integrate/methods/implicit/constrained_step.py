"""The equations of a step that constraints hold, and Newton's iteration for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp

from polhode.arrays import Array
from polhode.integrate.methods.implicit.jacobian import jacobian
from polhode.integrate.methods.implicit.lu import solve_held
from polhode.integrate.methods.implicit.newton import Solved, implicit, iterated, spread
from polhode.system.natural_sizes import NaturalSizes


class Held(NamedTuple):
    """The equations at a trial u (k,).

    r (k,)  balance without reactions;  B (m, k)  their directions:  r = B^T l
    c (m,)  what the constraints miss:  c = 0
    """

    r: Any
    B: Any
    c: Any


def solve_step(
    equations: Callable[[Any], Held], start: Any, natural: NaturalSizes
) -> Solved:
    """u with r(u) = B(u)^T l and c(u) = 0, all derivatives exact.

    `natural` are the sizes of the unknowns (k,) and rows (m,) in their own units. Rows
    may be redundant, and loads then are not unique: nothing is asked of them.
    """
    k, held = len(start), partial(solve_held, natural=natural)

    def residual(x: Array) -> Any:
        here = equations(x[:k])
        return jnp.concatenate([here.r - here.B.T @ x[k:], here.c])

    def increment(x: Array) -> Any:
        u, loads = x[:k], x[k:]
        value, J = jacobian(lambda u: residual(jnp.concatenate([u, loads])), u)
        pair = J[k:], equations(u).B
        return jnp.concatenate(held(J[:k], -value[:k], *pair, g=-value[k:]))

    free = jnp.concatenate([start, jnp.zeros(len(natural.rows))])
    found = iterated(increment, free, lambda step: spread(step[:k] / natural.speeds))
    u = implicit(found.u, residual, lambda J, b: _without_rank(J, b, natural))
    return Solved(u[:k], found.is_solved)


def _without_rank(J: Array, b: Array, natural: NaturalSizes) -> Any:
    """x with J x = b,  J = [[K, -B^T], [A, 0]], where rows may be redundant."""
    k = len(natural.speeds)
    pair = J[k:, :k], -J[:k, k:].T
    return jnp.concatenate(
        solve_held(J[:k, :k], b[:k], *pair, g=b[k:], natural=natural)
    )
