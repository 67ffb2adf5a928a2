"""A large tree with constraints: accelerations, and the way back onto its rows.

All of it is loops over tables: the walk outward, the walk inward, like constraints, the
entries of M and A, and the elimination.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import scanned
from polhode.formulation.recursive.rolled_acting import driving
from polhode.formulation.recursive.rolled_bodies import marks_of, without_uniform
from polhode.formulation.recursive.rolled_world import (
    Outward,
    inward,
    outward,
    wrench_needed,
)
from polhode.formulation.shared.uniform_motion import has_shift, removable_edges
from polhode.formulation.solve.rolled_rows import (
    Elimination,
    Felt,
    eliminated,
    row_entries,
    row_lengths,
    row_products,
    solution,
)
from polhode.formulation.solve.row_tables import row_tables
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import natural_sizes, position_sizes
from polhode.system.rolled.motion import motion
from polhode.system.rolled.rows import (
    At,
    Question,
    asked,
    place,
    right,
    rows_of,
    slope,
    speed,
)
from polhode.system.rolled.walk import Kind, Places, entered, own, padded, walk_of
from polhode.system.system import System

NEWTON = 2  # after one accurate step each iteration squares what is missed


def accelerations(
    system: System, t: Any, q: Any, z: Any, table: Table
) -> tuple[Any, Any]:
    """z_dot (nz,) and the intensities (m,) of the constraints."""
    known = system.table(table)
    upward, loads, moving = driving(system, t, q, z, table)
    now = outward(system, q, z, known)
    inertial, shift = now, None
    if removable_edges(system):
        # Masses feel no uniform motion: see `uniform_motion`.
        z0, shift = _still(system, z, known)
        inertial = outward(system, q, z0, known)
    wrenches = loads.wrenches if loads is not None and moving is not None else None
    felt, force = _felt(system, inertial, upward, wrenches, known)
    force = force[: system.speeds]
    force = force if loads is None else force + loads.efforts
    tables, rows = row_tables(system), rows_of(system, known)
    at = At(t, q, z, now.moving, now.drift)
    slopes, gamma = asked(rows, at, (slope, right), known)
    A = row_entries(tables, felt, slopes)
    if shift is not None and has_shift(system):
        gamma = gamma + row_products(tables, A, shift)
    held = eliminated(tables, felt, A, natural_sizes(system))
    z_dot, intensities = solution(held, force, gamma)
    return (z_dot if shift is None else z_dot - shift), intensities


def _felt(
    system: System, now: Outward, upward: Any, wrenches: Any, table: Table
) -> tuple[Felt, Any]:
    needed = wrench_needed(now, upward, wrenches)
    found = inward(system, now, needed, table)
    return _as_felt(system, now, found.F, table), found.force


def _as_felt(system: System, now: Outward, F: Any, table: Table) -> Felt:
    return Felt(now.S, F, now.moving.poses.origins, system.rotor_inertias(table))


def _still(system: System, z: Any, table: Table) -> tuple[Any, Any]:
    """Speeds without uniform motions, and what those shift: `uniform_motion.still`."""
    walk = walk_of(system, table, marks_of(system))

    def step(state: tuple[Any, Any], place: Places) -> tuple[tuple[Any, Any], None]:
        def joint(kind: Kind) -> tuple[Any, Any]:
            z_own = own(z, place.z, kind.joint.speeds)
            kept, shift = z_own, jnp.zeros(kind.joint.speeds)
            if kind.mark.is_removed:
                kept, shift = without_uniform(kind.joint, z_own)
            return padded(kept, walk.speeds), padded(shift, walk.speeds)

        found = walk.of_kind(place, joint)
        pairs = zip(state, found, strict=True)
        return tuple(entered(room, part, place.z) for room, part in pairs), None

    room = jnp.zeros(system.speeds + walk.speeds)
    (z0, shift), _ = scanned(step, (room, room), walk.places)
    return z0[: system.speeds], shift[: system.speeds]


class Onto(NamedTuple):
    """A state put back onto its rows, and the lengths (m,) of these by `along`."""

    q: Any
    z: Any
    lengths: Any


def projected(
    system: System, t: Any, q: Any, z: Any, table: Table, *, along: np.ndarray
) -> Onto:
    """The state nearest in mass that keeps all constraints, by two steps of Newton.

    Places first, then speeds, each by the change of least inertia. The last matrix of
    the places serves the speeds too: between them lies what is left of a small miss.
    """
    known = system.table(table)
    every = system.constraints
    held_places = tuple(c for c in every if c.is_holonomic)

    def nearer(q: Any, _: Any) -> tuple[Any, None]:
        now = outward(system, q, None, known)
        at = At(t, q, z, now.moving)
        found = _held(system, now, at, held_places, known, question=place)
        delta, _ = solution(found.elimination, None, -found.missed)
        return system.local(q, delta), None

    if held_places:
        q, _ = scanned(nearer, q, np.arange(NEWTON))
    now = outward(system, q, z, known)
    at = At(t, q, z, now.moving)
    found = _held(system, now, at, every, known, question=speed)
    rows = rows_of(system, known)

    def slower(z: Any, _: Any) -> tuple[Any, None]:
        moving = motion(system, q, z, known)
        (missed,) = asked(rows, At(t, q, z, moving), (speed,), known)
        delta, _ = solution(found.elimination, None, -missed)
        return z + delta, None

    z, _ = scanned(slower, z, np.arange(NEWTON))
    lengths = row_lengths(row_tables(system), found.elimination.A, along)
    return Onto(q, z, lengths)


class Held(NamedTuple):
    """The elimination of some rows at a place, and what they miss there (m,)."""

    elimination: Elimination
    missed: Any


def _held(
    system: System,
    now: Outward,
    at: At,
    constraints: Sequence[Any],
    table: Table,
    *,
    question: Question,
) -> Held:
    tables, rows = (
        row_tables(system, constraints),
        rows_of(system, table, constraints),
    )
    natural = natural_sizes(system) if question is speed else position_sizes(system)
    slopes, missed = asked(rows, at, (slope, question), table)
    felt = _as_felt(system, now, inward(system, now, None, table).F, table)
    A = row_entries(tables, felt, slopes)
    return Held(eliminated(tables, felt, A, natural), missed)
