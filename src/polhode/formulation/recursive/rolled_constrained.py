"""A large tree with constraints: accelerations, and the way back onto its rows.

All of it is loops over tables: the walk outward, the walk inward, like constraints, the
entries of M and A, and the elimination.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, scanned
from polhode.formulation.recursive.rolled_acting import driving
from polhode.formulation.recursive.rolled_bodies import marks_of, without_uniform
from polhode.formulation.recursive.rolled_world import (
    Outward,
    in_motion,
    inward,
    outward,
    wrench_needed,
)
from polhode.formulation.shared.uniform_motion import has_shift, removable_edges
from polhode.formulation.solve.rolled_rows import (
    Composite,
    Elimination,
    eliminated,
    row_entries,
    row_lengths,
    row_products,
    solution,
)
from polhode.formulation.solve.row_tables import row_tables
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import NaturalSizes, natural_sizes, position_sizes
from polhode.system.rolled.motion import motion
from polhode.system.rolled.rows import (
    At,
    Rows,
    place,
    right,
    row_answers,
    rows_of,
    slope,
    speed,
)
from polhode.system.rolled.walk import Kind, Places, entered, own, padded, walk_of
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

NEWTON = 2  # matrices: after one accurate step the next squares what is missed
STEPS = 2  # with each matrix
# Proximal iterations of such a step, which another follows where it was too short.
REPEATED = (1.0, -2.0)
SHORT = 1e-6  # of a miss: as much as what a step of a method misses is bent


def accelerations(
    system: System, t: Scalar, q: Array, z: Array, table: Table
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
    composite, force = _row_forces(system, inertial, upward, wrenches, known)
    force = force[: system.speeds]
    force = force if loads is None else force + loads.efforts
    tables, rows = row_tables(system), rows_of(system, known)
    at = At(t, q, z, now.moving, now.drift)
    slopes, gamma = row_answers(rows, at, (slope, right), known)
    A = row_entries(tables, composite, slopes)
    if shift is not None and has_shift(system):
        gamma = gamma + row_products(tables, A, shift)
    held = eliminated(tables, composite, A, natural_sizes(system))
    z_dot, intensities = solution(held, force, gamma)
    return (z_dot if shift is None else z_dot - shift), intensities


def _row_forces(
    system: System, now: Outward, upward: Array, wrenches: Any, table: Table
) -> tuple[Composite, Any]:
    needed = wrench_needed(now, upward, wrenches)
    found = inward(system, now, needed, table)
    return _as_composite(system, now, found.F, table), found.force


def _as_composite(system: System, now: Outward, F: Array, table: Table) -> Composite:
    return Composite(now.S, F, now.moving.poses.origins, system.rotor_inertias(table))


def _still(system: System, z: Array, table: Table) -> tuple[Any, Any]:
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
    """A state put nearer to its rows; what these miss, and their lengths by `along`.

    g (rows of positions,), phi (m,) and lengths (m,); count of the steps taken; the
    largest miss as a share of what is allowed, once a step is taken.
    """

    q: Any
    z: Any
    g: Any
    phi: Any
    lengths: Any
    count: Any
    share: Any


def projected(
    system: System,
    state: StateArrays,
    table: Table,
    *,
    along: np.ndarray,
    share: Callable[[Onto], Any],
    enough: float,
) -> Onto:
    """The state nearest in mass that keeps all constraints, by Newton's steps.

    A step goes to the place nearest in mass, then to the speeds, with one matrix for
    both: between them lies a small miss. Another follows where its `share` is more
    than `enough`, with the same matrix, and where that did not do, with a new one.
    """
    by_steps = partial(_by_steps, system, along=along, share=share)

    @jax.custom_jvp
    def onto(t: Scalar, q: Array, z: Array, table: Table) -> Onto:
        return by_steps(StateArrays(t, q, z), table, enough)

    @onto.defjvp
    def _(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Onto, Onto]:
        """Iterations that end by themselves have no reverse: of two steps always."""

        def of_two(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
            found = by_steps(StateArrays(t, q, z), table, None)
            return found.q, found.z

        found = onto(*primals)
        q, z = jax.jvp(of_two, primals, tangents)[1]
        still = jax.tree.map(jnp.zeros_like, found)
        return found, still._replace(q=q, z=z)

    return onto(*state, dict(table))


def _by_steps(
    system: System,
    state: StateArrays,
    table: Table,
    enough: float | None,
    *,
    along: np.ndarray,
    share: Callable[[Onto], Any],
) -> Onto:
    """Newton's steps until enough is kept; without it two, each with its matrix."""
    t, q, z = state
    known, every = system.table(table), system.constraints
    places = tuple(c for c in every if c.is_holonomic)
    rows, place_rows = rows_of(system, known), rows_of(system, known, places)

    def factored(now: Onto) -> tuple[Elimination | None, Elimination, Any]:
        """The matrices at a state, of rows of places and of all; and g."""
        walked = outward(system, now.q, None, known)
        composite = _as_composite(
            system, walked, inward(system, walked, None, known).F, known
        )
        of_places, of_all, g = None, None, now.g
        if places:
            at = At(t, now.q, now.z, walked.moving)
            slopes, g = row_answers(place_rows, at, (slope, place), known)
            of_places = _elimination(
                system, places, composite, slopes, position_sizes(system)
            )
        if len(places) < len(every):
            at = _at(system, t, now.q, now.z, known)
            (slopes,) = row_answers(rows, at, (slope,), known)
            of_all = _elimination(
                system, every, composite, slopes, natural_sizes(system)
            )
        held = of_places if of_all is None else of_all
        assert held is not None
        return of_places, held, g

    def nearer(now: Onto) -> Onto:
        of_places, held, g = factored(now)
        lengths = row_lengths(row_tables(system), held.A, along)

        def step(now: Onto) -> Onto:
            q = now.q
            if of_places is not None:
                delta, _ = solution(of_places, None, -now.g, REPEATED, SHORT)
                q = system.local(q, delta)
            placed = outward(system, q, None, known)
            at = At(t, q, now.z, in_motion(system, placed, now.z, known))
            g, phi = _misses(rows, place_rows, at, known)
            delta, _ = solution(held, None, -phi, REPEATED, SHORT)
            z = now.z + delta
            at = At(t, q, z, in_motion(system, placed, z, known))
            (phi,) = row_answers(rows, at, (speed,), known)
            after = Onto(q, z, g, phi, lengths, now.count + 1.0, now.share)
            # Asked once a step: it takes as long as a walk over the tree.
            return after._replace(share=share(after))

        if enough is None:
            return step(now._replace(g=g))

        # What a step leaves is so near that its matrix serves another.
        def goes_on(again: Onto) -> Any:
            first, is_missed = again.count <= now.count, again.share > enough
            return first | ((again.count < now.count + STEPS) & is_missed)

        return lax.while_loop(goes_on, step, now._replace(g=g))

    m, none = rows.total, jnp.zeros(())
    g, still = jnp.zeros(place_rows.total), jnp.zeros(m)
    start = Onto(q, z, g, still, still, none, none)
    if enough is None:
        return nearer(nearer(start))

    def goes_on(now: Onto) -> Any:
        is_missed = now.share > enough
        return (now.count < 1.0) | ((now.count < NEWTON * STEPS) & is_missed)

    return lax.while_loop(goes_on, nearer, start)


def kept_rows(
    system: System, state: StateArrays, table: Table, along: np.ndarray
) -> Onto:
    """A state as it is, with what its rows miss and their lengths."""
    (t, q, z), known = state, system.table(table)
    now = outward(system, q, None, known)
    moving = _at(system, t, q, z, known)
    rows = rows_of(system, known)
    places = tuple(c for c in system.constraints if c.is_holonomic)
    g, phi = _misses(rows, rows_of(system, known, places), moving, known)
    (slopes,) = row_answers(rows, moving, (slope,), known)
    composite = _as_composite(system, now, now.S, known)  # entries of A need no inertia
    A = row_entries(row_tables(system), composite, slopes)
    lengths = row_lengths(row_tables(system), A, along)
    return Onto(q, z, g, phi, lengths, jnp.zeros(()), jnp.zeros(()))


def _misses(rows: Rows, places: Rows, at: At, table: Table) -> tuple[Any, Any]:
    """g and phi; in one loop where all rows are of positions."""
    if rows.total == places.total:
        g, phi = row_answers(rows, at, (place, speed), table)
        return g, phi
    (g,) = row_answers(places, at, (place,), table)
    (phi,) = row_answers(rows, at, (speed,), table)
    return g, phi


def _at(system: System, t: Scalar, q: Array, z: Array, table: Table) -> At:
    return At(t, q, z, motion(system, q, z, table))


def _elimination(
    system: System,
    constraints: Sequence[Any],
    composite: Composite,
    slopes: Array,
    natural: NaturalSizes,
) -> Elimination:
    """The elimination of some rows, all of the system or those of positions."""
    tables = row_tables(system, constraints)
    return eliminated(
        tables, composite, row_entries(tables, composite, slopes), natural
    )
