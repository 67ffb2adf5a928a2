"""The remotely operated vehicle: its form is Fossen's, term by term."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import so3
from polhode.models.marine import rov as numbers

# Fossen's axes: x ahead, y to the right, z down. Ours are turned by half about x.
FLIP = np.diag([1.0, -1.0, -1.0])
BOTH = np.kron(np.eye(2), FLIP)


def skew(a):
    """a x."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def fossen(R, nu):
    """nu' of M nu' + C(nu) nu + D(nu) nu + g(eta) = 0, in his axes and order [v; w].

    Handbook of Marine Craft Hydrodynamics and Motion Control, chapters 3, 6 and 8.
    """
    m, I, r_g = numbers.MASS, numbers.INERTIA * np.eye(3), np.array([0, 0, numbers.LOW])
    I_o = I - m * skew(r_g) @ skew(r_g)
    M_rb = np.block([[m * np.eye(3), -m * skew(r_g)], [m * skew(r_g), I_o]])
    order = [3, 4, 5, 0, 1, 2]
    M_a = np.diag(np.array(numbers.ADDED)[order])
    M = M_rb + M_a
    upper, lower = M[:3] @ nu, M[3:] @ nu
    C = np.block([[np.zeros((3, 3)), -skew(upper)], [-skew(upper), -skew(lower)]])
    D = np.diag(
        np.array(numbers.LINEAR)[order]
        + np.array(numbers.QUADRATIC)[order] * np.abs(nu)
    )
    down = R.T @ np.array([0.0, 0.0, 1.0])
    W, B = m * numbers.GRAVITY, numbers.BUOYANCY
    g = -np.concatenate([(W - B) * down, np.cross(r_g, W * down)])
    return np.linalg.solve(M, -(C @ nu + D @ nu + g))


@pytest.mark.parametrize("seed", range(5))
def test_it_accelerates_as_fossen_says(seed):
    """At random attitudes and rates, from two ways of writing it down."""
    rng = np.random.default_rng(seed)
    system = ph.models.rov()
    R = so3.exp(rng.normal(size=3))
    q = system.joints[0].coordinates_from(R, rng.normal(size=3))
    z = rng.normal(size=6)  # [w; v] in the craft's axes
    state = ph.State(system, 0.0, np.asarray(q), z)
    found = ph.kirchhoff(system).accelerations(state)
    nu = np.concatenate([FLIP @ z[3:], FLIP @ z[:3]])
    wanted = fossen(FLIP @ R @ FLIP, nu)
    ours = np.concatenate([FLIP @ wanted[3:], FLIP @ wanted[:3]])
    assert_close(found, ours, rtol=1e-10)


def test_munks_moment():
    """Ahead and a little to the side: (Y_v' - X_u') u v turns it broadside."""
    system = ph.models.rov()
    u, v = 1.5, 0.2
    state = system.state(speeds={"free": (0, 0, 0, u, v, 0)})
    a = ph.kirchhoff(system).accelerations(state)
    mass = numbers.INERTIA + 0.12
    moment = -(numbers.ADDED[4] - numbers.ADDED[3]) * u * v
    assert_close(a[2], moment / mass, rtol=1e-10)


def test_its_thrusters_span_what_they_should():
    """Four at 45 degrees give x, y and yaw; two more give z and roll."""
    system = ph.models.rov()
    rest = system.rest()
    columns = []
    for name in numbers.THRUSTERS:
        table = {name: 100.0}
        on = system.wrenches(0.0, rest.q, rest.z, table)[name]
        columns.append(np.concatenate([on.torques[0], on.forces[0]]))
    B = np.stack(columns, axis=1)
    assert np.linalg.matrix_rank(B) == 5  # no pitch: it is held by buoyancy
    assert_close(np.abs(B[1]), np.zeros(6), atol=1e-12)


def test_it_rises_when_it_is_left_alone():
    """114.8 N lift 112.9 N: up at the speed where drag takes the difference."""
    system = ph.models.rov()
    motion = ph.simulate(system, system.rest(), until=60.0)
    net = numbers.BUOYANCY - numbers.MASS * numbers.GRAVITY
    w = (-5.18 + np.sqrt(5.18**2 + 4 * 36.99 * net)) / (2 * 36.99)
    assert_close(motion.z[-1][5], w, rtol=1e-5)
