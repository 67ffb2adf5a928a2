"""Buoyancy of a craft that is wholly in the water, at its centre of buoyancy."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import FramedAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    turn,
)
from polhode.arrays import Scalar, namespace
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.matter.axes import Z, direction
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at

WATER = 1000.0
GRAVITY = 9.81


@final
@dataclass(frozen=True, eq=False)
class Buoyancy(FramedAction):
    """The lift of displaced water:   F = rho g V, upwards at the centre of buoyancy.

    on        the centre of buoyancy, a point of the craft
    by        the body in which the water rests: the world
    volume    displaced, m^3; density kg/m^3, gravity m/s^2
    up        in the axes of `by`

    The energy is -rho g V times the height of the centre. A body made by
    `ph.marine.submerged` has a hull, and its buoyancy is in its weight already.

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=11, x=0.4, y=0.3, z=0.2))
    >>> ph.marine.Buoyancy(craft.point(0, 0, 0.05), ph.World().frame, 0.0115).volume
    Parameter('buoyancy.volume', 0.0115)
    """

    on: Attachment
    by: Frame
    volume: Quantity
    density: Quantity = WATER
    gravity: Quantity = GRAVITY
    _: KW_ONLY
    up: Any = Z
    name: str = "buoyancy"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_two_bodies(self.name, self.on.frame, self.by)
        units = {"volume": "m^3", "density": "kg/m^3", "gravity": "m/s^2"}
        for word, own_unit in units.items():
            value = coefficient(self.name, word, getattr(self, word), unit=own_unit)
            object.__setattr__(self, word, value)
        unit = direction(self.up, f"the up of {self.name!r}")
        object.__setattr__(self, "up", np.asarray(unit, float))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Volume, density and gravity, and those of the point."""
        return parameters_of((self.on,), self.volume, self.density, self.gravity)

    @property
    def is_conservative(self) -> bool:
        """It is a weight upwards."""
        return True

    def _lift(self, table: Table) -> Any:
        rho, g = at(self.density, table), at(self.gravity, table)
        return rho * g * at(self.volume, table)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The lift at the centre, and its opposite on what holds the water."""
        up = turn(poses, 1, namespace(*poses).asarray(self.up))
        F = self._lift(table) * up
        return interaction(poses, arm_of(poses, 0, self.on, table), F, 0.0 * F)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = -rho g V (height of the centre)"""
        up = turn(poses, 1, namespace(*poses).asarray(self.up))
        place = arm_from_other(poses, arm_of(poses, 0, self.on, table))
        return -self._lift(table) * dot(place, up)

    def fault(self) -> str:
        """It is finite everywhere."""
        return "The positions are not finite."
