"""Inertia of the whole: mass matrix, kinetic energy, rotors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import TOPOLOGIES, block, random_state, topology

names = pytest.mark.parametrize("name", TOPOLOGIES)


def jacobians_at_centres(system, q):
    """d r/dz of the mass centres and d theta/dz, (n, 3, nz) each, in the world."""
    R = system.poses(0, q).rotations
    J = system.jacobians(0, q)
    turns = R @ J[:, :3]
    centres = np.stack([body.moments().centre for body in system.bodies])
    arms = np.einsum("nij,nj->ni", R, centres)
    shifts = R @ J[:, 3:] + np.cross(turns, arms[:, :, None], axis=1)
    return shifts, turns


@pytest.mark.row("L-17")
@names
def test_the_mass_matrix_is_assembled_from_bodies(name):
    """m dr.dr + dr.S dth + dth.S^T dr + dth.I dth, about any point of each body."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(1))
    R = system.poses(0, state.q).rotations
    shifts, turns = jacobians_at_centres(system, state.q)
    rng = np.random.default_rng(2)
    total = np.diag(system.rotor_inertias())
    for k, body in enumerate(system.bodies):
        mass, _, inertia = body.moments()
        I_G = R[k] @ inertia @ R[k].T
        d = rng.normal(size=3)  # from the point Q to the mass centre
        dr = shifts[k] - np.cross(turns[k], d[:, None], axis=0)
        I_Q = I_G + mass * (d @ d * np.eye(3) - np.outer(d, d))
        S = -mass * skew(d)  # v_G = v_Q + w x d:  m v_Q . (w x d) = v_Q . S w
        th = turns[k]
        total = total + mass * dr.T @ dr + dr.T @ S @ th + th.T @ S.T @ dr
        total = total + th.T @ I_Q @ th
    M = system.mass_matrix(0, state.q)
    assert_close(M, total, rtol=1e-11)
    assert_close(M, M.T, rtol=1e-13)
    assert np.min(np.linalg.eigvalsh(M)) > 0


def skew(d):
    x, y, z = d
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


@pytest.mark.row("L-17")
@names
def test_the_mass_matrix_is_the_hessian_of_the_energy(name):
    """Kinetic energy is z M z / 2: second differences of a square are exact."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(3))
    n, q = system.speeds, state.q

    def energy(z):
        return system.kinetic_energy(0, q, z)

    units = np.eye(n)
    hessian = [[energy(a + b) - energy(a) - energy(b) for a in units] for b in units]
    assert_close(system.mass_matrix(0, q), hessian, rtol=1e-12)


def test_rotors_add_gear_squared_times_their_inertia():
    """A geared rotor is felt on the diagonal, in energy and in the mass matrix."""
    system = topology("motorised_arm")
    bare = np.array(system.mass_matrix(0, np.zeros(2)))
    assert_close(system.rotor_inertias(), [0.25, 0.25])
    other = system.with_({"one.rotor_inertia": 0.03})
    more = other.mass_matrix(0, np.zeros(2)) - bare
    assert_close(more, np.diag([0.02 * 25, 0.0]), atol=1e-14)


@pytest.mark.parametrize("count", [1, 2, 50])
def test_free_bodies_stack_in_blocks(count):
    """N spacecraft: a block-diagonal mass matrix, each block that of one alone."""
    bodies = [block(f"craft{k}", 1 + k) for k in range(count)]
    system = ph.System(bodies)
    M = system.mass_matrix(0, system.neutral())
    expected = np.zeros_like(M)
    for k, body in enumerate(bodies):
        place = slice(6 * k, 6 * k + 6)
        expected[place, place] = body.spatial_inertia()
    assert_close(M, expected, rtol=1e-13)
