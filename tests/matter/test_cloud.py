"""Sums over particles: momentum, angular momentum, energy, and their union."""

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import ModelError, StateError, UnphysicalInertia
from polhode.matter import cloud as sums
from polhode.matter.cloud import Cloud
from polhode.matter.particle import (
    particle_angular_momentum,
    particle_energy,
    particle_momentum,
)
from strategies_geometry import columns, generators
from strategies_matter import clouds, random_cloud


@pytest.mark.row("I-03")
@given(generators)
def test_quantities_of_particles_add_over_a_union(rng):
    """Momentum, angular momentum about any pole and energy of a union are sums."""
    one, two = random_cloud(rng), random_cloud(rng, 3)
    v, u, pole = rng.normal(size=(8, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    both, speeds = one | two, np.concatenate([v, u])
    assert_close(
        sums.momentum_of_points(both.masses, speeds),
        sums.momentum_of_points(one.masses, v) + sums.momentum_of_points(two.masses, u),
    )
    whole = sums.angular_momentum_of_points(both.masses, both.positions, speeds, pole)
    first = sums.angular_momentum_of_points(one.masses, one.positions, v, pole)
    second = sums.angular_momentum_of_points(two.masses, two.positions, u, pole)
    assert_close(whole, first + second, rtol=1e-12)
    energies = [
        sums.kinetic_energy_of_points(c, s)
        for c, s in [(one.masses, v), (two.masses, u)]
    ]
    assert_close(sums.kinetic_energy_of_points(both.masses, speeds), sum(energies))


@pytest.mark.row("I-03")
@given(clouds, generators)
def test_quantities_of_a_cloud_are_sums_over_its_particles(cloud, rng):
    """Q = sum m v, L_H = sum (P - H) x m v, a sum and no integral, K = sum m v^2/2."""
    v, pole = rng.normal(size=(len(cloud), 3)), rng.normal(size=3)
    each = list(zip(cloud.masses, cloud.positions, v, strict=True))
    assert_close(
        sums.momentum_of_points(cloud.masses, v),
        sum(particle_momentum(m, u) for m, _, u in each),
    )
    assert_close(
        sums.angular_momentum_of_points(cloud.masses, cloud.positions, v, pole),
        sum(particle_angular_momentum(m, r - pole, u) for m, r, u in each),
    )
    assert_close(
        sums.kinetic_energy_of_points(cloud.masses, v),
        sum(particle_energy(m, u) for m, _, u in each),
    )


@pytest.mark.row("I-02")
@given(columns, columns, columns)
def test_point_mass_quantities(P, H, v):
    """p = m v, L_H = (P - H) x m v by components, K = m |v|^2/2, about any pole."""
    m = 1.7
    assert_close(particle_momentum(m, v), np.array([m * v[0], m * v[1], m * v[2]]))
    (x, y, z), (a, b, c) = P - H, m * v
    truth = np.array([y * c - z * b, z * a - x * c, x * b - y * a])
    assert_close(particle_angular_momentum(m, P - H, v), truth, rtol=1e-12)
    speed = np.linalg.norm(v)
    assert_close(particle_energy(m, v), m * speed**2 / 2, rtol=1e-12)
    # About another pole the difference is that of the poles, times the momentum.
    K = H + np.array([0.2, -0.5, 1.0])
    moved = particle_angular_momentum(m, P - K, v) + np.cross(K - H, m * v)
    assert_close(moved, truth, rtol=1e-12, atol=1e-12 * m * (1 + speed))


def test_cloud_keeps_no_reference_to_what_it_was_given():
    """The numbers are copied and cannot be changed."""
    masses, positions = np.ones(2), np.eye(3)[:2]
    cloud = Cloud(masses, positions)
    masses[0] = 5.0
    assert cloud.masses[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        cloud.masses[0] = 2.0


@pytest.mark.parametrize(
    ("masses", "positions", "error", "words"),
    [
        ([1, -1], [[0, 0, 0], [1, 0, 0]], UnphysicalInertia, "mass -1 kg"),
        ([0, 0], [[0, 0, 0], [1, 0, 0]], ModelError, "without mass"),
        ([1, np.nan], [[0, 0, 0], [1, 0, 0]], StateError, "not finite"),
        ([1, 1], [[0, 0, 0]], StateError, "positions of a cloud has shape"),
    ],
)
def test_impossible_clouds_are_refused(masses, positions, error, words):
    """Negative, missing, non-finite or unpaired numbers are no cloud."""
    with pytest.raises(error, match=words):
        Cloud(masses, positions)


def test_cloud_reads_well():
    """repr tells how many particles and how much mass."""
    assert repr(Cloud([1, 2.5], [[0, 0, 0], [1, 0, 0]])) == "Cloud(2 particles, 3.5 kg)"
    assert Cloud([1], [[0, 0, 0]]).is_close(Cloud([1], [[0, 0, 0]]))
    assert not Cloud([1], [[0, 0, 0]]).is_close(Cloud([2], [[0, 0, 0]]))
