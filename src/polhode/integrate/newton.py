"""Newton's iteration for implicit steps that must keep what they keep to rounding.

    u <- u - K^-1 r(u),       K near dr/du, factored once a step

Structure that an implicit step preserves it preserves as well as its equations are
solved: the iteration goes on until increments are rounding. A step whose increments do
not come to that within a fixed number of iterations says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.integrate.elimination import eliminated

ITERATIONS = 25
EPSILON = np.finfo(float).eps
# Increments that no longer shrink are rounding below this share of the unknowns; well
# above it they are a step that is too long.
ROUNDING = 1e-11


class Solved(NamedTuple):
    """What was found, and whether it solves its equations to rounding."""

    u: Any
    is_solved: Any


def solve(residual: Callable[[Any], Any], start: Any, scale: Any) -> Solved:
    """u (n,) with residual(u) = 0, by the Jacobian at the start.

    `scale` (n,) is the size of the unknowns in their own units.
    """
    inverse = eliminated(jax.jacfwd(residual)(start))
    return iterated(lambda u: -inverse(residual(u)), start, scale)


def iterated(increment: Callable[[Any], Any], start: Any, scale: Any) -> Solved:
    """u <- u + increment(u) from a start, until increments are rounding."""

    def goes_on(state: tuple[Any, Any, Any, Any]) -> Any:
        _, count, before, now = state
        shrinks = (count < 2) | (now < 0.9 * before)
        return (count < ITERATIONS) & shrinks & (now > EPSILON)

    def once(state: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        u, count, _, now = state
        step = increment(u)
        return u + step, count + 1, now, jnp.max(jnp.abs(step) / scale)

    far = jnp.full((), np.inf)
    first = (start, jnp.zeros((), jnp.int64), far, far)
    u, _, _, last = lax.while_loop(goes_on, once, first)
    return Solved(u, last <= ROUNDING)


def scales(x: Any, slope: Any, h: Any, n: int) -> tuple[Any, Any]:
    """The sizes of increments of q and of y in a step h of x = [q; y].

    Their own and, where they start from zero, what the step makes of them; coordinates
    count as angles, and speeds as what moves these by as much.
    """
    q = jnp.sqrt(jnp.mean(x[:n] ** 2)) + jnp.abs(h) * jnp.sqrt(jnp.mean(slope[:n] ** 2))
    rates = jnp.sqrt(jnp.mean(x[n:] ** 2))
    y = rates + jnp.abs(h) * jnp.sqrt(jnp.mean(slope[n:] ** 2))
    return q, y
