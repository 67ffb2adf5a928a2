"""The lengths of a system, by which misses and steps are measured in any units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.matter.parameter import Table, at

if TYPE_CHECKING:
    from polhode.system.system import System


def own_length(system: System) -> float:
    """The largest arm or radius of gyration, computed once; 0 of bare particles."""
    return system.remembered("length", lambda: _length(system))


def natural_length(system: System, q: np.ndarray) -> float:
    """Its own length, or that of its rods; else how far away it is; else a metre."""
    table = system.table()
    rods = [float(at(c.length, table)) for c in system.constraints if _is_rod(c)]
    held = max(own_length(system), *rods, 0.0)
    if held > 0:
        return held
    away = far(system, q)
    return away if away > 0 else 1.0


def far(system: System, q: np.ndarray) -> float:
    """The largest distance among the coordinates."""
    return float(np.max(np.abs(q[entries(system, "units", "m")]), initial=0.0))


def speed_lengths(system: System, length: float) -> np.ndarray:
    """How large (nz,) a displacement along each speed is: 1 rad, or the length."""
    return np.where(entries(system, "speed_units", "m/s"), length, 1.0)


def coordinate_lengths(system: System, length: float) -> np.ndarray:
    """The natural size (nq,) of each coordinate: the length of distances, else 1."""
    return np.where(entries(system, "units", "m"), length, 1.0)


def entries(system: System, word: str, unit: str) -> np.ndarray:
    """Which entries have a unit, found once."""

    def found() -> np.ndarray:
        each = [u == unit for joint in system.joints for u in getattr(joint, word)]
        return np.array(each, dtype=bool)

    return system.remembered((word, unit), found)


def _is_rod(constraint: Any) -> bool:
    length = getattr(constraint, "length", None)
    return length is not None and not isinstance(length, tuple)


def _length(system: System) -> float:
    table: Table = system.table()
    arms = [
        np.linalg.norm(arm)
        for joint in system.joints
        for _, arm in (joint.first_frame(table), joint.second_frame(table))
    ]
    inertias = system.inertias()
    turning = np.trace(inertias[:, :3, :3], axis1=1, axis2=2)
    masses = np.maximum(inertias[:, 3, 3], np.finfo(float).tiny)
    return float(max(*arms, *np.sqrt(turning / masses)))
