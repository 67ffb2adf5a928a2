"""One particle: its balances in any frame, in any coordinates, about any pole."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.moving_frame import MovingPoint, see_point
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.rotations import so3

MASS, G = 0.7, 9.81


def polar(q):
    """(r - 1, angle, height): the place from (1, 0, 0)."""
    r, c, s = 1 + q[0], jnp.cos(q[1]), jnp.sin(q[1])
    return jnp.eye(3), jnp.stack([r * c - 1, r * s, q[2]])


@cache
def straight():
    """In Cartesian coordinates, under weight, a spring and a damper."""
    ball, world = ph.Particle("ball", MASS), ph.World()
    free = ph.Translation("free", world.origin, ball.mass_centre)
    return ph.System([free], acting(ball, world), name="straight")


@cache
def round_about():
    """The same in cylindrical coordinates."""
    ball, world = ph.Particle("ball", MASS), ph.World()
    ways = {"names": ("r", "angle", "z"), "kinds": ("m", "rad", "m")}
    joint = ph.UserJoint("polar", world.point(1, 0, 0), ball.mass_centre, polar, **ways)
    return ph.System([joint], acting(ball, world), name="round about")


def acting(ball, world):
    ends = ball.mass_centre, world.point(0.3, -0.4, 1.1)
    return [ph.Weight(G), ph.Spring(*ends, 6.0, 0.5), ph.Damper(*ends, 0.8)]


def states():
    """One motion in both coordinates."""
    r, angle, z, rates = 1.4, 0.6, 0.2, np.array([0.5, -0.9, 0.3])
    c, s = np.cos(angle), np.sin(angle)
    x = np.array([r * c, r * s, z])
    J = np.array([[c, -r * s, 0], [s, r * c, 0], [0, 0, 1]])
    one = ph.State(straight(), 0.0, x, J @ rates)
    return one, ph.State(round_about(), 0.0, [r - 1, angle, z], rates)


@pytest.mark.row("D-14")
def test_the_balances_of_a_particle():
    """Q' = R, L_H' = -v_H x Q + M_H, K' = R.v: rates by differences on the motion."""
    state, other = states()
    equations, rng = ph.gauss(straight()), np.random.default_rng(2)
    a = equations.accelerations(state)
    x, v = state.q, state.z
    acting = straight().wrenches(0.0, x, v)
    R = sum(w.forces[0] for w in acting.values())
    assert_close(MASS * a, R, rtol=1e-12)
    H, v_H = rng.normal(size=(2, 3))

    def momenta(s):
        at, speed = x + s * v + s**2 / 2 * a, v + s * a
        Q = MASS * speed
        return np.r_[Q, np.cross(at - H - s * v_H, Q), Q @ speed / 2]

    rate = derivative(momenta, 0.0)
    M_H = np.cross(x - H, R)
    assert_close(rate[:3], R, rtol=1e-9)
    assert_close(rate[3:6], -np.cross(v_H, MASS * v) + M_H, rtol=1e-9)
    assert_close(rate[6], R @ v, rtol=1e-9)
    for form, at in ((equations, state), (ph.lagrange(round_about()), other)):
        found = ph.questions.balance(form, at, pole=H, pole_velocity=v_H)
        assert_close(found.momentum_rate, rate[:3], rtol=1e-9)
        assert_close(found.angular_momentum_rate, rate[3:6], rtol=1e-9)
        assert_close(found.kinetic_energy_rate, rate[6], rtol=1e-9)


@pytest.mark.row("D-14")
def test_a_particle_in_a_moving_frame():
    """m a_1 = F + apparent forces: seen from a turning frame, the same acceleration."""

    def path(t):
        turn = so3.exp(jnp.array([0.3, 1.1, -0.6]) * t + jnp.array([0.1, 0.0, 0.4]))
        return turn, jnp.stack([jnp.sin(t), 0.5 * t**2, 0.0 * t])

    ball = ph.Particle("ball", MASS)
    free = ph.Translation("free", ph.World().origin, ball.mass_centre)
    seen = ph.System([free], ph.theory.observed_from(path, [ball]), name="seen")
    d, v = np.array([0.4, -0.8, 0.5]), np.array([0.9, 0.2, -0.7])
    at = moving_frame(path, 0.3)
    a = ph.gauss(seen).accelerations(ph.State(seen, 0.3, d, v))
    found = see_point(at, MovingPoint(d, v, a))
    assert_close(found.acceleration, np.zeros(3), atol=1e-12)
    assert np.linalg.norm(a) > 0.1


@pytest.mark.row("D-25")
def test_uniform_circular_motion():
    """|v| is constant, a = w^2 R towards the centre, the period is 2 pi/w.

    The string pulls with m w^2 R, whatever holds the particle on its circle.
    """
    radius, w = 0.8, 2.5
    ball, world = ph.Particle("ball", MASS), ph.World()
    free = ph.Translation("free", world.origin, ball.mass_centre)
    string = ph.Distance(ball.mass_centre, world.origin, radius, name="string")
    system = ph.System([free], constraints=[string], name="whirled")
    start = system.state(free=(radius, 0, 0), speeds={"free": (0, w * radius, 0)})
    equations = ph.gauss(system)
    period = 2 * np.pi / w
    motion = ph.simulate(equations, start, until=period, samples=9, rtol=1e-11)
    angle = w * motion.t
    circle = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    assert_close(motion.q, circle, rtol=1e-8)
    assert_close(np.linalg.norm(motion.z, axis=1), np.full(9, w * radius), rtol=1e-9)
    assert_close(motion.final.q, start.q, rtol=1e-8)
    for t, q, z in zip(motion.t, motion.q, motion.z, strict=True):
        state = ph.State(system, t, q, z)
        assert_close(equations.accelerations(state), -(w**2) * q, rtol=1e-7)
        pull = equations.reactions(state)["string on ball"].force
        assert_close(pull, -MASS * w**2 * q, rtol=1e-7)
