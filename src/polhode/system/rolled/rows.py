"""Constraints of a large system: like ones in a loop, each on its own few bodies.

    g(t, q),      phi = dg/dt,      G = d phi / d(twists of its bodies),      gamma

A constraint reads only the bodies that it holds, so that what is asked of it does not
depend on how many others there are. G of a constraint has a part for each of its bodies
and then for each of its joints; what trees make of it is found elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Twists
from polhode.arrays import Array, Scalar, scanned
from polhode.constraints.constraint import Moving, Placed
from polhode.geometry.vector import skew
from polhode.matter.parameter import Table
from polhode.system.rolled.acting import picked
from polhode.system.rolled.alike import Group, groups
from polhode.system.rolled.kinds import ALIKE
from polhode.system.rolled.motion import Motion, motion
from polhode.system.rolled.walk import entered, own
from polhode.system.rows import rate_of_position

if TYPE_CHECKING:
    from polhode.system.system import System


class RowGroup(NamedTuple):
    """Like constraints (c,), and where they are.

    rows    (c,)       the first row of each among all rows
    slopes  (c,)       where its G begins in the list of all
    bodies  (c, b)     numbers of its bodies, the world's the last
    joints  (c, j, 2)  where the coordinates and speeds of its joints begin
    """

    group: Group
    rows: np.ndarray
    slopes: np.ndarray
    bodies: np.ndarray
    joints: np.ndarray

    @property
    def height(self) -> int:
        """How many rows each has."""
        return len(self.group.template.rows)


class Rows(NamedTuple):
    """All constraints of a system, or some: groups, and lengths of lists of them."""

    groups: list[RowGroup]
    total: int
    slopes: int
    longest: int


class Local(NamedTuple):
    """What one constraint reads at an instant: places, velocities, drifts, time.

    `drift` are the accelerations of its bodies at constant speeds of the system.
    """

    here: Placed
    now: Moving
    drift: Moving
    t: Any


Question = Callable[[Any, Local, Table], Any]


def slopes_of(constraint: Any) -> int:
    """How many numbers its G has."""
    wide = 6 * len(constraint.bodies) + sum(j.speeds for j in constraint.joints)
    return len(constraint.rows) * wide


def rows_of(
    system: System, table: Table, constraints: Sequence[Any] | None = None
) -> Rows:
    """The constraints of a system, or those given, by groups of like ones."""
    chosen = list(system.constraints if constraints is None else constraints)
    heights = [len(c.rows) for c in chosen]
    first_rows = np.cumsum([0, *heights])
    first_slopes = np.cumsum([0, *(slopes_of(c) for c in chosen)])
    found = []
    for group in _groups(chosen, table):
        own_ones = [chosen[k] for k in group.members]
        bodies = [system.places_of(c.bodies) for c in own_ones]
        edges = [[system.edge(j.name) for j in c.joints] for c in own_ones]
        starts = [[(e.q.start, e.z.start) for e in each] for each in edges]
        shape = len(own_ones), len(own_ones[0].joints), 2
        found.append(
            RowGroup(
                group,
                first_rows[group.members],
                first_slopes[group.members],
                np.array(bodies, dtype=int) % (len(system.bodies) + 1),
                np.array(starts, dtype=int).reshape(shape),
            )
        )
    total, slopes = int(first_rows[-1]), int(first_slopes[-1])
    return Rows(found, total, slopes, max(heights, default=0))


def _groups(chosen: list[Any], table: Table) -> list[Group]:
    """Like constraints together; those of other kinds each on its own."""
    places = [k for k, c in enumerate(chosen) if isinstance(c, ALIKE)]
    found = [
        Group(g.template, np.array(places)[g.members], g.columns, g.names)
        for g in groups([chosen[k] for k in places], table)
    ]
    for k, constraint in enumerate(chosen):
        if not isinstance(constraint, ALIKE):
            found.append(Group(constraint, np.array([k]), {}, (constraint.name,)))
    return found


class At(NamedTuple):
    """Where a system is when its rows are asked; `drift` None where nothing reads it.

    All arrays of bodies have the world's row as their last.
    """

    t: Any
    q: Any
    z: Any
    moving: Motion
    drift: Twists | None = None


def row_answers(
    rows: Rows, at: At, questions: Sequence[Question], table: Table
) -> tuple[Any, ...]:
    """What all constraints answer to some questions, each a list in their order.

    `slope` fills a list of G, others one number a row.
    """
    sizes = [
        rows.slopes if question is slope else rows.total + rows.longest
        for question in questions
    ]
    rooms = tuple(jnp.zeros(size) for size in sizes)
    for like in rows.groups:
        rooms = _group_answers(like, at, rooms, questions, table)
    return tuple(
        room if question is slope else room[: rows.total]
        for room, question in zip(rooms, questions, strict=True)
    )


def _group_answers(
    like: RowGroup, at: At, rooms: Any, questions: Sequence[Question], table: Table
) -> Any:
    """The rooms with what one group of like constraints answers."""

    def step(rooms: Any, row: Any) -> tuple[Any, None]:
        numbers, first, start, bodies, joints = row
        constraint = like.group.one(numbers)
        local = _local(like.group.template, at, bodies, joints)
        filled = []
        for room, question in zip(rooms, questions, strict=True):
            answer = jnp.reshape(question(constraint, local, table), -1)
            place = start if question is slope else first
            filled.append(entered(room, answer, place))
        return tuple(filled), None

    tables = like.group.columns, like.rows, like.slopes, like.bodies, like.joints
    return scanned(step, rooms, tables)[0]


def _local(constraint: Any, at: At, bodies: Array, joints: Array) -> Local:
    poses, twists = picked(at.moving, bodies)
    kinds = constraint.joints
    q = tuple(own(at.q, joints[k, 0], j.coordinates) for k, j in enumerate(kinds))
    z = tuple(own(at.z, joints[k, 1], j.speeds) for k, j in enumerate(kinds))
    here = Placed(poses.rotations, poses.origins, q)
    now = Moving(twists.angular, twists.linear, z)
    still = tuple(jnp.zeros_like(each) for each in z)
    if at.drift is None:
        none = jnp.zeros_like(twists.angular)
        return Local(here, now, Moving(none, none, still), at.t)
    _, drift = picked(Motion(at.moving.poses, at.drift), bodies)
    return Local(here, now, Moving(drift.angular, drift.linear, still), at.t)


def _phi(constraint: Any, here: Placed, now: Moving, t: Scalar, table: Table) -> Any:
    """What an equation of position or of velocity misses in velocity (rows,)."""
    if constraint.is_holonomic:
        return rate_of_position(constraint, here, now, t, table)
    return constraint.velocity(here, now, t, table)


def place(constraint: Any, local: Local, table: Table) -> Any:
    """g (rows,)"""
    return constraint.position(local.here, local.t, table)


def speed(constraint: Any, local: Local, table: Table) -> Any:
    """phi (rows,)"""
    return _phi(constraint, local.here, local.now, local.t, table)


def slope(constraint: Any, local: Local, table: Table) -> Any:
    """G: (b, rows, 6) by twists of its bodies, then (k, rows) by speeds of joints."""

    def phi(now: Moving) -> Any:
        return _phi(constraint, local.here, now, local.t, table)

    by = jax.jacfwd(phi)(jax.tree.map(lambda x: 1.0 * x, local.now))
    bodies = jnp.swapaxes(jnp.concatenate([by.angular, by.linear], axis=-1), 0, 1)
    joints = [each.T.reshape(-1) for each in by.speeds]
    return jnp.concatenate([bodies.reshape(-1), *joints])


def right(constraint: Any, local: Local, table: Table) -> Any:
    """gamma (rows,): minus the rate of phi while the system's speeds are constant."""
    here, now = local.here, local.now
    pairs = zip(constraint.joints, here.coordinates, now.speeds, strict=True)
    q_dot = tuple(1.0 * jnp.asarray(joint.rates(q, z)) for joint, q, z in pairs)
    R_dot = skew(now.angular) @ here.rotations
    rates = Placed(1.0 * R_dot, 1.0 * now.linear, q_dot)
    t = 1.0 * jnp.asarray(local.t)
    point = jax.tree.map(lambda x: 1.0 * jnp.asarray(x), (here, now))
    drift = jax.tree.map(lambda x: 1.0 * jnp.asarray(x), local.drift)

    def phi(here: Placed, now: Moving, t: Scalar) -> Any:
        return _phi(constraint, here, now, t, table)

    return -jax.jvp(phi, (*point, t), (rates, drift, jnp.ones_like(t)))[1]


def positions(system: System, t: Scalar, q: Array, table: Table) -> Any:
    """g of all holonomic constraints, traced."""
    known = system.table(table)
    held = [c for c in system.constraints if c.is_holonomic]
    rows = rows_of(system, known, held)
    z = jnp.zeros(system.speeds)
    at = At(t, q, z, motion(system, q, None, known))
    return row_answers(rows, at, (place,), known)[0]


def velocities(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """phi of all constraints, traced."""
    known = system.table(table)
    at = At(t, q, z, motion(system, q, z, known))
    return row_answers(rows_of(system, known), at, (speed,), known)[0]


def speed_rate(constraint: Any, local: Local, table: Table) -> Any:
    """d phi/dz z (rows,): the slope of phi along the velocities as they are."""

    def phi(now: Moving) -> Any:
        return _phi(constraint, local.here, now, local.t, table)

    now = jax.tree.map(lambda x: 1.0 * x, local.now)
    return jax.jvp(phi, (now,), (now,))[1]


def speed_rates(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """A z (m,) of all constraints, traced."""
    known = system.table(table)
    at = At(t, q, z, motion(system, q, z, known))
    return row_answers(rows_of(system, known), at, (speed_rate,), known)[0]
