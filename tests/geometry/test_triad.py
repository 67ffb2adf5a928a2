"""Bases of space, square and oblique."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.geometry import triad
from strategies_rotation import rotations, seeded_columns, seeded_rotations, transposed


@pytest.mark.row("R-01")
@given(rotations(), rotations())
def test_rotation_between_triads_maps_one_to_the_other(old, new):
    """R = (e0_i · e1_j) e0_i e0_j takes e0_k to e1_k."""
    components = triad.components_between(old, new)
    tensor = sum(
        components[i, j] * np.outer(old[:, i], old[:, j])
        for i in range(3)
        for j in range(3)
    )
    assert_close(tensor @ old, new, rtol=1e-14)
    assert_close(np.linalg.inv(components), components.T, rtol=1e-13)


@pytest.mark.row("R-01")
def test_oblique_bases_change_by_their_reciprocals():
    """v_j = T^i_j u_i with T^i_j = uⁱ · v_j; back and forth is nothing."""
    u = np.eye(3) + 0.25 * seeded_columns(24, 9, seed=3).reshape(-1, 3, 3)
    v = seeded_rotations() + 0.25 * seeded_columns(24, 9, seed=4).reshape(-1, 3, 3)
    dual = triad.reciprocal(u)
    eye = np.broadcast_to(np.eye(3), u.shape)
    assert_close(transposed(dual) @ u, eye, rtol=1e-12)
    assert_close(triad.reciprocal(dual), u, rtol=1e-12)
    forth, back = triad.change_of_basis(u, v), triad.change_of_basis(v, u)
    assert_close(u @ forth, v, rtol=1e-12)
    assert_close(forth @ back, eye, rtol=1e-12)
    # For oblique bases the inverse is not the transpose.
    assert np.max(np.abs(transposed(forth) - back)) > 0.1
