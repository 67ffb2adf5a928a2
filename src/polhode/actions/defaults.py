"""What most actions answer alike: the base classes that a law begins from.

An action says what it exerts. That it stores nothing, that it is not conservative and
which bodies it joins are answered here, and are written again only where they differ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from polhode.actions.attachment import Attachment
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.arrays import Array, Scalar
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table


class BodyAction(ABC):
    """An action on bodies, which exerts wrenches; it stores nothing."""

    @property
    @abstractmethod
    def bodies(self) -> tuple[Frame, ...]:
        """The frames of the bodies it acts on, each once."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers it depends on: none."""
        return ()

    @property
    def is_conservative(self) -> bool:
        """Whether its power is the loss of its energy in every motion: no."""
        return False

    @abstractmethod
    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The wrench on each body; not finite where the law gives none."""

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """None is stored."""
        return 0.0 * poses.origins[..., 0, 0]

    def fault(self) -> str:
        """Why the law may give no force."""
        return "The positions or the velocities are not finite."


class PointAction(BodyAction):
    """An action at a point `on` one body, by a point of another."""

    on: Attachment
    by: Attachment

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies it joins."""
        return (self.on.frame, self.by.frame)


class FramedAction(BodyAction):
    """An action at a point `on` one body, by a frame that it moves in."""

    on: Attachment
    by: Frame

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body with the point, then the other."""
        return (self.on.frame, self.by)


class TurnAction(BodyAction):
    """An action between two bodies that depends on how they are turned alone."""

    on: Frame
    by: Frame

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies it joins."""
        return (self.on, self.by)


class JointAction(ABC):
    """An action along a joint, which exerts efforts; it stores nothing."""

    joint: Joint

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies of the joint, the successor first."""
        return (self.joint.second.frame, self.joint.first.frame)

    @property
    def is_conservative(self) -> bool:
        """Whether its power is the loss of its energy in every motion: no."""
        return False

    @abstractmethod
    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The effort along each speed of the joint."""

    def energy(self, q: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """None is stored."""
        return 0.0
