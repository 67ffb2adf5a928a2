"""Contacts with few speeds each: the same impulses as with rows over all of them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.double import doubled
from polhode.formulation.solve.active_contacts import ActiveContacts
from polhode.formulation.solve.block_elimination import eliminated
from polhode.formulation.solve.contact_couplings import Couplings
from polhode.formulation.solve.contact_problem import ContactProblem, solve_contacts
from polhode.formulation.solve.sparse_contacts import (
    SparseProblem,
    solve_sparse,
)

BODIES, SPEEDS, CONTACTS = 5, 6, 7
COUNT = BODIES * SPEEDS


def pairs():
    """Which bodies touch; the last number is the ground."""
    return [(0, 5), (1, 5), (1, 0), (2, 1), (3, 2), (4, 3), (4, 0)]


def couplings(*, full):
    """Rows over the bodies of a pair; where `full`, as if any contact couples all."""
    rows = []
    for pair in pairs():
        own = [SPEEDS * b + k for b in pair if b < BODIES for k in range(SPEEDS)]
        rows.append(own + [COUNT] * (2 * SPEEDS - len(own)))
    speeds = np.array(rows)
    mass = np.kron(np.eye(BODIES, dtype=bool), np.ones((SPEEDS, SPEEDS), bool))
    whole = mass.copy()
    for own in rows:
        known = [k for k in own if k < COUNT]
        whole[np.ix_(known, known)] = True
    return Couplings(speeds, speeds, mass, whole | full)


def drawn(seed, active):
    """M, J (n, 3, L), q and mu of bodies that meet."""
    rng = np.random.default_rng(seed)
    M = np.zeros((COUNT, COUNT))
    for b in range(BODIES):
        own = slice(SPEEDS * b, SPEEDS * b + SPEEDS)
        A = rng.normal(size=(SPEEDS, SPEEDS))
        M[own, own] = A @ A.T + np.eye(SPEEDS)
    J = rng.normal(size=(CONTACTS, 3, 2 * SPEEDS))
    J[couplings(full=False).speeds[:, None].repeat(3, 1) == COUNT] = 0.0
    q = rng.normal(size=(CONTACTS, 3)) - np.array([1.0, 0, 0])
    return M, J, q, rng.uniform(0.1, 0.8, CONTACTS), np.array(active, bool)


def dense(M, J, q, mu, on):
    """The same with rows over all speeds."""
    whole = np.zeros((CONTACTS, 3, COUNT + 1))
    for i, own in enumerate(couplings(full=False).speeds):
        np.add.at(whole[i], (slice(None), own), J[i])
    whole = whole[..., :-1]
    X = np.stack([np.linalg.solve(M, rows.T) for rows in whole])
    return ContactProblem(whole, X, M, whole, q, mu, on)


PROGRAMS: dict[bool, ph.Program] = {}


def sparse(full, *given):
    """The solution by few speeds."""

    def kernel(M, J, q, mu, on, guess):
        own = couplings(full=full)
        solve = eliminated(M, own.mass)
        active = ActiveContacts.of(on)
        rows = active.rows((J, q, jnp.zeros_like(mu), jnp.zeros_like(q), mu))
        problem = SparseProblem(active, *rows, M, solve, own)
        return solve_sparse(problem, guess)

    if full not in PROGRAMS:
        PROGRAMS[full] = ph.compile(kernel, *given, np.zeros((CONTACTS, 3)))
    return PROGRAMS[full](*given, np.zeros((CONTACTS, 3)))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_few_speeds_give_the_impulses_of_all(seed, full):
    """By entries of a tree, and by blocks."""
    given = drawn(seed, [1, 1, 1, 1, 0, 1, 1])
    found = sparse(full, *given)
    known = doubled(solve_contacts)(dense(*given), np.zeros((CONTACTS, 3)))
    assert found.residual.max() < 1e-11
    np.testing.assert_allclose(found.impulse, known.impulse, atol=1e-9)
    np.testing.assert_allclose(found.change, known.change, atol=1e-9)
    assert not found.impulse[4].any()


def test_open_contacts_bear_nothing():
    """None is active: no step is made."""
    found = sparse(False, *drawn(0, [0] * CONTACTS))
    assert not found.impulse.any()
    assert not found.change.any()
    assert found.iterations == 0
