"""What a motion must keep, and how well it keeps it."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from moving import (
    column,
    double_pendulum,
    heavy_top,
    many_steps,
    point_pendulum,
    spin,
    turning,
)
from polhode.geometry.rotations import quaternion

CONSERVATIVE = [
    (lambda: turning(1.0, 2.0, 3.0), {"speeds": {"ball": (1.0, 1.0, 1.0)}}, 0.6),
    (double_pendulum, {"shoulder": 1.2, "elbow": -0.8}, 0.3),
    (point_pendulum, {"hinge": 2.0}, 0.32),
]


@pytest.mark.parametrize(("make", "start", "time"), CONSERVATIVE)
def test_energy_holds_at_the_default_tolerance(make, start, time):
    """Over 1000 characteristic times energy drifts by less than 1e-6 of the kinetic."""
    system = make()
    ledger = ph.simulate(system, system.state(**start), until=1000 * time).ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-6 * ledger.scale


@pytest.mark.parametrize(("make", "start", "time"), CONSERVATIVE)
def test_energy_holds_at_a_tight_tolerance(make, start, time):
    """Over 1000 characteristic times it drifts by less than 1e-10 if asked."""
    system = make()
    state = system.state(**start)
    ledger = ph.simulate(system, state, until=1000 * time, rtol=1e-13).ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-10 * ledger.scale


def test_kepler_comes_back_for_a_thousand_turns():
    """An ellipse of eccentricity 0.5: after 1000 periods at its start, energy kept."""
    planet, sun = ph.Particle("planet", 1.0), ph.World().origin
    masses = ph.PointMass(planet.mass_centre, 1.0), ph.PointMass(sun, 1.0, "sun")
    system = ph.System([planet], [ph.Gravitation(masses, 1.0)], name="Kepler")
    speeds = {"planet": (0, np.sqrt(3.0), 0)}
    start = system.state(planet=(0.5, 0, 0), speeds=speeds)
    turns = 2 * np.pi * np.array([0.0, 0.5, 500.0, 1000.0])
    method = ph.methods.DormandPrince8(rtol=1e-13)
    run = ph.simulate(system, start, until=turns[-1], samples=turns, method=method)
    assert np.allclose(run.q[1], (-1.5, 0, 0), rtol=0, atol=1e-10)
    # The way along the orbit gathers the error of the period, turn after turn: of
    # 1e4 m not more than 10 um are missed.
    assert np.max(np.abs(run.q[2:, 1])) < 1e-5
    assert np.allclose(run.q[2:, 0], 0.5, rtol=0, atol=1e-9)
    ledger = run.ledger()
    # 1e-10 for each 1000 of its own times, of which a period has 2 pi.
    assert np.max(np.abs(ledger.balance)) < 1e-10 * 2 * np.pi * ledger.scale
    assert np.max(np.abs(run.q[:, 2])) == 0


def test_verlet_keeps_energy_without_drift():
    """Where the mass is constant, energy swings with the step and does not drift."""
    system = point_pendulum()
    x, walk = (
        column(system.state(hinge=1.0)),
        many_steps(system, ph.methods.StormerVerlet),
    )

    def worst(blocks: int) -> float:
        now, errors = x, []
        for _ in range(blocks):
            now = walk(now, 0.01, np.int64(997))
            errors.append(now[1] ** 2 / 2 - 9.81 * np.cos(now[0]))
        return float(np.max(np.abs(np.array(errors) + 9.81 * np.cos(1.0))))

    assert worst(1000) < 2 * worst(50) < 0.01


@pytest.mark.row("R-34")
def test_a_group_method_needs_no_renormalising():
    """After 1e5 bare steps the quaternion is a unit one, T and |L| as at first."""
    system, moments = turning(1.0, 2.0, 3.0), np.array([1.0, 2.0, 3.0])
    x = column(spin(system, (1.0, 1.0, 1.0)))
    after = many_steps(system, ph.methods.CommutatorFree4)(x, 1e-3, np.int64(100_000))
    q, w = after[:4], after[4:]
    assert abs(np.linalg.norm(q) - 1) < 1e-12
    R = quaternion.to_matrix(q)
    assert np.max(np.abs(R.T @ R - np.eye(3))) < 1e-10
    assert abs(moments @ w**2 / 6.0 - 1) < 1e-8
    L = R @ (moments * w)
    assert np.allclose(L, moments, rtol=0, atol=1e-8 * np.linalg.norm(moments))


def test_quaternions_stay_unit_for_a_million_steps():
    """| |q| - 1 | < 1e-12 after 1e6 steps, with nothing put right on the way."""
    system = turning(1.0, 2.0, 3.0)
    x = column(spin(system, (1.0, 1.0, 1.0)))
    after = many_steps(system, ph.methods.CommutatorFree4)(x, 0.01, np.int64(1_000_000))
    assert abs(np.linalg.norm(after[:4]) - 1) < 1e-12


def test_the_classical_method_does_need_it():
    """The same steps by Runge and Kutta's method leave the sphere: it can fail."""
    system = turning(1.0, 2.0, 3.0)
    x = column(spin(system, (1.0, 1.0, 1.0)))
    after = many_steps(system, ph.methods.RungeKutta4)(x, 0.05, np.int64(100_000))
    assert abs(np.linalg.norm(after[:4]) - 1) > 1e-6


@pytest.mark.row("D-34")
def test_poinsot():
    """T and L hold, w stays on both ellipsoids, and the middle axis is unstable.

    Near the middle axis a disturbance grows at the rate of the linear equations,
    rate^2 = w^2 (I2 - I1)(I3 - I2)/(I1 I3); an axisymmetric body's spin precesses in
    it at (I3 - I1)/I1 w3.
    """
    system, moments = turning(1.0, 2.0, 3.0), np.array([1.0, 2.0, 3.0])
    motion = ph.simulate(system, spin(system, (1.0, 1.0, 1.0)), until=30.0)
    ledger, w = motion.ledger(), motion["body"].angular_velocity
    L = ledger.angular_momentum
    size = np.linalg.norm(L[0])
    assert np.max(np.abs(L - L[0])) < 1e-8 * size
    assert np.ptp(ledger.kinetic) < 1e-8 * ledger.scale
    assert np.ptp(np.sum(moments**2 * motion.z**2, axis=1)) < 1e-8 * size**2
    # The tip of w stays in the invariable plane.
    assert np.allclose(np.sum(w * L, axis=1), 2 * ledger.kinetic, rtol=1e-8)

    rate = np.sqrt((2 - 1) * (3 - 2) / (1 * 3))
    start = spin(system, (1e-7, 1.0, -1e-7 / np.sqrt(3)))  # the growing direction
    grown = ph.simulate(system, start, until=15.0)
    found = np.log(grown.at(15.0).z[0] / grown.at(5.0).z[0]) / 10.0
    assert abs(found / rate - 1) < 0.01
    A = np.array([[0.0, -1.0], [-1 / 3, 0.0]])  # d(w1', w3')/d(w1, w3) at w2 = 1
    assert abs(np.max(np.linalg.eigvals(A).real) - rate) < 1e-12

    disc = turning(1.0, 1.0, 1.8)
    run = ph.simulate(disc, spin(disc, (0.3, 0.0, 2.0)), until=5.0)
    angle = np.unwrap(np.arctan2(run.z[:, 1], run.z[:, 0]))
    assert np.allclose(angle, (1.8 - 1.0) / 1.0 * 2.0 * run.t, rtol=0, atol=1e-8)


def test_a_heavy_top_keeps_energy_and_vertical_momentum():
    """Weight has no moment about the vertical."""
    system = heavy_top()
    start = system.state(speeds={"ball": (0.3, 0.5, 5.0)})
    ledger = ph.simulate(system, start, until=20.0).ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-7 * ledger.scale
    assert np.ptp(ledger.angular_momentum[:, 2]) < 1e-7
    assert np.ptp(ledger.angular_momentum[:, 0]) > 0.1
