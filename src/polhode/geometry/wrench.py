"""Wrenches: what acts on a rigid body, summed up about a point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.errors import FrameMismatch, ModelError
from polhode.geometry import se3, transport
from polhode.geometry.admission import admit
from polhode.geometry.frame import Frame, require_frame, require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.twist import Twist, require_same_place, spatial_array
from polhode.geometry.vector import components_close, dot, is_scalar, shown

if TYPE_CHECKING:
    from polhode.geometry.pose import Pose
    from polhode.geometry.rotations.rotation import Rotation


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Wrench:
    """The resultant force and the torque about a point, on one body.

    Both are written in `frame`. `on` is the frame of the body acted upon, `by` that
    of the body which acts, if one does; the reaction exchanges the two.
    """

    torque: Any
    force: Any
    on: Frame
    point: Point
    frame: Frame
    by: Frame | None = None

    __array_ufunc__ = None  # NumPy must not drop the frames

    def __post_init__(self) -> None:
        for frame in (self.on, self.frame, self.by or self.on):
            require_frame(frame, "a wrench")
        for name in ("torque", "force"):
            what = f"the {name} on {self.on.name!r}"
            column = admit(getattr(self, name), (3,), what, self.frame)
            object.__setattr__(self, name, column)

    def at(self, point: Point) -> Wrench:
        """The same action about another point.   torque_Q = torque_P - p_PQ x f"""
        arm = point - self.point
        require_same_frame("shift", self.frame, arm.frame)
        torque = transport.shift_torque(self.torque, self.force, arm.components)
        return replace(self, torque=torque, point=point)

    def written_in(self, rotation: Rotation) -> Wrench:
        """The same action about the same point, along other axes."""
        require_same_frame("re-express", self.frame, rotation.of)
        R = rotation.matrix
        torque, force = R @ self.torque, R @ self.force
        return replace(self, torque=torque, force=force, frame=rotation.seen_from)

    def moved_by(self, pose: Pose) -> Wrench:
        """The same action about the observing frame's origin, in its axes.

        F_A = Ad(X_AB)^-T F_B
        """
        start = self.at(Point.origin(pose.of))
        F = se3.coadjoint(pose.to_matrix()) @ spatial_array(start.torque, start.force)
        origin = Point.origin(pose.seen_from)
        moved = replace(start, torque=F[:3], force=F[3:], point=origin)
        return replace(moved, frame=pose.seen_from)

    def power(self, twist: Twist) -> Any:
        """The power on a body that moves so.   torque . w + force . v

        The same number about every point and in every frame's axes.
        """
        require_same_place("multiply", self, twist)
        if twist.of is not self.on:
            raise FrameMismatch(
                f"a wrench on {self.on.name!r} has no power on the motion of"
                f" {twist.of.name!r}.",
                "Power is force on a body times the velocity of that body.",
                f"Give the twist of {self.on.name!r}.",
            )
        return dot(self.torque, twist.angular) + dot(self.force, twist.linear)

    def reaction(self) -> Wrench:
        """What the body gives back: the opposite wrench, on the one that acts."""
        if self.by is None:
            raise ModelError(
                f"the wrench on {self.on.name!r} has no reaction.",
                "It does not say which body exerts it.",
                "Name that body's frame: Wrench(..., by=frame).",
            )
        back = replace(self, torque=-self.torque, force=-self.force)
        return replace(back, on=self.by, by=self.on)

    def is_close(self, other: Wrench, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """The same action about one point, each part within `rtol` of it or `atol`."""
        _require_same_action("compare", self, other)
        torque = components_close(self.torque, other.torque, rtol, atol)
        return torque and components_close(self.force, other.force, rtol, atol)

    def __add__(self, other: Wrench) -> Wrench:
        if not isinstance(other, Wrench):
            return NotImplemented
        _require_same_action("add", self, other)
        both = self.by if self.by is other.by else None
        torque, force = self.torque + other.torque, self.force + other.force
        return replace(self, torque=torque, force=force, by=both)

    def __neg__(self) -> Wrench:
        return replace(self, torque=-self.torque, force=-self.force)

    def __sub__(self, other: Wrench) -> Wrench:
        return self + -other if isinstance(other, Wrench) else NotImplemented

    def __mul__(self, factor: float) -> Wrench:
        if not is_scalar(factor):
            return NotImplemented
        return replace(self, torque=self.torque * factor, force=self.force * factor)

    __rmul__ = __mul__

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(spatial_array(self.torque, self.force), dtype=dtype)

    def __repr__(self) -> str:
        by = f", by={self.by.name!r}" if self.by else ""
        return (
            f"Wrench(torque={shown(self.torque)}, force={shown(self.force)},"
            f" on={self.on.name!r}{by}, point={self.point!r},"
            f" frame={self.frame.name!r})"
        )


def _require_same_action(act: str, one: Wrench, other: Wrench) -> None:
    require_same_place(act, one, other)
    if one.on is not other.on:
        raise FrameMismatch(
            f"cannot {act} a wrench on {one.on.name!r} and one on {other.on.name!r}.",
            "Actions on different bodies do not add up on either of them.",
            "Keep one sum for each body.",
        )
