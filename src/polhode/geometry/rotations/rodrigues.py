"""Rodrigues' vector, also Gibbs's: ρ = tan(θ/2) n.

    ρ = v / w,    R = 1 + 2/(1 + ρ²) ([ρ] + [ρ]²)

Three numbers and no square root; infinite at half turns, θ = π.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import namespace
from polhode.geometry.rotations import quaternion
from polhode.geometry.vector import dot, outer, skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3, Quaternions

# The cosine of half the angle is kept this far from zero: a half turn then has a
# vector of length 1e150, finite, which leads back to the half turn to rounding.
LEAST_COSINE = 1e-150


def to_quaternion(vector: Columns3) -> Quaternions:
    """The unit quaternion (..., 4) of ρ (..., 3): (1, ρ) / √(1 + ρ²)."""
    xp = namespace(vector)
    one = xp.ones_like(vector[..., :1])
    return quaternion.normalised(xp.concatenate([one, vector], axis=-1))


def from_quaternion(q: Quaternions) -> Columns3:
    """ρ = v / w; at half turns, w = 0, of length 1e150 instead of infinite."""
    xp = namespace(q)
    w = q[..., :1]
    flat = xp.abs(w) < LEAST_COSINE
    return q[..., 1:] / xp.where(flat, xp.where(w < 0, -1.0, 1.0) * LEAST_COSINE, w)


def to_matrix(vector: Columns3) -> Matrices3:
    """R = 1 + 2/(1 + ρ²) ([ρ] + [ρ]²), by way of the quaternion."""
    return quaternion.to_matrix(to_quaternion(vector))


def from_matrix(matrix: Matrices3) -> Columns3:
    """ρ (..., 3) of a rotation matrix (..., 3, 3); at half turns of length 1e150."""
    return from_quaternion(quaternion.from_matrix(matrix))


def spatial_rate_matrix(vector: Columns3) -> Matrices3:
    """S with ω = S ρ̇, ω in the observer's axes: S = 2/(1 + ρ²) (1 + [ρ])."""
    scale = 2 / (1 + dot(vector, vector))[..., None, None]
    return scale * (namespace(vector).eye(3) + skew(vector))


def body_rate_matrix(vector: Columns3) -> Matrices3:
    """S with ω = S ρ̇, ω in the body's axes: S = 2/(1 + ρ²) (1 - [ρ])."""
    return spatial_rate_matrix(-vector)


def spatial_rate_inverse(vector: Columns3) -> Matrices3:
    """S⁻¹ with ρ̇ = S⁻¹ ω, ω in the observer's axes: (1 - [ρ] + ρ ρ) / 2."""
    eye = namespace(vector).eye(3)
    return (eye - skew(vector) + outer(vector, vector)) / 2


def body_rate_inverse(vector: Columns3) -> Matrices3:
    """S⁻¹ with ρ̇ = S⁻¹ ω, ω in the body's axes: (1 + [ρ] + ρ ρ) / 2."""
    return spatial_rate_inverse(-vector)


def regularity(vector: Columns3) -> Any:
    """How far from singular: cos(θ/2) = 1/√(1 + ρ²), 0 at half turns."""
    return 1 / namespace(vector).sqrt(1 + dot(vector, vector))
