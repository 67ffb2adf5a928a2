"""Drag of a medium on a body that moves through it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

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
    velocity_of,
)
from polhode.arrays import Array, Scalar
from polhode.geometry.frame import Frame
from polhode.geometry.vector import norm
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at


def drag_force(velocity: Array, linear: Scalar, quadratic: Scalar) -> Any:
    """The force on what moves with v through a medium.   F = -(a + b |v|) v

    Smooth in v: at v = 0 its derivative is -a.
    """
    return -(linear + quadratic * norm(velocity))[..., None] * velocity


def quadratic_coefficient(density: Scalar, drag_number: Scalar, area: Scalar) -> Any:
    """b = rho C A / 2, so that the drag is rho C A |v|^2 / 2."""
    return density * drag_number * area / 2


@final
@dataclass(frozen=True, eq=False)
class Drag(FramedAction):
    """Drag at a point of a body by a medium: the air, moving with the frame `by`.

    F = -(a + b |v|) v, v the velocity of the point seen from the medium; the medium
    feels the opposite force at the same place.
    """

    on: Attachment
    by: Frame
    linear: Quantity = 0.0
    quadratic: Quantity = 0.0
    _: KW_ONLY
    name: str = "drag"
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_two_bodies(self.name, self.on.frame, self.by)
        for what, unit in (("linear", "N*s/m"), ("quadratic", "N*s^2/m^2")):
            given, sign = getattr(self, what), self.allow_negative
            value = coefficient(self.name, what, given, sign, unit=unit)
            object.__setattr__(self, what, value)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The two coefficients, and those of the point."""
        return parameters_of((self.on,), self.linear, self.quadratic)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The drag at the point, and its opposite on the medium."""
        arm = arm_of(poses, 0, self.on, table)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_from_other(poses, arm))
        F = drag_force(v, at(self.linear, table), at(self.quadratic, table))
        return interaction(poses, arm, F, 0.0 * F)

    def fault(self) -> str:
        """Drag is finite at finite speeds."""
        return "The velocities are not finite."
