"""Modified Rodrigues parameters, tan(θ/4) n, and their shadow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import axis_angle, modified_rodrigues, so3
from rk4 import rk4
from strategies_rotation import (
    applied,
    columns,
    numbers,
    rotations,
    seeded_path,
    unit_quaternions,
    unit_vectors,
)


@pytest.mark.row("R-27")
@given(unit_vectors(), numbers(6.0))
def test_modified_vector_is_the_quarter_tangent_along_the_axis(axis, angle):
    """σ = tan(θ/4) n describes (n, θ); its shadow -σ/σ² is tan((θ - 2π)/4) n."""
    sigma = np.tan(angle / 4) * axis
    R = axis_angle.to_matrix(axis, angle)
    assert_close(modified_rodrigues.to_matrix(sigma), R, rtol=1e-13)
    if abs(angle) > 1e-3:
        shadow = modified_rodrigues.shadow(sigma)
        turned_back = np.tan((angle - np.sign(angle) * 2 * np.pi) / 4) * axis
        assert_close(shadow, turned_back, rtol=1e-11)
        assert_close(modified_rodrigues.to_matrix(shadow), R, rtol=1e-13)
        assert_close(modified_rodrigues.shadow(shadow), sigma, rtol=1e-14)


@given(rotations())
def test_every_rotation_has_parameters_within_one(matrix):
    """R → σ → R to 1e-14 with |σ| ≤ 1, half turns included."""
    sigma = modified_rodrigues.from_matrix(matrix)
    assert np.linalg.norm(sigma) <= 1 + 1e-15
    assert_close(modified_rodrigues.to_matrix(sigma), matrix, rtol=1e-14)


@given(columns(largest=20.0))
def test_switching_keeps_the_rotation(sigma):
    """The switched parameters have |σ| ≤ 1 and the same matrix."""
    switched = modified_rodrigues.switched(sigma)
    assert np.linalg.norm(switched) <= 1 + 1e-15
    R = modified_rodrigues.to_matrix(sigma)
    assert_close(modified_rodrigues.to_matrix(switched), R, rtol=1e-13)
    if np.linalg.norm(sigma) <= 1:
        assert_close(switched, sigma, rtol=0)


@pytest.mark.row("R-27")
def test_modified_rates_give_angular_velocity():
    """σ̇ ↔ ω in the observer's and the body's axes, both ways."""
    path, rate = seeded_path()
    t = 0.35
    sigma, sigma_dot = path(t), rate(t)
    R = modified_rodrigues.to_matrix(sigma)
    R_dot = derivative(lambda t: modified_rodrigues.to_matrix(path(t)), t)
    m = modified_rodrigues
    cases = [
        (m.spatial_rate_matrix, m.spatial_rate_inverse, spatial_components(R, R_dot)),
        (m.body_rate_matrix, m.body_rate_inverse, body_components(R, R_dot)),
    ]
    for direct, inverse, omega in cases:
        assert_close(applied(direct(sigma), sigma_dot), omega, rtol=1e-10)
        assert_close(applied(inverse(sigma), omega), sigma_dot, rtol=1e-10)


def test_a_motion_passes_whole_turns_by_switching():
    """Five whole turns at a steady rate: |σ| never leaves 1 by more than a step, and
    the orientation is right; without the switch σ grows out of all bounds."""
    spin, h, steps = np.array([0.6, -0.8, 1.2]), 0.02, 1000
    sigma = largest = np.zeros(3)
    bare = np.zeros(3)

    def rate(_, sigma):
        return modified_rodrigues.spatial_rate_inverse(sigma) @ spin

    for k in range(steps):
        sigma = modified_rodrigues.switched(rk4(rate, sigma, k * h, k * h + h, 1))
        largest = np.maximum(largest, np.linalg.norm(sigma))
        if np.linalg.norm(bare) < 50:
            bare = rk4(rate, bare, k * h, k * h + h, 1)
    assert np.all(largest <= 1 + 1e-12)
    assert np.linalg.norm(bare) >= 50
    end = so3.exp(spin * h * steps)
    assert_close(modified_rodrigues.to_matrix(sigma), end, rtol=1e-6)


@given(unit_quaternions())
def test_shadow_belongs_to_the_negative_quaternion(q):
    """σ of q and σ of -q are each other's shadows: one rotation, one result."""
    one = modified_rodrigues.from_quaternion(q)
    other = modified_rodrigues.from_quaternion(-q)
    assert_close(one, other, rtol=0)
    if 1e-3 < abs(q[0]) < 0.999:
        far = -q[1:] * np.sign(q[0]) / (1 - abs(q[0]))
        assert_close(modified_rodrigues.shadow(one), far, rtol=1e-12)


def test_the_shadow_of_the_identity_is_finite():
    """At σ = 0 the shadow lies at infinity; the kernel gives zero, which is right."""
    assert_close(modified_rodrigues.shadow(np.zeros(3)), np.zeros(3))
    assert_close(modified_rodrigues.switched(np.zeros(3)), np.zeros(3))
