"""Modified Rodrigues parameters: σ = tan(θ/4) n, and their shadow.

    σ = v / (1 + w),    shadow of σ = -σ/σ² = v / (w - 1)

Three numbers, infinite only at whole turns. q and -q give two sets for one rotation;
the one with |σ| ≤ 1 is the nearer to zero, and a motion that passes |σ| = 1 (a half
turn) switches to it, so that no motion meets the singularity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import Array, namespace, removable
from polhode.geometry.rotations import quaternion
from polhode.geometry.vector import dot, outer, skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3, Quaternions

# Below this σ² the shadow is too long for its square: the rotation is the identity.
LEAST_SQUARE = 1e-300


def to_quaternion(vector: Columns3) -> Quaternions:
    """The unit quaternion (..., 4) of σ (..., 3): (1 - σ², 2σ) / (1 + σ²)."""
    xp = namespace(vector)
    square = dot(vector, vector)[..., None]
    return xp.concatenate([1 - square, 2 * vector], axis=-1) / (1 + square)


def from_quaternion(q: Quaternions) -> Columns3:
    """σ (..., 3) with |σ| ≤ 1 of a unit quaternion (..., 4)."""
    upper = quaternion.canonical(q)
    return upper[..., 1:] / (1 + upper[..., :1])


def to_matrix(vector: Columns3) -> Matrices3:
    """R = 1 + (4 (1 - σ²) [σ] + 8 [σ]²) / (1 + σ²)², by way of the quaternion."""
    return quaternion.to_matrix(to_quaternion(vector))


def from_matrix(matrix: Matrices3) -> Columns3:
    """σ (..., 3) with |σ| ≤ 1 of a rotation matrix (..., 3, 3)."""
    return from_quaternion(quaternion.from_matrix(matrix))


def shadow(vector: Columns3) -> Columns3:
    """The other set of the same rotation, -σ/σ²; that of σ = 0 is infinite, 0 here."""
    square = dot(vector, vector)[..., None]
    none = square < LEAST_SQUARE
    return namespace(vector).where(none, 0.0, -vector) / removable(none, 1.0, square)


def switched(vector: Columns3) -> Columns3:
    """Of σ and its shadow, the one with |σ| ≤ 1; the rotation is the same."""
    xp = namespace(vector)
    square = dot(vector, vector)[..., None]
    outside = square > 1
    return xp.where(outside, -vector / xp.where(outside, square, 1.0), vector)


def spatial_rate_matrix(vector: Columns3) -> Matrices3:
    """S with ω = S σ̇, ω in the observer's axes.

    S = 4/(1 + σ²)² ((1 - σ²) 1 + 2 [σ] + 2 σ σ)
    """
    scale = 4 / (1 + dot(vector, vector))[..., None, None] ** 2
    return scale * _kernel(vector)


def body_rate_matrix(vector: Columns3) -> Matrices3:
    """S with ω = S σ̇, ω in the body's axes: the same with -[σ]."""
    return spatial_rate_matrix(-vector)


def spatial_rate_inverse(vector: Columns3) -> Matrices3:
    """S⁻¹ with σ̇ = S⁻¹ ω, ω in the observer's axes; regular for every finite σ.

    S⁻¹ = ((1 - σ²) 1 - 2 [σ] + 2 σ σ) / 4
    """
    return _kernel(-vector) / 4


def body_rate_inverse(vector: Columns3) -> Matrices3:
    """S⁻¹ with σ̇ = S⁻¹ ω, ω in the body's axes: the same with +[σ]."""
    return spatial_rate_inverse(-vector)


def regularity(vector: Columns3) -> Any:
    """How far from singular: cos²(θ/4) = 1/(1 + σ²), 0 at whole turns."""
    return 1 / (1 + dot(vector, vector))


def _kernel(vector: Array) -> Any:
    """(1 - σ²) 1 + 2 [σ] + 2 σ σ."""
    spread = (1 - dot(vector, vector))[..., None, None] * namespace(vector).eye(3)
    return spread + 2 * skew(vector) + 2 * outer(vector, vector)
