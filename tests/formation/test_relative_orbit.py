"""Small motions about an orbit, and how small they must be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm

import polhode as ph
from closeness import assert_close
from polhode.formation.double_integrator import (
    differential_gravity,
    differential_gravity_bound,
)

MU, P = 3.0, 1.3
RATE = np.sqrt(MU / P**3)
CRAFT = {0.0: 0.0, 0.3: 0.7}  # eccentricity -> anomaly at the start
SPAN = 2.0


@cache
def near(e):
    orbit = ph.formations.Orbit(
        mu=MU, parameter=P, eccentricity=e, inclination=0.4, node=0.2, anomaly=CRAFT[e]
    )
    return ph.formations.relative_orbit(orbit)


def hill(n):
    """Clohessy and Wiltshire's matrix."""
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, [0, 4]] = 3 * n**2, 2 * n
    A[4, 3], A[5, 2] = -2 * n, -(n**2)
    return A


def carried(relative, x, until=SPAN):
    """The exact relative state of two orbits at the end, in the leader's frame."""
    system = relative.along.motion.system
    R, w = relative.frame(0.0)
    leader = relative.along.motion[0]
    place, speed = R @ x[:3], R @ (x[3:] + np.cross(w, x[:3]))
    q, z = np.concatenate([leader.q[:3], place]), np.concatenate([leader.z[:3], speed])
    method = ph.methods.DormandPrince8(rtol=1e-13)
    state = ph.State(system, 0.0, q, z)
    end = ph.simulate(system, state, until=until, method=method).final
    R, w = relative.frame(until)
    place = R.T @ end.q[3:]
    return np.concatenate([place, R.T @ end.z[3:] - np.cross(w, place)])


@pytest.mark.row("S-06")
def test_about_a_circle_it_is_clohessy_and_wiltshires():
    """x'' = 2 n y' + 3 n^2 x, y'' = -2 n x', z'' = -n^2 z, at all times."""
    relative = near(0.0)
    for t in (0.0, 0.9, SPAN):
        linear = relative.at(t)
        assert_close(linear.A, hill(RATE), atol=1e-8)
        assert_close(linear.B, np.eye(6)[:, 3:])
    P = relative.transition(0.3, SPAN)
    assert_close(P, expm(hill(RATE) * (SPAN - 0.3)), atol=1e-7)


@pytest.mark.row("S-06", "S-07")
@pytest.mark.parametrize("e", CRAFT)
def test_two_exact_orbits_differ_from_the_linear_motion_by_a_square(e):
    """The transition matrix errs by O(size^2): a tenth of the size, a hundredth of it.

    Central differences, in which the square cancels, give the matrix itself.
    """
    relative, rng = near(e), np.random.default_rng(1)
    P, x = relative.transition(0.0, SPAN), rng.normal(size=6)
    errors = []
    for size in (1e-2, 1e-3):
        errors.append(np.linalg.norm(carried(relative, size * x) - P @ (size * x)))
    assert 80 < errors[0] / errors[1] < 125
    central = (carried(relative, 1e-4 * x) - carried(relative, -1e-4 * x)) / 2e-4
    assert_close(central, P @ x, rtol=1e-6)


@pytest.mark.row("S-07")
def test_about_an_ellipse_the_coefficients_go_round_with_the_anomaly():
    """A(t) has the period of the orbit, and its terms are those of the anomaly.

    x'' = (nu'^2 + 2 mu/r^3) x + nu'' y + 2 nu' y', and so on.
    """
    relative = near(0.3)
    period = relative.orbit.period
    assert_close(relative.at(period).A, relative.at(0.0).A, atol=1e-7)
    t = 0.8
    state = relative.along.motion.at(t)
    now = ph.formations.Orbit.from_state(state.q[:3], state.z[:3], MU)
    r, h = np.linalg.norm(state.q[:3]), np.sqrt(MU * P)
    turn = h / r**2
    bend = -2 * MU / r**3 * 0.3 * np.sin(now.anomaly)
    expected = np.zeros((6, 6))
    expected[:3, 3:] = np.eye(3)
    expected[3] = turn**2 + 2 * MU / r**3, bend, 0, 0, 2 * turn, 0
    expected[4] = -bend, turn**2 - MU / r**3, 0, -2 * turn, 0, 0
    expected[5, 2] = -MU / r**3
    assert_close(relative.at(t).A, expected, atol=1e-7)
    assert np.max(np.abs(relative.at(t).A - relative.at(0.0).A)) > 0.1
    # With e = 0 these are the coefficients of the circle.
    assert_close(near(0.0).at(t).A, hill(RATE), atol=1e-8)


@pytest.mark.row("S-08")
def test_the_neglect_of_a_double_integrator_is_bounded():
    """|g(r + d) - g(r)| <= 2 mu |d|/s^3 for all r and d, and is that along r."""
    rng = np.random.default_rng(2)
    r = rng.normal(size=(2000, 3)) * 10 ** rng.uniform(-1, 2, (2000, 1))
    d = rng.normal(size=(2000, 3)) * 10 ** rng.uniform(-4, 1, (2000, 1))
    gap = np.linalg.norm(differential_gravity(r, d, MU), axis=1)
    bound = differential_gravity_bound(r, d, MU)
    assert np.all(gap <= bound * (1 + 1e-9) + 1e-12)
    small = 1e-5 * r
    along = np.linalg.norm(differential_gravity(r, small, MU), axis=1)
    assert_close(
        along / differential_gravity_bound(r, small, MU), np.ones(2000), rtol=1e-4
    )


@pytest.mark.row("S-08")
def test_a_report_says_what_an_arc_neglects():
    """Two craft far out: the difference of their accelerations is what is neglected."""
    relative = near(0.3)
    motion = relative.along.motion
    system = motion.system
    q, z = motion[0].q.copy(), motion[0].z.copy()
    q[3:] = (0.01, 0.02, -0.01)
    run = ph.simulate(system, ph.State(system, 0.0, q, z), until=0.5)
    report = ph.formations.double_integrator(run, "leader", "follower", mu=MU)
    sizes = np.linalg.norm(report.neglected, axis=1)
    assert np.all(sizes <= report.bound)
    assert np.all(sizes > 0.2 * report.bound)
    # Nothing but gravity acts, so that it is the whole relative acceleration.
    expected = ph.recursive(system).accelerations(run[0])[3:]
    assert_close(report.neglected[0], expected, rtol=1e-10)
    # The craft go astray from the straight way by less than is said.
    straight = q[3:] + z[3:] * 0.5
    away = np.linalg.norm(run.final.q[3:] - straight)
    assert 0.1 * report.drift < away < report.drift
    assert "neglects up to" in repr(report)
    with pytest.raises(ph.PolhodeError, match="no craft 'third'"):
        ph.formations.double_integrator(run, "leader", "third", mu=MU)


def test_an_open_orbit_needs_a_span():
    """A parabola has no period."""
    orbit = ph.formations.Orbit(mu=1.0, parameter=1.0, eccentricity=1.0)
    with pytest.raises(ph.PolhodeError, match="no span of inf"):
        ph.formations.relative_orbit(orbit)
