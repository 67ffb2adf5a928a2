"""Verdicts on stability, each with the theorem that gives it."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.analyse.machinery.spectrum import spectrum_of


@cache
def double() -> ph.System:
    return ph.models.double_pendulum()


@cache
def gyroscopic_pendulum(damping: float = 0.0) -> ph.System:
    """A rotor on a stalk that stands on a universal joint: it would fall, unspun."""
    stalk = ph.Body("stalk", ph.solids.rod(mass=0.2, length=0.4))
    rotor = ph.Body(
        "rotor", ph.solids.cylinder(mass=1.0, radius=0.1, length=0.02, along=ph.Z)
    )
    foot = ph.Universal(
        "foot",
        ph.World().origin,
        stalk.point(0, 0, -0.2),
        axis=ph.X,
        second_axis=ph.Y,
    )
    spin = ph.Revolute("spin", stalk.point(0, 0, 0.2), rotor.origin, axis=ph.Z)
    dampers = [ph.JointDamper(foot, damping)] if damping else []
    return ph.System([foot, spin], [ph.Weight(9.81), *dampers], name="gyropendulum")


@cache
def slider(stiffness: float, damping: float, lift: float = 0.0) -> ph.System:
    """One mass on a rail: a spring, a damper, and a law of its own if asked."""
    bead = ph.Particle("bead", 2.0)
    rail = ph.Prismatic("rail", ph.World().origin, bead.mass_centre, axis=ph.X)
    actions = []
    if stiffness:
        spring = ph.JointSpring(rail, stiffness, allow_negative=True)
        actions.append(spring)
    if damping:
        actions.append(ph.JointDamper(rail, damping, allow_negative=True))
    if lift:
        actions.append(ph.Motor(rail, lambda t, q, z: lift * q, name="lift"))
    return ph.System([rail], actions, name="slider")


@pytest.mark.row("E-06")
def test_a_minimum_of_the_potential_is_stable():
    """Hanging: K > 0, stable by Lagrange and Dirichlet, and a simulation stays near;
    standing: K < 0, unstable, and a simulation leaves."""
    hanging = ph.stability(double())
    assert (hanging.verdict, hanging.theorem) == ("stable", "Lagrange-Dirichlet")
    assert hanging.is_stable
    assert "strict minimum" in hanging.reason
    V = [
        ph.recursive(double()).potential_energy(double().state(shoulder=a, elbow=b))
        for a, b in [(0, 0), (0.1, 0), (0, 0.1), (0.1, -0.1)]
    ]
    assert V[0] < min(V[1:])
    near = ph.simulate(double(), double().state(shoulder=1e-3), until=10.0)
    assert np.max(np.abs(near.q)) < 5e-3
    up = double().state(shoulder=np.pi)
    standing = ph.stability(double(), up)
    assert standing.verdict == "unstable"
    assert standing.numbers["negative directions"] == 2
    start = double().state(shoulder=np.pi + 1e-3)
    away = ph.simulate(double(), start, until=10.0)
    assert np.max(np.abs(away.q[:, 0] - np.pi)) > 1.0


@pytest.mark.row("E-06")
def test_mixed_curvature_is_unstable():
    """One rod up and one down: the potential falls in one direction, and is left."""
    verdict = ph.stability(double(), double().state(elbow=np.pi))
    assert verdict.verdict == "unstable"
    assert verdict.numbers["negative directions"] == 1
    assert "falls in 1 directions" in verdict.reason


@pytest.mark.row("E-08")
@pytest.mark.parametrize(
    ("numbers", "kind", "verdict"),
    [
        ((8.0, 0.4), "asymptotic", "asymptotically stable"),
        ((8.0, 0.0), "marginal", "stable"),
        ((-8.0, 0.0), "unstable", "unstable"),
        ((8.0, -0.4), "unstable", "unstable"),
        ((0.0, 0.4), "marginal", "stable but for drift"),
        ((0.0, 0.0), "drifting", "undecided"),
    ],
)
@pytest.mark.filterwarnings("ignore::polhode.errors.NumericalWarning")
def test_real_parts_decide(numbers, kind, verdict):
    """s = -c/(2m) +- sqrt(c^2/(4m^2) - k/m): left, on the axis, right, zero, drift."""
    linear = ph.linearise(slider(*numbers))
    stiffness, damping = numbers
    roots = np.roots([2.0, damping, stiffness])
    found = linear.spectrum
    assert_close(np.sort(found.all.real), np.sort(roots.real), atol=1e-14)
    assert found.kind == kind
    assert linear.stability().verdict == verdict
    assert found.zeros == np.sum(roots == 0)
    assert found.block == (2 if kind == "drifting" else found.zeros)


@pytest.mark.row("E-08")
def test_a_free_body_drifts_in_six_ways():
    """Nothing acts on it: twelve zeros, in Jordan blocks of two; a warning says so."""
    body = ph.Body.from_inertia("body", mass=2.0, inertia=(0.3, 0.4, 0.5))
    found = ph.stability(ph.System([body], name="adrift"))
    assert (found.spectrum.zeros, found.spectrum.block) == (12, 2)
    assert found.verdict == "undecided"
    assert "stays and grows with time" in found.reason


@pytest.mark.row("E-08")
def test_two_modes_that_share_a_shape_are_noticed():
    """x'' + x = y, y'' + y = 0: on the axis, but x grows as t."""
    K = np.array([[1.0, -1.0], [0.0, 1.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, np.zeros((2, 2))]])
    assert len(spectrum_of(A).defective) == 2
    apart = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert len(spectrum_of(apart).defective) == 0
    assert spectrum_of(apart).kind == "marginal"
    # Rounding splits such a pair to both sides of the axis: none of it grows.
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(4, 4)))[0]
    assert len(spectrum_of(turn @ A @ turn.T).defective) == 2
    assert len(spectrum_of(turn @ A @ turn.T).growing) == 0


@pytest.mark.long
def test_a_law_without_a_potential_proves_nothing():
    """A motor's law that happens to be like a spring is no potential: undecided."""
    found = ph.stability(slider(0.0, 0.0, -8.0))
    assert found.verdict == "stable to first order"
    assert found.theorem == "none"
    assert not found.is_stable


@pytest.mark.long
def test_spin_holds_up_what_would_fall_and_damping_undoes_it():
    """Kelvin, Tait, Chetaev: fast enough it stands; a trace of damping and it falls."""

    def verdict(spin, damping=0.0):
        system = gyroscopic_pendulum(damping)
        return ph.stability(system, system.state(speeds={"spin": spin}))

    assert verdict(10.0).verdict == "unstable"
    fast = verdict(2000.0)
    assert fast.verdict == "gyroscopically stabilised"
    assert fast.numbers["negative directions"] == 2
    assert "Damping" in fast.reason
    damped = verdict(2000.0, 1e-3)
    assert damped.verdict == "unstable"
    assert "Kelvin" in damped.reason
    # (C s)^2 > 4 A m g l is the edge of it.
    A = 0.2 * 0.4**2 / 3 + 1.0 * (0.1**2 / 4 + 0.02**2 / 12 + 0.4**2)
    fall = 9.81 * (0.2 * 0.2 + 1.0 * 0.4)
    edge = np.sqrt(4 * A * fall) / (0.5 * 1.0 * 0.1**2)
    assert verdict(0.99 * edge).verdict == "unstable"
    assert verdict(1.01 * edge).verdict == "gyroscopically stabilised"


@pytest.mark.long
def test_a_verdict_on_what_only_turns_prints_no_infinity():
    """A free shaft has neither a growing motion nor a curvature: none of them."""
    rotor = ph.Body("rotor", ph.solids.cylinder(mass=3.0, radius=0.2, length=1.0))
    axle = ph.Revolute("axle", ph.World().origin, rotor.origin, axis=ph.Z)
    (steady,) = ph.steady_motions(
        ph.System([axle], name="shaft"), {"axle": 3.0}, starts=1
    )
    text = repr(steady.stability())
    assert "inf" not in text
    assert re.search(r"abscissa +none", text)
    assert re.search(r"momenta +axle 0\.18", text)


@pytest.mark.long
def test_the_sleeping_top_wakes_below_its_speed():
    """It sleeps if C^2 s^2 > 4 A m g l, in axes that turn with it."""
    system = ph.models.heavy_top()
    edge = np.sqrt(4 * 0.12 * 1.0 * 9.81 * 0.3) / 0.05
    for factor, stable in [(0.98, False), (1.02, True)]:
        state = system.state(speeds={"tip": (0, 0, factor * edge)})
        verdict = ph.stability(system, state)
        assert (verdict.verdict != "unstable") == stable
        assert "heavy top" in repr(verdict)
