"""Forces and couples of given components: dead loads and followers.

F fixed in the axes of the body that exerts it     dead load (a cable to far away)
F fixed in the axes of the body acted upon         follower (a thruster)

A run may give a follower or a couple other components by its name, as an input.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.action import require_frames, require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    turn,
)
from polhode.arrays import Scalar, namespace
from polhode.errors import FrameMismatch, ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import Vector, cross, dot
from polhode.matter.parameter import NOMINAL, Parameter, Table


@final
@dataclass(frozen=True, eq=False)
class AppliedForce(BodyAction):
    """A force of given components on a point of a body, by another body or by none.

    With `by`, the opposite force acts on that body at the same place. Without, the
    force is a follower: it is written in the axes of the body it acts on.
    """

    on: Attachment
    force: Vector
    by: Frame | None = None
    _: KW_ONLY
    name: str = "force"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        _admit(self.name, self.on.frame, self.force, self.by)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body acted upon, then the one that acts, if one does."""
        return (self.on.frame,) if self.by is None else (self.on.frame, self.by)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the point: the components are given numbers."""
        return parameters_of((self.on,))

    @property
    def is_conservative(self) -> bool:
        """A dead load is, a follower is not."""
        return self.force.frame is self.by

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The force at the point, and its opposite on the body that exerts it."""
        arm = arm_of(poses, 0, self.on, table)
        F = turn(poses, self.bodies.index(self.force.frame), _components(self, table))
        if self.by is not None:
            return interaction(poses, arm, F, 0.0 * F)
        xp = namespace(arm, F)
        return Wrenches(xp.stack([cross(arm, F)], -2), xp.stack([F], -2))

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = -F . p, from the origin of the body that exerts a dead load."""
        arm = arm_of(poses, 0, self.on, table)
        if not self.is_conservative:
            return 0.0 * arm[..., 0]
        F = turn(poses, 1, self.force.components)
        return -dot(F, arm_from_other(poses, arm))

    def fault(self) -> str:
        """A constant force is finite at finite poses."""
        return "The positions are not finite."


@final
@dataclass(frozen=True, eq=False)
class AppliedCouple(BodyAction):
    """A couple of given components on a body, by another body or by none.

    Its axes are those of either body. It has no potential energy: about a fixed axis
    turning through 2 pi does work.
    """

    on: Frame
    couple: Vector
    by: Frame | None = None
    _: KW_ONLY
    name: str = "couple"

    def __post_init__(self) -> None:
        _admit(self.name, self.on, self.couple, self.by)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body acted upon, then the one that acts, if one does."""
        return (self.on,) if self.by is None else (self.on, self.by)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None: the components are given numbers."""
        return ()

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The couple, and its opposite on the body that exerts it."""
        C = turn(poses, self.bodies.index(self.couple.frame), _components(self, table))
        signed = [C] if self.by is None else [C, -C]
        torques = namespace(C).stack(signed, axis=-2)
        return Wrenches(torques, 0.0 * torques)

    def fault(self) -> str:
        """A constant couple is finite at finite poses."""
        return "The positions are not finite."


def _components(action: AppliedForce | AppliedCouple, table: Table) -> Any:
    """The components of the vector, or those of an input in its place."""
    if action.name in table and not action.is_conservative:
        return table[action.name]
    own = action.force if isinstance(action, AppliedForce) else action.couple
    return own.components


def _admit(name: str, on: Frame, vector: Vector, by: Frame | None) -> None:
    require_frames(name, [on])
    if by is not None:
        require_two_bodies(name, on, by)
    if not isinstance(vector, Vector):
        raise ModelError(
            f"{name!r} on {on.name!r} is not a vector: {vector!r}.",
            "Three numbers say nothing without the axes they are along.",
            f"Give Vector(components, frame), of {on.name!r} or of what acts on it.",
        )
    if vector.frame is on or vector.frame is by:
        return
    raise FrameMismatch(
        f"{name!r} on {on.name!r} is written in {vector.frame.name!r}, which is neither"
        " the body it acts on nor the one that exerts it.",
        "A force is exerted by something: a load fixed in space by the world.",
        f"Name that body by its frame, by={vector.frame.name}.frame, or write the"
        f" vector in {on.name!r}.",
    )
