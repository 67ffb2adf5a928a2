"""Twists: how a rigid frame moves, as another frame sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, namespace
from polhode.errors import FrameMismatch, ModelError
from polhode.geometry import se3, transport
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import (
    Frame,
    require_adjacent,
    require_frame,
    require_same_frame,
)
from polhode.geometry.motion.angular_velocity import AngularVelocity
from polhode.geometry.point import Point, require_same_point
from polhode.geometry.vector import Dyadic, Vector, components_close, is_scalar, shown

if TYPE_CHECKING:
    from polhode.geometry.pose import Pose
    from polhode.geometry.rotations.rotation import Rotation


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Twist:
    """The motion of a rigid frame B seen from A, about a point, along some axes.

    `angular` is w_AB; `linear` is the velocity, seen from A, of the material point of B
    that is now at `point`. Both are written in `frame`.

        point      frame    name
        B's origin   B      left-invariant, body twist
        A's origin   A      right-invariant, spatial twist
        B's origin   A      the rates of B's placement
    """

    angular: Any
    linear: Any
    of: Frame
    seen_from: Frame
    point: Point
    frame: Frame

    __array_ufunc__ = None  # NumPy must not drop the frames

    def __post_init__(self) -> None:
        for frame in (self.of, self.seen_from, self.frame):
            require_frame(frame, "a twist")
        who = f"of {self.of.name!r} seen from {self.seen_from.name!r}"
        for name in ("angular", "linear"):
            what = f"the {name} velocity {who}"
            column = admit(getattr(self, name), (3,), what, self.frame)
            object.__setattr__(self, name, column)

    def at(self, point: Point) -> Twist:
        """The same motion about another point.   v_Q = v_P + w x p_PQ"""
        arm = point - self.point
        require_same_frame("shift", self.frame, arm.frame)
        linear = transport.shift_velocity(self.angular, self.linear, arm.components)
        return replace(self, linear=linear, point=point)

    def velocity_of(self, point: Point) -> Vector:
        """The velocity field: what A sees of the point of B that is at `point`."""
        return Vector(self.at(point).linear, self.frame)

    def written_in(self, rotation: Rotation) -> Twist:
        """The same motion about the same point, along other axes."""
        require_same_frame("re-express", self.frame, rotation.of)
        R = rotation.matrix
        angular, linear = R @ self.angular, R @ self.linear
        return replace(self, angular=angular, linear=linear, frame=rotation.seen_from)

    def moved_by(self, pose: Pose) -> Twist:
        """The same motion about the observing frame's origin, in its axes.

            V_A = Ad(X_AB) V_B

        The pose is of the frame in which this twist is written.
        """
        start = self.at(Point.origin(pose.of))
        Ad = se3.adjoint(pose.to_matrix())
        screw = Ad @ spatial_array(start.angular, start.linear)
        origin = Point.origin(pose.seen_from)
        moved = replace(start, angular=screw[:3], linear=screw[3:], point=origin)
        return replace(moved, frame=pose.seen_from)

    def reversed(self) -> Twist:
        """The motion of A seen from B, about the same point, in the same axes."""
        back = replace(self, angular=-self.angular, linear=-self.linear)
        return replace(back, of=self.seen_from, seen_from=self.of)

    def followed_by(self, other: Twist) -> Twist:
        """The motion of C seen from A, from B's seen from A and C's seen from B.

        V_AC = V_AB + V_BC, both about one point and in one frame's axes.
        """
        require_adjacent("join", self, other)
        require_same_place("join", self, other)
        angular = self.angular + other.angular
        linear = self.linear + other.linear
        return replace(self, angular=angular, linear=linear, of=other.of)

    @property
    def angular_velocity(self) -> AngularVelocity:
        """The angular part, with its two frames."""
        vector = Vector(self.angular, self.frame)
        return AngularVelocity(vector, of=self.of, seen_from=self.seen_from)

    @property
    def velocity_gradient(self) -> Dyadic:
        """The gradient of the velocity field: skew, so that nothing deforms.

        L @ dx = w x dx; its axial vector is w, the vorticity is 2 w.
        """
        return Dyadic.cross_with(Vector(self.angular, self.frame))

    def is_close(self, other: Twist, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """The same motion about one point, each part within `rtol` of it or `atol`."""
        require_same_motion("compare", self, other)
        angular = components_close(self.angular, other.angular, rtol, atol)
        return angular and components_close(self.linear, other.linear, rtol, atol)

    def __add__(self, other: Twist) -> Twist:
        if not isinstance(other, Twist):
            return NotImplemented
        require_same_motion("add", self, other)
        angular = self.angular + other.angular
        return replace(self, angular=angular, linear=self.linear + other.linear)

    def __neg__(self) -> Twist:
        return replace(self, angular=-self.angular, linear=-self.linear)

    def __sub__(self, other: Twist) -> Twist:
        return self + -other if isinstance(other, Twist) else NotImplemented

    def __mul__(self, factor: float) -> Twist:
        if not is_scalar(factor):
            return NotImplemented
        return replace(self, angular=self.angular * factor, linear=self.linear * factor)

    __rmul__ = __mul__

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(spatial_array(self.angular, self.linear), dtype=dtype)

    def __repr__(self) -> str:
        return (
            f"Twist(angular={shown(self.angular)}, linear={shown(self.linear)},"
            f" of={self.of.name!r}, seen_from={self.seen_from.name!r},"
            f" point={self.point!r}, frame={self.frame.name!r})"
        )


def spatial_array(angular: Array, linear: Array) -> Any:
    """The column (6,) of a twist or wrench, angular part first."""
    return namespace(angular, linear).concatenate([angular, linear], axis=-1)


def twist_of_velocity_field(
    velocity: Vector, gradient: Dyadic, *, of: Frame, seen_from: Frame, point: Point
) -> Twist:
    """The twist of a velocity field that is v at a point and has this gradient there.

    A gradient with a symmetric part deforms what it moves, and is refused.
    """
    require_same_frame("mix", velocity.frame, gradient.frame)
    L = gradient.components
    if not is_traced(L):
        _refuse_deformation(np.asarray(L), of)
    return Twist(
        angular=gradient.axial().components,
        linear=velocity.components,
        of=of,
        seen_from=seen_from,
        point=point,
        frame=velocity.frame,
    )


def _refuse_deformation(L: np.ndarray, of: Frame) -> None:
    deformation = (L + L.T) / 2
    worst, scale = np.max(np.abs(deformation)), np.max(np.abs(L))
    if worst > 1e-9 * scale:
        raise ModelError(
            f"{of.name!r} deforms: its velocity gradient has a symmetric part of"
            f" {worst:.3g} 1/s.",
            "Deformable bodies are not supported: a rigid body keeps all distances,"
            " so its velocity gradient is the skew matrix of its angular velocity.",
            "Drop the symmetric part, or split the body into rigid ones.",
            f"Rate of deformation: {shown(deformation)}.",
        )


def require_same_place(act: str, one: Any, other: Any) -> None:
    """Refuse two spatial vectors about different points or in different axes."""
    require_same_frame(act, one.frame, other.frame)
    require_same_point(act, one.point, other.point)


def require_same_motion(act: str, one: Twist, other: Twist) -> None:
    """Refuse two twists unless body, observer, point and axes are the same."""
    require_same_place(act, one, other)
    if one.of is other.of and one.seen_from is other.seen_from:
        return
    raise FrameMismatch(
        f"cannot {act} the twist of {one.of.name!r} seen from {one.seen_from.name!r}"
        f" and that of {other.of.name!r} seen from {other.seen_from.name!r}.",
        "They are motions of different bodies or before different observers.",
        "Join relative motions with first.followed_by(second).",
    )
