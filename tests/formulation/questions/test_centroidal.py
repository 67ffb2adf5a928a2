"""The momentum of a whole system about its mass centre."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import random_state, topology


def by_bodies(system: ph.System, state: ph.State) -> tuple[np.ndarray, np.ndarray]:
    """Mass centre and [L; P], summed body by body from masses and central inertias."""
    poses = system.poses(state.t, state.q)
    twists = system.twists(state.t, state.q, state.z)
    masses, places, velocities, spins = [], [], [], []
    for k, body in enumerate(system.bodies):
        mass, centre, inertia = body.moments({})
        R, w = poses.rotations[k], twists.angular[k]
        masses.append(mass)
        places.append(poses.origins[k] + R @ centre)
        velocities.append(twists.linear[k] + np.cross(w, R @ centre))
        spins.append(R @ np.asarray(inertia) @ R.T @ w)
    m, p, v = np.array(masses), np.array(places), np.array(velocities)
    G = m @ p / m.sum()
    L = (np.cross(p - G, m[:, None] * v) + np.array(spins)).sum(0)
    return G, np.concatenate([L, m @ v])


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("floating_chain", ph.gauss),
        ("floating_chain", ph.newton_euler),
        ("pendulum", ph.hamilton),
    ],
)
def test_centroidal_momentum_is_that_of_the_bodies(name, form):
    """[L_G; P] = A_G y = sum of all bodies' momenta about the common mass centre."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(5))
    equations = form(system)
    G, h = by_bodies(system, state)
    assert_close(equations.mass_centre(state), G, rtol=1e-12)
    assert_close(equations.centroidal_momentum(state), h, rtol=1e-11)
    y = state.z if form is ph.hamilton else equations.velocities(state)
    assert_close(equations.centroidal_matrix(state) @ y, h, rtol=1e-11)
