"""The derivative of a scalar with respect to a rotation."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from finite import derivative
from polhode.geometry.rotations import quaternion, rotational_gradient, so3
from polhode.geometry.rotations.parametrisation import (
    PARAMETRISATIONS,
    QUATERNION,
    THREE_PARAMETERS,
)
from polhode.geometry.vector import alternator, skew
from strategies_rotation import (
    generator,
    seeded_path,
    seeded_quaternions,
    seeded_rotations,
)

A, B = generator(11).standard_normal((2, 3, 3))


def scalar(R):
    """A random function of the matrix entries: cubic, not only on rotations."""
    trace = np.trace(R.swapaxes(-1, -2) @ A, axis1=-2, axis2=-1)
    return trace + np.sum(B * R * R, axis=(-1, -2)) + trace**3 / 9


def slope(R):
    """∂S/∂R_ij, term by term."""
    trace = np.trace(R.swapaxes(-1, -2) @ A, axis1=-2, axis2=-1)[..., None, None]
    return A + 2 * B * R + trace**2 / 3 * A


def slope_by_parameters(chart, gamma):
    """∂S/∂γⁱ by differences of S(R(γ)), with the other parameters kept."""
    return np.stack(
        [
            derivative(lambda e, u=u: scalar(chart.to_matrix(gamma + e * u)), 0.0)
            for u in np.eye(chart.size)
        ],
        axis=-1,
    )


@pytest.mark.row("P-03", "R-30")
def test_rate_of_a_scalar_is_sigma_dot_omega():
    """dS/dt = σ · ω along a motion, with σ = -ε[Σ], Σ = 1/2 (S_R Rᵀ - R S_Rᵀ)."""
    path, rate = seeded_path()
    t = 0.25
    R = so3.exp(path(t))
    omega = np.einsum("nij,nj->ni", so3.left_jacobian(path(t)), rate(t))
    sigma = rotational_gradient.from_matrix(R, slope(R))
    along = derivative(lambda t: scalar(so3.exp(path(t))), t)
    assert_close(np.sum(sigma * omega, axis=1), along, rtol=1e-10)
    tensor = rotational_gradient.tensor_from_matrix(R, slope(R))
    assert_close(tensor, -tensor.swapaxes(-1, -2), rtol=0)
    assert_close(sigma, -alternator(tensor), rtol=1e-12)


@pytest.mark.row("R-30")
def test_sigma_does_not_see_how_the_scalar_is_extended():
    """S_R → S_R + R M with M symmetric changes nothing; with M skew it does."""
    R = seeded_rotations()
    M = generator(3).standard_normal((24, 3, 3))
    symmetric, skewed = M + M.swapaxes(-1, -2), M - M.swapaxes(-1, -2)
    sigma = rotational_gradient.from_matrix(R, slope(R))
    other = rotational_gradient.from_matrix(R, slope(R) + R @ symmetric)
    assert_close(other, sigma, rtol=1e-12)
    wrong = rotational_gradient.from_matrix(R, slope(R) + R @ skewed)
    assert np.max(np.abs(wrong - sigma)) > 0.1


@pytest.mark.row("R-30")
@pytest.mark.parametrize("chart", PARAMETRISATIONS, ids=lambda chart: chart.name)
def test_all_parametrisations_give_one_sigma(chart):
    """σ = ∂S/∂γⁱ gⁱ, whatever γ; and Σ = -1/2 ∂S/∂γⁱ ε gⁱ, that is [σ]/2."""
    R = seeded_rotations(seed=9)
    gamma = chart.from_matrix(R)
    sigma = rotational_gradient.from_matrix(R, slope(R))
    by_parameters = slope_by_parameters(chart, gamma)
    got = rotational_gradient.from_parameters(chart, gamma, by_parameters)
    assert_close(got, sigma, rtol=1e-7)
    if chart in THREE_PARAMETERS:
        tensor = skew(np.einsum("ni,nij->nj", by_parameters, chart.dual_basis(gamma)))
        expected = rotational_gradient.tensor_from_matrix(R, slope(R))
        assert_close(tensor / 2, expected, rtol=1e-7)


@pytest.mark.row("R-31")
def test_quaternion_slopes_give_the_same_sigma():
    """σ = 1/2 (w S_v - S_w v + v × S_v) for any extension of S off |q| = 1."""
    q = seeded_quaternions()
    R = quaternion.to_matrix(q)
    sigma = rotational_gradient.from_matrix(R, slope(R))
    plain = slope_by_parameters(QUATERNION, q)
    got = rotational_gradient.from_quaternion(q, plain)
    assert_close(got, sigma, rtol=1e-9)
    # Another extension, S + 5 (|q|² - 1), has another slope and the same σ.
    extended = rotational_gradient.from_quaternion(q, plain + 10 * q)
    assert_close(extended, sigma, rtol=1e-9)
    same = rotational_gradient.from_parameters(QUATERNION, q, plain)
    assert_close(same, got, rtol=1e-12)
