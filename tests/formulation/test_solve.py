"""Linear equations of motion: definite, constrained, redundant, massless."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from closeness import assert_close
from polhode.formulation.solve import STRAIGHT, solve_constrained, solve_definite


def definite(n: int, rng: np.random.Generator) -> np.ndarray:
    root = rng.normal(size=(n, n))
    return root @ root.T + np.eye(n)


def run(function, *arguments):
    """In double precision, compiled."""
    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, jax.jit(function)(*arguments))


@pytest.mark.parametrize("n", [1, 5, STRAIGHT, STRAIGHT + 3])
@pytest.mark.parametrize("columns", [(), (4,)])
def test_straight_code_and_loops_solve_alike(n, columns):
    """M x = b, one column or several, below and above the size where loops begin."""
    rng = np.random.default_rng(n)
    M, b = definite(n, rng), rng.normal(size=(n, *columns))
    assert_close(M @ run(solve_definite, M, b), b, rtol=1e-11)


@pytest.mark.parametrize("n", [6, STRAIGHT + 4])
def test_redundant_rows_leave_one_motion(n):
    """Rows given twice change the shares of the load and nothing else."""
    rng = np.random.default_rng(2)
    M, f = definite(n, rng), rng.normal(size=n)
    A, g = rng.normal(size=(3, n)), rng.normal(size=3)
    a, intensity = run(solve_constrained, M, f, A, g)
    twice = np.vstack([A, A[:2]]), np.concatenate([g, g[:2]])
    a_twice, shared = run(solve_constrained, M, f, *twice)
    assert_close(a_twice, a, rtol=1e-11)
    assert_close(twice[0].T @ shared, A.T @ intensity, rtol=1e-9)
    assert_close(A @ a, g, rtol=1e-11)
    assert_close(M @ a, f + A.T @ intensity, rtol=1e-9)


def test_rows_may_hold_what_has_no_mass():
    """A singular mass matrix is solved where the constraints hold the rest."""
    M, A = np.diag([2.0, 3.0, 0.0]), np.array([[0.0, 1.0, -1.0]])
    a, intensity = run(solve_constrained, M, np.array([4.0, 6.0, 3.0]), A, np.zeros(1))
    assert_close(a, [2.0, 3.0, 3.0], rtol=1e-12)
    assert_close(intensity, [3.0], rtol=1e-12)


def test_rows_that_are_all_rounding_hold_nothing():
    """Where every row is redundant, what is left of them is noise, and has no say."""
    M, f, A = np.diag([2.0, 3.0]), np.array([4.0, 6.0]), 1e-17 * np.ones((2, 2))
    a, _ = run(solve_constrained, M, f, A, np.full(2, 1e-16))
    assert_close(a, [2.0, 2.0], rtol=1e-12)
