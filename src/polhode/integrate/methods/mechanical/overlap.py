"""Overlaps of contacts that rest: removed along the motion of least inertia."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from polhode.formulation.solve.contact_problem import ContactProblem

LIFTS = 10  # sweeps over the overlaps


class Placed(NamedTuple):
    """gaps: q -> g (n,); local: (q, delta) -> q."""

    gaps: Callable[[Any], Any]
    local: Callable[[Any, Any], Any]


def apart(
    problem: Callable[[], ContactProblem],
    placed: Placed,
    q: Any,
    rests: Any,
    least: Any,
) -> Any:
    """q without the overlaps of contacts that rest, where any is above `least`.

    No matrix of the problem is asked where there is none.
    """
    gaps = placed.gaps(q)
    overlaps = rests & (gaps < -least)

    def lifted() -> Any:
        whole = problem()
        first, pushed = _lift(whole, gaps, rests & (gaps < 0), least=0.0)
        higher = placed.local(q, first)
        # Gaps are not straight in the coordinates: what was lifted too far would open
        # and fall again, for ever.
        left = placed.gaps(higher)
        second, _ = _lift(whole, left, pushed > 0, least=-jnp.inf)
        return placed.local(higher, second)

    return lax.cond(jnp.any(overlaps), lifted, lambda: q)


def _lift(
    problem: ContactProblem, gaps: Any, chosen: Any, *, least: Any
) -> tuple[Any, Any]:
    """The motion (nz,) of least inertia that closes the chosen gaps, and lambda (n,).

    0 <= lambda  _|_  g + W_NN lambda >= 0, by sweeps; what they leave the next step has
    again. With `least` below zero, g + W_NN lambda = 0.
    """
    J, X = problem.jacobian[:, 0], problem.response[:, :, 0]
    own = jnp.sum(J * X, axis=1)
    own = jnp.where(own > 0, own, 1.0)

    def one(i: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        pushed, moved = state
        gap = gaps[i] + jnp.sum(J[i] * moved)
        new = jnp.where(chosen[i], jnp.maximum(least, pushed[i] - gap / own[i]), 0.0)
        return pushed.at[i].set(new), moved + X[i] * (new - pushed[i])

    def sweep(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        return lax.fori_loop(0, gaps.shape[0], one, state)

    start = (jnp.zeros_like(gaps), jnp.zeros(X.shape[1]))
    pushed, moved = lax.fori_loop(0, LIFTS, sweep, start)
    return moved, pushed
