"""Turns about an axis, and what is not one: the kernels that joints share.

A triad (u, v, n) is a constant matrix (3, 3) whose columns are the axis n and two
directions square to it, the same in F and in M when M has only turned about n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace, removable, textbook, traced_once
from polhode.geometry.rotations.angle_ratios import arctangent_ratio
from polhode.geometry.vector import outer, skew

if TYPE_CHECKING:
    from polhode.public.shapes import Column3, Matrix3, Pair


@traced_once
def turn_about(axis: Column3, angle: Scalar) -> Matrix3:
    """The rotation (3, 3) by an angle about a unit axis.

        R = n n + cos θ (1 - n n) + sin θ [n]

    Written with the cosine, because for X, Y and Z only c, s, 0 and 1 are left.
    """
    xp = namespace(axis, angle)
    along = outer(axis, axis)
    return along + xp.cos(angle) * (np.eye(3) - along) + xp.sin(angle) * skew(axis)


def angle_about(triad: Matrix3, R_FM: Matrix3) -> Any:
    """The angle in (-π, π] by which M has turned about n, tilted or not.

    θ = atan2(v.Ru - u.Rv, u.Ru + v.Rv)
    """
    turned = triad.T @ R_FM @ triad
    xp = namespace(turned)
    sine, cosine = turned[1, 0] - turned[0, 1], turned[0, 0] + turned[1, 1]
    return xp.arctan2(sine, cosine)


def tilt(triad: Matrix3, R_FM: Matrix3) -> Pair:
    """The turn that M's axis n has made away from F's, along u and v of M (2,).

        α (m x n)/|m x n|,   m = Rᵀ n,   α the angle between m and n

    Its rate where it vanishes is (u.w, v.w). At α = π, where every direction serves,
    it is (π, 0): no smooth function can be zero at α = 0 alone.
    """
    m_u, m_v, m_n = components = triad.T @ (R_FM.T @ triad[:, 2])
    xp = namespace(components)
    # α = 2 atan2(|m x n|, 1 + m.n)
    sine2, cosine = m_u**2 + m_v**2, 1.0 + m_n
    # Marked as removable, so that people read the closed form without the one point.
    opposite = cosine <= 0
    safe_sine2, safe_cosine = (removable(opposite, 1.0, x) for x in (sine2, cosine))
    ratio = 2 * arctangent_ratio(safe_sine2, safe_cosine)
    half_turn, square = np.array([np.pi, 0.0]), xp.stack([m_v, -m_u])
    # People read m x n, whose first and second derivatives at α = 0 are the same.
    return textbook(removable(opposite, half_turn, ratio * square), square)


def offset(triad: Matrix3, R_FM: Matrix3, p_FoMo_F: Column3) -> Pair:
    """How far Mo is from the axis through Fo, along u and v of M (2,).

        [u v]ᵀ Rᵀ (p - n n.p)

    Its rate where M is only turned about n and moved along it is (u.v, v.v).
    """
    n = triad[:, 2]
    return triad[:, :2].T @ (R_FM.T @ (p_FoMo_F - n * (n @ p_FoMo_F)))


def wrenches(torques: Array, forces: Array) -> Any:
    """The basis (6, k) of couples along some directions, then forces along others.

    torques (3, i) and forces (3, j) give k = i + j columns [torque; force].
    """
    xp = namespace(torques, forces)
    top = xp.concatenate([torques, np.zeros(forces.shape)], axis=1)
    bottom = xp.concatenate([np.zeros(torques.shape), forces], axis=1)
    return xp.concatenate([top, bottom], axis=0)
