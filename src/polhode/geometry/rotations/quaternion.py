"""Unit quaternions, scalar first, Hamilton's product, active rotations.

    q = (w, x, y, z) = cos(θ/2) + sin(θ/2) n        v_A = q v_B q*

q and -q are the same rotation: regular everywhere, and double. Components (w, x, y, z)
are always in this order; the name of every door that takes four numbers says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.arrays import namespace
from polhode.geometry.rotations.angle_ratios import arctangent_ratio, sine_ratio
from polhode.geometry.vector import cross, dot, skew

if TYPE_CHECKING:
    from polhode.public.shapes import (
        Columns3,
        Matrices3,
        Matrices4,
        Matrices34,
        Matrices43,
        Quaternions,
    )


def product(a: Quaternions, b: Quaternions) -> Quaternions:
    """Hamilton's product a b (..., 4): first b turns, then a; R(ab) = R(a) R(b).

    a b = (a₀ b₀ - a·b,  a₀ b + b₀ a + a × b)
    """
    xp = namespace(a, b)
    u, v = a[..., 1:], b[..., 1:]
    scalar = a[..., 0] * b[..., 0] - dot(u, v)
    vector = a[..., :1] * v + b[..., :1] * u + cross(u, v)
    return xp.concatenate([scalar[..., None], vector], axis=-1)


def conjugate(q: Quaternions) -> Quaternions:
    """q* = (w, -x, -y, -z), the inverse rotation of a unit quaternion."""
    return namespace(q).concatenate([q[..., :1], -q[..., 1:]], axis=-1)


def pure(vector: Columns3) -> Quaternions:
    """The quaternion (0, v) of a vector (..., 3)."""
    xp = namespace(vector)
    return xp.concatenate([xp.zeros_like(vector[..., :1]), vector], axis=-1)


def normalised(q: Quaternions) -> Quaternions:
    """q / |q|; the quaternion must not be zero."""
    xp = namespace(q)
    return q / xp.sqrt(q[..., :1] ** 2 + dot(q[..., 1:], q[..., 1:])[..., None])


def canonical(q: Quaternions) -> Quaternions:
    """Of q and -q, the one whose first component that is not zero is positive."""
    w, x, y, z = (q[..., k : k + 1] for k in range(4))
    below = (z < 0) & (y == 0) | (y < 0)
    below = below & (x == 0) | (x < 0)
    below = below & (w == 0) | (w < 0)
    return namespace(q).where(below, -q, q)


def exp(vector: Columns3) -> Quaternions:
    """The unit quaternion of a rotation vector φ: (cos(θ/2), sin(θ/2)/θ φ)."""
    xp = namespace(vector)
    x = dot(vector, vector)[..., None]
    # cos(θ/2) = 1 - 2 sin²(θ/4), with no root of x and so no trouble at zero.
    scalar = 1 - sine_ratio(x / 16) ** 2 * x / 8
    return xp.concatenate([scalar, sine_ratio(x / 4) / 2 * vector], axis=-1)


def log(q: Quaternions) -> Columns3:
    """The rotation vector (..., 3) of a quaternion, angle in [0, π].

        φ = 2 atan2(|v|, w) v/|v|,   of q and -q the one with w ≥ 0

    The length of q does not matter.
    """
    upper = canonical(q)
    w, v = upper[..., 0], upper[..., 1:]
    return 2 * arctangent_ratio(dot(v, v), w)[..., None] * v


def to_matrix(q: Quaternions) -> Matrices3:
    """The rotation matrix of a unit quaternion: R = 1 + 2 w [v] + 2 [v]²."""
    w, v = q[..., 0], q[..., 1:]
    cross_matrix = skew(v)
    twice = 2 * cross_matrix
    return namespace(q).eye(3) + w[..., None, None] * twice + twice @ cross_matrix


def from_matrix(matrix: Matrices3) -> Quaternions:
    """The unit quaternion (..., 4) of a rotation matrix (..., 3, 3).

    4 q qᵀ is linear in R, so each of its rows is q times 4 of its own component: the
    row of the largest component is taken and normalised, which never divides by less
    than 2 and is right, with its derivative, at every rotation.
    """
    xp = namespace(matrix)
    rows = four_outer(matrix)
    x, y, z = matrix[..., 0, 0], matrix[..., 1, 1], matrix[..., 2, 2]
    scalar_leads = (x + y + z >= 0)[..., None]
    x_leads = ((x >= y) & (x >= z))[..., None]
    y_leads = (y >= z)[..., None]
    of_vector = xp.where(y_leads, rows[..., 2, :], rows[..., 3, :])
    of_vector = xp.where(x_leads, rows[..., 1, :], of_vector)
    return normalised(xp.where(scalar_leads, rows[..., 0, :], of_vector))


def four_outer(matrix: Matrices3) -> Matrices4:
    """The symmetric matrix 4 q qᵀ (..., 4, 4), linear in the rotation matrix of q."""
    xp = namespace(matrix)
    R = [[matrix[..., i, j] for j in range(3)] for i in range(3)]
    wx, wy, wz = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    xy, xz, yz = R[0][1] + R[1][0], R[0][2] + R[2][0], R[1][2] + R[2][1]
    ww = 1 + R[0][0] + R[1][1] + R[2][2]
    xx = 1 + R[0][0] - R[1][1] - R[2][2]
    yy = 1 - R[0][0] + R[1][1] - R[2][2]
    zz = 1 - R[0][0] - R[1][1] + R[2][2]
    rows = [[ww, wx, wy, wz], [wx, xx, xy, xz], [wy, xy, yy, yz], [wz, xz, yz, zz]]
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def spatial_angular_velocity(q: Quaternions, q_dot: Quaternions) -> Columns3:
    """ω in the observer's axes: ω = 2 (w v̇ - ẇ v + v × v̇), from q̇ = ω q / 2."""
    return 2 * product(q_dot, conjugate(q))[..., 1:]


def body_angular_velocity(q: Quaternions, q_dot: Quaternions) -> Columns3:
    """ω in the body's axes: ω = 2 (w v̇ - ẇ v - v × v̇), from q̇ = q ω / 2."""
    return 2 * product(conjugate(q), q_dot)[..., 1:]


def rates_of_spatial(q: Quaternions, angular_velocity: Columns3) -> Quaternions:
    """q̇ = ω q / 2, with ω in the observer's axes; q·q̇ = 0, so |q| is kept."""
    return product(pure(angular_velocity), q) / 2


def rates_of_body(q: Quaternions, angular_velocity: Columns3) -> Quaternions:
    """q̇ = q ω / 2, with ω in the body's axes; q·q̇ = 0, so |q| is kept."""
    return product(q, pure(angular_velocity)) / 2


def spatial_rate_matrix(q: Quaternions) -> Matrices34:
    """S (..., 3, 4) with ω = S q̇ in the observer's axes: S = 2 [-v, w + [v]]."""
    xp = namespace(q)
    w, v = q[..., :1], q[..., 1:]
    block = w[..., None] * xp.eye(3) + skew(v)
    return 2 * xp.concatenate([-v[..., None], block], axis=-1)


def spatial_rate_inverse(q: Quaternions) -> Matrices43:
    """G (..., 4, 3) with q̇ = G ω, ω in the observer's axes: G = Sᵀ/4, regular."""
    return namespace(q).swapaxes(spatial_rate_matrix(q), -1, -2) / 4


def regularity(q: Quaternions) -> Any:
    """How far from singular: 1 for every unit quaternion."""
    xp = namespace(q)
    return xp.sqrt(q[..., 0] ** 2 + dot(q[..., 1:], q[..., 1:]))
