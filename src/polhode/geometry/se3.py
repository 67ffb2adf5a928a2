"""The group of rigid displacements: exponential, logarithm, adjoints, Jacobians.

A displacement is a 4x4 matrix; a screw ξ = [φ; ρ] (6,) is angular first:

        | R  p |            | [φ]  ρ |              | [φ]   0  |
    X = |      |,   hat ξ = |        |,     ad ξ  = |          |
        | 0  1 |            |  0   0 |              | [ρ]  [φ] |

X_AB has R_AB and p_AoBo_A: it takes the coordinates of a point in B to those in A.
Twists are moved by Ad(X), wrenches by Ad(X)^-T. Rates, with X = exp ξ:

    V_A = J_left(ξ) ξ̇    hat V_A = Ẋ X⁻¹    right-invariant, the observer's
    V_B = J_right(ξ) ξ̇   hat V_B = X⁻¹ Ẋ    left-invariant, the body's

Leading axes of the arrays are batches. All hold to a few units in the last place from
angle 0 to π and may be differentiated at 0; the logarithm keeps so3.log's branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Array, namespace
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.angle_ratio_rates import (
    cotangent_defect_ratio_rate,
    sine_defect_ratio_rate,
    versine_ratio_rate,
)
from polhode.geometry.rotations.angle_ratios import (
    cotangent_defect_ratio,
    sine_defect_ratio,
    versine_ratio,
)
from polhode.geometry.vector import dot, skew, vee

if TYPE_CHECKING:
    from polhode.public.shapes import (
        Columns3,
        Columns6,
        Matrices3,
        Matrices4,
        Matrices6,
    )

_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


def displacement(rotation: Matrices3, translation: Columns3) -> Matrices4:
    """The 4x4 matrix [[R, p], [0, 1]] of R (..., 3, 3) and p (..., 3)."""
    xp = namespace(rotation, translation)
    top = xp.concatenate([rotation, translation[..., None]], axis=-1)
    return xp.concatenate([top, xp.zeros_like(top[..., :1, :]) + _LAST_ROW], axis=-2)


def rotation_of(matrix: Matrices4) -> Matrices3:
    """The rotation R (..., 3, 3) of a displacement."""
    return matrix[..., :3, :3]


def translation_of(matrix: Matrices4) -> Columns3:
    """The translation p (..., 3) of a displacement: the image of the origin."""
    return matrix[..., :3, 3]


def act(matrix: Matrices4, point: Columns3) -> Columns3:
    """The image of a point (..., 3):   x_A = R x_B + p"""
    return _apply(rotation_of(matrix), point) + translation_of(matrix)


def inverse(matrix: Matrices4) -> Matrices4:
    """The displacement back:   X⁻¹ = [[Rᵀ, -Rᵀ p], [0, 1]]"""
    transpose = rotation_of(matrix).swapaxes(-1, -2)
    return displacement(transpose, -_apply(transpose, translation_of(matrix)))


def hat(screw: Columns6) -> Matrices4:
    """The 4x4 matrix [[ [φ], ρ ], [0, 0]] of a screw (..., 6)."""
    xp = namespace(screw)
    top = xp.concatenate([skew(screw[..., :3]), screw[..., 3:, None]], axis=-1)
    return xp.concatenate([top, xp.zeros_like(top[..., :1, :])], axis=-2)


def unhat(matrix: Matrices4) -> Columns6:
    """The screw (..., 6) of a 4x4 matrix: unhat(hat(ξ)) = ξ."""
    xp = namespace(matrix)
    return xp.concatenate([vee(rotation_of(matrix)), translation_of(matrix)], axis=-1)


def exp(screw: Columns6) -> Matrices4:
    """The displacement of a screw: turn by φ while moving along.

        exp ξ = [[exp φ, J_left(φ) ρ], [0, 1]]

    >>> import numpy as np
    >>> quarter_turn = exp(np.array([0, 0, np.pi / 2, 0, -np.pi / 2, 0]))
    >>> translation_of(quarter_turn).round(12) + 0.0
    array([ 1., -1.,  0.])
    """
    phi, rho = screw[..., :3], screw[..., 3:]
    return displacement(so3.exp(phi), _apply(so3.left_jacobian(phi), rho))


def log(matrix: Matrices4) -> Columns6:
    """The screw of a displacement, angle in [0, π]:   ρ = J_left⁻¹(φ) p"""
    xp = namespace(matrix)
    phi = so3.log(rotation_of(matrix))
    rho = _apply(so3.left_jacobian_inverse(phi), translation_of(matrix))
    return xp.concatenate([phi, rho], axis=-1)


def adjoint(matrix: Matrices4) -> Matrices6:
    """Ad (..., 6, 6), the map of twists that a displacement is.

        V_A = Ad(X_AB) V_B        Ad X = [[R, 0], [[p] R, R]]

    V_B is about Bo in B's axes, V_A the same motion about Ao in A's axes.
    """
    rotation = rotation_of(matrix)
    return _lower(rotation, skew(translation_of(matrix)) @ rotation)


def coadjoint(matrix: Matrices4) -> Matrices6:
    """Ad⁻ᵀ (..., 6, 6), the map of wrenches that a displacement is.

        F_A = Ad(X_AB)⁻ᵀ F_B      Ad⁻ᵀ X = [[R, [p] R], [0, R]]

    Power is one number: F_A . V_A = F_B . V_B.
    """
    rotation = rotation_of(matrix)
    corner = skew(translation_of(matrix)) @ rotation
    return _lower(rotation.swapaxes(-1, -2), corner.swapaxes(-1, -2)).swapaxes(-1, -2)


def ad(screw: Columns6) -> Matrices6:
    """The bracket with a screw: ad(ξ) η = [ξ, η] = unhat(hat ξ hat η - hat η hat ξ)."""
    return _lower(skew(screw[..., :3]), skew(screw[..., 3:]))


def left_jacobian(screw: Columns6) -> Matrices6:
    """J (..., 6, 6) with V_A = J ξ̇, hat V_A = Ẋ X⁻¹, X = exp ξ.

        J_left(ξ) = sum_n ad(ξ)ⁿ/(n + 1)! = [[J, 0], [Q, J]],   J = so3's at φ

    Q is the derivative of so3.left_jacobian at φ in the direction ρ.
    """
    phi, rho = screw[..., :3], screw[..., 3:]
    x = dot(phi, phi)
    first, second = versine_ratio(x), sine_defect_ratio(x)
    rates = versine_ratio_rate(x), sine_defect_ratio_rate(x)
    corner = _derivative_of_series(phi, rho, (first, second), rates)
    return _lower(so3.left_jacobian(phi), corner)


def left_jacobian_inverse(screw: Columns6) -> Matrices6:
    """J⁻¹ with ξ̇ = J⁻¹ V_A; regular for angles below 2π."""
    phi, rho = screw[..., :3], screw[..., 3:]
    x = dot(phi, phi)
    terms = -0.5 + 0.0 * x, cotangent_defect_ratio(x)
    rates = 0.0 * x, cotangent_defect_ratio_rate(x)
    corner = _derivative_of_series(phi, rho, terms, rates)
    return _lower(so3.left_jacobian_inverse(phi), corner)


def right_jacobian(screw: Columns6) -> Matrices6:
    """J with V_B = J ξ̇, hat V_B = X⁻¹ Ẋ, X = exp ξ; it is J_left(-ξ)."""
    return left_jacobian(-screw)


def right_jacobian_inverse(screw: Columns6) -> Matrices6:
    """J⁻¹ with ξ̇ = J⁻¹ V_B; it is J_left⁻¹(-ξ)."""
    return left_jacobian_inverse(-screw)


def _derivative_of_series(phi: Array, rho: Array, terms: Any, rates: Any) -> Any:
    """d/dε of 1 + f [φ + ε ρ] + g [φ + ε ρ]², f and g functions of |φ + ε ρ|²."""
    f, g = (term[..., None, None] for term in terms)
    f_rate, g_rate = (2 * (dot(phi, rho) * rate)[..., None, None] for rate in rates)
    S, D = skew(phi), skew(rho)
    return f * D + g * (S @ D + D @ S) + f_rate * S + g_rate * (S @ S)


def _lower(diagonal: Array, corner: Array) -> Any:
    """[[diagonal, 0], [corner, diagonal]]"""
    xp = namespace(diagonal, corner)
    top = xp.concatenate([diagonal, xp.zeros_like(diagonal)], axis=-1)
    return xp.concatenate([top, xp.concatenate([corner, diagonal], axis=-1)], axis=-2)


def _apply(matrix: Array, vector: Array) -> Any:
    return (matrix @ vector[..., None])[..., 0]
