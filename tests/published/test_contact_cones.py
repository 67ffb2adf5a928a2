"""Contact problems of Siconos with their impulses: the exact cone, to rounding.

    u = W r + q,      K_i  ∋  r_i   _|_   u_i + mu |u_T| n   ∈  K_i*

W and q are given; sums of pushes and norms of all impulses are of other solvers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.solve.contact_problem import delassus_problem, solve_contacts

HERE = Path(__file__).parent


def solved(W, q, mu):
    """The impulses from nothing, compiled."""
    n = len(mu)
    on, start = np.ones(n, bool), np.zeros((n, 3))

    def impulses(W, q, mu, on, start):
        return solve_contacts(delassus_problem(W, q, mu, on), start)

    return ph.compile(impulses, W, q, mu, on, start)(W, q, mu, on, start)


@pytest.mark.row("C-09")
@pytest.mark.row("C-10")
def test_three_contacts_apart():
    """FC3D_Example1: W = 1, q = (-1, 1, 3): the push is 1, friction 0.1 of it."""
    q, mu = np.tile([-1.0, 1.0, 3.0], (3, 1)), np.full(3, 0.1)
    found = solved(np.eye(9), q, mu)
    assert np.max(found.residual) <= 1e-12
    assert_close(found.impulse[:, 0].sum(), 3.0, rtol=1e-12)
    assert_close(np.linalg.norm(found.impulse), 1.740689519, atol=5e-10)
    assert_close(found.impulse[0, 1:], -0.1 * q[0, 1:] / np.hypot(1, 3), rtol=1e-12)


@pytest.mark.row("C-09")
@pytest.mark.row("C-10")
@pytest.mark.parametrize(
    ("rows", "push", "size"),
    [
        ("rover_contacts.txt", 61.51569863, 36.77772819),
        ("rover_on_a_bump.txt", 39.38911041, 25.05008658),
    ],
)
def test_a_rover_on_four_wheels(rows, push, size):
    """Rover1039 and Rover4516: what wheels bear, and the laws of each contact."""
    rover = np.loadtxt(HERE / rows)
    W, q, mu = rover[:12], rover[12].reshape(4, 3), np.full(4, 0.7)
    found = solved(W, q, mu)
    r, u = found.impulse, found.velocity
    assert np.max(found.residual) <= 1e-12
    assert_close(r[:, 0].sum(), push, atol=5e-9)
    assert_close(np.linalg.norm(r), size, atol=5e-9)
    assert_close(u.reshape(-1), W @ r.reshape(-1) + q.reshape(-1), atol=1e-12)
    assert np.max(np.hypot(*r[:, 1:].T) - mu * r[:, 0]) < 1e-11
    assert np.max(np.abs(r[:, 0] * u[:, 0])) < 1e-11
