"""Energies and momenta of a large system: sums over its bodies in one loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import power
from polhode.actions.weight import WeightOf
from polhode.arrays import Array, Scalar, namespace, scanned
from polhode.geometry.vector import cross
from polhode.joints.seat import coordinates_of
from polhode.matter.parameter import Table, at
from polhode.system.gather import driven_joints
from polhode.system.loads import efforts_of
from polhode.system.mass import inertias, rotor_inertias
from polhode.system.rolled.acting import Sorted, energy, picked, sorted_actions
from polhode.system.rolled.motion import Motion, motion
from polhode.system.rolled.walk import own
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System


class Sums(NamedTuple):
    """T (J), momentum (3,), and angular momentum (3,) about the world's origin."""

    kinetic: Any
    momentum: Any
    angular_momentum: Any


def sums(system: System, q: Array, z: Array, table: Table) -> Sums:
    """Kinetic energy and momenta of all bodies, and the energy of rotors."""
    now = motion(system, q, z, table)
    rotors = rotor_inertias(system, table)

    def step(total: Sums, row: Any) -> tuple[Sums, None]:
        k, M = row
        R, p = now.poses.rotations[k], now.poses.origins[k]
        w, v = R.T @ now.twists.angular[k], R.T @ now.twists.linear[k]
        V = jnp.concatenate([w, v])
        h = M @ V
        linear = R @ h[3:]
        about = R @ h[:3] + cross(p, linear)
        own = Sums(0.5 * jnp.sum(V * h), linear, about)
        return Sums(*(a + b for a, b in zip(total, own, strict=True))), None

    rows = np.arange(len(system.bodies)), inertias(system, table)
    start = Sums(jnp.zeros(()), jnp.zeros(3), jnp.zeros(3))
    found = scanned(step, start, rows)[0]
    if not np.any(rotors):
        return found
    turning = scanned(_turning, jnp.zeros(()), (rotors, z))[0]
    return found._replace(kinetic=found.kinetic + turning)


def _turning(total: Any, row: Any) -> tuple[Any, None]:
    inertia, speed = row
    return total + 0.5 * inertia * speed * speed, None


def potential(system: System, t: Scalar, q: Array, table: Table) -> Any:
    """The energy stored in the conservative actions."""
    known = system.table(table)
    now = motion(system, q, None, known)
    kept = [a for a in system.actions if a.is_conservative]
    weights = [a for a in kept if isinstance(a, WeightOf)]
    rest = [a for a in kept if not isinstance(a, WeightOf)]
    given = sorted_actions(system, rest, known)
    total = energy(system, t, q, moving=now, given=given, table=known)
    for action in weights:
        total = total + _weight(system, action, now, known)
    return total


def _weight(system: System, action: WeightOf, now: Motion, table: Table) -> Any:
    """V = g sum m h, with heights above the origin of the pulling body."""
    up = action.law.upward(table)
    n = len(system.bodies)
    by, *_ = np.array(system.places_of((action.by,))) % (n + 1)
    owners = system.places_of([mass.point.frame for mass in action.masses])
    masses = [at(mass.mass, table) for mass in action.masses]
    points = [coordinates_of(mass.point, table) for mass in action.masses]
    columns = (
        np.array(owners) % (n + 1),
        namespace(*masses).stack(masses),
        namespace(*points).stack(points),
    )
    up_W, origin = now.poses.rotations[by] @ up, now.poses.origins[by]

    def step(total: jnp.ndarray, row: Any) -> tuple[Any, None]:
        body, mass, point = row
        place = now.poses.origins[body] + now.poses.rotations[body] @ point
        return total + mass * jnp.sum((place - origin) * up_W), None

    return at(action.law.gravity, table) * scanned(step, jnp.zeros(()), columns)[0]


def powers(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> dict[str, Any]:
    """By its name: the power of each action that does not give back what it takes."""
    known = system.loaded(t, q, z, system.table(table))
    loose = [a for a in system.actions if not a.is_conservative]
    if not loose:
        return {}
    given = sorted_actions(system, loose, known)
    now = motion(system, q, z, known)
    found = _of_groups(given, now, StateArrays(t, q, z), known)
    for action in given.single:
        if driven_joints(action):
            parts = efforts_of(system, action, t, q, z, known)
            found[action.name] = sum(jnp.sum(tau * z[e.z]) for e, tau in parts)
            continue
        rows = np.array(system.places_of(action.bodies)) % (len(system.bodies) + 1)
        poses, twists = picked(now, rows)
        found[action.name] = power(action.wrenches(poses, twists, t, known), twists)
    return {action.name: found[action.name] for action in loose}


def _of_groups(
    given: Sorted, now: Motion, state: StateArrays, table: Table
) -> dict[str, Any]:
    """The powers of like laws, a loop for each kind."""
    t, q, z = state
    found: dict[str, Any] = {}
    for group, places in given.between:

        def between(_: None, row: Any, group: Any = group) -> tuple[None, Any]:
            numbers, bodies = row
            poses, twists = picked(now, bodies)
            wrenches = group.one(numbers).wrenches(poses, twists, t, table)
            return None, power(wrenches, twists)

        each = scanned(between, None, (group.columns, places))[1]
        found |= {name: each[k] for k, name in enumerate(group.names)}
    for group, places in given.along:

        def along(_: None, row: Any, group: Any = group) -> tuple[None, Any]:
            numbers, starts = row
            law = group.one(numbers)
            z_own = own(z, starts[1], law.joint.speeds)
            q_own = own(q, starts[0], law.joint.coordinates)
            return None, jnp.sum(law.effort(q_own, z_own, t, table) * z_own)

        each = scanned(along, None, (group.columns, places))[1]
        found |= {name: each[k] for k, name in enumerate(group.names)}
    return found
