"""Hamilton's equations: momenta, the Legendre transform, canonical rates."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from moved import moved
from polhode.formulation.hamilton import hamiltonian
from polhode.formulation.shared.chart import lagrangian
from strategies_system import random_state, topology


@pytest.fixture(scope="module", params=["cart_pendulum", "spherical_pendulum"])
def state(request):
    return random_state(topology(request.param), np.random.default_rng(4))


@pytest.mark.row("H-01")
def test_momenta_are_slopes_of_the_lagrangian(state):
    """p = dL/dx_dot = M z."""
    system = state.system
    p = ph.hamilton(system).velocities(state)
    assert_close(p, system.mass_matrix(state.t, state.q) @ state.z, rtol=1e-13)


@pytest.mark.row("H-02")
def test_the_transform_comes_back(state):
    """H = p.x_dot - L, and p.x_dot - H with x_dot = dH/dp is L again."""
    system = state.system
    x = np.zeros(system.speeds)

    def both(q, z):
        H, L = hamiltonian(system, q, {}), lagrangian(system, q, {})
        p = jax.grad(L, 2)(0.0, x, z)
        back = jax.grad(H, 2)(0.0, x, p)
        return H(0.0, x, p), back, p @ back - H(0.0, x, p), L(0.0, x, z)

    H, x_dot, again, L = ph.compile(both, state.q, state.z)(state.q, state.z)
    energy = system.kinetic_energy(0.0, state.q, state.z)
    energy += system.potential_energy(0.0, state.q)
    assert_close(H, energy, rtol=1e-13)
    assert_close(x_dot, state.z, rtol=1e-12)
    assert_close(again, L, rtol=1e-12)


@pytest.mark.row("H-03")
def test_slopes_of_the_hamiltonian(state):
    """dH/dp = x_dot, and dH/dx = -dL/dx at the momenta of x_dot."""
    system = state.system
    x = np.zeros(system.speeds)

    def slopes(q, z):
        H, L = hamiltonian(system, q, {}), lagrangian(system, q, {})
        p = jax.grad(L, 2)(0.0, x, z)
        by_x, by_p = jax.grad(H, (1, 2))(0.0, x, p)
        return by_p, by_x, jax.grad(L, 1)(0.0, x, z)

    by_p, by_x, of_L = ph.compile(slopes, state.q, state.z)(state.q, state.z)
    assert_close(by_p, state.z, rtol=1e-12)
    assert_close(by_x, -of_L, rtol=1e-11)


@pytest.mark.row("H-04")
def test_hamilton_moves_as_lagrange(state):
    """From one state both forms, damper and all, reach the same place."""
    forms = ph.hamilton(state.system), ph.lagrange(state.system)
    last = [moved(form, state, 0.7) for form in forms]
    assert_close(last[0].q, last[1].q, rtol=1e-9)
    assert_close(last[0].z, last[1].z, rtol=1e-9)
