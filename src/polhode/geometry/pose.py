"""Where a frame is, as another frame sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array
from polhode.errors import StateError
from polhode.geometry import se3
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.vector import Vector, components_close, shown


@final
@dataclass(frozen=True, eq=False)
class Pose:
    """The placement X_AB of frame B in frame A: a rotation and where B's origin is.

    p_AoP_A = R_AB p_BoP_B + origin,        origin = p_AoBo_A

                     B
          A         /
          |   origin *--   P     adjacent letters match:
          |  ------>  \\           X_AC = X_AB @ X_BC
          *-----
    """

    rotation: Rotation
    origin: Any

    __array_ufunc__ = None  # NumPy must not drop the frames

    def __post_init__(self) -> None:
        what = f"the origin of {self.of.name!r} seen from {self.seen_from.name!r}"
        object.__setattr__(
            self, "origin", admit(self.origin, (3,), what, self.seen_from)
        )

    @property
    def of(self) -> Frame:
        """The frame that is placed, B."""
        return self.rotation.of

    @property
    def seen_from(self) -> Frame:
        """The frame that sees it, A."""
        return self.rotation.seen_from

    @staticmethod
    def identity(*, of: Frame, seen_from: Frame) -> Pose:
        """The placement of a frame that coincides with its observer."""
        return Pose(Rotation.identity(of=of, seen_from=seen_from), (0.0, 0.0, 0.0))

    @staticmethod
    def carrying(point: Point, to: Point, rotation: Rotation) -> Pose:
        """The placement with this rotation that carries one point to another.

            x = R (X - X_point) + x_to

        Any reference point serves, the mass centre as well as the origin.
        """
        require_same_frame("place", point.frame, rotation.of)
        require_same_frame("place", to.frame, rotation.seen_from)
        origin = to.coordinates - rotation.matrix @ point.coordinates
        return Pose(rotation, origin)

    @staticmethod
    def from_matrix(matrix: Array, *, of: Frame, seen_from: Frame) -> Pose:
        """The pose of a 4x4 matrix [[R, p], [0, 1]]."""
        what = f"the pose matrix of {of.name!r} seen from {seen_from.name!r}"
        X = admit(matrix, (4, 4), what)
        if not is_traced(X) and not np.array_equal(X[3], [0, 0, 0, 1]):
            raise StateError(
                f"{what} has the last row {shown(X[3])}.",
                "A rigid displacement neither scales nor projects.",
                "Its last row is (0, 0, 0, 1); perhaps the matrix is transposed.",
            )
        rotation = Rotation(se3.rotation_of(X), of=of, seen_from=seen_from)
        return Pose(rotation, se3.translation_of(X))

    def to_matrix(self) -> Any:
        """The 4x4 matrix [[R, p], [0, 1]]."""
        return se3.displacement(self.rotation.matrix, self.origin)

    def inverse(self) -> Pose:
        """The observer's placement in the placed frame: X_BA."""
        back = self.rotation.inverse()
        return Pose(back, -(back.matrix @ self.origin))

    def place(self, point: Point) -> Point:
        """Where a point of B is now, as a point of A."""
        require_same_frame("place", point.frame, self.of)
        coordinates = self.rotation.matrix @ point.coordinates + self.origin
        return Point(self.seen_from, coordinates, point.name)

    def position_of(self, point: Point) -> Vector:
        """The vector from A's origin to a point of B, written in A."""
        return Vector(self.place(point).coordinates, self.seen_from)

    def is_close(self, other: Pose, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """The same frames, rotation and origin; the latter within `atol` metres too."""
        require_same_frame("compare", self.of, other.of)
        require_same_frame("compare", self.seen_from, other.seen_from)
        turned = self.rotation.is_close(other.rotation, rtol=rtol)
        return turned and components_close(self.origin, other.origin, rtol, atol)

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            return NotImplemented
        rotation = self.rotation @ other.rotation
        return Pose(rotation, self.rotation.matrix @ other.origin + self.origin)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.to_matrix(), dtype=dtype)

    def __repr__(self) -> str:
        who = f"of={self.of.name!r}, seen_from={self.seen_from.name!r}"
        R = shown(self.rotation.matrix)
        return f"Pose(rotation={R}, origin={shown(self.origin)}, {who})"
