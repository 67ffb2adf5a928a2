"""The exponential of rotations, its inverse and its derivatives."""

from __future__ import annotations

import jax
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import so3
from polhode.geometry.vector import alternator
from strategies_rotation import (
    ANGLES,
    applied,
    columns,
    rotation_vectors,
    rotations,
    seeded_path,
    seeded_rotations,
    transposed,
)

EPSILON = 2.0**-52
AXES = [(1, 0, 0), (0, 0, -1), (0.6, 0.8, 0), (2, -3, 6), (1e-8, 1, -1e-3)]
JACOBIANS = [
    (so3.left_jacobian, so3.left_jacobian_inverse),
    (so3.right_jacobian, so3.right_jacobian_inverse),
]


def in_many_digits(vector, coefficients) -> np.ndarray:
    """1 + first [φ] + second [φ]² with coefficients of θ in 700 digits."""
    with mp.workdps(700):
        x, y, z = (mp.mpf(float(v)) for v in vector)
        cross = mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        first, second = coefficients(mp.sqrt(x * x + y * y + z * z))
        exact = mp.eye(3) + first * cross + second * cross * cross
        return np.array(exact.tolist(), dtype=float)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_and_logarithm_hold_to_four_ulp(angle, axis):
    """From angles of 1e-300 to π both ways, on the scale of what is computed."""
    vector = angle * np.array(axis) / np.linalg.norm(axis)
    exact = in_many_digits(vector, lambda t: (mp.sin(t) / t, (1 - mp.cos(t)) / t**2))
    off = ~np.eye(3, dtype=bool)
    assert_close(so3.exp(vector), exact, rtol=4 * EPSILON)
    # A small angle lives in the entries off the diagonal: their scale is the angle.
    assert_close(so3.exp(vector)[off], exact[off], atol=4 * EPSILON * angle)
    got = so3.log(exact)
    if angle > 3.14 and got @ vector < 0:
        got = -got  # n and -n within rounding of π
    assert_close(got, vector, rtol=4 * EPSILON)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
def test_jacobians_hold_to_four_ulp(angle, axis):
    """J and its inverse against 700 digits, from angles of 1e-300 to π."""
    vector = angle * np.array(axis) / np.linalg.norm(axis)
    exact = in_many_digits(
        vector, lambda t: ((1 - mp.cos(t)) / t**2, (t - mp.sin(t)) / t**3)
    )
    inverse = in_many_digits(
        vector,
        lambda t: (-mp.mpf(1) / 2, (1 - t / 2 * mp.cot(t / 2)) / t**2),
    )
    assert_close(so3.left_jacobian(vector), exact, rtol=4 * EPSILON)
    assert_close(so3.left_jacobian_inverse(vector), inverse, rtol=4 * EPSILON)
    assert_close(so3.right_jacobian(vector), exact.T, rtol=4 * EPSILON)
    assert_close(so3.right_jacobian_inverse(vector), inverse.T, rtol=4 * EPSILON)


@given(rotation_vectors(largest=3.0))
def test_logarithm_undoes_the_exponential(vector):
    """log exp φ = φ for angles below π, tiny ones to their own last digits."""
    assert_close(so3.log(so3.exp(vector)), vector, rtol=1e-14)


@given(rotations())
def test_exponential_undoes_the_logarithm(matrix):
    """exp log R = R for every rotation, half turns as well, and the angle is ≤ π."""
    vector = so3.log(matrix)
    assert_close(so3.exp(vector), matrix, rtol=1e-14)
    assert np.linalg.norm(vector) <= np.pi * (1 + EPSILON)


@pytest.mark.row("R-16")
@pytest.mark.parametrize("angle", [1e-12, 1e-6, 1.0, np.pi - 1e-9, np.pi])
def test_rotation_vector_round_trip_at_zero_and_at_pi(angle):
    """log exp (θ n) = θ n; by atan2(|ax R|, (tr R - 1)/2) where that is accurate."""
    for axis in AXES:
        vector = angle * np.array(axis) / np.linalg.norm(axis)
        matrix = so3.exp(vector)
        back = so3.log(matrix)
        if angle == np.pi and back @ vector < 0:
            back = -back
        assert_close(back, vector, rtol=1e-14)
        axial = -alternator(matrix) / 2
        textbook = np.arctan2(np.linalg.norm(axial), (np.trace(matrix) - 1) / 2)
        assert_close(np.linalg.norm(back), textbook, atol=1e-15)


@pytest.mark.row("R-16")
def test_jacobians_take_vector_rates_to_angular_velocity():
    """ω = J_left φ̇ (observer), J_right φ̇ (body); the inverses lead back."""
    path, rate = seeded_path(scale=0.8)
    t, matrix = 0.4, so3.exp(path(0.4))
    change = derivative(lambda t: so3.exp(path(t)), t)
    seen = [spatial_components(matrix, change), body_components(matrix, change)]
    for (jacobian, inverse), omega in zip(JACOBIANS, seen, strict=True):
        assert_close(applied(jacobian(path(t)), rate(t)), omega, rtol=1e-10)
        assert_close(applied(inverse(path(t)), omega), rate(t), rtol=1e-10)


@pytest.mark.row("R-06")
def test_angular_velocity_components_in_both_bases():
    """ω⁰_l = -1/2 ε_lij (Ṙ Rᵀ)_ij, ω¹_l = -1/2 ε_lij (Rᵀ Ṙ)_ij, ω⁰ = R ω¹."""
    path, rate = seeded_path()
    t = 0.7
    matrix = so3.exp(path(t))
    change = derivative(lambda t: so3.exp(path(t)), t)
    spatial = -alternator(change @ transposed(matrix)) / 2
    body = -alternator(transposed(matrix) @ change) / 2
    assert_close(spatial_components(matrix, change), spatial)
    assert_close(body_components(matrix, change), body)
    assert_close(spatial, applied(matrix, body), rtol=1e-10)
    assert_close(spatial, applied(so3.left_jacobian(path(t)), rate(t)), rtol=1e-10)


@given(rotations(), columns(largest=1.0))
def test_boxminus_undoes_boxplus(matrix, increment):
    """(R ⊞ δ) ⊟ R = δ for increments below a half turn."""
    moved = so3.boxplus(matrix, increment)
    assert_close(so3.boxminus(moved, matrix), increment, atol=1e-14)


def test_orthonormalised_is_the_polar_factor():
    """A rotation spoilt by 1e-6 comes back orthogonal to rounding, and the nearest."""
    exact = seeded_rotations()
    noise = np.random.default_rng(5).standard_normal(exact.shape) * 1e-6
    got = so3.orthonormalised(exact + noise)
    left, _, right = np.linalg.svd(exact + noise)
    assert_close(
        transposed(got) @ got, np.broadcast_to(np.eye(3), got.shape), rtol=1e-15
    )
    assert_close(got, left @ right, rtol=1e-14)


def test_orthonormalised_leaves_simple_rotations_alone():
    """A matrix that is orthogonal exactly keeps its bits."""
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert np.array_equal(so3.orthonormalised(quarter), quarter)


@pytest.fixture(scope="module")
def logarithm_slope():
    """d log(exp(t δ) R)/dt at t = 0, compiled once."""
    with jax.enable_x64(True):

        def along(matrix, increment):
            def moved(t):
                return so3.log(so3.exp(t * increment) @ matrix)

            return jax.jvp(moved, (0.0,), (1.0,))[1]

        compiled = jax.jit(along)
        compiled(np.eye(3), np.ones(3))
    return compiled


@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.5, 3.0, np.pi - 1e-9])
def test_slope_of_the_logarithm_is_the_inverse_jacobian(logarithm_slope, angle):
    """d log R = J_left⁻¹ δ at zero, near π, and between."""
    for axis in AXES:
        vector = angle * np.array(axis) / np.linalg.norm(axis)
        for increment in np.eye(3):
            with jax.enable_x64(True):
                slope = np.asarray(logarithm_slope(so3.exp(vector), increment))
            expected = so3.left_jacobian_inverse(vector) @ increment
            assert_close(slope, expected, rtol=1e-13)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8)])
def test_slope_of_the_logarithm_at_a_half_turn_is_finite_and_right(
    logarithm_slope, axis
):
    """At θ = π exactly the slope is that of the branch which was chosen."""
    n = np.array(axis, float)
    matrix = 2 * np.outer(n, n) - np.eye(3)
    vector = so3.log(matrix)
    assert_close(vector, np.pi * n, rtol=1e-15)
    for increment in np.eye(3):
        with jax.enable_x64(True):
            slope = np.asarray(logarithm_slope(matrix, increment))
        expected = so3.left_jacobian_inverse(vector) @ increment
        assert_close(slope, expected, rtol=1e-13)
