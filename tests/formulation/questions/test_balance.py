"""Momentum, angular momentum and energy of any part of a system, about any pole."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.errors import ModelError
from strategies_system import random_state, topology

SYSTEMS = ("sprung_arm", "cart_pendulum", "geared_wheels", "driven_hinge", "particles")


@cache
def equations_of(name: str) -> ph.results.Equations:
    return ph.gauss(topology(name))


def part_of(name: str) -> list[str]:
    """All bodies but the first."""
    return [body.name for body in topology(name).bodies[1:]]


def cloud_of(system, state, names):
    """Momentum, angular momentum about the world's origin and K of bodies, by points.

    Each body is replaced by particles with its mass, centre and inertia.
    """
    poses = system.poses(state.t, state.q)
    twists = system.body_twists(state.t, state.q, state.z)
    Q, L, K = np.zeros(3), np.zeros(3), 0.0
    for k, body in enumerate(system.bodies):
        if body.name not in names:
            continue
        mass, centre, I_G = body.moments()
        spread = np.trace(I_G) / 2 * np.eye(3) - I_G  # sum of m r r^T
        sizes, axes = np.linalg.eigh(spread)
        arms = axes * np.sqrt(np.maximum(sizes, 0) * 3 / max(mass, 1e-300))
        points = np.concatenate([centre + arms.T, centre - arms.T])
        R, o = poses.rotations[k], poses.origins[k]
        for p in points:
            x, v = o + R @ p, R @ (twists[k, 3:] + np.cross(twists[k, :3], p))
            Q += mass / 6 * v
            L += mass / 6 * np.cross(x, v)
            K += mass / 12 * v @ v
    return Q, L, K


def moved(state: ph.State, z_dot: np.ndarray, s: float) -> ph.State:
    """The state a little later on the motion, to second order."""
    system = state.system
    q = system.local(state.q, s * state.z + s**2 / 2 * z_dot)
    return ph.State(system, state.t + s, q, state.z + s * z_dot)


@pytest.mark.row("D-07", "D-08", "D-09")
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("whole", [True, False])
def test_three_balances_of_any_part_about_a_moving_pole(name, whole):
    """Q_dot = R^e, L_H_dot + v_H x Q = M_H^e, K_dot = P^e + P^i, by particles' oracle.

    H moves on a path of its own; rates are differences of sums over particles.
    """
    system, draw = topology(name), np.random.default_rng(4)
    names = None if whole else part_of(name)
    chosen = [body.name for body in system.bodies] if whole else names
    equations = equations_of(name)
    state = random_state(system, draw)
    z_dot = equations.accelerations(state)
    H, v_H, a_H = draw.normal(size=(3, 3))
    found = ph.questions.balance(equations, state, names, pole=H, pole_velocity=v_H)

    def oracle(s):
        Q, L, K = cloud_of(system, moved(state, z_dot, s), chosen)
        pole = H + s * v_H + s**2 / 2 * a_H
        return np.concatenate([Q, L - np.cross(pole, Q), [K]])

    now, rate = oracle(0.0), derivative(oracle, 0.0)
    scale = np.max(np.abs(rate)) + 1.0
    close = {"rtol": 0, "atol": 1e-6 * scale}
    assert_close(found.momentum, now[:3], **close)
    assert_close(found.angular_momentum, now[3:6], **close)
    assert_close(found.kinetic_energy, now[6], **close)
    assert_close(found.momentum_rate, rate[:3], **close)
    assert_close(found.angular_momentum_rate, rate[3:6], **close)
    assert_close(found.kinetic_energy_rate, rate[6], **close)
    exact = {"rtol": 0, "atol": 1e-10 * scale}
    assert_close(found.force, found.momentum_rate, **exact)
    swept = found.angular_momentum_rate + np.cross(v_H, found.momentum)
    assert_close(swept, found.moment, **exact)
    power = found.external_power + found.internal_power
    assert_close(power, found.kinetic_energy_rate, **exact)


@pytest.mark.row("D-04", "D-09")
def test_what_acts_inside_has_no_resultant_but_has_power():
    """Two masses and a spring: the spring's force and moment vanish in sum, P^i does
    not; seen from one mass alone the same spring is external."""
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 2.0)
    spring = ph.Spring(a.mass_centre, b.mass_centre, 7.0, 0.5, name="spring")
    system = ph.System([a, b], [spring], name="pair")
    state = system.state(
        a=(0, 0, 0),
        b=(0.8, 0.3, -0.1),
        speeds={"a": (0.1, 0, 0.4), "b": (1.0, -0.5, 0)},
    )
    found = ph.questions.balance(ph.gauss(system), state, pole=(0.3, -2.0, 1.0))
    assert found.items["spring"].is_internal
    assert_close(found.items["spring"].force, np.zeros(3), atol=1e-13)
    assert_close(found.items["spring"].moment, np.zeros(3), atol=1e-13)
    assert abs(found.internal_power) > 0.1
    assert_close(found.kinetic_energy_rate, found.internal_power, rtol=1e-12)
    alone = ph.questions.balance(ph.gauss(system), state, ["a"])
    assert not alone.items["spring"].is_internal
    assert np.linalg.norm(alone.force) > 0.1


@pytest.mark.row("D-04")
def test_forces_between_bodies_that_are_not_along_their_line_are_found_out():
    """A pair of opposite forces with a moment is no invariant action: audited so."""
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 2.0)

    def sideways(first, second, t):
        return 3.0 * first.position[0] * second.position[1]

    skew = ph.theory.RawPotential([a.frame, b.frame], sideways, name="sideways")
    assert not ph.theory.audit_invariance(skew).is_invariant


@pytest.mark.long
def test_angular_momentum_is_kept_about_poles_that_do_not_cross_the_momentum():
    """Free chain: about a fixed pole, about G, and about a pole that moves along Q,
    L is constant; about one that crosses Q it drifts by -v_H x Q."""
    system = topology("floating_chain")
    weightless = ph.System(system.given.members, name="weightless")
    equations = ph.gauss(weightless)
    state = random_state(weightless, np.random.default_rng(3))
    Q = ph.questions.balance(equations, state).momentum
    G = equations.mass_centre(state)
    mass = sum(body.moments()[0] for body in weightless.bodies)
    poles = {
        "fixed": ((1.0, 2.0, 3.0), np.zeros(3)),
        "G": (G, Q / mass),
        "along": ((0.5, 0.1, 0.2), 0.7 * Q),
    }
    for pole, velocity in poles.values():
        found = ph.questions.balance(
            equations, state, pole=pole, pole_velocity=velocity
        )
        assert_close(found.angular_momentum_rate, np.zeros(3), atol=1e-10)
    across = np.cross(Q, [0.3, -0.2, 0.9])
    found = ph.questions.balance(equations, state, pole_velocity=across)
    assert_close(found.angular_momentum_rate, -np.cross(across, Q), rtol=1e-10)
    assert np.linalg.norm(found.angular_momentum_rate) > 0.1


def test_a_part_that_is_not_there_is_refused():
    """A misspelt body is named, with the nearest that exists."""
    system = topology("cart_pendulum")
    with pytest.raises(ModelError, match=r"no body 'crat'.*") as refusal:
        ph.questions.balance(ph.gauss(system), system.rest(), ["crat"])
    assert "cart" in str(refusal.value)
