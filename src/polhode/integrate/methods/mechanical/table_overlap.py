"""Overlaps of contacts that rest, in loops over tables; see `overlap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array, scanned
from polhode.formulation.solve.contact_problem import for_active, for_rows
from polhode.integrate.methods.mechanical.overlap import LIFTS


class SparseNormals(NamedTuple):
    """Rates of gaps J_N (n, L) by `speeds`, answers X_N (n, m) by `felt`; W_NN (n,).

    Numbers of speeds go up to `total`, which stands for none.
    """

    jacobian: Any
    response: Any
    speeds: Any
    felt: Any
    own: Any
    total: int


class Lifting(NamedTuple):
    """gaps: q -> g (n,); local: (q, delta) -> q; normals: chosen (n,) -> those."""

    gaps: Callable[[Any], Any]
    local: Callable[[Any, Any], Any]
    normals: Callable[[Any], SparseNormals]


def table_apart(lifting: Lifting, q: Array, rests: Any, least: Any) -> Any:
    """q without the overlaps of contacts that rest, where any is above `least`."""
    gaps = lifting.gaps(q)

    def look(found: Any, row: Any) -> Any:
        gap, rests = row
        return found | (rests & (gap < -least)), rests & (gap < 0)

    is_any, chosen = scanned(look, jnp.array(False), (gaps, rests))

    def lifted() -> Any:
        normals = lifting.normals(chosen)
        first, pushed = _lift(normals, gaps, chosen, least=0.0)
        higher = lifting.local(q, first)
        # What was lifted too far would open and fall again, for ever.
        again = scanned(lambda _, p: (None, p > 0), None, pushed)[1]
        second, _ = _lift(normals, lifting.gaps(higher), again, least=-jnp.inf)
        return lifting.local(higher, second)

    return lax.cond(is_any, lifted, lambda: q)


def _lift(
    normals: SparseNormals, gaps: Any, chosen: Any, *, least: Any
) -> tuple[Any, Any]:
    """The motion (nz,) that closes the chosen gaps, and lambda (n,); by sweeps."""
    fixed = (normals.jacobian, normals.response, normals.speeds, normals.felt)

    def one(moved: Any, row: Any) -> tuple[Any, Any]:
        J, X, speeds, felt, gap, own, pushed = row
        new = jnp.maximum(least, pushed - (gap + jnp.sum(J * moved[speeds])) / own)
        return moved.at[felt].add(X * (new - pushed)), new

    def sweep(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        rows = (*fixed, gaps, normals.own, state[0])
        moved, pushed = for_active(chosen, one, state[1], rows)
        return pushed, moved

    start = (jnp.zeros_like(gaps), jnp.zeros(normals.total + 1))
    pushed, moved = for_rows(LIFTS, sweep, start)
    return moved[:-1], pushed
