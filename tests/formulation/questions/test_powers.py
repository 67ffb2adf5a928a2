"""Energies, parts of the force, and the power of actions and drivers."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import random_state, topology


@pytest.mark.long
@pytest.mark.parametrize("form", [ph.gauss, ph.hamilton, ph.newton_euler])
def test_the_force_is_what_is_stored_and_what_is_applied(form):
    """f = f_stored + f_applied, and weight alone is the gravity torque."""
    system = topology("sprung_arm")
    state = random_state(system, np.random.default_rng(6))
    equations = form(system)
    stored, applied = equations.potential_force(state), equations.applied_force(state)
    assert_close(stored + applied, equations.force(state), rtol=1e-11)
    shares = equations.shares(state)
    weight = next(name for name in shares if "weight" in name.lower())
    assert_close(equations.gravity_force(state), shares[weight], rtol=1e-12)
    assert np.max(np.abs(applied)) > 0.01


def test_the_stored_force_is_the_slope_of_the_potential():
    """f_stored = -dV/dq on hinges."""
    system = topology("double_pendulum")
    state = random_state(system, np.random.default_rng(7))
    equations, h = ph.gauss(system), 1e-6

    def V(q):
        return equations.potential_energy(ph.State(system, state.t, q, state.z))

    steps = h * np.eye(2)
    slope = [(V(state.q + s) - V(state.q - s)) / (2 * h) for s in steps]
    assert_close(equations.potential_force(state), -np.array(slope), rtol=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("form", [ph.gauss, ph.newton_euler, ph.hamilton])
def test_energy_grows_by_the_power_of_actions_and_drivers(form):
    """dT/dt = the sum of all powers; the driver's is l . (A z)."""
    system = topology("driven_hinge")
    state = random_state(system, np.random.default_rng(8))
    equations = form(system)
    z_dot = ph.gauss(system).accelerations(state)
    h = 1e-6

    def T(sign: float) -> float:
        q = state.q + sign * h * state.z + h * h / 2 * z_dot
        later = ph.State(system, state.t + sign * h, q, state.z + sign * h * z_dot)
        return ph.gauss(system).kinetic_energy(later)

    powers = equations.powers(state)
    assert abs(powers["driver"]) > 0.01
    assert_close(sum(powers.values()), (T(1) - T(-1)) / (2 * h), rtol=1e-7)


@pytest.mark.parametrize("form", [ph.gauss, ph.newton_euler])
def test_resting_constraints_have_no_power(form):
    """The reactions of a loop that does not depend on time give and take nothing."""
    system = topology("geared_wheels")
    state = random_state(system, np.random.default_rng(9))
    powers = form(system).powers(state)
    gear = next(c.name for c in system.constraints)
    assert abs(powers[gear]) < 1e-12


@pytest.mark.long
@pytest.mark.row("H-05")
def test_hamiltonian_of_a_moving_hinge_is_not_the_energy():
    """With T = A q'^2/2 + B q' + C, H = E - B q' - 2 C; H = E if nothing moves.

    A bob of mass m on a rod of length l, hung from a hinge that moves as x(t):
    A = m l^2, B = m l x' cos th, C = m x'^2/2.
    """
    m, l, g, speed = 1.1, 0.7, 9.81, 0.8
    world, bob = ph.World(), ph.Particle("bob", m)
    cart = ph.Body("cart", ph.solids.box(mass=1e-12, x=0.1, y=0.1, z=0.1))
    rod = ph.Body("rod", ph.solids.box(mass=1e-12, x=0.1, y=0.1, z=0.1))
    slide = ph.Prismatic("slide", world.origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, rod.point(0, 0, l), axis=ph.Y)
    tip = ph.Fixed("tip", rod.origin, bob.mass_centre)
    system = ph.System([slide, hinge, tip], [ph.Weight(g)], name="moving hinge")
    driven = ph.theory.Velocities(
        ["hinge"],
        lambda t, q, y: jnp.stack([speed * jnp.cos(t), y[0]]),
        lambda t, q, z: z[1:],
    )
    t, angle, rate = 0.4, 0.5, 1.3
    state = ph.State(
        system, t, np.array([0.2, angle]), np.array([speed * np.cos(t), rate])
    )
    equations = ph.gauss(system, driven)
    x_dot = speed * np.cos(t)
    # Turning about +Y takes the bob, below the hinge, towards -X.
    A, B, C = m * l**2, -m * l * x_dot * np.cos(angle), m * x_dot**2 / 2
    E = equations.kinetic_energy(state) + equations.potential_energy(state)
    V = -m * g * l * np.cos(angle)
    assert_close(E, A * rate**2 / 2 + B * rate + C + V, rtol=1e-8)
    assert_close(equations.hamiltonian(state), E - B * rate - 2 * C, rtol=1e-8)
    assert_close(equations.momenta(state), [A * rate + B], rtol=1e-8)
    for form in (ph.gauss, ph.hamilton, ph.kane):
        assert_close(form(system).hamiltonian(state), E, rtol=1e-12)
