"""Balls that roll and slide, in the closed forms of the books.

The turntable and the pipe are in Routh's Advanced Rigid Dynamics (1884) and in Neimark
and Fufaev's Dynamics of Nonholonomic Systems (1972), the sliding ball in Coriolis'
Théorie mathématique des effets du jeu de billard (1835).
"""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G, R, SMALL = 9.81, 1.0, 0.1


@cache
def ball_in_a_pipe(axis: int) -> ph.System:
    """A ball that rolls in a pipe of radius R round the world's X, Y or Z."""
    across = [k for k in range(3) if k != axis]
    world = ph.World()
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=SMALL))
    wall = ph.surfaces.track(
        world.origin, lambda x: R - jnp.sqrt(x[across[0]] ** 2 + x[across[1]] ** 2)
    )
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, SMALL), wall)
    return ph.System([ball], [ph.Weight(G)], rolls, name="ball in a pipe")


@cache
def looping() -> ph.results.Equations:
    """Its equations in a level pipe, compiled once."""
    return ph.recursive(ball_in_a_pipe(1))


@pytest.mark.parametrize("turned", [0.0, 2.4, np.pi - 1e-9, np.pi, 4.0])
def test_a_ball_loops_the_loop(turned):
    """N = m (v^2/a + g cos), 7/5 v' = -g sin: at the top, too, where axes change."""
    system, a = ball_in_a_pipe(1), R - SMALL
    s, c = np.sin(turned), np.cos(turned)
    v = np.sqrt(5.0 * G * a)
    state = system.state(
        ball={"x": a * s, "z": -a * c},
        speeds={"ball": {"vx": v * c, "vz": v * s, "wy": v / SMALL}},
    )
    form = looping()
    out = np.array([s, 0, -c])
    along = np.array([c, 0, s])
    acceleration = form.body_accelerations(state)[0]
    spin = np.array([0, v / SMALL, 0])
    seen = acceleration[3:] + np.cross(spin, v * along)
    assert_close(seen @ along, -5 / 7 * G * s, atol=1e-9)
    assert_close(seen @ out, -(v**2) / a, rtol=1e-9)
    push = form.reactions(state)["rolling contact on ball"].force
    assert_close(push, -1.5 * (v**2 / a + G * c) * out, rtol=1e-9, atol=1e-9)
    grip = form.reactions(state)["rolling on ball"].force
    assert_close(grip, 1.5 * 2 / 7 * G * s * along, atol=1e-8)


@pytest.mark.long
def test_a_ball_in_an_upright_pipe_comes_up_again():
    """It rolls round at W and up and down at sqrt(2/7) W, by 5 g/W^2 each way."""
    system, a, W = ball_in_a_pipe(2), R - SMALL, 3.0
    start = system.state(
        ball={"x": a}, speeds={"ball": {"vy": W * a, "wz": -W * a / SMALL}}
    )
    period = 2 * np.pi / (np.sqrt(2 / 7) * W)
    motion = ph.simulate(system, start, until=period, samples=[period / 2, period])
    z = motion["ball"].position[:, 2]
    assert_close(z, [-5 * G / W**2, 0.0], atol=1e-5)


@pytest.mark.long
def test_a_ball_on_a_turntable_goes_in_circles():
    """v' = (2/7) W k x v: a circle at 2/7 of the table's rate, wherever it starts."""
    W = 2.0
    world, table = ph.World(), ph.Body("table", ph.solids.disc(mass=1, radius=3))
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=SMALL))
    axle = ph.Revolute("axle", world.origin, table.origin, axis=ph.Z)
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, SMALL), table.origin)
    turns = ph.PrescribedMotion(axle, lambda t: W * t)
    system = ph.System([axle, ball], [ph.Weight(G)], [turns, *rolls], name="turntable")
    p, v, up = np.array([1.0, 0, 0]), np.array([0.3, 0.1, 0]), np.array([0, 0, 1])
    w = np.cross(up, v - W * np.cross(up, p)) / SMALL
    start = system.state(
        ball={"x": p[0], "z": SMALL}, speeds={"axle": W, "ball": (*w, *v)}
    )
    period = 7 * np.pi / W
    times = np.linspace(0.0, period, 8)[1:]
    motion = ph.simulate(system, start, until=period, rtol=1e-9, samples=times)
    centre = p + np.cross(up, v) / (2 * W / 7)
    away = motion["ball"].position - centre - (0, 0, SMALL)
    turn = 2 * W / 7 * times
    first = p - centre
    found = np.outer(np.cos(turn), first) + np.outer(np.sin(turn), np.cross(up, first))
    assert_close(away, found, atol=1e-5)


@pytest.mark.long
def test_a_ball_that_slides_comes_to_roll_at_five_sevenths_of_its_speed():
    """v = v0 - mu g t, r w = 5/2 mu g t: alike at t = 2 v0/(7 mu g), v = 5/7 v0."""
    mu, v0, r = 0.2, 1.0, 0.03
    ball = ph.Body("ball", ph.solids.sphere(mass=0.2, radius=r))
    touch, _ = ph.rolling(ph.surfaces.sphere(ball.origin, r), ph.World().origin)
    rubs = ph.contact.ConstraintFriction(touch, ph.Coulomb(mu))
    system = ph.System([ball], [ph.Weight(G), rubs], [touch], name="billiard ball")
    start = system.state(ball={"z": r}, speeds={"ball": {"vx": v0}})
    until = 0.9999 * 2 * v0 / (7 * mu * G)
    motion = ph.simulate(system, start, until=until)
    slid = v0 - mu * G * until
    assert_close(motion["ball"].velocity[-1], [slid, 0, 0], atol=1e-9)
    assert_close(
        motion["ball"].angular_velocity[-1] * r, [0, 2.5 * mu * G * until, 0], atol=1e-9
    )
    assert abs(slid / v0 - 5 / 7) < 1e-4
    lost = motion.ledger().work["friction of rolling contact"][-1]
    assert_close(lost, -2 / 7 * 0.2 * v0**2 / 2, rtol=1e-4)
