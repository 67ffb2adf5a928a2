"""Printed values and closed forms of accelerations and reactions."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import so3

G = 9.81


@pytest.mark.parametrize("seed", range(2))
def test_the_sleigh_of_chaplygin(seed):
    """u' = a w^2, w' = -m a u w/(I + m a^2): along the blade, and in turning."""
    m, I, a = 1.0, 0.5, 0.3
    system = ph.models.chaplygin_sleigh()
    form = ph.recursive(system)
    rng = np.random.default_rng(seed)
    angle, u, w = rng.uniform(-2, 2, 3)
    ahead, left = (np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))
    speeds = (w, u * ahead[0], u * ahead[1])
    state = system.state(ice=(angle, 0.3, -0.2), speeds={"ice": speeds})
    w_dot, *v_dot = form.accelerations(state)
    assert_close(w_dot, -m * a * u * w / (I + m * a**2), rtol=1e-11)
    assert_close(np.dot(v_dot, ahead), a * w**2, rtol=1e-11)
    assert_close(np.dot(v_dot, left), u * w, rtol=1e-11)
    # The blade pushes across: m times the acceleration of the mass centre.
    push = m * (u * w + a * w_dot)
    assert_close(form.multipliers(state), [push], rtol=1e-11)


def test_the_torque_of_the_gravity_gradient():
    """Basilisk's set-up: 7000 km, J = (500, 800, 350), attitude (0.1, 0.2, -0.3)."""
    r = np.array([-2816801.60102349, 5248174.84691615, 3677157.2646773])
    printed = np.array([-5.33757860e-05, 1.25550242e-04, 1.36185893e-04])
    system = ph.models.satellite().with_({"mu": 3.98600436e14})
    sigma = np.array([0.1, 0.2, -0.3])
    axis = sigma / np.linalg.norm(sigma)
    R_WB = so3.exp(4 * np.arctan(np.linalg.norm(sigma)) * axis)
    (orbit,) = system.joints
    q = orbit.coordinates_from(R_WB, r)
    torque = system.applied(0.0, q, np.zeros(6))[0][:3]
    assert_close(torque, printed, rtol=1e-8)


def test_the_precession_of_a_heavy_top():
    """A p^2 cos th - C s p + m g l = 0: a top so started keeps its lean."""
    m, l, A, C = 1.0, 0.3, 0.12, 0.05
    system = ph.models.heavy_top()
    form = ph.recursive(system)
    lean, spin = 0.5, 60.0
    for p in np.roots([A * np.cos(lean), -C * spin, m * G * l]):
        R = so3.exp(np.array([lean, 0, 0]))
        axle = R @ [0, 0, 1.0]
        yaw = np.array([0, 0, p])
        w = yaw + (spin - p * np.cos(lean)) * axle
        (tip,) = system.joints
        q = tip.coordinates_from(R, np.zeros(3))
        state = ph.State(system, 0.0, q, R.T @ w)
        # Steady: w turns with the precession. Body rates are space rates for w.
        assert_close(R @ form.accelerations(state), np.cross(yaw, w), rtol=1e-10)


def test_a_disc_rolls_down_an_incline_with_a_multiplier():
    """x'' = 2 g sin b/3, and friction m g sin b/3: SymPy's test_lagrange.py."""
    m, R, slope = 2.0, 0.4, 0.6
    disc = ph.Body("disc", ph.solids.disc(mass=m, radius=R, along=ph.Y))
    carrier = ph.Body.from_inertia("axle", mass=0.0, inertia=(0, 0, 0))
    down = (np.cos(slope), 0.0, -np.sin(slope))
    way = ph.Prismatic("x", ph.World().origin, carrier.origin, axis=down)
    turn = ph.Revolute("phi", carrier.origin, disc.origin, axis=ph.Y)
    roll = ph.Gear(way, turn, R, name="rolling")
    system = ph.System([way, turn], [ph.Weight(G)], [roll])
    form = ph.lagrange(system)
    state = system.rest()
    a = 2 * G * np.sin(slope) / 3
    assert_close(form.accelerations(state), [a, a / R], rtol=1e-12)
    assert_close(form.multipliers(state), [-m * G * np.sin(slope) / 3], rtol=1e-12)


def test_the_pendulum_of_sympy_in_two_coordinates():
    """m q1'' = 2 lambda q1 ..., the rod's pull from the multiplier of its length."""
    m, L, th, rate = 1.3, 0.8, 0.6, 1.1
    bob = ph.Particle("bob", m)
    rod = ph.Distance(ph.World().origin, bob.mass_centre, L, name="rod")
    system = ph.System([bob], [ph.Weight(G)], [rod])
    down = np.array([np.sin(th), 0, -np.cos(th)])
    across = np.array([np.cos(th), 0, np.sin(th)])
    state = system.state(bob=L * down, speeds={"bob": L * rate * across})
    form = ph.lagrange(system)
    tension = m * (G * np.cos(th) + L * rate**2)
    assert_close(form.multipliers(state), [-tension], rtol=1e-12)
    pulled = form.accelerations(state)
    assert_close(m * pulled, [0, 0, -m * G] - tension * down, rtol=1e-12)


def test_kirchhoffs_body_turns_broadside_on():
    """d/dt (J w) = J w x w + (M v) x v: Munk's moment, with the added mass of Lamb."""
    system = ph.models.ellipsoid_in_fluid()
    form = ph.kirchhoff(system)
    v = np.array([1.0, 0.2, -0.1])
    state = system.state(speeds={"free": (0, 0, 0, *v)})
    inertia = system.inertias()[0]
    M, J = inertia[3:, 3:], inertia[:3, :3]
    found = form.body_accelerations(state)[0]
    assert_close(found[:3], np.linalg.solve(J, np.cross(M @ v, v)), rtol=1e-11)
    assert np.linalg.norm(found[:3]) > 0.1
    assert M[1, 1] > M[0, 0]  # more water makes way across than along
