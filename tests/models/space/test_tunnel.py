"""Exercises 8.1 and 8.2: a ball falls through a planet, at rest or turning."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

import polhode as ph
from closeness import assert_close
from polhode.models.space.tunnel import escapes, flight, released

MASS = 0.01  # of the ball; G M = R = 1


@cache
def tunnel(
    rate: float = 0.0, offset: float = 0.0, tilt: float = 0.0
) -> ph.results.Equations:
    return ph.recursive(ph.models.tunnel(rate, offset, tilt))


def along(
    form: ph.results.Equations, s: float, v: float = 0.0, rate: float = 0.0
) -> ph.State:
    """The ball at s in the tunnel, moving at v along it."""
    return form.system.state(tunnel=s, speeds={"tunnel": v, "spin": rate})


@pytest.mark.row("X-15")
def test_the_ball_is_on_a_spring():
    """r'' = -(G M/R^3) r inside, -G M/r^2 outside; the ball's mass is in neither."""
    form = tunnel()
    for r in (0.9, 0.3, -0.5):
        state = along(form, r, 0.4)
        assert_close(form.accelerations(state)[1], -r, rtol=1e-12)
        heavy = form.accelerations(state, {"m": 3 * MASS})
        assert_close(heavy[1], -r, rtol=1e-12)
        dense = form.accelerations(state, {"GM": 2.0, "R": 1.5})
        assert_close(dense[1], -2.0 * r / 1.5**3, rtol=1e-12)
    assert_close(form.accelerations(along(form, 2.0))[1], -1 / 4, rtol=1e-12)


@pytest.mark.row("X-15")
def test_the_pull_is_that_of_all_of_the_planet():
    """By Gauss's law, and by direct integration over the ball from the field point.

    dV/s^2 = ds dOmega: each direction counts by the length s of its way to the ground.
    """
    form, density = tunnel(), 3 / (4 * pi)
    c, weights = np.polynomial.legendre.leggauss(40)
    for r in (0.35, 0.8):
        lengths = -r * c + np.sqrt(1 - r**2 * (1 - c**2))
        direct = 2 * pi * density * np.sum(weights * c * lengths)
        found = form.accelerations(along(form, r))[1]
        assert_close(found, direct, rtol=1e-9)
        enclosed = density * 4 / 3 * pi * r**3
        assert_close(4 * pi * r**2 * found, -4 * pi * enclosed, rtol=1e-12)


@pytest.mark.row("X-15")
@pytest.mark.long
@pytest.mark.parametrize("offset", [0.6, 0.0])
def test_every_straight_tunnel_takes_the_same_time(offset):
    """r = R cos(W t) from rest at the ground; the wall pushes by m (G M/R^3) d_perp."""
    form, reach = tunnel(0.0, offset), sqrt(1 - offset**2)
    start = along(form, reach)
    motion = ph.simulate(form, start, until=2 * pi, rtol=1e-10)
    for t in (1.0, pi / 2, pi, 2 * pi):
        assert_close(motion.at(t)["tunnel"], reach * cos(t), atol=1e-8)
    wall = form.reactions(along(form, 0.3, -0.2))["tunnel"].force
    assert_close(wall, [0, MASS * offset, 0], atol=1e-15)


@pytest.mark.row("X-16")
def test_a_turning_planet_pushes_the_ball_aside():
    """r'' + (G M/R^3 - w^2) r = 0, and the wall's push N = 2 m w r' across."""
    w = 0.3
    form = tunnel(w)
    for r, v in ((0.8, 0.0), (-0.4, 0.7)):
        state = along(form, r, v, w)
        assert_close(form.accelerations(state)[1], -(1 - w**2) * r, rtol=1e-12)
        wall = form.reactions(state)["tunnel"].force
        assert_close(wall, [0, 2 * MASS * w * v, 0], atol=1e-15)


@pytest.mark.row("X-16")
def test_any_tunnel_through_a_turning_planet():
    """s'' = u . (g - w x (w x p)); N = m (w x (w x p) + 2 w x u s' + u s'' - g)."""
    w, offset, tilt = 0.3, 0.2, 0.5
    form = tunnel(w, offset, tilt)
    u, spin = np.array([cos(tilt), 0, sin(tilt)]), np.array([0, 0, w])
    for s, v in ((0.5, 0.4), (-0.7, 0.1)):
        p = np.array([0, offset, 0]) + s * u
        carried = np.cross(spin, np.cross(spin, p))
        s_ddot = u @ (-p - carried)
        state = along(form, s, v, w)
        assert_close(form.accelerations(state)[1], s_ddot, rtol=1e-12)
        wall = MASS * (carried + 2 * np.cross(spin, u) * v + u * s_ddot + p)
        assert_close(form.reactions(state)["tunnel"].force, wall, rtol=1e-11)


@pytest.mark.long
@pytest.mark.row("X-16")
def test_the_driver_feeds_the_ball_and_jacobi_is_kept():
    """s(t) is harmonic at W^2 = 1 - w^2 cos^2 tilt; T - T0 + V stays, energy does not.

    T is of the motion along the tunnel, T0 that of being carried round.
    """
    w, offset, tilt = 0.3, 0.2, 0.5
    form = tunnel(w, offset, tilt)
    W, s0 = sqrt(1 - (w * cos(tilt)) ** 2), 0.9
    motion = ph.simulate(form, along(form, s0, 0.0, w), until=5.0, rtol=1e-10)
    jacobi, energies = [], []
    for t in np.linspace(0, 5, 11):
        state = motion.at(t)
        s, v = state["tunnel"], state.speed("tunnel")
        assert_close(s, s0 * cos(W * t), atol=1e-8)
        stored = form.system.potential_energy(t, state.q) / MASS
        round_ = w**2 * ((s * cos(tilt)) ** 2 + offset**2) / 2
        jacobi.append(v**2 / 2 - round_ + stored)
        energies.append(v**2 / 2 + round_ + stored - w * offset * v * cos(tilt))
    assert np.ptp(jacobi) < 1e-8
    assert np.ptp(energies) > 0.01


@pytest.mark.row("X-17")
def test_the_ball_comes_down_behind_the_mouth():
    """From the tunnel to a Kepler arc and back to the ground: it lands to the west."""
    w, v = 0.25, 0.6
    form, above = tunnel(w), ph.recursive(flight(w))
    inside = sqrt(v**2 + (1 - w**2))  # the speed at the centre that gives v at r = R
    fall = ph.simulate(form, along(form, 0.0, inside, w), until=3.0, rtol=1e-12)
    mouth = brentq(lambda t: fall.at(t)["tunnel"] - 1, 0.1, 2.0, xtol=1e-14)
    start = released(fall.at(mouth), above.system)
    R_WP = above.system.poses(mouth, start.q).rotations[0]
    assert_close(R_WP.T @ start.speed("ball"), [v, w, 0], atol=1e-9)
    assert not escapes(start)
    arc = ph.simulate(above, start, until=mouth + 2.0, rtol=1e-12)

    def height(t: float) -> float:
        return float(np.linalg.norm(arc.at(t)["ball"])) - 1

    down = brentq(height, mouth + 0.5, mouth + 1.9, xtol=1e-14)
    place = arc.at(down)["ball"]
    turned = np.arctan2(place[1], place[0]) - w * mouth
    dt = down - mouth
    golden = 1.6862687712991273, 0.31731052437280205
    assert_close((dt, turned), golden, rtol=1e-8)
    assert_close(w * dt - turned, 0.10425666845197978, rtol=1e-7)
    top = np.max([height(t) for t in np.linspace(mouth, down, 2001)])
    assert_close(1 + top, 1.235768093558106, rtol=1e-6)


@pytest.mark.row("X-17")
def test_slow_balls_stay_and_fast_ones_are_lost():
    """Without speed at the mouth it never leaves; at escape speed it is lost."""
    w = 0.25
    form, above = tunnel(w), flight(w)
    motion = ph.simulate(form, along(form, 1.0, 0.0, w), until=7.0, rtol=1e-10)
    assert np.max(np.abs(motion.q[:, 1])) < 1 + 1e-8
    for v, lost in ((0.6, False), (1.38, False), (1.40, True)):
        mouth = form.system.state(tunnel=1.0, speeds={"tunnel": v, "spin": w})
        assert escapes(released(mouth, above)) == lost
    assert 1.38**2 + w**2 < 2 < 1.40**2 + w**2
