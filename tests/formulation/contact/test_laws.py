"""Laws of contact that hold for all inertias, velocities and coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from closeness import assert_close
from polhode.formulation.contact.carried import Carried
from polhode.formulation.contact.collide import (
    Laws,
    coulomb_impulses,
    in_sequence,
    residual,
    routh,
    simultaneous,
)
from polhode.formulation.contact.decide import (
    SLIDES,
    STICKS,
    Instant,
    decided,
    instant_of,
)
from polhode.formulation.contact.delassus import ContactProblem
from polhode.system.contacts import ContactRows

seeds = st.integers(0, 10**6)
shares = st.floats(0.0, 1.0)
frictions = st.floats(0.0, 1.2)


def response(rng, contacts: int, speeds: int = 6):
    """W (3n, 3n) of a random inertia and random contact axes, and Y (nz, 3n)."""
    half = rng.normal(size=(speeds, speeds))
    M = half @ half.T + 0.3 * np.eye(speeds)
    J = rng.normal(size=(3 * contacts, speeds))
    Y = np.linalg.solve(M, J.T)
    return M, J, J @ Y, Y


def at_rest(W: np.ndarray, free: np.ndarray, Y: np.ndarray, mu: np.ndarray) -> Instant:
    """Contacts that all touch, and have no slip yet."""
    count = len(mu)
    rows = ContactRows(*(np.zeros((count, 3)) for _ in range(6)), mu, mu, mu)
    nothing, n = np.zeros(0), 3 * count
    pads = Carried(np.zeros((0, n)), np.zeros((0, 6)), np.zeros((0, 6, n)), np.zeros(0))
    problem = ContactProblem(W, free, Y, nothing, nothing, nothing, rows, pads)
    touching = np.ones(count, bool)
    return instant_of(problem, touching, ~touching)


def laws_of(count: int, mu: float, e: float, law: int, more: float = 1.0) -> Laws:
    each = np.ones(count)
    return Laws(mu * each, more * mu * each, e * each, np.full(count, law))


@given(seeds, frictions, shares, st.sampled_from([0, 1]), st.floats(1.0, 1.5))
@example(75376, 1.125, 1.0, 0, 1.0)  # whose slip sets out where friction turns it most
def test_an_impact_never_gains_by_stronge_or_poisson(seed, mu, e, law, more):
    """Energy falls, the impulse is a push within its cone, and the contact parts."""
    rng = np.random.default_rng(seed)
    M, J, W, Y = response(rng, 1)
    z = rng.normal(size=6)
    u = (J @ z).reshape(1, 3)
    if u[0, 0] > 0:
        z, u = -z, -u
    found = routh(W, u, laws_of(1, mu, e, law, more), 0)
    P = found.impulse[0]
    after = z + Y @ P
    change = after @ M @ after / 2 - z @ M @ z / 2
    size = z @ M @ z
    assert change <= 1e-12 * size
    assert_close(found.push[0] + found.friction[0], change, atol=1e-12 * size)
    assert found.friction[0] <= 1e-12 * size  # friction never works forward
    assert P[0] >= 0
    assert np.hypot(*P[1:]) <= (more * mu + 1e-9) * P[0]
    assert found.velocity[0, 0] >= -1e-12 * np.abs(u).max()
    # Momentum: what changed is what the impulse gave, dQ = I.
    assert_close(M @ (after - z), J.T @ P, rtol=1e-9)


@given(seeds, shares)
@example(0, 7.8e-9)  # whose square is below the rounding of one
def test_without_friction_all_laws_agree(seed, e):
    """u_N+ = -e u_N-, by velocities, impulses and work alike."""
    rng = np.random.default_rng(seed)
    _, J, W, _ = response(rng, 1)
    u = (J @ rng.normal(size=6)).reshape(1, 3)
    u[0, 0] = -abs(u[0, 0]) - 0.1
    for law in (0, 1, 2):
        found = routh(W, u, laws_of(1, 0.0, e, law), 0)
        assert_close(found.velocity[0, 0], -e * u[0, 0], atol=1e-9)
    at_once = simultaneous(W, u, laws_of(1, 0.0, e, 2), np.array([True]))
    assert_close(at_once.velocity[0, 0], -e * u[0, 0], atol=1e-9)


@given(seeds, st.floats(0.0, 0.8), st.integers(1, 4))
def test_impulses_at_once_obey_signorini_and_coulomb(seed, mu, contacts):
    """The residual of the cone problem vanishes; nothing gains with e = 0."""
    rng = np.random.default_rng(seed)
    M, J, W, Y = response(rng, contacts, 12)
    z = rng.normal(size=12)
    u = (J @ z).reshape(-1, 3)
    friction = np.full(contacts, mu)
    P = coulomb_impulses(W, u, friction)
    assert residual(W, u, friction, P) <= 1e-8 * np.abs(u).max()
    after = z + Y @ P.reshape(-1)
    assert after @ M @ after <= z @ M @ z * (1 + 1e-8)


@given(seeds, shares, st.integers(2, 4))
def test_impacts_in_sequence_part_and_never_gain(seed, e, contacts):
    """After them nothing approaches, and Stronge's law has gained nothing."""
    rng = np.random.default_rng(seed)
    M, J, W, Y = response(rng, contacts, 12)
    z = rng.normal(size=12)
    u = (J @ z).reshape(-1, 3)
    found = in_sequence(W, u, laws_of(contacts, 0.3, e, 0), np.ones(contacts, bool))
    assert np.min(found.velocity[:, 0]) >= -1e-6 * np.abs(u).max()
    after = z + Y @ found.impulse.reshape(-1)
    assert after @ M @ after <= z @ M @ z * (1 + 1e-9)


@given(seeds, st.floats(0.0, 0.4), st.integers(1, 3))
def test_a_support_never_pulls(seed, mu, contacts):
    """Of the motion decided: N >= 0, u_N' >= 0, one of them zero, |T| <= mu N."""
    rng = np.random.default_rng(seed)
    _, _J, W, Y = response(rng, contacts, 12)
    at = at_rest(W, rng.normal(size=3 * contacts), Y, np.full(contacts, mu))
    for motion in decided(at, np.full(contacts, STICKS)):
        N, T = motion.force[:, 0], np.linalg.norm(motion.force[:, 1:], axis=1)
        a = motion.acceleration
        assert np.min(N) >= -1e-7
        assert np.min(a[:, 0]) >= -1e-7
        assert np.max(np.abs(N * a[:, 0])) <= 1e-6 * max(1.0, np.max(N))
        assert np.all(mu * N + 1e-7 * max(1.0, N.max()) >= T)
        # Friction never works forward on a slip that begins.
        assert np.max(np.sum(motion.force[:, 1:] * a[:, 1:], axis=1)) <= 1e-6


@given(seeds, st.integers(2, 5), st.floats(1.0, 8.0))
@example(5, 4, 5.0)
@settings(max_examples=60)
def test_feet_on_one_plane_set_out_along_their_accelerations(seed, feet, pull):
    """T = -mu N d with d along u_T', however many feet share what three would bear.

    While directions differ a little, loads that are redundant would do in their place.
    """
    rng = np.random.default_rng(seed)
    mass, inertia = rng.uniform(0.5, 3), rng.uniform(0.02, 0.2, 3)
    J = np.zeros((3 * feet, 6))
    for k in range(feet):
        x, y = rng.uniform(-1, 1, 2)
        place = slice(3 * k, 3 * k + 3)
        across = np.array([[0.0, 0.3, y], [-0.3, 0.0, -x], [-y, x, 0.0]])
        # Rows are normal, x and y; velocities are those of the point (x, y, -0.3).
        J[place, :3], J[place, 3:] = -across[[2, 0, 1]], np.eye(3)[[2, 0, 1]]
    force = np.concatenate([0.3 * rng.normal(size=3), pull * rng.normal(size=3)])
    force[5] = -9.81 * mass
    weights = np.concatenate([inertia, np.full(3, mass)])
    W, free = J @ (J / weights).T, J @ (force / weights)
    mu = rng.uniform(0.1, 0.9, feet)
    size = np.max(np.abs(free))
    for motion in decided(at_rest(W, free, (J / weights).T, mu), np.full(feet, STICKS)):
        slides, a = motion.status == SLIDES, motion.acceleration[:, 1:]
        d, N = motion.direction, motion.force[:, 0]
        assert np.min(N) >= -1e-9 * np.max(N)
        lifts = motion.acceleration[motion.status > 0, 0]
        assert np.max(np.abs(lifts), initial=0.0) <= 1e-9 * size
        T = -(mu * N)[:, None] * d
        assert_close(motion.force[slides, 1:], T[slides], atol=1e-12 * np.max(N))
        aside = (a[:, 1] * d[:, 0] - a[:, 0] * d[:, 1])[slides]
        assert np.max(np.abs(aside), initial=0.0) <= 1e-9 * size
        assert np.all(np.sum(a * d, axis=1)[slides] >= -1e-9 * size)


def test_a_spatial_slip_turns_along_the_path():
    """With an inertia that couples both ways the slip's direction is followed."""
    rng = np.random.default_rng(3)
    _, _, W, _ = response(rng, 1)
    u = np.array([[-1.0, 0.7, 0.4]])
    found = routh(W, u, laws_of(1, 0.2, 0.5, 1), 0)
    P = found.impulse[0]
    assert np.hypot(*P[1:]) <= 0.2 * P[0] * (1 + 1e-9)
    assert_close(found.velocity[0] - u[0], W @ P, rtol=1e-9)
    with pytest.raises(AssertionError):  # it is no straight line
        assert_close(P[1:] / np.hypot(*P[1:]), -u[0, 1:] / np.hypot(*u[0, 1:]))
