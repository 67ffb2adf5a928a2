"""Newton's and Euler's balances of bodies, reckoned from reactions as they are named.

d/dt momentum - applied - reactions = 0, about each body's origin, the world's axes
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode import State
from polhode.actions.motion_arrays import Poses
from polhode.results import Equations
from reckoning import turned


def imbalance(equations: Equations, state: State) -> float:
    """The largest rest of any body's balance, relative to the largest term in it."""
    system, at = equations.system, (state.t, state.q, state.z)
    poses, V = system.poses(*at[:2]), system.body_twists(*at)
    inertias, V_dot = system.inertias(), equations.body_accelerations(state)
    # v x m v is nothing: at the speed of an orbit its rounding is more than what acts.
    along = inertias[:, 3, 3, None] * V[:, 3:]
    momenta = np.einsum("nij,nj->ni", inertias, V)
    momenta[:, 3:] -= along
    turning = turned(V, momenta)
    turning[:, 3:] += np.cross(V[:, :3], along)
    changes = np.einsum("nij,nj->ni", inertias, V_dot), turning
    own = [*changes, -system.applied(*at)]
    parts = [in_world(poses, part) for part in own]
    for wrench in equations.reactions(state).values():
        where = place(system, poses, wrench.on, wrench.point.coordinates)
        loads = np.concatenate([wrench.torque, wrench.force])
        parts.append(-on_bodies(system, poses, (wrench.on, wrench.by), where, loads))
    scale = max(np.max(np.abs(part)) for part in parts)
    return float(np.max(np.abs(sum(parts))) / scale)


def in_world(poses: Poses, own: np.ndarray) -> np.ndarray:
    """Rows (n, 6) in bodies' axes, along the world's."""
    halves = own.reshape(len(own), 2, 3)
    return np.einsum("nij,nkj->nki", poses.rotations, halves).reshape(len(own), 6)


def on_bodies(system: Any, poses: Poses, ends: Any, where: Any, loads: Any) -> Any:
    """Loads [torque; force] at a place on one body, the opposite on another (n, 6)."""
    found = np.zeros((len(system.bodies), 6))
    for frame, sign in zip(ends, (1.0, -1.0), strict=True):
        (body,) = system.places_of([frame]) if frame is not None else (-1,)
        if body >= 0:
            torque = loads[:3] + np.cross(where - poses.origins[body], loads[3:])
            found[body] += sign * np.concatenate([torque, loads[3:]])
    return found


def rotation(system: Any, poses: Poses, frame: Any) -> np.ndarray:
    """R_WB of a body, or 1 for the world."""
    (body,) = system.places_of([frame])
    return poses.rotations[body] if body >= 0 else np.eye(3)


def place(system: Any, poses: Poses, frame: Any, p: np.ndarray) -> np.ndarray:
    """Where a point of a body, or of the world, is."""
    (body,) = system.places_of([frame])
    origin = poses.origins[body] if body >= 0 else np.zeros(3)
    return origin + rotation(system, poses, frame) @ p
