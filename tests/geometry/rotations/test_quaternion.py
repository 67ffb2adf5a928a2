"""Unit quaternions: scalar first, Hamilton's product, active rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import axis_angle, quaternion, so3
from polhode.geometry.vector import cross, skew
from rk4 import rk4
from strategies_rotation import (
    applied,
    columns,
    rotation_vectors,
    rotations,
    seeded_columns,
    seeded_path,
    seeded_quaternions,
    transposed,
    unit_quaternions,
)


@pytest.mark.row("CV-11")
@given(unit_quaternions(), unit_quaternions())
def test_matrix_of_a_product_is_the_product_of_matrices(a, b):
    """R(ab) = R(a) R(b) with R(q) = 1 + 2 w [v] + 2 [v][v], and R(-q) = R(q)."""
    S = skew(a[1:])
    assert_close(quaternion.to_matrix(a), np.eye(3) + 2 * a[0] * S + 2 * S @ S)
    product = quaternion.to_matrix(quaternion.product(a, b))
    assert_close(product, quaternion.to_matrix(a) @ quaternion.to_matrix(b))
    assert_close(quaternion.to_matrix(-a), quaternion.to_matrix(a), rtol=0)


@pytest.mark.row("CV-11")
@given(unit_quaternions(), columns())
def test_scalar_comes_first_and_rotation_is_active(q, v):
    """i j = k on (w, x, y, z); q v q* is R v; q and -q have one canonical sign."""
    i, j, k = np.eye(4)[1:]
    assert_close(quaternion.product(i, j), k)
    turned = quaternion.product(
        quaternion.product(q, quaternion.pure(v)), quaternion.conjugate(q)
    )
    assert_close(turned[1:], quaternion.to_matrix(q) @ v, atol=1e-14)
    upper = quaternion.canonical(q)
    assert upper[0] >= 0
    assert_close(upper, quaternion.canonical(-q), rtol=0)
    assert_close(quaternion.to_matrix(upper), quaternion.to_matrix(q))


@pytest.mark.row("R-24")
@given(rotation_vectors())
def test_quaternion_of_an_axis_and_angle(vector):
    """q = cos(θ/2) + sin(θ/2) n has length one and the tensor of (n, θ)."""
    angle = np.linalg.norm(vector)
    axis = vector / angle if angle > 0 else np.array([1.0, 0, 0])
    q = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    assert_close(quaternion.exp(vector), q, rtol=1e-15)
    assert_close(q @ q, 1.0, rtol=1e-15)
    assert_close(quaternion.to_matrix(q), axis_angle.to_matrix(axis, angle), rtol=1e-14)


@pytest.mark.row("R-24")
def test_norm_is_kept_by_integration():
    """1000 steps of q ← exp(ω h) q keep |q| = 1 to 1e-12 and follow Ṙ = [ω] R; so do
    steps of RK4 on q̇ = ω q/2 with projection, while RK4 alone loses it."""
    h, steps = 0.1, 1000
    spin = np.array([0.9, -1.2, 2.0])
    exponential = projected = bare = np.array([1.0, 0, 0, 0])

    def rate(_, q):
        return quaternion.rates_of_spatial(q, spin)

    step = quaternion.exp(spin * h)
    for _ in range(steps):
        exponential = quaternion.product(step, exponential)
        projected = quaternion.normalised(rk4(rate, projected, 0.0, h, 1))
        bare = rk4(rate, bare, 0.0, h, 1)
    assert abs(np.linalg.norm(exponential) - 1) < 1e-12
    assert abs(np.linalg.norm(projected) - 1) < 1e-15
    assert abs(np.linalg.norm(bare) - 1) > 1e-6
    end = so3.exp(spin * h * steps)
    assert_close(quaternion.to_matrix(exponential), end, rtol=1e-11)
    assert_close(quaternion.to_matrix(projected), end, rtol=1e-2)


@pytest.mark.row("R-25")
def test_quaternion_rates_and_angular_velocity():
    """ω = 2 (w v̇ - ẇ v + v × v̇) is Ṙ Rᵀ, the minus sign is Rᵀ Ṙ; q̇ = ω q/2 = q ω'/2.

    The book prints the minus for Ṙ Rᵀ: that fails.
    """
    path, _ = seeded_path(size=4)
    t = 0.3
    q = quaternion.normalised(path(t))
    q_dot = derivative(lambda t: quaternion.normalised(path(t)), t)
    R = quaternion.to_matrix(q)
    R_dot = derivative(
        lambda t: quaternion.to_matrix(quaternion.normalised(path(t))), t
    )
    spatial, body = spatial_components(R, R_dot), body_components(R, R_dot)
    assert_close(quaternion.spatial_angular_velocity(q, q_dot), spatial, rtol=1e-10)
    assert_close(quaternion.body_angular_velocity(q, q_dot), body, rtol=1e-10)
    w, v, w_dot, v_dot = q[:, :1], q[:, 1:], q_dot[:, :1], q_dot[:, 1:]
    printed = 2 * (w * v_dot - w_dot * v - cross(v, v_dot))
    assert np.max(np.abs(printed - spatial)) > 0.1
    assert_close(printed, body, rtol=1e-10)
    assert_close(quaternion.rates_of_spatial(q, spatial), q_dot, rtol=1e-10)
    assert_close(quaternion.rates_of_body(q, body), q_dot, rtol=1e-10)
    change = skew(spatial) @ R
    assert_close(change, R_dot, rtol=1e-10)


@pytest.mark.row("R-26")
def test_quaternion_increment_is_a_rotation_increment():
    """[δ] = dR Rᵀ with dR = 2 dw [v] + 2 w [dv] + 2 ([dv][v] + [v][dv]) for dq square
    to q, and δ = -2 v dw + 2 w dv + 2 v × dv; the printed minus fails."""
    q = seeded_quaternions()
    raw = seeded_columns(size=4)
    dq = raw - q * np.sum(q * raw, axis=1, keepdims=True)
    w, v, dw, dv = q[:, :1], q[:, 1:], dq[:, :1], dq[:, 1:]
    S, dS = skew(v), skew(dv)
    dR = 2 * dw[..., None] * S + 2 * w[..., None] * dS + 2 * (dS @ S + S @ dS)
    along = derivative(lambda e: quaternion.to_matrix(q + e * dq), 0.0)
    assert_close(dR, along, rtol=1e-10)
    delta = spatial_components(quaternion.to_matrix(q), dR)
    assert_close(skew(delta), dR @ transposed(quaternion.to_matrix(q)), rtol=1e-12)
    assert_close(-2 * v * dw + 2 * w * dv + 2 * cross(v, dv), delta, rtol=1e-12)
    assert_close(applied(quaternion.spatial_rate_matrix(q), dq), delta, rtol=1e-12)
    assert_close(applied(quaternion.spatial_rate_inverse(q), delta), dq, rtol=1e-12)
    printed = -2 * v * dw + 2 * w * dv - 2 * cross(v, dv)
    assert np.max(np.abs(printed - delta)) > 0.1


@given(rotations())
def test_every_rotation_matrix_has_a_unit_quaternion(matrix):
    """R → q → R to 1e-15, at the identity and at half turns alike."""
    q = quaternion.from_matrix(matrix)
    assert_close(q @ q, 1.0, rtol=1e-15)
    assert_close(quaternion.to_matrix(q), matrix, rtol=2e-15)


@given(unit_quaternions())
def test_from_matrix_gives_the_quaternion_or_its_negative(q):
    """q → R → ±q to 1e-15, and 4 q qᵀ is linear in R."""
    matrix = quaternion.to_matrix(q)
    back = quaternion.from_matrix(matrix)
    assert_close(back * np.sign(back @ q), q, rtol=2e-15)
    assert_close(quaternion.four_outer(matrix), 4 * np.outer(q, q), rtol=1e-15)


@given(unit_quaternions(), columns())
def test_rates_are_square_to_the_quaternion(q, spin):
    """q·q̇ = 0: the length asks for no constraint."""
    assert abs(q @ quaternion.rates_of_spatial(q, spin)) < 1e-15
    assert abs(q @ quaternion.rates_of_body(q, spin)) < 1e-15


@given(rotation_vectors())
def test_logarithm_ignores_length_and_sign(vector):
    """log(λ q) = log q for every λ ≠ 0."""
    q = quaternion.exp(vector)
    for factor in (3.0, -0.2):
        assert_close(quaternion.log(factor * q), quaternion.log(q), rtol=2e-15)
