"""Laws of the kinematic equations of a free body."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from polhode.geometry import se3
from polhode.geometry.motion import free_body
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.parametrisation import PARAMETRISATIONS
from polhode.geometry.transport import shift_velocity
from polhode.geometry.vector import cross
from rk4 import rk4
from strategies_geometry import displacement_matrix

SPIN = np.array([0.3, -0.5, 0.4])  # the body's axes
DRIFT = np.array([1.0, 0.2, -0.4])  # velocity of the mass centre, the observer's axes
ARM = np.array([0.5, -0.3, 0.8])  # from the mass centre to another body point


@pytest.mark.row("K-19")
def test_a_constant_spin_is_an_exponential():
    """Rdot = [w] R with constant body spin gives R0 exp(t w); orthogonal to 1e-10.

    Ten thousand steps, of the matrix by Runge and Kutta and on the group.
    """
    start = displacement_matrix(np.random.default_rng(1))[:3, :3]
    until, steps = 20.0, 10_000
    exact = start @ so3.exp(until * SPIN)

    def rate(t, R):
        return free_body.rotation_rate(R, R @ SPIN)

    end = rk4(rate, start, 0.0, until, steps)
    assert np.max(np.abs(end.T @ end - np.eye(3))) < 1e-10
    assert_close(end, exact, rtol=1e-8)
    twist = np.concatenate([SPIN, np.zeros(3)])
    X = se3.displacement(start, np.zeros(3))
    for _ in range(steps):
        X = free_body.advance(X, twist, until / steps)
    R = se3.rotation_of(X)
    assert np.max(np.abs(R.T @ R - np.eye(3))) < 1e-10
    assert_close(R, exact, rtol=1e-8)


@pytest.mark.row("K-19")
@pytest.mark.parametrize("chart", PARAMETRISATIONS, ids=lambda chart: chart.name)
def test_all_parametrisations_move_alike(chart):
    """Matrix, quaternions, every Euler set and the rest: one motion, to 1e-8.

    The mass centre's place comes out the same when another body point is carried.
    """
    middle = {3: np.array([0.2, 0.9, -0.3]), 4: np.array([0.8, 0.0, 0.6, 0.9])}
    first = middle[chart.size].copy()
    if chart.name.startswith("the quaternion"):
        first = first / np.linalg.norm(first)
    start, place = chart.to_matrix(first), np.array([1.0, 2.0, 3.0])

    def about_centre(t, q):
        w = chart.to_matrix(q[3:]) @ SPIN
        return free_body.coordinate_rates(chart, q, np.concatenate([w, DRIFT]))

    def about_point(t, q):
        R = chart.to_matrix(q[3:])
        v = shift_velocity(R @ SPIN, DRIFT, R @ ARM)
        twist = np.concatenate([R @ SPIN, v])
        return free_body.coordinate_rates(chart, q, twist)

    exact = start @ so3.exp(SPIN)
    end = rk4(about_centre, np.concatenate([place, first]), 0.0, 1.0, 60)
    assert_close(chart.to_matrix(end[3:]), exact, rtol=1e-8)
    assert_close(end[:3], place + DRIFT, rtol=1e-12)
    carried = np.concatenate([place + start @ ARM, first])
    other = rk4(about_point, carried, 0.0, 1.0, 60)
    centre = other[:3] - chart.to_matrix(other[3:]) @ ARM
    assert_close(centre, place + DRIFT, rtol=1e-8)


def test_a_steady_twist_is_a_screw():
    """One step of any size is exact: X exp(h V), and w x r for a pure turn."""
    X = displacement_matrix(np.random.default_rng(2))
    V = np.array([0.3, 0.2, -0.4, 1.0, 0.5, 0.0])
    halves = free_body.advance(free_body.advance(X, V, 0.5), V, 0.5)
    assert_close(free_body.advance(X, V, 1.0), halves, rtol=1e-14)
    R = X[:3, :3]
    assert_close(free_body.rotation_rate(R, V[:3])[:, 0], cross(V[:3], R[:, 0]))
