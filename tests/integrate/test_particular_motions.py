"""Motions with closed forms, and what isolated systems keep."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from strategies_system import floating_chain

G = 9.81


@cache
def thrown() -> ph.System:
    """A particle in a uniform field."""
    ball = ph.Particle("ball", 0.3)
    weight = ph.Weight(ph.Parameter("g", G))
    return ph.System([ball], [weight], name="thrown")


@pytest.mark.row("D-23")
def test_uniform_rectilinear_motion():
    """Without forces r = r0 + v0 t."""
    system, (r, v) = thrown(), ((1.0, 2.0, 3.0), (0.5, -1.0, 2.0))
    start = system.state(ball=r, speeds={"ball": v})
    motion = ph.simulate(system, start, until=20.0, parameters={"g": 0.0})
    exact = np.array(r) + np.outer(motion.t, v)
    assert np.allclose(motion.q, exact, rtol=1e-13)
    assert np.array_equal(motion.z, np.broadcast_to(v, motion.z.shape))


@pytest.mark.row("D-24")
def test_uniformly_accelerated_motion():
    """r0 + v0 t + a t^2/2 is a parabola; the range is v^2 sin(2 a)/g."""
    system, speed, elevation = thrown(), 7.0, 0.6
    v = speed * np.array([np.cos(elevation), 0, np.sin(elevation)])
    flight = 2 * speed * np.sin(elevation) / G
    motion = ph.simulate(system, system.state(speeds={"ball": v}), until=flight)
    fall = np.outer(motion.t**2, [0, 0, -G / 2])
    assert np.allclose(motion.q, np.outer(motion.t, v) + fall, rtol=0, atol=1e-12)
    x, _, z = motion.final.q
    assert abs(z) < 1e-12
    assert abs(x - speed**2 * np.sin(2 * elevation) / G) < 1e-12


@cache
def oscillator() -> ph.System:
    """A mass on a spring and a damper of any strength."""
    world = ph.World()
    block = ph.Body("block", ph.solids.box(mass=2.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", world.origin, block.origin, axis=ph.X)
    spring = ph.Spring(track, 18.0)
    damper = ph.Damper(track, ph.Parameter("c", 0.0))
    return ph.System([track], [spring, damper], name="oscillator")


@pytest.mark.row("D-26")
def test_the_free_oscillator():
    """x = x0 cos w t + v0/w sin w t, with w^2 = k/m; its energy is constant."""
    system, w, x0, v0 = oscillator(), 3.0, 0.4, -0.9
    start = system.state(track=x0, speeds={"track": v0})
    motion = ph.simulate(system, start, until=20.0, rtol=1e-12)
    exact = x0 * np.cos(w * motion.t) + v0 / w * np.sin(w * motion.t)
    assert np.allclose(motion.q[:, 0], exact, rtol=0, atol=1e-9)
    assert np.ptp(motion.ledger().energy) < 1e-9 * motion.ledger().scale


@pytest.mark.row("D-27")
def test_the_damped_oscillator():
    """Below, at and above critical damping, each its closed form; log decrement."""
    system, m, w, x0 = oscillator(), 2.0, 3.0, 0.4
    start = system.state(track=x0)

    def run(c):
        return ph.simulate(system, start, until=4.0, rtol=1e-12, parameters={"c": c})

    slow = run(1.2)
    d = 1.2 / (2 * m)
    v = np.sqrt(w**2 - d**2)
    t = slow.t
    exact = x0 * np.exp(-d * t) * (np.cos(v * t) + d / v * np.sin(v * t))
    assert np.allclose(slow.q[:, 0], exact, rtol=0, atol=1e-10)
    period = 2 * np.pi / v
    decrement = np.log(slow.at(0.5)["track"] / slow.at(0.5 + period)["track"])
    assert abs(decrement - d * period) < 1e-8

    t = (critical := run(2 * m * w)).t
    assert np.allclose(critical.q[:, 0], x0 * np.exp(-w * t) * (1 + w * t), atol=1e-10)

    t, d = (over := run(20.0)).t, 20.0 / (2 * m)
    a, b = -d + np.sqrt(d**2 - w**2), -d - np.sqrt(d**2 - w**2)
    exact = x0 * (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a)
    assert np.allclose(over.q[:, 0], exact, rtol=0, atol=1e-10)


def test_energy_changes_by_the_power_that_is_not_conservative():
    """E = K + V holds without damping; with it, E' = -c x'^2."""
    system = oscillator()
    free = ph.simulate(system, system.state(track=0.4), until=10.0).ledger()
    assert np.ptp(free.energy) < 1e-8 * free.scale
    start, c = system.state(track=0.4), 1.2
    motion = ph.simulate(system, start, until=4.0, parameters={"c": c})
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-8 * ledger.scale
    assert set(ledger.work) == {a.name for a in system.actions[1:]}
    lost = c * motion.z[:, 0] ** 2
    trapezoids = np.diff(motion.t) * (lost[1:] + lost[:-1]) / 2
    assert np.isclose(-np.sum(trapezoids), ledger.energy[-1] - ledger.energy[0], 1e-4)


@cache
def three_stars() -> ph.System:
    """Three particles that attract each other."""
    stars = [ph.Particle(n, m) for n, m in (("a", 3.0), ("b", 2.0), ("c", 1.0))]
    masses = [ph.PointMass.of(star) for star in stars]
    pull = ph.Gravitation(masses, 1.0)
    return ph.System(stars, [pull], name="three stars")


@pytest.mark.row("D-15")
@pytest.mark.row("D-10")
def test_three_bodies_keep_momentum_angular_momentum_and_energy():
    """Internal forces drop from the balances of momenta; the mass centre is uniform.

    Along a direction without force momentum holds also where it does not along others.
    """
    system = three_stars()
    start = system.state(
        a=(1, 0, 0), b=(-1, 0.5, 0.2), c=(0, -2, 0),
        speeds={"a": (0, 0.6, 0.1), "b": (0, -0.8, 0), "c": (1.0, 0, -0.2)},
    )  # fmt: skip
    motion = ph.simulate(system, start, until=10.0)
    ledger = motion.ledger()
    for kept in (ledger.momentum, ledger.angular_momentum):
        assert np.max(np.abs(kept - kept[0])) < 1e-8 * np.linalg.norm(kept[0])
    assert np.max(np.abs(ledger.balance)) < 1e-8 * ledger.scale
    masses = np.array([3.0, 2.0, 1.0]) / 6.0
    centre = np.einsum("tbi,b->ti", motion.q.reshape(-1, 3, 3), masses)
    uniform = centre[0] + np.outer(motion.t, ledger.momentum[0] / 6.0)
    assert np.allclose(centre, uniform, rtol=0, atol=1e-8)

    ball = thrown()
    flight = ph.simulate(ball, ball.state(speeds={"ball": (1, 2, 3)}), until=3.0)
    momentum = flight.ledger().momentum
    assert np.ptp(momentum[:, 0]) == np.ptp(momentum[:, 1]) == 0
    assert np.ptp(momentum[:, 2]) > 1


@cache
def chain() -> ph.System:
    """Three bodies joined to each other and to nothing else."""
    return floating_chain()


def boosted(system, start, v):
    """The same motion seen by an observer who moves at -v."""
    q, z = np.array(start.q), np.array(start.z)
    edge = system.tree.edges[0]
    R = system.poses(0.0, q).rotations[0]
    z[edge.z][3:] += R.T @ v
    return ph.State(system, 0.0, q, z)


@pytest.mark.row("D-01")
@pytest.mark.row("D-06")
def test_every_inertial_observer_sees_the_same_laws():
    """The mass centre of a free chain moves uniformly, and a boost commutes."""
    system = chain()
    rng = np.random.default_rng(2)
    z = rng.normal(size=system.speeds)
    start = ph.State(system, 0.0, system.neutral(), z)
    v = np.array([3.0, -1.0, 2.0])
    at_rest = ph.simulate(system, start, until=5.0, samples=11, rtol=1e-12)
    moving = ph.simulate(
        system, boosted(system, start, v), until=5.0, samples=11, rtol=1e-12
    )
    masses = system.inertias()[:, 3, 3]
    for motion in (at_rest, moving):
        p = motion.ledger().momentum
        assert np.allclose(p, p[0], rtol=0, atol=1e-8 * np.linalg.norm(p[0]))
    for body in system.bodies:
        one, other = at_rest[body.name], moving[body.name]
        shift = np.outer(at_rest.t, v)
        assert np.allclose(other.position, one.position + shift, rtol=0, atol=1e-7)
        assert np.allclose(other.orientation, one.orientation, rtol=0, atol=1e-7)
    axpy = moving.ledger().momentum - at_rest.ledger().momentum
    assert np.allclose(axpy, masses.sum() * v, rtol=1e-8)
