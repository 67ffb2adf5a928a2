"""Overlaps of contacts that rest, in loops over tables; see `overlap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array
from polhode.formulation.solve.active_contacts import (
    ActiveContacts,
    row_of,
    with_row,
)
from polhode.formulation.solve.contact_couplings import longer
from polhode.integrate.methods.mechanical.overlap import LIFTS

# Of what the first sweep closes: what is left for the next step.
ENOUGH = 0.01


class SparseNormals(NamedTuple):
    """Rates of gaps J_N (n, L) by `speeds`, X_N (n, m) by `answering`, W_NN (n,).

    Numbers of speeds go up to `total`, which stands for none.
    """

    jacobian: Any
    response: Any
    speeds: Any
    answering: Any
    own: Any
    total: int


class Lifting(NamedTuple):
    """gaps: (q, some contacts) -> g (n,), 0 of others; local: (q, delta) -> q.

    normals: some contacts -> those.
    """

    gaps: Callable[[Any, ActiveContacts], Any]
    local: Callable[[Any, Any], Any]
    normals: Callable[[ActiveContacts], SparseNormals]


def table_apart(
    lifting: Lifting, q: Array, rests: ActiveContacts, pressed: Any, least: Any
) -> Any:
    """q without the overlaps of contacts that rest, where any is above `least`.

    Small gaps of those of them that are `pressed` (n,) are closed too.
    """
    gaps = lifting.gaps(q, rests)

    def look(k: Any, i: Any, found: Any) -> Any:
        is_any, chosen = found
        gap, is_pressed = row_of((gaps, pressed), i)
        amiss = (gap < -least) | (is_pressed & (gap > least))
        return is_any | amiss, with_row(chosen, is_pressed | (gap < 0), i)

    marks = jnp.zeros(gaps.shape, bool)
    is_any, marks = rests.each(look, (jnp.array(False), marks))

    def lifted() -> Any:
        chosen = ActiveContacts.of(marks)
        normals = lifting.normals(chosen)
        lowest = jnp.where(pressed, -jnp.inf, 0.0)
        first, pushed = _lift(normals, gaps, chosen, lowest)
        higher = lifting.local(q, first)
        # What was lifted too far would open and fall again, for ever.
        again, lowest = ActiveContacts.of(pushed != 0), jnp.full_like(gaps, -jnp.inf)
        second, _ = _lift(normals, lifting.gaps(higher, again), again, lowest)
        return lifting.local(higher, second)

    return lax.cond(is_any, lifted, lambda: q)


def _lift(
    normals: SparseNormals, gaps: Any, chosen: ActiveContacts, lowest: Any
) -> tuple[Any, Any]:
    """The motion (nz,) that closes the chosen gaps, and lambda (n,); by sweeps.

    They end where one closes a small share of what the first has closed.
    """

    def one(k: Any, i: Any, state: Any) -> Any:
        most, moved, pushes = state
        J, X, speeds, answering, own = row_of(tuple(normals[:5]), i)
        gap, pushed, least = row_of((gaps, pushes, lowest), i)
        new = jnp.maximum(least, pushed - (gap + jnp.sum(J * moved[speeds])) / own)
        most = jnp.maximum(most, jnp.abs(new - pushed) * own)
        return (
            most,
            moved.at[answering].add(X * (new - pushed)),
            with_row(pushes, new, i),
        )

    def sweep(state: Any) -> Any:
        count, first, _, *rest = state
        most, *rest = chosen.each(one, (jnp.zeros(()), *rest))
        return count + 1, jnp.where(count == 0, most, first), most, *rest

    def goes_on(state: Any) -> Any:
        count, first, most = state[:3]
        return (count == 0) | ((count < LIFTS) & (most > ENOUGH * first))

    none = jnp.zeros(())
    start = (longer(jnp.zeros(normals.total)), jnp.zeros_like(gaps))
    count = jnp.zeros((), jnp.int64)
    moved, pushed = lax.while_loop(goes_on, sweep, (count, none, none, *start))[3:]
    return moved[: normals.total], pushed
