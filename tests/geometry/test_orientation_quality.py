"""Orientations integrated on the group keep what the motion keeps."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from closeness import assert_close
from polhode.geometry.rotations import so3
from polhode.geometry.vector import cross

INERTIA = np.array([1.0, 2.0, 3.0])
START = np.array([0.3, 1.0, 0.4])
H = 2e-3


def rate(state):
    """φ̇ = J_right⁻¹ w in the chart of this step, ẇ of free rotation, body axes."""
    phi, w = state[:3], state[3:]
    return jax.numpy.concatenate(
        [so3.right_jacobian_inverse(phi) @ w, cross(INERTIA * w, w) / INERTIA]
    )


def group_step(carry, _):
    """RK4 on the rotation vector from the step's own orientation, then R exp φ."""
    R, w = carry
    y = jax.numpy.concatenate([jax.numpy.zeros(3), w])
    k1 = rate(y)
    k2 = rate(y + H / 2 * k1)
    k3 = rate(y + H / 2 * k2)
    k4 = rate(y + H * k3)
    y = y + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return (R @ so3.exp(y[:3]), y[3:]), None


def matrix_step(carry, _):
    """Euler's step of the nine entries, Ṙ = R [w], which leaves the group."""
    R, w = carry
    return (R + H * R @ so3.skew(w), w + H * cross(INERTIA * w, w) / INERTIA), None


def run(step, steps):
    """The last orientation and angular velocity."""
    with jax.enable_x64(True):
        start = (jax.numpy.eye(3), jax.numpy.asarray(START))
        end, _ = jax.jit(lambda s: jax.lax.scan(step, s, None, length=steps))(start)
        return tuple(np.asarray(part) for part in end)


@pytest.mark.row("R-34")
def test_free_rotation_keeps_orthogonality_energy_and_momentum():
    """1e5 steps: |RᵀR - 1| < 1e-10, energy and the vector R I w drift below 1e-8."""
    R, w = run(group_step, 100_000)
    assert np.max(np.abs(R.T @ R - np.eye(3))) < 1e-10
    assert_close(w @ (INERTIA * w), START @ (INERTIA * START), rtol=1e-8)
    assert_close(R @ (INERTIA * w), INERTIA * START, rtol=1e-8)
    length = np.linalg.norm(INERTIA * START)
    assert_close(np.linalg.norm(INERTIA * w), length, rtol=1e-8)
    assert np.max(np.abs(w - START)) > 1e-3


def test_stepping_the_nine_entries_does_not():
    """Without the group the same number of steps leaves the rotations at once."""
    R, _ = run(matrix_step, 1000)
    assert np.max(np.abs(R.T @ R - np.eye(3))) > 1e-3
