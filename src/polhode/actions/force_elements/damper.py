"""Dampers: forces and moments against relative motion, opposite on two bodies."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
    separation,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import PointAction, TurnAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    interaction,
    turn,
    velocity_of,
)
from polhode.arrays import Array, Scalar, namespace, removable
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at
from polhode.matter.parameter import parameters_in as listed
from polhode.matter.quantities.direction import (
    admit_direction,
    parameters_of_direction,
    unit_at,
)


def damper_force(separation: Array, velocity: Array, damping: Scalar) -> Any:
    """The force on the end at d from the other end, which it leaves with velocity v.

        F = -c (v . d) d / |d|^2

    At d = 0 the line is undefined, and the force NaN.
    """
    square = dot(separation, separation)
    closed = square == 0
    safe = removable(closed, 1.0, square)
    rate = removable(closed, np.nan, damping * dot(velocity, separation) / safe)
    return -rate[..., None] * separation


@final
@dataclass(frozen=True, eq=False)
class Damper(PointAction):
    """A linear damper along the line between a point of one body and one of another.

    F_on = -c (rate of the distance) along the line; negative damping feeds motion and
    is refused unless `allow_negative` is given.
    """

    on: Attachment
    by: Attachment
    damping: Quantity
    _: KW_ONLY
    name: str = "damper"
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        c = coefficient(
            self.name, "damping", self.damping, self.allow_negative, unit="N*s/m"
        )
        object.__setattr__(self, "damping", c)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The damping, and those of its ends."""
        return parameters_of((self.on, self.by), self.damping)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite forces along the line of the two points."""
        d, arm = separation(poses, self.on, self.by, table)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_of(poses, 1, self.by, table))
        F = damper_force(d, v, at(self.damping, table))
        return interaction(poses, arm, F, 0.0 * F)

    def fault(self) -> str:
        """Closed up, a damper has no direction."""
        return (
            "Its two ends are at one place: the line along which it acts is undefined."
        )


@final
@dataclass(frozen=True, eq=False)
class RotationalDamper(TurnAction):
    """A damper against the relative turning of two bodies, about one axis or all.

        M_on = -c w_rel,  or  -c (n . w_rel) n  about an axis n of the second body

    w_rel is the angular velocity of `on` seen from `by`.
    """

    on: Frame
    by: Frame
    damping: Quantity
    axis: Any = None
    _: KW_ONLY
    name: str = "rotational damper"
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.on, self.by)
        c = coefficient(
            self.name, "damping", self.damping, self.allow_negative, unit="N*m*s"
        )
        object.__setattr__(self, "damping", c)
        if self.axis is not None:
            unit = admit_direction(self.axis, f"the axis of {self.name!r}", self.by)
            object.__setattr__(self, "axis", unit)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The damping, and those of the axis."""
        return listed([self.damping, *parameters_of_direction(self.axis)])

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite moments against the relative angular velocity."""
        w = twists.angular[..., 0, :] - twists.angular[..., 1, :]
        if self.axis is not None:
            n = turn(poses, 1, unit_at(self.axis, table))
            w = dot(n, w)[..., None] * n
        moment = -at(self.damping, table) * w
        torques = namespace(moment).stack([moment, -moment], axis=-2)
        return Wrenches(torques, 0.0 * torques)

    def fault(self) -> str:
        """Damping is finite at finite speeds."""
        return "The angular velocities are not finite."
