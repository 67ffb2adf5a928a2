"""Propellers in water: thrust and torque by the square of their speed."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.action import require_frames
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, turn
from polhode.arrays import Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross
from polhode.matter.axes import direction
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class Propeller(BodyAction):
    """A thruster at a point of a craft, forwards and backwards:

        F = k n |n| along `direction`,     M = -j n |n| about it

    on          where it is; `direction` that of the thrust at positive n
    thrust      k, N s^2/rad^2
    speed       n, rad/s; a run may give it by the propeller's name, as an input
    torque      j, N m s^2/rad^2, of the water back on the craft; negative for a
                propeller that turns the other way
    limit       rad/s, of |n|

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=11, x=0.4, y=0.3, z=0.2))
    >>> ph.marine.Propeller(craft.point(-0.2, 0.1, 0), ph.X, 4e-4, limit=300.0).thrust
    Parameter('propeller.thrust', 0.0004)
    """

    on: Attachment
    direction: Any
    thrust: Quantity
    speed: Quantity = 0.0
    _: KW_ONLY
    torque: Quantity = 0.0
    limit: float = np.inf
    name: str = "propeller"

    # An input of its name is one number.
    input_size = 0

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_frames(self.name, [self.on.frame])
        unit = direction(self.direction, f"the direction of {self.name!r}")
        object.__setattr__(self, "direction", np.asarray(unit, float))
        k = coefficient(self.name, "thrust", self.thrust, unit="N*s^2")
        object.__setattr__(self, "thrust", k)
        for word, si in (("speed", "rad/s"), ("torque", "N*m*s^2")):
            given = quantity(getattr(self, word), f"the {word} of {self.name!r}", si)
            object.__setattr__(self, word, named(given, f"{self.name}.{word}"))
        if not float(self.limit) > 0:
            raise ModelError(
                f"the limit of {self.name!r} is {self.limit!r} rad/s.",
                "It is a size above zero.",
                "Leave it out where there is none.",
            )

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The craft; the water that it throws back is not modelled."""
        return (self.on.frame,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Thrust, speed and torque, and those of the point."""
        return parameters_of((self.on,), self.thrust, self.speed, self.torque)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The thrust at the point, and the torque of the water."""
        n = table[self.name] if self.name in table else at(self.speed, table)
        xp = namespace(*poses, n)
        if np.isfinite(self.limit):
            n = xp.clip(n, -self.limit, self.limit)
        along = turn(poses, 0, xp.asarray(self.direction))
        square = n * xp.abs(n)
        F = at(self.thrust, table) * square * along
        couple = -at(self.torque, table) * square * along
        torque = couple + cross(arm_of(poses, 0, self.on, table), F)
        return Wrenches(xp.stack([torque], -2), xp.stack([F], -2))

    def fault(self) -> str:
        """A thrust is finite."""
        return "The positions or the speed of the propeller are not finite."
