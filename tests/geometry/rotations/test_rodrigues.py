"""Rodrigues' vector, tan(θ/2) n."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import axis_angle, quaternion, rodrigues
from polhode.geometry.vector import cross, skew
from strategies_rotation import (
    applied,
    columns,
    numbers,
    seeded_path,
    seeded_rotations,
    unit_vectors,
)


@pytest.mark.row("R-27")
@given(unit_vectors(), numbers(3.0))
def test_rodrigues_vector_is_the_half_tangent_along_the_axis(axis, angle):
    """ρ = tan(θ/2) n, R = 1 + 2/(1 + ρ²) ([ρ] + [ρ][ρ]), and back."""
    rho = np.tan(angle / 2) * axis
    S = skew(rho)
    R = np.eye(3) + 2 / (1 + rho @ rho) * (S + S @ S)
    assert_close(rodrigues.to_matrix(rho), R, rtol=1e-14)
    assert_close(R, axis_angle.to_matrix(axis, angle), rtol=1e-13)
    assert_close(rodrigues.from_matrix(rodrigues.to_matrix(rho)), rho, rtol=1e-13)


@pytest.mark.row("R-27")
def test_rodrigues_rates_give_angular_velocity():
    """ω = 2/(1 + ρ²) (ρ̇ + ρ × ρ̇) is Ṙ Rᵀ, with minus Rᵀ Ṙ; the inverses lead back."""
    path, rate = seeded_path()
    t = 0.35
    rho, rho_dot = path(t), rate(t)
    R = rodrigues.to_matrix(rho)
    R_dot = derivative(lambda t: rodrigues.to_matrix(path(t)), t)
    spatial, body = spatial_components(R, R_dot), body_components(R, R_dot)
    scale = 2 / (1 + np.sum(rho**2, axis=1, keepdims=True))
    assert_close(scale * (rho_dot + cross(rho, rho_dot)), spatial, rtol=1e-10)
    cases = [
        (rodrigues.spatial_rate_matrix, rodrigues.spatial_rate_inverse, spatial),
        (rodrigues.body_rate_matrix, rodrigues.body_rate_inverse, body),
    ]
    for direct, inverse, omega in cases:
        assert_close(applied(direct(rho), rho_dot), omega, rtol=1e-10)
        assert_close(applied(inverse(rho), omega), rho_dot, rtol=1e-10)


def test_round_trip_on_many_rotations():
    """R → ρ → R to 1e-14 on a thousand rotations, however near to half turns."""
    R = seeded_rotations(1000)
    assert_close(rodrigues.to_matrix(rodrigues.from_matrix(R)), R, rtol=1e-14)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-12])
def test_near_a_half_turn_the_length_loses_digits(distance):
    """|ρ| comes back to 4e-16/distance of itself, its direction to 1e-15."""
    axis = np.array([2.0, -3, 6]) / 7
    angle = np.pi - distance
    rho = rodrigues.from_matrix(axis_angle.to_matrix(axis, angle))
    length = np.linalg.norm(rho)
    assert_close(length, 1 / np.tan(distance / 2), rtol=4e-16 / distance)
    assert_close(rho / length, axis, rtol=1e-15)


@given(unit_vectors())
def test_a_half_turn_stays_finite_and_comes_back(axis):
    """At θ = π the kernel gives a vector of length 1e150, which is the half turn."""
    q = np.concatenate([[0.0], axis])
    rho = rodrigues.from_quaternion(q)
    assert_close(np.linalg.norm(rho), 1e150, rtol=1e-14)
    R = quaternion.to_matrix(q)
    assert_close(rodrigues.to_matrix(rho), R, rtol=1e-14)
    assert rodrigues.regularity(rho) < 1e-149


@given(columns(largest=50.0))
def test_regularity_is_the_cosine_of_half_the_angle(rho):
    """1/√(1 + ρ²) = cos(θ/2), the scalar of the quaternion."""
    scalar = rodrigues.to_quaternion(rho)[0]
    assert_close(rodrigues.regularity(rho), scalar, rtol=1e-14)
