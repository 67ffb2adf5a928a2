"""What one action exerts on a body at a state, about a point of one's choice.

M_P = M_O + (O - P) x F
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.actions.attachment import Attachment, require_points
from polhode.errors import StateError
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.members import suggestion
from polhode.system.state import State


class PointWrench(NamedTuple):
    """A torque about a point (3,) N m and a force (3,) N, along the world's axes."""

    torque: np.ndarray
    force: np.ndarray


def wrench_about(
    state: State, action: str, point: Attachment, table: Table = NOMINAL
) -> PointWrench:
    """What an action exerts on the body of a point, about that point.

    action   its name; `table` gives parameters, and inputs by name, other values

    >>> import polhode as ph
    >>> box = ph.Body("box", ph.solids.box(mass=2.0, x=1.0, y=1.0, z=1.0))
    >>> system = ph.System([box], [ph.Weight(10.0)])
    >>> wrench_about(system.rest(), "weight", box.point(0.5, 0, 0)).torque.tolist()
    [0.0, -10.0, 0.0]
    """
    require_points(str(action), point)
    system = state.system
    names = [each.name for each in system.actions]
    (place,) = system.places_of([point.frame])
    if action not in names or place < 0:
        raise StateError(
            f"{system.name!r} has no action {action!r} on {point.frame.name!r}.",
            "A wrench is that of one action, by its name, on a body of the system.",
            suggestion(action, names),
        )
    at, whole = (float(state.t), state.q, state.z), system.table(table)
    torques, forces = system.wrenches(*at, table)[action]
    R = np.asarray(system.poses(at[0], state.q, table).rotations[place])
    arm = point.at(whole) if isinstance(point, MaterialPoint) else point.coordinates
    force = np.asarray(forces[place])
    moment: Any = np.asarray(torques[place]) - np.cross(R @ np.asarray(arm), force)
    return PointWrench(moment + 0.0, force)
