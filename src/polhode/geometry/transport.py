"""Transport of velocities, moments and rates: other points, other observers.

Kernels on columns of one frame. p_PQ goes from P to Q; w_AB is the angular velocity of
B seen from A. Spatial vectors (..., 6) are angular first: [w; v], [torque; force].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.arrays import namespace
from polhode.geometry.vector import cross, skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Columns6, Matrices3


def shift_velocity(w: Columns3, v_P: Columns3, p_PQ: Columns3) -> Columns3:
    """The velocity of another point of a rigid body.   v_Q = v_P + w x p_PQ"""
    return v_P + cross(w, p_PQ)


def shift_acceleration(
    w: Columns3, alpha: Columns3, a_P: Columns3, p_PQ: Columns3
) -> Columns3:
    """The acceleration of another point of a rigid body.

    a_Q = a_P + alpha x p_PQ + w x (w x p_PQ)
    """
    return a_P + cross(alpha, p_PQ) + cross(w, cross(w, p_PQ))


def shift_torque(torque_P: Columns3, force: Columns3, p_PQ: Columns3) -> Columns3:
    """The moment of a force system about another point.

    torque_Q = torque_P - p_PQ x force
    """
    return torque_P - cross(p_PQ, force)


def shift_twist(twist_P: Columns6, p_PQ: Columns3) -> Columns6:
    """A twist [w; v_P] (..., 6) about another point: [w; v_P + w x p_PQ]."""
    xp = namespace(twist_P, p_PQ)
    w, v_P = twist_P[..., :3], twist_P[..., 3:]
    return xp.concatenate([w, shift_velocity(w, v_P, p_PQ)], axis=-1)


def shift_wrench(wrench_P: Columns6, p_PQ: Columns3) -> Columns6:
    """A wrench [torque_P; f] (..., 6) about another point: [torque_P - p_PQ x f; f]."""
    xp = namespace(wrench_P, p_PQ)
    torque_P, force = wrench_P[..., :3], wrench_P[..., 3:]
    return xp.concatenate([shift_torque(torque_P, force, p_PQ), force], axis=-1)


def vector_rate(rate_B: Columns3, w_AB: Columns3, vector: Columns3) -> Columns3:
    """The rate of a vector seen from A, from the one seen from B.

    rate_A = rate_B + w_AB x vector
    """
    return rate_B + cross(w_AB, vector)


def dyadic_rate(rate_B: Matrices3, w_AB: Columns3, dyadic: Matrices3) -> Matrices3:
    """The rate of a dyadic (..., 3, 3) seen from A, from the one seen from B.

    rate_A = rate_B + [w_AB] T - T [w_AB]
    """
    spin = skew(w_AB)
    return rate_B + spin @ dyadic - dyadic @ spin


def spatial_rate(rate_B: Columns6, w_AB: Columns3, spatial: Columns6) -> Columns6:
    """The rate of a spatial vector (..., 6) seen from A, from the one seen from B.

        rate_A = rate_B + [Omega] V,      [Omega] = diag([w_AB], [w_AB])

    For the twist of B itself the angular parts of both rates are equal: w x w = 0.
    """
    xp = namespace(rate_B, w_AB, spatial)
    halves = (slice(0, 3), slice(3, 6))
    parts = [vector_rate(rate_B[..., k], w_AB, spatial[..., k]) for k in halves]
    return xp.concatenate(parts, axis=-1)
