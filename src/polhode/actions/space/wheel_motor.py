"""The motor of a reaction wheel: limits of torque and speed, and friction.

    tau = g clip(u, -torque_limit, torque_limit) - viscous z - dry tanh(z/DRY_SPEED)

g is 1, and falls to 0 over the last hundredth before the speed limit while the motor
drives the wheel faster: a wheel at its limit can only be braked.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import JointAction
from polhode.arrays import Scalar, namespace
from polhode.errors import ModelError
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)

# rad/s: within it dry friction grows as if it were viscous, so that wheels can reverse.
DRY_SPEED = 0.1
# Part of the speed limit over which the torque that would go beyond it is taken away.
MARGIN = 0.01


@final
@dataclass(frozen=True, eq=False)
class WheelMotor(JointAction):
    """A motor along a wheel's joint, with its limits and its friction.

    torque         u that is asked for, N m; a run may give it by the motor's name
    torque_limit   N m
    speed_limit    rad/s, of the wheel on its craft
    viscous        N m s/rad
    dry            N m, against the turning

    >>> import polhode as ph
    >>> hub, disc = (ph.Body(n, ph.solids.disc(mass=1, radius=1)) for n in "ab")
    >>> axle = ph.Revolute("wheel", hub.origin, disc.origin, axis=ph.Z)
    >>> motor = WheelMotor(axle, torque_limit=0.2, speed_limit=600.0)
    >>> motor.effort(np.zeros(1), np.array([600.0]), table={"motor of wheel": 9.0})
    array([0.])
    """

    joint: Joint
    torque: Quantity = 0.0
    _: KW_ONLY
    torque_limit: float = np.inf
    speed_limit: float = np.inf
    viscous: Quantity = 0.0
    dry: Quantity = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        put, name = object.__setattr__, self.name or f"motor of {self.joint.name}"
        put(self, "name", name)
        asked = quantity(self.torque, f"the torque of {name!r}", "N*m")
        put(self, "torque", named(asked, f"{name}.torque"))
        for what, unit in (("viscous", "N*m*s"), ("dry", "N*m")):
            put(self, what, coefficient(name, what, getattr(self, what), unit=unit))
        limits = float(self.torque_limit), float(self.speed_limit)
        if not limits[0] >= 0 or not limits[1] > 0 or self.joint.speeds == 0:
            raise ModelError(
                f"{name!r} cannot drive {self.joint.name!r} within {limits[0]:g} N m"
                f" and {limits[1]:g} rad/s.",
                "Limits are sizes, that of the speed above zero, and a joint moves.",
                "Leave a limit out where there is none.",
            )

    # An input of its name is one number.
    input_size = 0

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The torque and the friction."""
        return parameters_in((self.torque, self.viscous, self.dry))

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """tau (speeds,) on the wheel, about its axis."""
        u = table.get(self.name)
        u = 1.0 * (at(self.torque, table) if u is None else u)
        xp = namespace(u, q, z)
        u = xp.clip(u, -self.torque_limit, self.torque_limit)
        if np.isfinite(self.speed_limit):
            left = (self.speed_limit - z * xp.sign(u)) / (MARGIN * self.speed_limit)
            u = u * xp.clip(left, 0.0, 1.0)
        dry = at(self.dry, table) * xp.tanh(z / DRY_SPEED)
        return u - at(self.viscous, table) * z - dry
