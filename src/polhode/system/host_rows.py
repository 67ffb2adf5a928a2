"""Constraint rows on the host, without a compiler: for checks and for assembly.

A constraint reads only its own few bodies and joints. Its derivatives by their motions
are differences of five values, good to about 1e-12, and the bodies' Jacobians do the
rest:

    dg/dz = sum over its bodies of (dg/dX) J + sum over its joints of dg/dq_joint

The compiled rows in `rows` are exact; a test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.constraints.constraint import Placed
from polhode.geometry import so3
from polhode.matter.parameter import Table
from polhode.system import kinematics
from polhode.system.loads import still_world, with_world
from polhode.system.rows import moving, placed

if TYPE_CHECKING:
    from polhode.system.system import System

STEP = 1e-3


class Scene(NamedTuple):
    """Everything at one time and configuration that rows are made from."""

    t: float
    q: np.ndarray
    poses: Poses
    J: np.ndarray
    table: Table


def scene(system: System, t: float, q: np.ndarray) -> Scene:
    """Poses, the world's last, and Jacobians of all bodies in their own axes."""
    table = system.table()
    poses = with_world(kinematics.poses(system, t, q, table))
    return Scene(t, q, poses, kinematics.jacobians(system, t, q, table), table)


def positions(system: System, now: Scene) -> tuple[np.ndarray, np.ndarray]:
    """g (rows,) of the holonomic constraints, and dg/dz (rows, speeds)."""
    values, slopes = [np.zeros(0)], [np.zeros((0, system.speeds))]
    for constraint in system.constraints:
        if constraint.is_holonomic:
            here = placed(system, constraint, now.poses, now.q)
            values.append(constraint.position(here, now.t, now.table))
            slopes.append(_slope(system, constraint, here, now))
    return np.concatenate(values), np.concatenate(slopes)


def velocities(
    system: System, now: Scene, z: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """phi (rows,) of all constraints at the speeds z, and d phi/dz (rows, speeds)."""
    values, slopes = [np.zeros(0)], [np.zeros((0, system.speeds))]
    for constraint in system.constraints:
        here = placed(system, constraint, now.poses, now.q)
        if constraint.is_holonomic:
            A = _slope(system, constraint, here, now)
            values.append(A @ z + _by_time(constraint, here, now))
        else:

            def phi(speeds: np.ndarray, constraint: Any = constraint) -> Any:
                twists = _twists(now, speeds)
                motion = moving(system, constraint, twists, speeds)
                here = placed(system, constraint, now.poses, now.q)
                return constraint.velocity(here, motion, now.t, now.table)

            values.append(phi(z))
            A = _columns(lambda k, h: phi(z + h * np.eye(len(z))[k]), len(z))
        slopes.append(A)
    return np.concatenate(values), np.concatenate(slopes)


def _slope(system: System, constraint: Any, here: Placed, now: Scene) -> np.ndarray:
    A = np.zeros((len(constraint.rows), system.speeds))
    for k, body in enumerate(system.places_of(constraint.bodies)):
        if body >= 0:
            A += _by_pose(constraint, here, k, now) @ now.J[body]
    for k, joint in enumerate(constraint.joints):
        A[:, system.edge(joint.name).z] += _by_joint(constraint, here, k, now)
    return A


def _by_pose(constraint: Any, here: Placed, k: int, now: Scene) -> np.ndarray:
    """dg by the twist (6) of its body k, in the body's axes."""
    R, p = here.rotations[k], here.origins[k]

    def moved(direction: int, h: float) -> Any:
        step = h * np.eye(6)[direction]
        rotations, origins = here.rotations.copy(), here.origins.copy()
        rotations[k], origins[k] = R @ so3.exp(step[:3]), p + R @ step[3:]
        return constraint.position(
            Placed(rotations, origins, here.coordinates), now.t, now.table
        )

    return _columns(moved, 6)


def _by_joint(constraint: Any, here: Placed, k: int, now: Scene) -> np.ndarray:
    """dg by the speeds of its joint k."""
    joint, q = constraint.joints[k], here.coordinates[k]

    def moved(direction: int, h: float) -> Any:
        parts = list(here.coordinates)
        parts[k] = joint.local(q, h * np.eye(joint.speeds)[direction])
        changed = here._replace(coordinates=tuple(parts))
        return constraint.position(changed, now.t, now.table)

    return _columns(moved, joint.speeds)


def _by_time(constraint: Any, here: Placed, now: Scene) -> np.ndarray:
    def moved(_: int, h: float) -> Any:
        return constraint.position(here, now.t + h, now.table)

    return _columns(moved, 1)[:, 0]


def _twists(now: Scene, z: np.ndarray) -> Twists:
    V = now.J @ z
    R_WB = now.poses.rotations[:-1]
    parts = [(R_WB @ half[..., None])[..., 0] for half in (V[:, :3], V[:, 3:])]
    return still_world(Twists(*parts))


def _columns(function: Callable[[int, float], Any], count: int) -> np.ndarray:
    """Derivatives at h = 0 of function(k, h), a column for each k."""
    found = []
    for k in range(count):
        far = np.asarray(function(k, 2 * STEP)) - function(k, -2 * STEP)
        near = np.asarray(function(k, STEP)) - function(k, -STEP)
        found.append((8 * near - far) / (12 * STEP))
    return np.stack(found, axis=-1)
