"""What constraints of a large system exert: like ones in a loop, on their own bodies.

W = G^T l      G = d phi / d(twists of its bodies),  l the intensities of its rows
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp

from polhode.arrays import Array, scanned
from polhode.matter.parameter import Table
from polhode.system.rolled.motion import Motion
from polhode.system.rolled.rows import (
    At,
    RowGroup,
    row_answers,
    rows_of,
    slope,
    slopes_of,
)
from polhode.system.rolled.walk import own
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System


class Carried(NamedTuple):
    """What constraints exert, kind by kind (see `rows_of`), along the world's axes.

    on_bodies  (c, b, 6) of each kind: on its own bodies, about their origins
    efforts    (c, k) of each kind: along the speeds of its own joints
    total      (n + 1, 6): of all of them on every body, the world's row last
    """

    on_bodies: list[Any]
    efforts: list[Any]
    total: Any


def carried(
    system: System,
    state: StateArrays,
    moving: Motion,
    intensities: Array,
    table: Table,
) -> Carried:
    """What all constraints exert with intensities (m,) of their rows."""
    t, q, z = state
    total = jnp.zeros((len(system.bodies) + 1, 6))
    if not system.constraints:
        return Carried([], [], total)
    known = system.table(table)
    rows = rows_of(system, known)
    (slopes,) = row_answers(rows, At(t, q, z, moving), (slope,), known)
    on_bodies, efforts = [], []
    for like in rows.groups:
        total, (wrenches, along) = _exerted_wrenches(like, slopes, intensities, total)
        on_bodies.append(wrenches)
        efforts.append(along)
    return Carried(on_bodies, efforts, total)


def by_constraint(
    system: System, on_bodies: list[Any], efforts: list[Any], table: Table
) -> list[tuple[Any, Any]]:
    """Of every constraint in its order: (b, 6) on its bodies and (k,) on its joints."""
    found: list[Any] = [None] * len(system.constraints)
    groups = rows_of(system, system.table(table)).groups
    for like, wrenches, along in zip(groups, on_bodies, efforts, strict=True):
        for place, W, tau in zip(like.group.members, wrenches, along, strict=True):
            found[place] = W, tau
    return found


def _exerted_wrenches(
    like: RowGroup, slopes: Array, intensities: Array, total: jnp.ndarray
) -> tuple[Any, tuple[Any, Any]]:
    """What like constraints exert, and the sum on all bodies."""
    constraint, high = like.group.template, like.height
    count = len(constraint.bodies)

    def step(total: jnp.ndarray, row: Any) -> tuple[Any, tuple[Any, Any]]:
        first, start, bodies = row
        l = own(intensities, first, high)
        G = own(slopes, start, slopes_of(constraint))
        by_bodies = G[: 6 * high * count].reshape(count, high, 6)
        wrenches = jnp.stack([l @ by_bodies[k] for k in range(count)])
        for k in range(count):
            total = total.at[bodies[k]].add(wrenches[k])
        return total, (wrenches, G[6 * high * count :].reshape(-1, high) @ l)

    return scanned(step, total, (like.rows, like.slopes, like.bodies))
