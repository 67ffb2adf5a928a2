"""Laws of transport between points and observers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from closeness import assert_close
from finite import derivative
from polhode.geometry import se3, transport
from polhode.geometry.motion.angular_velocity import spatial_components
from polhode.geometry.vector import cross, dot
from strategies_geometry import Motion, generators


@pytest.mark.row("K-04")
@given(generators)
def test_rigid_velocity_field_keeps_distances(rng):
    """v_Q = v_P + w x PQ is the rate of R(t) Y + p(t), and keeps every distance."""
    motion = Motion.random(rng)
    P_B, Q_B = rng.normal(size=(2, 3))
    places = [se3.act(motion.matrix(0.3), point) for point in (P_B, Q_B)]
    v_P, v_Q = (
        derivative(lambda t, Y=point: se3.act(motion.matrix(t), Y), 0.3)
        for point in (P_B, Q_B)
    )
    R_dot = derivative(motion.rotation, 0.3)
    w = spatial_components(motion.rotation(0.3), R_dot)
    p_PQ = places[1] - places[0]
    moved = transport.shift_velocity(w, v_P, p_PQ)
    assert_close(moved, v_Q, rtol=1e-9)
    assert_close(dot(p_PQ, moved - v_P), 0.0, atol=1e-12)
    assert_close(transport.shift_velocity(w, moved, -p_PQ), v_P)


@pytest.mark.row("K-09")
@settings(max_examples=20)
@given(generators)
def test_rigid_acceleration_field(rng):
    """a_Q = a_P + alpha x PQ + w x (w x PQ) is the second rate of R(t) Y + p(t)."""
    motion, (P_B, Q_B) = Motion.random(rng), rng.normal(size=(2, 3))

    def spin(t):
        return spatial_components(motion.rotation(t), derivative(motion.rotation, t))

    def acceleration(point):
        def velocity(t):
            return derivative(lambda s: se3.act(motion.matrix(s), point), t)

        return derivative(velocity, 0.3)

    w, alpha = spin(0.3), derivative(spin, 0.3)
    p_PQ = motion.rotation(0.3) @ (Q_B - P_B)
    moved = transport.shift_acceleration(w, alpha, acceleration(P_B), p_PQ)
    assert_close(moved, acceleration(Q_B), rtol=1e-7)


@given(generators)
def test_power_does_not_depend_on_the_point(rng):
    """Shifted together, twist and wrench keep their power; shifts add up."""
    V, F = rng.normal(size=(2, 6))
    p, q = rng.normal(size=(2, 3))
    V_Q, F_Q = transport.shift_twist(V, p), transport.shift_wrench(F, p)
    assert_close(F_Q @ V_Q, F @ V, atol=1e-13)
    there = transport.shift_twist(V_Q, q)
    assert_close(there, transport.shift_twist(V, p + q), atol=1e-14)
    force_at_P = np.concatenate([np.zeros(3), F[3:]])
    assert_close(transport.shift_wrench(force_at_P, p)[:3], cross(-p, F[3:]))


@pytest.mark.row("K-18")
@settings(max_examples=20)
@given(generators)
def test_spatial_rates_of_two_observers(rng):
    """Rate seen from N = rate seen from B + [Omega] V; the angular parts coincide."""
    motion = Motion.random(rng)

    def spin(t):
        return spatial_components(motion.rotation(t), derivative(motion.rotation, t))

    def twist_N(t):
        return np.concatenate([spin(t), derivative(motion.place, t)])

    def twist_B(t):
        R_BN = motion.rotation(t).T
        return np.concatenate([R_BN @ twist_N(t)[:3], R_BN @ twist_N(t)[3:]])

    V, w, R = twist_N(0.3), spin(0.3), motion.rotation(0.3)
    rate_N, columns_B = derivative(twist_N, 0.3), derivative(twist_B, 0.3)
    rate_B = np.concatenate([R @ columns_B[:3], R @ columns_B[3:]])
    transported = transport.spatial_rate(rate_B, w, V)
    assert_close(transported, rate_N, rtol=1e-7)
    assert_close(transported[:3], rate_B[:3], atol=1e-15)
    Omega = np.kron(np.eye(2), cross(w, np.eye(3)).T)
    assert_close(transported, rate_B + Omega @ V)
