"""Group-invariant velocities of a moving displacement X(t) = [[R, b], [0, 1]].

    left-invariant   V_B = unhat(X⁻¹ Ẋ) = [w; u]     body axes, velocity of B's origin
    right-invariant  V_A = unhat(Ẋ X⁻¹) = [ŵ; ξ]     observer axes, velocity of the
                                                     body point at A's origin

    ŵ = R w,    u = Rᵀ ḃ,    ξ = ḃ - ŵ x b

A left translation (another observer) leaves the first unchanged, a right translation
(another body frame) the second. Kernels on 4x4 matrices and their rates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import namespace
from polhode.geometry import se3
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.motion.moving_frame import apply
from polhode.geometry.transport import shift_velocity

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Columns6, Matrices4

__all__ = [
    "inverse_motion",
    "left_invariant",
    "left_translate",
    "rate_from_left",
    "rate_from_right",
    "right_invariant",
    "right_translate",
    "space_origin_velocity",
]


def left_invariant(X: Matrices4, X_dot: Matrices4) -> Columns6:
    """The body twist [w; u] (..., 6).

    ν_i = -1/2 ε_ipq (Rᵀ dR)_pq -> w,        μ = Rᵀ db -> u
    """
    xp = namespace(X, X_dot)
    R, R_dot = se3.rotation_of(X), se3.rotation_of(X_dot)
    u = apply(R.swapaxes(-1, -2), se3.translation_of(X_dot))
    return xp.concatenate([body_components(R, R_dot), u], axis=-1)


def right_invariant(X: Matrices4, X_dot: Matrices4) -> Columns6:
    """The spatial twist [ŵ; ξ] (..., 6).

    ν̂_i = 1/2 ε_ipq R_pk dR_qk -> ŵ,        μ̂ = db + R dRᵀ b -> ξ
    """
    xp = namespace(X, X_dot)
    w = spatial_components(se3.rotation_of(X), se3.rotation_of(X_dot))
    b, b_dot = se3.translation_of(X), se3.translation_of(X_dot)
    return xp.concatenate([w, shift_velocity(w, b_dot, -b)], axis=-1)


def rate_from_left(X: Matrices4, twist_B: Columns6) -> Matrices4:
    """The rate of a displacement with this body twist.   Ẋ = X hat(V_B)"""
    return X @ se3.hat(twist_B)


def rate_from_right(X: Matrices4, twist_A: Columns6) -> Matrices4:
    """The rate of a displacement with this spatial twist.   Ẋ = hat(V_A) X"""
    return se3.hat(twist_A) @ X


def left_translate(by: Matrices4, X: Matrices4, X_dot: Matrices4) -> tuple[Any, Any]:
    """The motion before another observer:   R -> R_g R,  b -> R_g b + b_g"""
    return by @ X, by @ X_dot


def right_translate(by: Matrices4, X: Matrices4, X_dot: Matrices4) -> tuple[Any, Any]:
    """The motion of another body frame:   R -> R R_g,  b -> R b_g + b"""
    return X @ by, X_dot @ by


def inverse_motion(X: Matrices4, X_dot: Matrices4) -> tuple[Any, Any]:
    """The motion of the observer before the body: X⁻¹ and its rate -X⁻¹ Ẋ X⁻¹.

    Right forms of the one are minus the left forms of the other.
    """
    back = se3.inverse(X)
    return back, -(back @ X_dot @ back)


def space_origin_velocity(twist_A: Columns6, place: Columns3) -> Columns3:
    """The velocity field from the spatial twist [ŵ; ξ].   v_P = ξ + ŵ x (P - Ao)"""
    return shift_velocity(twist_A[..., :3], twist_A[..., 3:], place)
