"""The motion of one frame before another, as a noun that checks its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.geometry.admission import admit
from polhode.geometry.frame import Frame, require_adjacent, require_same_frame
from polhode.geometry.motion import moving_frame, path
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.twist import Twist
from polhode.geometry.vector import components_close, shown

_AT_REST = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True, eq=False)
class FrameMotion:
    """Where frame B is, how fast it moves and how that changes, seen from A.

    All columns are written in A; velocity and acceleration are those of B's origin.

        M_AC = M_AB @ M_BC,      M_BA = M_AB.inverse()
    """

    pose: Pose
    angular_velocity: Any = _AT_REST
    velocity: Any = _AT_REST
    angular_acceleration: Any = _AT_REST
    acceleration: Any = _AT_REST

    def __post_init__(self) -> None:
        who = f"of {self.of.name!r} seen from {self.seen_from.name!r}"
        rates = ("angular_velocity", "velocity", "angular_acceleration", "acceleration")
        for name in rates:
            what = f"the {name.replace('_', ' ')} {who}"
            column = admit(getattr(self, name), (3,), what, self.seen_from)
            object.__setattr__(self, name, column)

    @staticmethod
    def along(
        placement: Callable[[Any], Any], t: float, *, of: Frame, seen_from: Frame
    ) -> FrameMotion:
        """The motion at time t along a path t -> (R_AB, p_AoBo_A) in `jax.numpy`."""
        arrays = path.moving_frame(placement, t)
        return _named(arrays, of=of, seen_from=seen_from)

    @property
    def of(self) -> Frame:
        """The frame that moves, B."""
        return self.pose.of

    @property
    def seen_from(self) -> Frame:
        """The frame that looks, A."""
        return self.pose.seen_from

    @property
    def arrays(self) -> MovingFrame:
        """The plain arrays that the kernels of `relative_motion` take."""
        return MovingFrame(
            rotation=self.pose.rotation.matrix,
            place=self.pose.origin,
            angular_velocity=self.angular_velocity,
            velocity=self.velocity,
            angular_acceleration=self.angular_acceleration,
            acceleration=self.acceleration,
        )

    @property
    def twist(self) -> Twist:
        """The first-order part: B's twist about its origin, written in A."""
        return Twist(
            angular=self.angular_velocity,
            linear=self.velocity,
            of=self.of,
            seen_from=self.seen_from,
            point=self.pose.place(Point.origin(self.of)),
            frame=self.seen_from,
        )

    def inverse(self) -> FrameMotion:
        """The motion of A seen from B, written in B."""
        back = moving_frame.inverse(self.arrays)
        return _named(back, of=self.seen_from, seen_from=self.of)

    def see(self, point: Point) -> MovingPoint:
        """The motion seen from A of a point fixed in B, written in A."""
        require_same_frame("see", point.frame, self.of)
        fixed = MovingPoint(point.coordinates, np.zeros(3), np.zeros(3))
        return moving_frame.see_point(self.arrays, fixed)

    def is_close(
        self, other: FrameMotion, rtol: float = 1e-12, atol: float = 0.0
    ) -> bool:
        """The same pose, velocities and accelerations, each within `rtol` or `atol`."""
        rates = zip(self.arrays[2:], other.arrays[2:], strict=True)
        return self.pose.is_close(other.pose, rtol, atol) and all(
            components_close(one, two, rtol, atol) for one, two in rates
        )

    def __matmul__(self, other: FrameMotion) -> FrameMotion:
        if not isinstance(other, FrameMotion):
            return NotImplemented
        require_adjacent("join", self, other)
        arrays = moving_frame.compose(self.arrays, other.arrays)
        return _named(arrays, of=other.of, seen_from=self.seen_from)

    def __repr__(self) -> str:
        return (
            f"FrameMotion(of={self.of.name!r}, seen_from={self.seen_from.name!r},"
            f" place={shown(self.pose.origin)},"
            f" angular_velocity={shown(self.angular_velocity)},"
            f" velocity={shown(self.velocity)})"
        )


def _named(arrays: MovingFrame, *, of: Frame, seen_from: Frame) -> FrameMotion:
    rotation = Rotation(arrays.rotation, of=of, seen_from=seen_from)
    return FrameMotion(Pose(rotation, arrays.place), *arrays[2:])
