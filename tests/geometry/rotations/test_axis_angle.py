"""Turns about an axis."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import axis_angle
from polhode.geometry.vector import cross, skew
from strategies_rotation import (
    applied,
    columns,
    numbers,
    rotations,
    seeded_path,
    unit_vectors,
)


@pytest.mark.row("R-14")
@given(unit_vectors(), numbers(7.0))
def test_axis_angle_tensor_is_an_exponential(axis, angle):
    """R = n n - cos θ [n][n] + sin θ [n] = exp(θ [n]), R n = n, tr R = 1 + 2 cos θ."""
    S = skew(axis)
    R = axis_angle.to_matrix(axis, angle)
    first = np.outer(axis, axis) - np.cos(angle) * S @ S + np.sin(angle) * S
    assert_close(R, first, rtol=1e-14)
    assert_close(R, scipy.linalg.expm(angle * S), rtol=1e-13)
    assert_close(R @ axis, axis, rtol=1e-14)
    assert_close(np.trace(R), 1 + 2 * np.cos(angle), atol=1e-14)


@pytest.mark.row("R-14")
@given(unit_vectors(), numbers(7.0), columns())
def test_turning_a_vector_needs_no_matrix(axis, angle, vector):
    """n v_∥ + x v_⊥ cos θ + y v_⊥ sin θ is R v, x along v_⊥ and y = n × x."""
    expected = axis_angle.to_matrix(axis, angle) @ vector
    assert_close(axis_angle.turn(axis, angle, vector), expected, atol=1e-14)
    across = vector - axis * (axis @ vector)
    size = np.linalg.norm(across)
    if size > 1e-3:
        x = across / size
        y = np.cross(axis, x)
        swept = x * size * np.cos(angle) + y * size * np.sin(angle)
        assert_close(axis * (axis @ vector) + swept, expected, atol=1e-13)


def moving(t):
    """A unit axis and an angle, both changing in time."""
    path, _ = seeded_path(size=4, seed=8)
    raw = path(t) + np.array([0, 0, 2.5, 1.3])
    return raw[:, :3] / np.linalg.norm(raw[:, :3], axis=1, keepdims=True), raw[:, 3]


@pytest.mark.row("R-15")
def test_axis_angle_rates_give_angular_velocity():
    """ω = θ̇ n + sin θ ṅ + (1 - cos θ) n × ṅ in the observer's axes, minus in the
    body's; the book prints the minus for the observer's, and that fails."""
    t = 0.2
    n, angle = moving(t)
    n_dot = derivative(lambda t: moving(t)[0], t)
    angle_dot = derivative(lambda t: moving(t)[1], t)
    R = axis_angle.to_matrix(n, angle)
    R_dot = derivative(lambda t: axis_angle.to_matrix(*moving(t)), t)
    spatial, body = spatial_components(R, R_dot), body_components(R, R_dot)
    arguments = (n, angle, n_dot, angle_dot)
    assert_close(axis_angle.spatial_angular_velocity(*arguments), spatial, rtol=1e-10)
    assert_close(axis_angle.body_angular_velocity(*arguments), body, rtol=1e-10)
    versine = (1 - np.cos(angle))[:, None]
    printed = angle_dot[:, None] * n + np.sin(angle)[:, None] * n_dot
    printed = printed - versine * cross(n, n_dot)
    assert np.max(np.abs(printed - spatial)) > 0.1
    for inverse, omega in (
        (axis_angle.rates_of_spatial, spatial),
        (axis_angle.rates_of_body, body),
    ):
        back_n, back_angle = inverse(n, angle, omega)
        assert_close(back_n, n_dot, rtol=1e-10)
        assert_close(back_angle, angle_dot, rtol=1e-10)


def test_at_no_turn_the_axis_rate_is_zero():
    """At θ = 0 the kernel gives the least-squares rates: θ̇ = n·ω, ṅ = 0."""
    axis, spin = np.array([0.0, 0, 1]), np.array([1.0, 2, 3])
    axis_rate, angle_rate = axis_angle.rates_of_spatial(axis, np.float64(0), spin)
    assert_close(axis_rate, np.zeros(3))
    assert_close(angle_rate, 3.0)


@pytest.mark.row("R-16")
@given(rotations())
def test_axis_and_angle_of_every_rotation(matrix):
    """R → (n, θ) → R with |n| = 1 and θ in [0, π]; near π, n n = (R + 1)/2."""
    axis, angle = axis_angle.from_matrix(matrix)
    assert_close(axis @ axis, 1.0, rtol=1e-14)
    assert 0 <= angle <= np.pi
    assert_close(axis_angle.to_matrix(axis, angle), matrix, rtol=1e-14)
    if angle > np.pi - 1e-7:
        symmetric = (matrix + matrix.T) / 2
        assert_close(np.outer(axis, axis), (symmetric + np.eye(3)) / 2, rtol=1e-13)


def test_the_identity_has_the_axis_x():
    """Every axis serves at θ = 0; x is the one that is given."""
    axis, angle = axis_angle.from_matrix(np.eye(3))
    assert_close(axis, [1, 0, 0])
    assert angle == 0


@given(unit_vectors(), numbers(3.0), columns())
def test_turn_and_matrix_agree_in_batches(axis, angle, vector):
    """A batch of turns is the turns one by one."""
    axes, angles = np.stack([axis, -axis]), np.array([angle, angle / 2])
    batch = axis_angle.turn(axes, angles, np.stack([vector, vector]))
    matrices = axis_angle.to_matrix(axes, angles)
    assert_close(batch, applied(matrices, np.stack([vector] * 2)), atol=1e-14)
