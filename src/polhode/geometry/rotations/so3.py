"""The group of rotations: exponential, logarithm, and their derivatives.

A rotation vector φ = θ n has the axis n and the angle θ = |φ|; [φ] is its
cross-product matrix. The exponential takes it to the rotation matrix

    exp φ = 1 + (sin θ/θ) [φ] + ((1 - cos θ)/θ²) [φ]²

and the Jacobians take a rate of φ to the angular velocity of R = exp φ:

    ω = J_left(φ) φ̇   in the axes R leads to,     [ω] = Ṙ Rᵀ     (the observer's)
    w = J_right(φ) φ̇  in the axes R leads from,   [w] = Rᵀ Ṙ     (the body's)

Leading axes of the arrays are batches. All hold to a few units in the last place for
angles from 1e-300 to π, and may be differentiated at zero. The logarithm gives
0 ≤ θ ≤ π; at θ = π exactly, where n and -n are the same rotation, it keeps the axis
whose first component that is not zero is positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import Array, Scalar, namespace, textbook
from polhode.geometry.rotations import quaternion
from polhode.geometry.rotations.angle_ratios import (
    cotangent_defect_ratio,
    sine_defect_ratio,
    sine_ratio,
    versine_ratio,
)
from polhode.geometry.vector import dot, skew, vee

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3


def exp(vector: Columns3) -> Matrices3:
    """The rotation matrix (..., 3, 3) of a rotation vector (..., 3).

        exp φ = 1 + (sin θ/θ) [φ] + ((1 - cos θ)/θ²) [φ]²

    >>> import numpy as np
    >>> exp(np.array([0.0, 0.0, np.pi / 2])).round(12) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    x = dot(vector, vector)
    return _series_in_skew(vector, sine_ratio(x), versine_ratio(x))


def log(matrix: Matrices3) -> Columns3:
    """The rotation vector (..., 3) of a rotation matrix, angle in [0, π]."""
    return quaternion.log(quaternion.from_matrix(matrix))


def misalignment(matrix: Matrices3) -> Columns3:
    """The rotation vector (..., 3) of a rotation that is none where a joint is closed.

    Computed as log R; written for people as the vector of (R - Rᵀ)/2, which differs
    from it by third powers of the angle.
    """
    return textbook(log(matrix), vee(matrix))


def left_jacobian(vector: Columns3) -> Matrices3:
    """J with ω = J φ̇, [ω] = Ṙ Rᵀ, R = exp φ.

    J = 1 + ((1 - cos θ)/θ²) [φ] + ((θ - sin θ)/θ³) [φ]²
    """
    x = dot(vector, vector)
    return _series_in_skew(vector, versine_ratio(x), sine_defect_ratio(x))


def right_jacobian(vector: Columns3) -> Matrices3:
    """J with w = J φ̇, [w] = Rᵀ Ṙ, R = exp φ; it is J_left(-φ) = J_left(φ)ᵀ."""
    return left_jacobian(-vector)


def left_jacobian_inverse(vector: Columns3) -> Matrices3:
    """J⁻¹ with φ̇ = J⁻¹ ω, [ω] = Ṙ Rᵀ; regular for θ < 2π.

    J⁻¹ = 1 - [φ]/2 + ((1 - (θ/2) cot(θ/2))/θ²) [φ]²
    """
    return _series_in_skew(vector, -0.5, cotangent_defect_ratio(dot(vector, vector)))


def right_jacobian_inverse(vector: Columns3) -> Matrices3:
    """J⁻¹ with φ̇ = J⁻¹ w, [w] = Rᵀ Ṙ; it is J_left⁻¹(-φ)."""
    return left_jacobian_inverse(-vector)


def boxplus(matrix: Matrices3, increment: Columns3) -> Matrices3:
    """The rotation moved by a finite increment in the observer's axes: exp(δ) R."""
    return exp(increment) @ matrix


def boxminus(matrix: Matrices3, reference: Matrices3) -> Columns3:
    """The increment δ in the observer's axes with boxplus(reference, δ) = R.

    δ = log(R R_refᵀ)
    """
    return log(matrix @ namespace(reference).swapaxes(reference, -1, -2))


def orthonormalised(matrix: Matrices3) -> Matrices3:
    """The rotation nearest to a matrix that is one already within about 1e-5.

        R ← R (3 - RᵀR) / 2,  twice

    The polar factor by Newton's and Schulz's iteration: an error e becomes 3e²/4.
    """
    xp = namespace(matrix)
    for _ in range(2):
        gram = xp.swapaxes(matrix, -1, -2) @ matrix
        # Written as a correction, so that a rotation stays itself to the last bit.
        matrix = matrix + matrix @ (xp.eye(3) - gram) / 2
    return matrix


def _series_in_skew(vector: Array, first: Scalar, second: Array) -> Any:
    """1 + first [φ] + second [φ]²."""
    xp = namespace(vector)
    cross_matrix = skew(vector)
    square = cross_matrix @ cross_matrix
    first, second = xp.asarray(first)[..., None, None], second[..., None, None]
    return xp.eye(3) + first * cross_matrix + second * square
