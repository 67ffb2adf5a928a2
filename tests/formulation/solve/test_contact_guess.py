"""Impulses that go on along their slope: what creeps needs few solutions."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.formulation.solve.contact_guess import ContactGuess, guess_width, look_at
from polhode.formulation.solve.contact_problem import ROUNDING, ContactSolution

STEPS = 400
CORNERS = np.array([[x, y, -0.5] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
SPIN = np.stack([np.cross(np.eye(3), p).T for p in CORNERS])  # (4, 3, 3)
UPRIGHT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
# Rows n, t1, t2 of four corners of one body, by its velocity and its spin.
J = np.concatenate([np.tile(UPRIGHT, (4, 1, 1)), -UPRIGHT @ SPIN], axis=2)
W = (J.reshape(12, 6) @ J.reshape(12, 6).T).reshape(4, 3, 4, 3)
INVERSE = np.linalg.pinv(W.reshape(12, 12), rcond=1e-10).reshape(4, 3, 4, 3)
MASS = 3.0 / np.trace(np.einsum("iaib->iab", W), axis1=1, axis2=2)
WEIGHT = np.array([[0.25, 0.0, 0.0]] * 4)


def times(A, r):
    return jnp.einsum("iajb,jb->ia", A, r)


@cache
def program():
    """slope -> what was solved, missed and pressed, step by step; once."""
    mu, on = np.full(4, 0.5), np.full(4, True)

    def step(slope, state, k):
        u, guess = state
        guess = ContactGuess(*guess)
        wanted = WEIGHT + (k + 1) * slope
        after = u + times(W, guess.impulse - wanted)
        told = look_at(guess, after, mu, on)

        def fails():
            r = guess.impulse - times(INVERSE, after)
            u1 = u + times(W, r - wanted)
            found = ContactSolution(r, u1, told.residual, 1, u1, jnp.asarray(MASS))
            return u1, r, tuple(guess.further(found, lambda r: times(W, r)))

        def holds():
            return after, guess.impulse, tuple(told.next)

        u, r, guess = jax.lax.cond(told.holds, holds, fails)
        return (u, guess), (~told.holds, jnp.max(jnp.abs(u)), r)

    def whole(slope):
        begin = jnp.zeros((4, 3)), tuple(ContactGuess.of(jnp.zeros(guess_width(4))))
        return jax.lax.scan(
            lambda state, k: step(slope, state, k), begin, jnp.arange(STEPS)
        )[1]

    return ph.compile(whole, np.zeros((4, 3)))


def run(slope):
    """Of impulses that should grow by a slope from the weight of the body."""
    return program()(slope)


@cache
def slopes():
    """change of impulses -> the slope that a solution tells; once."""

    def told(change):
        r, none, mass = WEIGHT + change, jnp.zeros((4, 3)), jnp.asarray(MASS)
        guess = ContactGuess(WEIGHT + 0 * r, none, none, mass, jnp.ones(()))
        found = ContactSolution(r, none, none, 1, none, mass)
        return guess.further(found, lambda r: times(W, r)).slope

    return ph.compile(told, np.zeros((4, 3)))


def creep():
    """A slope that corners feel: 5e-13 of the impulses in a step."""
    rate = np.array([1.0, -0.5, 0.3, 0.2, 0.4, -0.6])
    return 1e-13 * (J @ rate)


def test_what_creeps_evenly_is_solved_a_few_times():
    """The slope is found, and guesses go on along it to rounding."""
    solved, missed, _ = run(creep())
    assert np.sum(solved) <= 6
    assert not np.any(solved[10:])
    assert np.max(missed) <= 2 * ROUNDING * 0.25 / MASS.min()


def test_what_rests_is_solved_once():
    """Impulses that need no change hold in every step, to rounding."""
    solved, missed, r = run(0.0 * creep())
    assert np.sum(solved) == 1
    assert np.max(missed[1:]) < 4e-15
    assert missed[-1] < 1e-15
    np.testing.assert_allclose(r[-1], r[1], rtol=0, atol=1e-15)


def test_shares_that_nothing_feels_are_no_slope():
    """What moves only them is left: they would drift for ever."""
    null = np.linalg.svd(W.reshape(12, 12))[2][-1].reshape(4, 3)
    assert np.abs(np.einsum("iajb,jb->ia", W, null)).max() < 1e-13
    assert not np.any(slopes()(1e-12 * null))
    np.testing.assert_allclose(slopes()(creep()), creep(), rtol=1e-3, atol=1e-16)


def test_what_changes_quickly_has_no_slope():
    """Impacts and openings say nothing of the next step."""
    assert not np.any(slopes()(1e4 * creep()))
