"""A thruster that is on or off: duty cycles, the least pulse, and the mean of both.

level u, 0 to 1, of one period T:   on for u T, from the beginning of the period
u T < minimum_on                    does not fire
period = 0                          F = u thrust, without pulses
"""

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
from polhode.arrays import Numbers, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import admit
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at


def pulse(level: Scalar, t: Scalar, period: float, minimum_on: float) -> Any:
    """1 while a thruster is on, 0 while it is off; its level where it has no period."""
    xp = namespace(level, t)
    level = xp.clip(level, 0.0, 1.0)
    if period == 0.0:
        return level
    on = xp.where(level * period < minimum_on, 0.0, level * period)
    # A time k T that is rounded down is the beginning of a period, not the end of one.
    since = t - period * xp.floor(t / period + 1e-9)
    return xp.where(since < on, 1.0, 0.0)


@final
@dataclass(frozen=True, eq=False)
class Thruster(BodyAction):
    """A thruster at a point of a craft, along a direction fixed in it.

    on           where it is; `direction` that of the force on the craft
    thrust       N
    level        what part of the time it is on, 0 to 1
    period       of its duty cycle, s; 0 for a mean thrust without pulses
    minimum_on   the shortest pulse it can give, s: its least impulse is thrust times it

    A run may give the level by the thruster's name, as an input. With pulses it is
    asked where a period begins, t = k period, as by `ph.Sampled(law, dt=period)`: a run
    begins there too, and steps over no pulse.

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    >>> jet = ph.space.Thruster(craft.point(0.2, 0, 0), ph.X, 1.0, minimum_on=0.02)
    >>> jet.thrust
    Parameter('thruster.thrust', 1)
    """

    on: Attachment
    direction: Numbers
    thrust: Quantity
    level: Quantity = 0.0
    _: KW_ONLY
    period: float = 0.0
    minimum_on: float = 0.0
    name: str = "thruster"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_frames(self.name, [self.on.frame])
        axis = np.asarray(admit(np.asarray(self.direction, float), (3,), self.name))
        size = float(np.linalg.norm(axis))
        for what, unit in (("thrust", "N"), ("level", "")):
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            object.__setattr__(self, what, value)
        period, least = float(self.period), float(self.minimum_on)
        # Without pulses the least of them does not matter.
        longest = np.finfo(float).max if period == 0 else period
        if size == 0 or not 0 <= period < np.inf or not 0 <= least <= longest:
            raise ModelError(
                f"{self.name!r} has direction {axis}, period {period:g} s and"
                f" minimum_on {least:g} s.",
                "A direction is not zero, and the shortest pulse fits into a period.",
                "Give 0 <= minimum_on <= period, in seconds.",
            )
        object.__setattr__(self, "direction", axis / size)

    # An input of its name is one number.
    input_size = 0

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The craft; what it throws out is not modelled."""
        return (self.on.frame,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Thrust and level, and those of the point."""
        return parameters_of((self.on,), self.thrust, self.level)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The thrust at the point, while it is on."""
        xp = namespace(*poses, t)
        level = table.get(self.name)
        level = 1.0 * (at(self.level, table) if level is None else level)
        gate = pulse(level, t, float(self.period), float(self.minimum_on))
        F = turn(poses, 0, at(self.thrust, table) * gate * xp.asarray(self.direction))
        torque = cross(arm_of(poses, 0, self.on, table), F)
        return Wrenches(xp.stack([torque], -2), xp.stack([F], -2))

    def fault(self) -> str:
        """A thrust is finite."""
        return "The positions or the level are not finite."
