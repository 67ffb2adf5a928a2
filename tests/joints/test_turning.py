"""Turns about an axis, and what is not one."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given

import polhode as ph
from closeness import assert_close
from polhode.geometry.rotations import axis_angle, so3
from polhode.geometry.vector import vee
from polhode.joints.complement import complement
from polhode.joints.turning import angle_about, tilt, turn_about
from polhode.matter.axes import turn_to
from strategies_geometry import generators, random_direction


@given(generators)
def test_a_turn_is_that_of_axis_and_angle(rng):
    """n n + cos θ (1 - n n) + sin θ [n] is the rotation of the geometry room."""
    axis, angle = random_direction(rng), np.float64(rng.uniform(-7, 7))
    expected = axis_angle.to_matrix(axis, angle)
    assert_close(turn_about(axis, angle), expected, rtol=1e-14)


@given(generators)
def test_the_tilt_leaves_a_turn_about_the_axis(rng):
    """R = exp(tilt in F) turn(n, θ): the swing taken away, the twist is the angle."""
    axis = random_direction(rng)
    triad = turn_to(axis, "the axis")
    square = triad[:, :2] @ rng.uniform(-1.5, 1.5, 2)
    angle = rng.uniform(-3, 3)
    R = turn_about(axis, angle) @ so3.exp(square)
    assert_close(tilt(triad, R), triad[:, :2].T @ square, atol=1e-13)
    assert_close(angle_about(triad, R), angle, atol=1e-13)


def test_an_axis_turned_round_is_not_where_it_was():
    """Opposite to its place an axis is tilted by π, exactly or nearly so.

    So far from home half the digits will do: 1 + m.n cancels.
    """
    triad = turn_to((1.0, 2.0, -0.5), "the axis")
    for short in (0.0, 1e-16, 1e-9, 1e-3):
        R = so3.exp((np.pi - short) * triad[:, 0])
        assert_close(np.linalg.norm(tilt(triad, R)), np.pi - short, rtol=1e-6)
    exact = triad @ np.diag([1.0, -1.0, -1.0]) @ triad.T
    assert_close(np.linalg.norm(tilt(np.eye(3), np.diag([1.0, -1, -1]))), np.pi)
    assert_close(np.linalg.norm(tilt(triad, exact)), np.pi, rtol=1e-6)


def _rates(triad, closed, first, second):
    """0th, 1st and 2nd derivatives of tilts and turns as read and as computed."""

    def at(s):
        R = closed @ so3.exp(s * first + s * s * second)
        m_u, m_v, _ = triad.T @ (R.T @ triad[:, 2])
        turn = closed.T @ R
        read = jnp.stack([m_v, -m_u]), vee(turn)
        return read, (tilt(triad, R), so3.misalignment(turn))

    rate = jax.jacfwd(at)
    return [f(0.0 * first[0]) for f in (at, rate, jax.jacfwd(rate))]


RATES = ph.compile(_rates, np.eye(3), np.eye(3), np.ones(3), np.ones(3))


@given(generators)
def test_what_people_read_of_a_tilt_moves_as_it_does(rng):
    """m x n and (R - Rᵀ)/2 have the first and second rates of what is computed."""
    triad = turn_to(random_direction(rng), "the axis")
    closed = turn_about(triad[:, 2], rng.uniform(-3, 3))
    for read, computed in RATES(triad, closed, *rng.normal(size=(2, 3))):
        for one, other in zip(read, computed, strict=True):
            assert_close(one, other, atol=1e-13)


@given(generators)
def test_a_complement_is_square_to_its_columns(rng):
    """Cᵀ S = 0 and Cᵀ C = 1, for columns of any size and sign."""
    count = int(rng.integers(1, 7))
    columns = rng.normal(size=(6, count)) * 10.0 ** rng.uniform(-3, 3)
    columns[:, 0] *= rng.choice([0.0, 1.0], 6) + np.eye(6)[count - 1]
    basis = complement(columns)
    scale = np.abs(columns).max()
    assert basis.shape == (6, 6 - count)
    assert_close(basis.T @ columns, np.zeros((6 - count, count)), atol=1e-13 * scale)
    assert_close(basis.T @ basis, np.eye(6 - count), atol=1e-14)
