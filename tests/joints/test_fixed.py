"""The weld."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import so3
from polhode.joints.fixed import merged_moments
from polhode.matter.momentum import spatial_momentum_rate
from polhode.matter.spatial_inertia import spatial_inertia
from strategies_geometry import generators, rotation_matrix


def particles(rng, name):
    """A body of six particles, and where they are in it."""
    masses, places = rng.uniform(0.5, 2.0, 6), rng.normal(size=(6, 3))
    return ph.Body(name, ph.Cloud(masses, places)), masses, places


def welded(rng):
    """Two clouds welded anyhow, and where the second lies in the first's frame."""
    first, m_first, x_first = particles(rng, "first")
    second, m_second, x_second = particles(rng, "second")
    seats = {"first_axes": rotation_matrix(rng), "second_axes": rotation_matrix(rng)}
    ends = first.point(*rng.normal(size=3)), second.point(*rng.normal(size=3))
    weld = ph.Fixed("weld", *ends, **seats)
    R_BC = seats["first_axes"] @ seats["second_axes"].T
    p_BoCo_B = ends[0].coordinates - R_BC @ ends[1].coordinates
    all_masses = np.concatenate([m_first, m_second])
    all_places = np.concatenate([x_first, x_second @ R_BC.T + p_BoCo_B])
    return weld, first, second, ph.Cloud(all_masses, all_places), (R_BC, p_BoCo_B)


@given(generators)
@pytest.mark.row("C-03")
def test_two_welded_bodies_are_one_body(rng):
    """The moments of the whole are those of all particles; nothing moves in it."""
    weld, first, second, whole, _ = welded(rng)
    merged = merged_moments(weld, first.moments(), second.moments())
    for one, other in zip(merged, whole.moments(), strict=True):
        assert_close(one, other, rtol=1e-12)
    assert weld.speeds == 0
    assert np.array_equal(weld.reaction(weld.neutral()), np.eye(6))


@given(generators)
@pytest.mark.row("C-03")
def test_cutting_the_weld_gives_its_reaction(rng):
    """What the second part needs is what the first is short of, at the same point.

    The whole is accelerated by a wrench on the first part; Newton's and Euler's
    balance of the second part alone gives the reaction, and closes that of the first.
    """
    weld, first, second, _, (R_BC, p_BoCo_B) = welded(rng)
    merged = spatial_inertia(*merged_moments(weld, first.moments(), second.moments()))
    V, wrench = rng.normal(size=(2, 6))
    bias = spatial_momentum_rate(merged, V, np.zeros(6))
    V_dot = np.linalg.solve(merged, wrench - bias)
    own = first.spatial_inertia()
    short = wrench - spatial_momentum_rate(own, V, V_dot)
    # The second part alone, in its own frame: twist, acceleration and wrench moved.
    turn = np.kron(np.eye(2), R_BC.T)
    shift = np.eye(6)
    shift[3:, :3] = -_cross_matrix(p_BoCo_B)
    into = turn @ shift
    given_by_joint = spatial_momentum_rate(
        second.spatial_inertia(), into @ V, into @ V_dot
    )
    assert_close(into.T @ given_by_joint, short, atol=1e-11 * np.abs(wrench).max())


def _cross_matrix(a):
    return np.stack([np.cross(a, e) for e in np.eye(3)], axis=-1)


def test_a_half_turn_is_no_weld():
    """The residual is the rotation vector: π at a half turn, where sin θ is zero."""
    weld, *_ = welded(np.random.default_rng(0))
    half = so3.exp(np.array([0.0, np.pi, 0.0]))
    assert_close(np.linalg.norm(weld.residual(half, np.zeros(3))), np.pi)
