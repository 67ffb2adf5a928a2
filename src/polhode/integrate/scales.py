"""The system's own scales, from which a run takes its tolerance and its first step.

    angles 1,  lengths L,  speeds L w or w

L is the largest arm or radius of gyration in the system, 1/w the quickest of its times
at the start: of its speeds, of its accelerations, and of the run itself. All change
with the units as they should, so that results do not depend on units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.system.system import System


class Scales(NamedTuple):
    """Natural sizes of q (nq,) and z (nz,), and the quickest rate (1/s)."""

    coordinates: np.ndarray
    speeds: np.ndarray
    rate: float


def scales(
    system: System, q: np.ndarray, z: np.ndarray, z_dot: np.ndarray, duration: float
) -> Scales:
    """The scales at a start; q, z, z_dot may have a leading axis of runs."""
    L = length(system, q, z, duration)
    joints = system.joints
    units = [unit for joint in joints for unit in joint.units]
    rates = [unit for joint in joints for unit in joint.speed_units]
    of_q = np.array([L if unit == "m" else 1.0 for unit in units])
    of_z = np.array([L if unit == "m/s" else 1.0 for unit in rates])
    moving = np.max(np.abs(z) / of_z, initial=0.0)
    pushed = np.sqrt(np.max(np.abs(z_dot) / of_z, initial=0.0))
    rate = float(max(moving, pushed, 1.0 / duration))
    return Scales(of_q, of_z * rate, rate)


def length(system: System, q: Any, z: Any, duration: float) -> float:
    """The largest length in the system, or in its motion if it has none itself."""
    table: Table = system.table()
    arms = [
        np.linalg.norm(arm)
        for joint in system.joints
        for _, arm in (joint.first_frame(table), joint.second_frame(table))
    ]
    inertias = system.inertias()
    radii = np.sqrt(
        np.trace(inertias[:, :3, :3], axis1=1, axis2=2)
        / np.maximum(inertias[:, 3, 3], np.finfo(float).tiny)
    )
    found = max(*arms, *radii)
    if found > 0:
        return float(found)
    units = np.array([unit == "m" for joint in system.joints for unit in joint.units])
    rates = [unit == "m/s" for joint in system.joints for unit in joint.speed_units]
    far = np.max(np.abs(np.asarray(q)[..., units]), initial=0.0)
    fast = np.max(np.abs(np.asarray(z)[..., np.array(rates)]), initial=0.0)
    return float(far or fast * duration or 1.0)
