"""Natural sizes of speeds and constraint rows, so that no threshold has a unit.

    c (nz,)  a radian, or the system's length         M -> c M c
    r (m,)   how a row feels its own bodies and joints move so far      A -> A c / r

They are measured once, where the system rests: thresholds need orders of magnitude
alone. A row that the system's joints leave nothing to feel keeps the size that its own
bodies give it; what is left of it is then seen to be rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.geometry.admission import is_traced
from polhode.system import kinematics, numeric_constraints, rows
from polhode.system.lengths import natural_length

if TYPE_CHECKING:
    from polhode.system.system import System

KEY = "natural sizes"


class NaturalSizes(NamedTuple):
    """Sizes of velocities (k,) and of rows (m,) of one equation of motion."""

    speeds: Any
    rows: Any


def natural_sizes(system: System) -> NaturalSizes:
    """Those of the system's own speeds and constraint rows, measured once."""
    return system.remembered(KEY, lambda: _measure(system))


def position_sizes(system: System) -> NaturalSizes:
    """The same, with the rows of holonomic constraints alone."""
    found = natural_sizes(system)
    is_place = [c.is_holonomic for c in system.constraints for _ in c.rows]
    return found._replace(rows=found.rows[np.array(is_place, dtype=bool)])


def length_at_rest(system: System) -> float:
    """The natural length where the system rests; a metre of one made in a trace."""
    from polhode.system.check import rest_coordinates

    if _has_numbers(system):
        return natural_length(system, rest_coordinates(system))
    return 1.0


def _measure(system: System) -> NaturalSizes:
    from polhode.system.check import rest_coordinates

    if not system.constraints or not _has_numbers(system):
        return NaturalSizes(np.ones(system.speeds), np.ones(len(system.row_names)))
    now = numeric_constraints.scene(system, 0.0, rest_coordinates(system))
    found = numeric_constraints.velocities(system, now, np.zeros(system.speeds))
    return NaturalSizes(found.along, found.scales)


def _has_numbers(system: System) -> bool:
    """Whether lengths and masses are known: not those of a system made in a trace."""
    neutral = system.neutral()
    poses = kinematics.poses(system, 0.0, neutral, system.table())
    g = rows.positions(system, 0.0, neutral)
    inertias = system.inertias(system.table())
    return not is_traced(*poses, g, inertias, *system.parameters.values())
