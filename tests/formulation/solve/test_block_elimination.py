"""Elimination by entries and by blocks, against NumPy's with pivots."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.solve.block_elimination import (
    SIDE,
    eliminated,
    eliminated_in_blocks,
)


def drawn(seed, blocks):
    """A matrix that is not symmetric, and where its blocks are not zero."""
    rng = np.random.default_rng(seed)
    flags = np.eye(blocks, dtype=bool)
    for i, j in rng.integers(0, blocks, (blocks, 2)):
        flags[i, j] = flags[j, i] = True
    whole = np.kron(flags, np.ones((SIDE, SIDE), bool))
    n = len(whole)
    K = np.where(whole, rng.normal(size=(n, n)), 0.0) + 4 * SIDE * np.eye(n)
    return K, flags, rng.normal(size=n)


def by_blocks(K, flags, b):
    """In loops."""
    return eliminated_in_blocks(K, flags)(b)


@pytest.mark.parametrize("seed", range(4))
def test_blocks_solve_what_they_hold(seed):
    """Whatever blocks are zero: one program for all."""
    K, flags, b = drawn(seed, 5)
    if "blocks" not in PROGRAMS:
        PROGRAMS["blocks"] = ph.compile(by_blocks, K, flags, b)
    x = PROGRAMS["blocks"](K, flags, b)
    np.testing.assert_allclose(K @ x, b, atol=1e-13 * np.abs(b).max())


PROGRAMS: dict[str, ph.Program] = {}


def arrow(n, seed=0):
    """Limbs on a trunk: each entry couples with the first ones and its neighbour."""
    rng = np.random.default_rng(seed)
    pattern = np.eye(n, dtype=bool)
    pattern[:3] = pattern[:, :3] = True
    limbs = np.arange(3, n - 1, 2)
    pattern[limbs, limbs + 1] = pattern[limbs + 1, limbs] = True
    K = np.where(pattern, rng.normal(size=(n, n)), 0.0) + 8 * np.eye(n)
    return K, pattern, rng.normal(size=n)


def test_entries_solve_what_they_hold():
    """A tree: leaves first, nothing fills in."""
    K, pattern, b = arrow(21)
    program = ph.compile(lambda K, b: eliminated(K, pattern)(b), K, b)
    np.testing.assert_allclose(K @ program(K, b), b, atol=1e-13)
    assert program.report().operations < 1500


def test_what_is_long_as_straight_code_is_none():
    """Then loops are for it."""
    assert eliminated(np.eye(60), np.ones((60, 60), bool)) is None


def test_a_diagonal_needs_no_products():
    """Particles: each speed by itself."""
    b = np.arange(1.0, 4.0)
    K = np.diag([2.0, 4.0, 8.0])
    program = ph.compile(lambda K, b: eliminated(K, np.eye(3, dtype=bool))(b), K, b)
    np.testing.assert_allclose(program(K, b), b / np.diag(K))
