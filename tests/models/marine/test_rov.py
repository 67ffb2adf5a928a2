"""The remotely operated vehicle: its form is Fossen's, term by term."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import so3
from polhode.models.marine import rov as numbers

# Fossen's axes: x ahead, y to the right, z down. Ours are turned by half about x.
FLIP = np.diag([1.0, -1.0, -1.0])


def skew(a):
    """a x."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


ORDER = [3, 4, 5, 0, 1, 2]
# nu = [v; w] in his axes, of our speeds [w; v].
TO_NU = np.block([[np.zeros((3, 3)), FLIP], [FLIP, np.zeros((3, 3))]])


class Fossen(NamedTuple):
    """M, C(nu), D(nu) and g(eta) of M nu' + C nu + D nu + g = tau, order [v; w].

    Handbook of Marine Craft Hydrodynamics and Motion Control, chapters 3, 6 and 8.
    """

    M: np.ndarray
    C: np.ndarray
    D: np.ndarray
    g: np.ndarray


def fossen(R, nu) -> Fossen:
    """At an attitude, in his axes."""
    m, I, r_g = numbers.MASS, numbers.INERTIA * np.eye(3), np.array([0, 0, numbers.LOW])
    I_o = I - m * skew(r_g) @ skew(r_g)
    M_rb = np.block([[m * np.eye(3), -m * skew(r_g)], [m * skew(r_g), I_o]])
    M = M_rb + np.diag(np.array(numbers.ADDED)[ORDER])
    upper, lower = M[:3] @ nu, M[3:] @ nu
    C = np.block([[np.zeros((3, 3)), -skew(upper)], [-skew(upper), -skew(lower)]])
    D = np.diag(
        np.array(numbers.LINEAR)[ORDER]
        + np.array(numbers.QUADRATIC)[ORDER] * np.abs(nu)
    )
    down = R.T @ np.array([0.0, 0.0, 1.0])
    W, B = m * numbers.GRAVITY, numbers.BUOYANCY
    g = -np.concatenate([(W - B) * down, np.cross(r_g, W * down)])
    return Fossen(M, C, D, g)


def sailing(seed):
    """A random attitude and speed: the state, and Fossen's terms there."""
    rng = np.random.default_rng(seed)
    system = ph.models.rov()
    R = so3.exp(rng.normal(size=3))
    q = system.joints[0].coordinates_from(R, rng.normal(size=3))
    state = ph.State(system, 0.0, np.asarray(q), rng.normal(size=6))
    return state, R, fossen(FLIP @ R @ FLIP, TO_NU @ state.z)


def generalised(state, R, names):
    """What some actions exert on the craft, as tau (6,) in Fossen's axes."""
    wrenches = state.system.wrenches(state.t, state.q, state.z)
    own = [wrenches[name] for name in names]
    torque, force = (
        sum(part)
        for part in zip(*((w.torques[0], w.forces[0]) for w in own), strict=True)
    )
    return TO_NU @ np.concatenate([R.T @ torque, R.T @ force])


@pytest.mark.parametrize("seed", range(3))
def test_it_is_fossens_form_term_by_term(seed):
    """M; C by momenta, skew; D nu of the water; g of weight and buoyancy."""
    state, R, terms = sailing(seed)
    form, nu = ph.kirchhoff(state.system), TO_NU @ state.z
    assert_close(TO_NU @ form.mass_matrix(state) @ TO_NU.T, terms.M, rtol=1e-14)
    C = np.asarray(form.coriolis(state, "momentum"))
    assert_close(TO_NU @ C @ TO_NU.T, terms.C, rtol=1e-13)
    assert_close(terms.C, -terms.C.T, rtol=1e-13)
    assert_close(generalised(state, R, ["water"]), -terms.D @ nu, rtol=1e-13)
    rest = generalised(state, R, ["weight", "buoyancy"])
    assert_close(rest, -terms.g, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_it_accelerates_as_fossen_says(seed):
    """At random attitudes and rates, from two ways of writing it down."""
    state, _, terms = sailing(seed)
    nu = TO_NU @ state.z
    left = terms.C @ nu + terms.D @ nu + terms.g
    wanted = np.linalg.solve(terms.M, -left)
    found = ph.kirchhoff(state.system).accelerations(state)
    assert_close(TO_NU @ found, wanted, rtol=1e-10)


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
