"""How one frame's axes stand in another's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, Scalar
from polhode.errors import FrameMismatch
from polhode.geometry import triad
from polhode.geometry.frame import (
    Frame,
    require_adjacent,
    require_frame,
    require_same_frame,
)
from polhode.geometry.rotations import (
    axis_angle,
    euler_angles,
    modified_rodrigues,
    quaternion,
    rodrigues,
    so3,
)
from polhode.geometry.rotations.rotation_admission import (
    admit_angles,
    admit_axis,
    admit_matrix,
    admit_quaternion,
    admit_tangents,
    nearest_matrix,
    refuse_singular,
)
from polhode.geometry.vector import Vector, shown


@final
@dataclass(frozen=True, eq=False)
class Rotation:  # limit: a pair for each parametrisation is the contract
    """The rotation R_AB of frame B as frame A sees it: of=B, seen_from=A.

        y_B  y_A  x_B       columns of R_AB: B's axes in A's components
          .   |   .         one object, two uses:
            . | . θ           v_A = R_AB v_B   vector.written_in(rotation)
              *----- x_A      b = R a          rotation.turn(vector)
                            adjacent letters match: R_AC = R_AB @ R_BC

    >>> ship, mast = Frame("ship"), Frame("mast")
    >>> Rotation.from_axis_angle([0, 0, 1], np.pi / 2, of=mast, seen_from=ship)
    Rotation(1.5708 rad about [0, 0, 1], of='mast', seen_from='ship')
    """

    matrix: Any
    of: Frame
    seen_from: Frame

    __array_ufunc__ = None  # NumPy must not drop the frames

    def __post_init__(self) -> None:
        who = _who(self.of, self.seen_from)
        if isinstance(self.matrix, Rotation):
            _require_same_frames(self.matrix, self.of, self.seen_from)
        matrix = admit_matrix(self.matrix, who)
        object.__setattr__(self, "matrix", matrix)

    @staticmethod
    def identity(*, of: Frame, seen_from: Frame) -> Rotation:
        """The rotation of a frame whose axes are parallel to the observer's."""
        return Rotation(np.eye(3), of, seen_from)

    @staticmethod
    def nearest(matrix: Array, *, of: Frame, seen_from: Frame) -> Rotation:
        """The rotation nearest to a matrix that is not quite one (least squares)."""
        who = _who(of, seen_from)
        return Rotation(nearest_matrix(matrix, who), of, seen_from)

    @staticmethod
    def from_triads(
        axes: Array, observer_axes: Array, *, of: Frame, seen_from: Frame
    ) -> Rotation:
        """The rotation between two orthonormal triads given in any common axes.

            R_ij = a_i · b_j

        b_j, the columns of `axes` (3, 3), are the axes of `of`; a_i, the columns of
        `observer_axes`, those of `seen_from`.
        """
        who = _who(of, seen_from)
        B = admit_matrix(axes, f"the triad {of.name!r} in {who}")
        A = admit_matrix(observer_axes, f"the triad {seen_from.name!r} in {who}")
        return Rotation(triad.components_between(A, B), of, seen_from)

    @staticmethod
    def from_vector(vector: Array, *, of: Frame, seen_from: Frame) -> Rotation:
        """The rotation exp φ of a rotation vector φ = θ n."""
        angles = admit_angles(vector, (3,), _who(of, seen_from))
        return Rotation(so3.exp(angles), of, seen_from)

    @staticmethod
    def from_axis_angle(
        axis: Any, angle: Scalar, *, of: Frame, seen_from: Frame
    ) -> Rotation:
        """A turn by an angle about an axis of any length but zero."""
        who = _who(of, seen_from)
        unit, turn = admit_axis(axis, who), admit_angles(angle, (), who)
        return Rotation(axis_angle.to_matrix(unit, turn), of, seen_from)

    @staticmethod
    def from_quaternion_wxyz(q: Array, *, of: Frame, seen_from: Frame) -> Rotation:
        """The rotation of a quaternion (w, x, y, z), scalar first.

        It is normalised, and refused if its length misses 1 by more than 1e-3.
        """
        unit = admit_quaternion(q, _who(of, seen_from))
        return Rotation(quaternion.to_matrix(unit), of, seen_from)

    @staticmethod
    def from_euler_angles(
        sequence: str, angles: Array, *, of: Frame, seen_from: Frame
    ) -> Rotation:
        """R_i(α) R_j(β) R_k(γ): turns about moving axes, angles in their order."""
        checked = admit_angles(angles, (3,), _who(of, seen_from))
        return Rotation(euler_angles.to_matrix(sequence, checked), of, seen_from)

    @staticmethod
    def from_rodrigues(vector: Array, *, of: Frame, seen_from: Frame) -> Rotation:
        """The rotation of Rodrigues' (Gibbs's) vector ρ = tan(θ/2) n."""
        checked = admit_tangents(vector, _who(of, seen_from))
        return Rotation(rodrigues.to_matrix(checked), of, seen_from)

    @staticmethod
    def from_modified_rodrigues(
        vector: Array, *, of: Frame, seen_from: Frame
    ) -> Rotation:
        """The rotation of modified Rodrigues parameters σ = tan(θ/4) n, or shadow."""
        checked = admit_tangents(vector, _who(of, seen_from))
        return Rotation(modified_rodrigues.to_matrix(checked), of, seen_from)

    def to_vector(self) -> Any:
        """The rotation vector θ n, 0 ≤ θ ≤ π."""
        return so3.log(self.matrix)

    def to_axis_angle(self) -> tuple[Any, Any]:
        """The unit axis and the angle in [0, π]; the axis x at the identity."""
        return axis_angle.from_matrix(self.matrix)

    def to_quaternion_wxyz(self) -> Any:
        """The unit quaternion (w, x, y, z) with w ≥ 0; minus it is the same turn."""
        return quaternion.canonical(quaternion.from_matrix(self.matrix))

    def to_euler_angles(self, sequence: str) -> Any:
        """The angles of one of the twelve sequences, third angle 0 at lock."""
        return euler_angles.from_matrix(sequence, self.matrix)

    def to_rodrigues(self) -> Any:
        """Rodrigues' vector tan(θ/2) n; refused at half turns, where it is infinite."""
        vector = rodrigues.from_matrix(self.matrix)
        refuse_singular(
            rodrigues.regularity(vector),
            f"{_who(self.of, self.seen_from)} has no Rodrigues vector: it is a half"
            " turn.",
            "The length tan(θ/2) is infinite at θ = π.",
            "Use to_modified_rodrigues(), finite at every rotation.",
        )
        return vector

    def to_modified_rodrigues(self) -> Any:
        """Modified Rodrigues parameters tan(θ/4) n, of the two sets the |σ| ≤ 1."""
        return modified_rodrigues.from_matrix(self.matrix)

    def inverse(self) -> Rotation:
        """The observer's axes as the frame sees them: R_BA = R_ABᵀ."""
        return Rotation(self.matrix.T, of=self.seen_from, seen_from=self.of)

    def turn(self, vector: Vector) -> Vector:
        """Another vector: the given one turned as A's axes turn into B's.

            b = R a,  written in the frame, A or B, in which a is written

        R has the same components in both. To write the same vector in other axes,
        use `vector.written_in(rotation)`.
        """
        if vector.frame is not self.of:
            require_same_frame("turn", vector.frame, self.seen_from)
        return Vector(self.matrix @ vector.components, vector.frame)

    def is_close(self, other: Rotation, rtol: float = 1e-12) -> bool:
        """The same frames, and matrices equal within `rtol` (their entries are ≤ 1)."""
        require_same_frame("compare", self.of, other.of)
        require_same_frame("compare", self.seen_from, other.seen_from)
        return bool(np.max(np.abs(self.matrix - other.matrix)) <= rtol)

    def __matmul__(self, other: Rotation) -> Rotation:
        if isinstance(other, Vector):
            raise TypeError(
                "a rotation acts on a vector in two ways: vector.written_in(rotation)"
                " is the same vector in other axes, rotation.turn(vector) another one"
            )
        if not isinstance(other, Rotation):
            return NotImplemented
        require_adjacent("compose", self, other)
        return Rotation(self.matrix @ other.matrix, other.of, self.seen_from)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.notebook import rotation_html

        return rotation_html(self)

    def __repr__(self) -> str:
        who = f"of={self.of.name!r}, seen_from={self.seen_from.name!r}"
        if not isinstance(self.matrix, np.ndarray):
            return f"Rotation({self.matrix}, {who})"
        axis, angle = self.to_axis_angle()
        return f"Rotation({angle:.6g} rad about {shown(axis)}, {who})"


def _who(of: Frame, seen_from: Frame) -> str:
    for frame in (of, seen_from):
        require_frame(frame, "a rotation")
    return f"the rotation of {of.name!r} seen from {seen_from.name!r}"


def _require_same_frames(given: Rotation, of: Frame, seen_from: Frame) -> None:
    if given.of is not of or given.seen_from is not seen_from:
        other, who = _who(given.of, given.seen_from), _who(of, seen_from)
        raise FrameMismatch(
            f"{other} is not {who}.",
            "A rotation belongs to its two frames.",
            "Compose or invert it, R_AB @ R_BC; or give its matrix, if only the"
            " numbers are meant.",
        )
