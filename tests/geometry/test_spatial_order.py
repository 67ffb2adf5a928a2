"""Angular first or linear first."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from polhode.geometry.spatial_order import exchange_matrix, exchange_vector
from polhode.geometry.vector import skew
from strategies_rotation import generator


@pytest.mark.row("CV-01")
def test_mass_matrices_of_both_orders_are_one():
    """M_003 = P M_001 P for random bodies, with the blocks of each text summed over
    particles and twice the kinetic energy the same in both orders."""
    blocks = np.kron(np.array([[0, 1], [1, 0]]), np.eye(3))
    for seed in range(20):
        rng = generator(seed)
        mass, place = rng.uniform(0.1, 2, 8), rng.standard_normal((8, 3))
        cross = skew(place)
        static = np.einsum("n,nij->ij", mass, cross)  # m [r_c/o]
        moment = -np.einsum("n,nij,njk->ik", mass, cross, cross)
        total = mass.sum() * np.eye(3)
        angular_first = np.block([[moment, static], [static.T, total]])
        linear_first = np.block([[total, -static], [-static.T, moment]])
        assert_close(exchange_matrix(angular_first), linear_first, rtol=1e-12)
        assert_close(exchange_matrix(linear_first), angular_first, rtol=1e-12)
        assert_close(exchange_matrix(angular_first), blocks @ angular_first @ blocks)
        omega, v = rng.standard_normal((2, 3))
        V = np.concatenate([omega, v])
        speeds = v + np.cross(omega, place)
        twice_energy = np.sum(mass * np.sum(speeds**2, axis=1))
        assert_close(V @ angular_first @ V, twice_energy, rtol=1e-12)
        W = exchange_vector(V)
        assert_close(W, np.concatenate([v, omega]), rtol=0)
        assert_close(W @ linear_first @ W, twice_energy, rtol=1e-12)
        # Mixing the orders gives another number.
        assert abs(V @ linear_first @ V - twice_energy) > 1e-3


def test_exchanging_twice_is_nothing():
    """P P = 1, for columns and matrices, in batches."""
    columns, matrices = np.arange(12.0).reshape(2, 6), np.arange(72.0).reshape(2, 6, 6)
    assert_close(exchange_vector(exchange_vector(columns)), columns, rtol=0)
    assert_close(exchange_matrix(exchange_matrix(matrices)), matrices, rtol=0)
