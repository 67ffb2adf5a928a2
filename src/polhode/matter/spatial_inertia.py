"""Inertia of spatial velocity: six by six, angular part first.

    M_o = | I_o     m [r] |      r from o to the mass centre      T = V^T M_o V / 2
          | -m [r]  m 1   |      V = [w; v_o]

A body in a fluid has a symmetric positive matrix that is not of this form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, Scalar, namespace
from polhode.errors import FrameMismatch, UnphysicalInertia
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.twist import Twist, require_same_place, spatial_array
from polhode.geometry.vector import components_close, skew, vee
from polhode.matter.spread import spread, symmetrised
from polhode.matter.validity import ROUNDING, require_symmetric

if TYPE_CHECKING:
    from polhode.geometry.rotations.rotation import Rotation


def spatial_inertia(mass: Scalar, r_oG: Array, I_G: Array) -> Any:
    """The matrix (6, 6) of a rigid body about o, from its central inertia.

        M_o = T^T M_c T,   M_c = diag(I_G, m 1),   T = [[1, 0], [-[r], 1]]

    >>> spatial_inertia(2.0, np.zeros(3), np.eye(3)).diagonal()
    array([1., 1., 1., 2., 2., 2.])
    """
    static = mass * skew(r_oG)
    I_o = I_G + mass * spread(r_oG)
    return _blocks(I_o, static, -static, mass * np.eye(3))


def moments_of(matrix: Array) -> tuple[Any, Any, Any]:
    """Mass, r from o to the mass centre, and central inertia of a body's matrix."""
    mass = (matrix[3, 3] + matrix[4, 4] + matrix[5, 5]) / 3
    r_oG = vee(matrix[:3, 3:]) / mass
    return mass, r_oG, matrix[:3, :3] - mass * spread(r_oG)


def shift_spatial_inertia(M_P: Array, p_QP: Array) -> Any:
    """Any spatial inertia about Q from that about P: M_Q = T^T M_P T.

        V_P = T V_Q,   T = [[1, 0], [-[p_QP], 1]]

    p_QP goes from Q to P. M_P need not be that of a rigid body.
    """
    zero, one = np.zeros((3, 3)), np.eye(3)
    T = _blocks(one, zero, -skew(p_QP), one)
    return symmetrised(T.swapaxes(-1, -2) @ M_P @ T)


def rotate_spatial_inertia(M_B: Array, R_AB: Array) -> Any:
    """The same inertia along the axes of A, about the same point."""
    zero = np.zeros((3, 3))
    R = _blocks(R_AB, zero, zero, R_AB)
    return symmetrised(R @ M_B @ R.swapaxes(-1, -2))


def _blocks(a: Array, b: Array, c: Scalar, d: Array) -> Any:
    xp = namespace(a, b, c, d)
    rows = [xp.concatenate([a, b], axis=-1), xp.concatenate([c, d], axis=-1)]
    return xp.concatenate(rows, axis=-2)


@final
@dataclass(frozen=True, eq=False)
class SpatialInertia:
    """A quadratic kinetic energy of a body's twist about one of its points.

    matrix (6, 6), angular first, written in the axes of `point`'s frame; symmetric
    and not negative. It may be any such matrix: a body's own, or with added mass.
    `of` is the body's frame; unless given, that of the point.
    """

    matrix: Any
    point: Point
    name: str = "the body"
    of: Any = None

    __array_ufunc__ = None  # NumPy must not drop the frame

    def __post_init__(self) -> None:
        what = f"the spatial inertia of {self.name}"
        matrix = admit(self.matrix, (6, 6), what)
        if not is_traced(matrix):
            matrix = require_symmetric(matrix, self.name, "spatial inertia")
            _require_not_negative(matrix, self.name)
            matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "of", self.of or self.frame)

    @property
    def frame(self) -> Frame:
        """The frame in whose axes the matrix is written."""
        return self.point.frame

    def at(self, point: Point) -> SpatialInertia:
        """The same inertia about another point of the frame."""
        p_QP = (self.point - point).components
        return replace(
            self, matrix=shift_spatial_inertia(self.matrix, p_QP), point=point
        )

    def written_in(self, rotation: Rotation, point: Point) -> SpatialInertia:
        """The same inertia along other axes; `point` is its point in their frame."""
        require_same_frame("re-express", self.frame, rotation.of)
        require_same_frame("place", point.frame, rotation.seen_from)
        matrix = rotate_spatial_inertia(self.matrix, rotation.matrix)
        return replace(self, matrix=matrix, point=point)

    def kinetic_energy(self, twist: Twist) -> Any:
        """T = V^T M V / 2, for a twist about the same point in the same axes."""
        require_same_place("multiply", self, twist)
        require_same_body(self.of, twist)
        V = spatial_array(twist.angular, twist.linear)
        return 0.5 * V @ self.matrix @ V

    def is_close(self, other: SpatialInertia, rtol: float = 1e-12) -> bool:
        """The same matrix about the same point, within `rtol` of its largest entry."""
        require_same_place("compare", self, other)
        return components_close(self.matrix, other.matrix, rtol)

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        require_same_place("add", self, other)
        return replace(self, matrix=self.matrix + other.matrix)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)

    def __repr__(self) -> str:
        return f"SpatialInertia(of {self.name}, about {self.point!r})"


def require_same_body(of: Frame, twist: Twist) -> None:
    """Refuse to let the inertia of one body move with the twist of another."""
    if of is twist.of:
        return
    raise FrameMismatch(
        f"cannot multiply the inertia of {of.name!r} and the twist of"
        f" {twist.of.name!r}.",
        "A body has momentum by its own motion.",
        f"Give the twist of {of.name!r}, or, if it is the inertia of"
        f" {twist.of.name!r} in other axes, make it with of={twist.of.name}.",
    )


def _require_not_negative(matrix: np.ndarray, who: str) -> None:
    # Scaled to unit diagonal, kilograms and kilogram square metres count alike.
    scale = np.sqrt(np.maximum(np.abs(np.diag(matrix)), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    if values[0] < -ROUNDING * max(values[-1], 1.0):
        direction = vectors[:, 0] / scale
        direction = direction / np.max(np.abs(direction))
        energy = 0.5 * direction @ matrix @ direction
        numbers = ", ".join(f"{x:.3g}" for x in direction)
        raise UnphysicalInertia(
            f"{who} cannot have a spatial inertia that is not positive definite.",
            f"Moving with (w, v) = ({numbers}) its kinetic energy would be"
            f" {energy:.3g} J, and kinetic energy is never negative.",
            "Check signs and units of the matrix, angular part first.",
        )
