"""A turn by an angle about a unit axis.

    R = n n + cos θ (1 - n n) + sin θ [n] = 1 + sin θ [n] + (1 - cos θ) [n]²

(n, θ) and (-n, -θ) are the same rotation; at θ = 0 every axis is. Four numbers, of
which the axis must stay a unit vector: n·ṅ = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import Array, Scalar, namespace, removable
from polhode.geometry.rotations import quaternion
from polhode.geometry.vector import cross, dot, norm, skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3


def to_matrix(axis: Columns3, angle: Scalar) -> Matrices3:
    """The rotation matrix (..., 3, 3) of a unit axis (..., 3) and an angle (...)."""
    xp = namespace(axis, angle)
    cross_matrix = skew(axis)
    sine = xp.sin(angle)[..., None, None]
    versine = 2 * xp.sin(angle / 2)[..., None, None] ** 2
    return xp.eye(3) + sine * cross_matrix + versine * (cross_matrix @ cross_matrix)


def from_matrix(matrix: Matrices3) -> tuple[Any, Any]:
    """The unit axis (..., 3) and the angle in [0, π] of a rotation matrix.

    At the identity, where every axis serves, the axis is x; at π, where n and -n
    serve, the one whose first component that is not zero is positive.
    """
    xp = namespace(matrix)
    q = quaternion.canonical(quaternion.from_matrix(matrix))
    length = norm(q[..., 1:])
    none = length == 0
    safe = removable(none, 1.0, length)[..., None]
    x_axis = xp.zeros_like(q[..., 1:]) + xp.eye(3)[0]
    axis = removable(none[..., None], x_axis, q[..., 1:] / safe)
    return axis, 2 * xp.arctan2(length, q[..., 0])


def turn(axis: Columns3, angle: Scalar, vector: Columns3) -> Columns3:
    """The vector turned about the axis, without a matrix (Rodrigues' formula).

        v' = v_∥ + cos θ v_⊥ + sin θ n × v

    v_∥ = n (n·v) is the part along the axis, v_⊥ the rest.
    """
    xp = namespace(axis, angle, vector)
    along = axis * dot(axis, vector)[..., None]
    c, s = xp.cos(angle)[..., None], xp.sin(angle)[..., None]
    return along + c * (vector - along) + s * cross(axis, vector)


def spatial_angular_velocity(
    axis: Columns3, angle: Scalar, axis_rate: Columns3, angle_rate: Scalar
) -> Columns3:
    """ω in the observer's axes: ω = θ̇ n + sin θ ṅ + (1 - cos θ) n × ṅ."""
    return _angular_velocity(axis, angle, axis_rate, angle_rate, 1.0)


def body_angular_velocity(
    axis: Columns3, angle: Scalar, axis_rate: Columns3, angle_rate: Scalar
) -> Columns3:
    """ω in the body's axes: ω = θ̇ n + sin θ ṅ - (1 - cos θ) n × ṅ."""
    return _angular_velocity(axis, angle, axis_rate, angle_rate, -1.0)


def rates_of_spatial(
    axis: Columns3, angle: Scalar, angular_velocity: Columns3
) -> tuple[Any, Any]:
    """(ṅ, θ̇) of ω in the observer's axes.

        θ̇ = n·ω,    ṅ = (cot(θ/2) (ω - n n·ω) - n × ω) / 2

    At θ = 0 the axis can only jump; there ṅ = 0, the least-squares answer.
    """
    return _rates(axis, angle, angular_velocity, 1.0)


def rates_of_body(
    axis: Columns3, angle: Scalar, angular_velocity: Columns3
) -> tuple[Any, Any]:
    """(ṅ, θ̇) of ω in the body's axes.

        θ̇ = n·ω,    ṅ = (cot(θ/2) (ω - n n·ω) + n × ω) / 2

    At θ = 0 the axis can only jump; there ṅ = 0, the least-squares answer.
    """
    return _rates(axis, angle, angular_velocity, -1.0)


def _angular_velocity(
    axis: Array, angle: Scalar, axis_rate: Array, angle_rate: Scalar, sign: float
) -> Any:
    xp = namespace(axis, angle, axis_rate, angle_rate)
    sine = xp.sin(angle)[..., None]
    versine = 2 * sign * xp.sin(angle / 2)[..., None] ** 2
    return (
        xp.asarray(angle_rate)[..., None] * axis
        + sine * axis_rate
        + versine * cross(axis, axis_rate)
    )


def _rates(
    axis: Array, angle: Scalar, angular_velocity: Array, sign: float
) -> tuple[Any, Any]:
    xp = namespace(axis, angle, angular_velocity)
    half_sine = xp.sin(angle / 2)
    singular = half_sine == 0
    cotangent = xp.cos(angle / 2) / xp.where(singular, 1.0, half_sine)
    angle_rate = dot(axis, angular_velocity)
    square = angular_velocity - axis * angle_rate[..., None]
    swing = cotangent[..., None] * square - sign * cross(axis, angular_velocity)
    return xp.where(singular[..., None], 0.0, swing / 2), angle_rate
