"""What acts on a large system: like springs and dampers in a loop, others alone.

    for each spring:   the wrenches on its two bodies   ->  added to those of the bodies

A law whose like are few, or that reads inputs by its name, is written out on its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.actions.force_elements.damper import Damper, RotationalDamper
from polhode.actions.force_elements.joint_law import JointDamper, JointSpring
from polhode.actions.force_elements.spring import Spring
from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, scanned
from polhode.matter.parameter import Table
from polhode.system.gather import driven_joints
from polhode.system.loads import efforts_of, joint_energy
from polhode.system.rolled.alike import Group, groups
from polhode.system.rolled.motion import Motion
from polhode.system.rolled.walk import own
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System

# Laws that read their own numbers alone: of their like one code serves all.
BETWEEN_BODIES = (Spring, Damper, RotationalDamper)
ALONG_JOINTS = (JointSpring, JointDamper)
# Like laws from which on a loop is shorter than they are.
MANY = 8


class Sorted(NamedTuple):
    """Actions by how they are written: groups of like ones, and single ones."""

    between: list[tuple[Group, np.ndarray]]
    along: list[tuple[Group, np.ndarray]]
    single: list[Any]


def sorted_actions(system: System, actions: list[Any], table: Table) -> Sorted:
    """Groups with the numbers of their bodies (m, 2), or places (m, 2) in q and z."""
    found = Sorted([], [], [])
    kinds = (*BETWEEN_BODIES, *ALONG_JOINTS)
    rolled = [a for a in actions if type(a) in kinds]
    found.single.extend(a for a in actions if type(a) not in kinds)
    for group in groups(rolled, table):
        members = [rolled[k] for k in group.members]
        if len(members) < MANY:
            found.single.extend(members)
        elif isinstance(group.template, BETWEEN_BODIES):
            places = [system.places_of(action.bodies) for action in members]
            n = len(system.bodies)
            found.between.append((group, np.array(places) % (n + 1)))
        else:
            edges = [system.edge(action.joint.name) for action in members]
            starts = [(edge.q.start, edge.z.start) for edge in edges]
            found.along.append((group, np.array(starts)))
    return found


class Loads(NamedTuple):
    """Wrenches on all bodies (n + 1, 6) [torque; force] along the world's axes.

    Torques are about the bodies' origins; the world's row is what it takes. efforts
    (nz,) act along joints, and `is_sound` is whether every number is one.
    """

    wrenches: Any
    efforts: Any
    is_sound: Any


def loads(
    system: System,
    state: StateArrays,
    moving: Motion,
    given: Sorted,
    table: Table,
) -> Loads:
    """What some actions exert at a state (t, q, z)."""
    t, q, z = state
    total, efforts = jnp.zeros((len(system.bodies) + 1, 6)), jnp.zeros(system.speeds)
    checks = jnp.zeros(())
    for group, places in given.between:
        total, checks = _between(group, places, moving, (total, checks), t, table)
    for group, places in given.along:
        efforts, checks = _along(group, places, state, (efforts, checks), table)
    for action in given.single:
        if driven_joints(action):
            for edge, effort in efforts_of(system, action, t, q, z, table):
                efforts = efforts.at[edge.z].add(effort)
                checks = checks + jnp.sum(effort)
            continue
        rows = np.array(system.places_of(action.bodies)) % (len(system.bodies) + 1)
        poses, twists = picked(moving, rows)
        each = jnp.concatenate(action.wrenches(poses, twists, t, table), axis=-1)
        for k, row in enumerate(rows):
            total = total.at[row].add(each[k])
        checks = checks + jnp.sum(each)
    return Loads(total, efforts, jnp.isfinite(checks))


def energy(
    system: System, t: Scalar, q: Array, *, moving: Motion, given: Sorted, table: Table
) -> Any:
    """What some actions store at (t, q)."""
    total = jnp.zeros(())
    for group, places in given.between:

        def stored(
            total: jnp.ndarray, row: Any, group: Group = group
        ) -> tuple[Any, None]:
            numbers, bodies = row
            poses, _ = picked(moving, bodies)
            return total + group.one(numbers).energy(poses, t, table), None

        total = scanned(stored, total, (group.columns, places))[0]
    for group, places in given.along:

        def accumulate(total: Any, row: Any, group: Group = group) -> tuple[Any, None]:
            numbers, starts = row
            law = group.one(numbers)
            own_q = own(q, starts[0], law.joint.coordinates)
            return total + law.energy(own_q, t, table), None

        total = scanned(accumulate, total, (group.columns, places))[0]
    for action in given.single:
        if joints := driven_joints(action):
            coordinates = [q[system.edge(joint.name).q] for joint in joints]
            total = total + joint_energy(action, coordinates, t, table)
            continue
        rows = np.array(system.places_of(action.bodies)) % (len(system.bodies) + 1)
        total = total + action.energy(picked(moving, rows)[0], t, table)
    return total


def _between(
    group: Group, places: np.ndarray, moving: Motion, now: Any, t: Scalar, table: Table
) -> tuple[Any, Any]:  # limit: like laws at a state and a table, beside what acts
    """Wrenches of like laws between two bodies, added to those of all."""

    def step(now: tuple[Any, Any], row: Any) -> tuple[tuple[Any, Any], None]:
        (total, checks), (numbers, bodies) = now, row
        poses, twists = picked(moving, bodies)
        exerted = group.one(numbers).wrenches(poses, twists, t, table)
        each = jnp.concatenate(exerted, axis=-1)
        total = total.at[bodies[0]].add(each[0]).at[bodies[1]].add(each[1])
        return (total, checks + jnp.sum(each)), None

    return scanned(step, now, (group.columns, places))[0]


def _along(
    group: Group, places: np.ndarray, state: StateArrays, now: Any, table: Table
) -> tuple[Any, Any]:
    """Efforts of like laws along joints, added to those of all."""
    t, q, z = state

    def step(now: tuple[Any, Any], row: Any) -> tuple[tuple[Any, Any], None]:
        (efforts, checks), (numbers, starts) = now, row
        law = group.one(numbers)
        q_own = own(q, starts[0], law.joint.coordinates)
        z_own = own(z, starts[1], law.joint.speeds)
        effort = law.effort(q_own, z_own, t, table)
        before = own(efforts, starts[1], law.joint.speeds)
        efforts = lax.dynamic_update_slice(efforts, before + effort, (starts[1],))
        return (efforts, checks + jnp.sum(effort)), None

    return scanned(step, now, (group.columns, places))[0]


def picked(moving: Motion, rows: Array) -> tuple[Poses, Twists]:
    """Poses and velocities of some bodies, by their numbers."""

    def chosen(parts: Array) -> Any:
        return jnp.stack([parts[rows[k]] for k in range(len(rows))])

    poses, twists = (
        jax.tree.map(chosen, tuple(moving.poses)),
        jax.tree.map(chosen, tuple(moving.twists)),
    )
    return Poses(*poses), Twists(*twists)
