"""Overlaps and gaps of contacts that rest: closed by the motion of least inertia."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from polhode.formulation.solve.contact_problem import for_active
from polhode.formulation.solve.row_elimination import for_rows

LIFTS = 10  # sweeps over the overlaps


class Normals(NamedTuple):
    """J_N (n, nz), rates of gaps by speeds, and X_N = M^-1 J_N^T (n, nz)."""

    jacobian: Any
    response: Any


class Placed(NamedTuple):
    """gaps: (q, way from the middle of the step) -> g (n,); local: (q, way) -> q."""

    gaps: Callable[[Any, Any], Any]
    local: Callable[[Any, Any], Any]


class End(NamedTuple):
    """q at the end of a step, and its way (nz,) from the middle."""

    q: Any
    way: Any


class Closed(NamedTuple):
    """(n,) contacts that do not part, and those that are pressed."""

    rests: Any
    pressed: Any


def apart(
    normals: Callable[[], Normals],
    placed: Placed,
    end: End,
    closed: Closed,
    least: Any,
) -> Any:
    """q without the overlaps of contacts that rest, where any is above `least`.

    Small gaps of those that are pressed are closed too: what rolls over a ridge would
    else leave it. Normals are not asked where there is nothing to do.
    """
    q, way = end
    gaps = placed.gaps(q, way)
    rests, pressed = closed.rests, closed.rests & closed.pressed
    amiss = (rests & (gaps < -least)) | (pressed & (gaps > least))

    def lifted() -> Any:
        whole, lowest = normals(), jnp.where(pressed, -jnp.inf, 0.0)
        first, pushed = _lift(whole, gaps, pressed | (rests & (gaps < 0)), lowest)
        higher = placed.local(q, first)
        # Gaps are not straight in the coordinates: what was lifted too far would open
        # and fall again, for ever.
        left = placed.gaps(higher, way + first)
        lowest = jnp.full_like(gaps, -jnp.inf)
        second, _ = _lift(whole, left, pushed != 0, lowest)
        return placed.local(higher, second)

    return lax.cond(jnp.any(amiss), lifted, lambda: q)


def _lift(normals: Normals, gaps: Any, chosen: Any, lowest: Any) -> tuple[Any, Any]:
    """The motion (nz,) of least inertia that closes the chosen gaps, and lambda (n,).

    0 <= lambda  _|_  g + W_NN lambda >= 0, by sweeps; what they leave the next step has
    again. Where `lowest` (n,) is below zero, g + W_NN lambda = 0.
    """
    J, X = normals
    own = jnp.sum(J * X, axis=1)
    own = jnp.where(own > 0, own, 1.0)

    def one(moved: Any, row: Any) -> tuple[Any, Any]:
        J, X, gap, own, least, pushed = row
        new = jnp.maximum(least, pushed - (gap + jnp.sum(J * moved)) / own)
        return moved + X * (new - pushed), new

    def sweep(_: object, state: tuple[Any, Any]) -> tuple[Any, Any]:
        rows = (J, X, gaps, own, lowest, state[0])
        moved, pushed = for_active(chosen, one, state[1], rows)
        return pushed, moved

    start = (jnp.zeros_like(gaps), jnp.zeros(X.shape[1]))
    pushed, moved = for_rows(LIFTS, sweep, start)
    return moved, pushed
