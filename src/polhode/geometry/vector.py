"""Vectors of space: kernels on columns, and a noun that is not its column.

Kernels take arrays whose last axis has length 3 (columns) or whose last two are
(3, 3); leading axes are batches. All arguments of one call are written in one frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, namespace, removable, traced_once
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import Frame, require_frame, require_same_frame

if TYPE_CHECKING:
    from polhode.geometry.rotations.rotation import Rotation
    from polhode.public.shapes import Columns3, Matrices3


@traced_once
def skew(a: Columns3) -> Matrices3:
    """The matrix of the cross product with a (..., 3): skew(a) @ b = a x b.

            | 0   -a3   a2 |
    [a]  =  | a3   0   -a1 |
            |-a2   a1   0  |
    """
    xp = namespace(a)
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    o = xp.zeros_like(x)
    rows = [[o, -z, y], [z, o, -x], [-y, x, o]]
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def vee(m: Matrices3) -> Columns3:
    """The column of the skew part of m (..., 3, 3): vee(skew(a)) = a."""
    xp = namespace(m)
    pairs = [(2, 1), (0, 2), (1, 0)]
    parts = [(m[..., i, j] - m[..., j, i]) * 0.5 for i, j in pairs]
    return xp.stack(parts, axis=-1)


def alternator(m: Matrices3) -> Columns3:
    """The contraction of m (..., 3, 3) with the permutation symbol.

        eps[m]_i = sum_jk eps_ijk m_jk,        eps[skew(a)] = -2 a

    The sign is the printed one of the papers that write omega = -1/2 eps[Omega].
    """
    return -2.0 * vee(m)


def permutation_symbol() -> np.ndarray:
    """eps_ijk (3, 3, 3): the components of the alternator in right-handed axes."""
    return np.stack([-skew(axis) for axis in np.eye(3)])


@traced_once
def cross(a: Columns3, b: Columns3) -> Columns3:
    """The vector product a x b, right-handed.

    With [1] for the component after, the first after the last,

        (a x b)[1] = a b[1] - a[1] b

    which traces in half as many operations as the nine components written out.
    """
    xp = namespace(a, b)
    before = a * _following(b, xp) - _following(a, xp) * b
    return _following(before, xp)


def _following(a: Array, xp: Any) -> Any:
    """(a2, a3, a1)."""
    return xp.concatenate([a[..., 1:], a[..., :1]], axis=-1)


@traced_once
def dot(a: Array, b: Array) -> Any:
    """The scalar product a . b over the last axis."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def outer(a: Columns3, b: Columns3) -> Matrices3:
    """The dyad a b: outer(a, b) @ c = a (b . c)."""
    return a[..., :, None] * b[..., None, :]


@traced_once
def norm(a: Array) -> Any:
    """The length |a|, without overflow or underflow; its derivative at 0 is given as 0.

        |a| = sqrt(a . a)

    The length has no derivative at a = 0: 0 is the mean of its directional ones.
    """
    xp = namespace(a)
    largest = xp.max(xp.abs(a), axis=-1)
    tiny, huge = largest < 1e-140, largest > 1e150
    # There a . a loses its digits to underflow, or overflows: a power of two helps.
    exponent = xp.where(tiny, 2.0**600, 2.0**-600)
    factor = removable(tiny | huge, exponent, 1.0)
    scaled = a * factor[..., None]
    square = dot(scaled, scaled)
    zero = square == 0
    safe = removable(zero, 1.0, square)
    return removable(zero, 0.0, xp.sqrt(safe) / factor)


@final
@dataclass(frozen=True, eq=False)
class Vector:
    """A vector of space, given by its components along the axes of one frame.

    The column is not the vector: the same vector has other components in another
    frame, and sums mix only columns of one frame. Re-expression is a visible act,
    `vector.written_in(rotation)`.

    >>> ship = Frame("ship")
    >>> Vector([1, 0, 0], ship).cross(Vector([0, 1, 0], ship))
    Vector([0, 0, 1], 'ship')
    """

    components: Any
    frame: Frame

    __array_ufunc__ = None  # NumPy must not drop the frame: array * vector is ours

    def __post_init__(self) -> None:
        require_frame(self.frame, "a vector")
        what = f"a vector of frame {self.frame.name!r}"
        column = admit(self.components, (3,), what, self.frame)
        object.__setattr__(self, "components", column)

    def dot(self, other: Vector) -> Any:
        """The scalar product, the same number in every frame."""
        _require_vectors(self, other)
        return dot(self.components, other.components)

    def cross(self, other: Vector) -> Vector:
        """The vector product, right-handed."""
        _require_vectors(self, other)
        return Vector(cross(self.components, other.components), self.frame)

    def outer(self, other: Vector) -> Dyadic:
        """The dyad of two vectors: a.outer(b) @ c = a (b . c)."""
        _require_vectors(self, other)
        return Dyadic(outer(self.components, other.components), self.frame)

    def norm(self) -> Any:
        """The length, the same number in every frame."""
        return norm(self.components)

    def written_in(self, rotation: Rotation) -> Vector:
        """The same vector along the axes of the frame that sees the rotation.

        v_A = R_AB v_B, with the rotation of this vector's frame B seen from A.
        """
        require_same_frame("re-express", self.frame, rotation.of)
        return Vector(rotation.matrix @ self.components, rotation.seen_from)

    def is_close(self, other: Vector, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """Equal within `rtol` of the longer one, or `atol`."""
        require_same_frame("compare", self.frame, other.frame)
        return components_close(self.components, other.components, rtol, atol)

    def __add__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            return NotImplemented
        require_same_frame("add", self.frame, other.frame)
        return Vector(self.components + other.components, self.frame)

    def __sub__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            return NotImplemented
        require_same_frame("subtract", self.frame, other.frame)
        return Vector(self.components - other.components, self.frame)

    def __neg__(self) -> Vector:
        return Vector(-self.components, self.frame)

    def __mul__(self, factor: float) -> Vector:
        if not is_scalar(factor):
            return NotImplemented
        return Vector(self.components * factor, self.frame)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Vector:
        if not is_scalar(divisor):
            return NotImplemented
        return Vector(self.components / divisor, self.frame)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.components, dtype=dtype)

    def __repr__(self) -> str:
        return f"Vector({shown(self.components)}, {self.frame.name!r})"


@final
@dataclass(frozen=True, eq=False)
class Dyadic:
    """A linear map of vectors to vectors, by its components along one frame's axes.

        D = sum_ij D_ij e_i e_j,     (D @ v)_i = sum_j D_ij v_j

    >>> ship = Frame("ship")
    >>> Dyadic.cross_with(Vector([0, 0, 2], ship)) @ Vector([1, 0, 0], ship)
    Vector([0, 2, 0], 'ship')
    """

    components: Any
    frame: Frame

    __array_ufunc__ = None

    def __post_init__(self) -> None:
        require_frame(self.frame, "a dyadic")
        what = f"a dyadic of frame {self.frame.name!r}"
        matrix = admit(self.components, (3, 3), what, self.frame)
        object.__setattr__(self, "components", matrix)

    @staticmethod
    def identity(frame: Frame) -> Dyadic:
        """The dyadic that leaves every vector as it is."""
        return Dyadic(np.eye(3), frame)

    @staticmethod
    def cross_with(vector: Vector) -> Dyadic:
        """The dyadic of the vector product: cross_with(a) @ b = a x b."""
        return Dyadic(skew(vector.components), vector.frame)

    def transpose(self) -> Dyadic:
        """The dyadic with a . (D^T @ b) = b . (D @ a)."""
        return Dyadic(self.components.swapaxes(-1, -2), self.frame)

    def trace(self) -> Any:
        """The sum of the diagonal components, the same number in every frame."""
        d = self.components
        return d[..., 0, 0] + d[..., 1, 1] + d[..., 2, 2]

    def axial(self) -> Vector:
        """The vector of the skew part: cross_with(a).axial() is a."""
        return Vector(vee(self.components), self.frame)

    def written_in(self, rotation: Rotation) -> Dyadic:
        """The same dyadic along the axes of the frame that sees the rotation.

        D_A = R_AB D_B R_AB^T, with the rotation of this dyadic's frame B seen from A.
        """
        require_same_frame("re-express", self.frame, rotation.of)
        R_AB = rotation.matrix
        return Dyadic(R_AB @ self.components @ R_AB.T, rotation.seen_from)

    def is_close(self, other: Dyadic, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """Equal within `rtol` of the largest component, or `atol`."""
        require_same_frame("compare", self.frame, other.frame)
        return components_close(self.components, other.components, rtol, atol)

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Vector | Dyadic):
            return NotImplemented
        require_same_frame("multiply", self.frame, other.frame)
        return type(other)(self.components @ other.components, self.frame)

    def __add__(self, other: Dyadic) -> Dyadic:
        if not isinstance(other, Dyadic):
            return NotImplemented
        require_same_frame("add", self.frame, other.frame)
        return Dyadic(self.components + other.components, self.frame)

    def __sub__(self, other: Dyadic) -> Dyadic:
        if not isinstance(other, Dyadic):
            return NotImplemented
        require_same_frame("subtract", self.frame, other.frame)
        return Dyadic(self.components - other.components, self.frame)

    def __neg__(self) -> Dyadic:
        return Dyadic(-self.components, self.frame)

    def __mul__(self, factor: float) -> Dyadic:
        if not is_scalar(factor):
            return NotImplemented
        return Dyadic(self.components * factor, self.frame)

    __rmul__ = __mul__

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.components, dtype=dtype)

    def __repr__(self) -> str:
        return f"Dyadic({shown(self.components)}, {self.frame.name!r})"


def shown(array: Any) -> str:
    """The numbers as one writes them in a sentence, six digits, on one line."""
    if is_traced(array):
        return str(array)
    if np.ndim(array):
        return "[" + ", ".join(shown(entry) for entry in array) + "]"
    return f"{float(array) + 0.0:.6g}"


def components_close(one: Any, other: Any, rtol: float, atol: float = 0.0) -> bool:
    """Equal within `rtol` of the largest component of either, or `atol`."""
    one, other = np.asarray(one), np.asarray(other)
    scale = max(np.max(np.abs(one)), np.max(np.abs(other)))
    return bool(np.max(np.abs(one - other)) <= max(rtol * scale, atol))


def is_scalar(value: Any) -> bool:
    """Whether a value is one number, plain or traced."""
    return np.ndim(value) == 0 and hasattr(value, "__float__")


def _require_vectors(one: Vector, other: Vector) -> None:
    if not isinstance(other, Vector):
        kind = type(other).__name__
        raise TypeError(f"a product of vectors needs a Vector with a frame, not {kind}")
    require_same_frame("multiply", one.frame, other.frame)
