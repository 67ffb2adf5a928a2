"""What acts on a large tree, in the frames of its joints."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar, namespace, scanned
from polhode.formulation.recursive.links import is_an_acceleration, near
from polhode.formulation.recursive.rolled_bodies import Acting, accelerations
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table, at
from polhode.system.gather import driven_joints
from polhode.system.rolled.acting import Loads, loads, sorted_actions
from polhode.system.rolled.motion import Motion, motion
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


def of_tree(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """z_dot (nz,) of a large tree without constraints."""
    return accelerations(system, q, z, acting(system, t, q, z, table), table)


class Driving(NamedTuple):
    """All actions: an acceleration of the world (3,), and the loads of the others.

    `moving` is where the bodies are, if any load acts on bodies; both may be None.
    """

    upward: Any
    loads: Loads | None
    moving: Motion | None


def driving(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Driving:
    """All actions, each in the cheapest form: see `links.given`."""
    known = system.loaded(t, q, z, system.table(table))
    upward = np.zeros(3)
    rest = []
    for action in system.actions:
        if is_an_acceleration(system, action):
            up = action.law.upward(known)
            upward = upward + at(action.law.gravity, known) * up
        else:
            rest.append(action)
    if not rest:
        return Driving(upward, None, None)
    given = sorted_actions(system, rest, known)
    moving = motion(system, q, z, known)
    found = loads(system, StateArrays(t, q, z), moving, given, known)
    on_bodies = given.between or _of_poses(given.single)
    return Driving(upward, found, moving if on_bodies else None)


def acting(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Acting:
    """What acts, in the frames of the joints."""
    upward, found, moving = driving(system, t, q, z, table)
    base = namespace(upward).concatenate([np.zeros(3), upward])
    if found is None:
        return Acting(base, None, jnp.zeros(system.speeds))
    if moving is None:
        return Acting(base, None, found.efforts)
    known = system.loaded(t, q, z, system.table(table))
    return Acting(base, _in_joint_frames(system, moving, found, known), found.efforts)


def are_sound(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """Whether every force that acts is a number."""
    known = system.loaded(t, q, z, system.table(table))
    rest = [a for a in system.actions if not is_an_acceleration(system, a)]
    if not rest:
        return jnp.array(True)
    given = sorted_actions(system, rest, known)
    now, moving = StateArrays(t, q, z), motion(system, q, z, known)
    return loads(system, now, moving, given, known).is_sound


def _of_poses(actions: list[Any]) -> list[Any]:
    return [action for action in actions if not driven_joints(action)]


def _in_joint_frames(system: System, moving: Motion, given: Loads, table: Table) -> Any:
    """Wrenches (n, 6) about the frames K of all bodies, in their axes.

    As in `loads.in_body_axes`, moments are turned about the mass centres.
    """
    seats = [near(edge, table)[1] for edge in system.tree.edges]
    centres = [1.0 * body.moments(table).centre for body in system.bodies]
    columns = [seat.R for seat in seats], [seat.p for seat in seats], centres
    tables = tuple(namespace(*column).stack(column) for column in columns)
    numbers = np.arange(len(system.bodies))

    def turned(_: None, row: Any) -> tuple[None, Any]:
        k, (R_BK, p_BK, c) = row
        R_WB, W = moving.poses.rotations[k], given.wrenches[k]
        force = R_WB.T @ W[3:]
        about = W[:3] - cross(R_WB @ c, W[3:])
        torque = R_WB.T @ about + cross(c, force)
        arm = cross(p_BK, force)
        return None, jnp.concatenate([R_BK.T @ (torque - arm), R_BK.T @ force])

    return scanned(turned, None, (numbers, tables))[1]
