"""Small rotations, to first order."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from finite import derivative
from polhode.geometry.rotations import rotation_chain, rotation_increment, so3
from polhode.geometry.rotations.euler_angles import to_matrix as euler_matrix
from polhode.geometry.rotations.parametrisation import PARAMETRISATIONS, QUATERNION
from polhode.geometry.vector import alternator, skew
from strategies_rotation import (
    applied,
    seeded_columns,
    seeded_path,
    seeded_rotations,
    transposed,
)

HALVINGS = (1e-2, 5e-3, 2.5e-3)


def falls_fourfold(gap) -> None:
    """The gap is of second order: halving e divides it by 4 ± 0.2."""
    for e in HALVINGS:
        assert abs(gap(e) / gap(e / 2) - 4) < 0.2


@pytest.mark.row("R-12")
def test_increment_of_a_change():
    """[δ] = dR Rᵀ with δ_l = -1/2 ε_lij dR_ik R_jk, and δ/dt is ω."""
    path, _ = seeded_path()
    t = 0.1
    R = so3.exp(path(t))
    change = derivative(lambda t: so3.exp(path(t)), t)
    delta = rotation_increment.spatial(R, change)
    assert_close(skew(delta), change @ transposed(R), rtol=1e-10)
    assert_close(delta, -alternator(change @ transposed(R)) / 2, rtol=1e-12)
    rate = applied(so3.left_jacobian(path(t)), derivative(path, t))
    assert_close(delta, rate, rtol=1e-10)


@pytest.mark.row("R-12")
@pytest.mark.parametrize("chart", PARAMETRISATIONS, ids=lambda chart: chart.name)
def test_parameters_move_the_rotation_to_first_order(chart):
    """|R(q + e d) - (1 + e [δ]) R| falls fourfold when e is halved, δ = g_i dⁱ."""
    start = chart.from_matrix(so3.exp(np.array([0.7, -0.4, 1.1])))
    step = np.array([0.5, -0.3, 0.8, 0.4])[: chart.size]
    if chart.size == 4:  # keep |q| or |n|: d is square to it
        bound = start if chart is QUATERNION else start * [1, 1, 1, 0]
        step = step - bound * (bound @ step)
    delta = chart.basis(start) @ step
    R = chart.to_matrix(start)
    falls_fourfold(
        lambda e: np.linalg.norm(
            chart.to_matrix(start + e * step) - rotation_increment.updated(R, e * delta)
        )
    )


@pytest.mark.row("R-12")
def test_small_rotations_add_in_any_order():
    """exp(e a) exp(e b) is 1 + e [a + b] and is exp(e b) exp(e a), both up to O(e²)."""
    a, b = np.array([0.4, -1.0, 0.3]), np.array([0.9, 0.2, -0.6])

    def composed(e):
        return so3.exp(e * a) @ so3.exp(e * b)

    falls_fourfold(lambda e: np.linalg.norm(composed(e) - np.eye(3) - e * skew(a + b)))
    falls_fourfold(
        lambda e: np.linalg.norm(composed(e) - so3.exp(e * b) @ so3.exp(e * a))
    )


@pytest.mark.row("R-12")
def test_boxplus_is_exact_where_the_first_order_is_not():
    """⊞ keeps R orthogonal for any increment and agrees to first order."""
    R, delta = seeded_rotations(1)[0], np.array([0.3, -0.5, 0.9])
    moved = so3.boxplus(R, delta)
    assert_close(moved.T @ moved, np.eye(3), rtol=1e-15)
    assert_close(so3.boxminus(moved, R), delta, rtol=1e-14)
    assert np.linalg.norm(rotation_increment.updated(R, delta)) > 1.8
    falls_fourfold(
        lambda e: np.linalg.norm(
            so3.boxplus(R, e * delta) - rotation_increment.updated(R, e * delta)
        )
    )


@pytest.mark.row("R-13")
def test_increments_in_body_components():
    """δ¹ = Rᵀ δ⁰, from Rᵀ dR; the text's R·dR without the transpose fails."""
    path, _ = seeded_path(seed=5)
    t = 0.1
    R = so3.exp(path(t))
    change = derivative(lambda t: so3.exp(path(t)), t)
    spatial = rotation_increment.spatial(R, change)
    body = rotation_increment.body(R, change)
    assert_close(body, applied(transposed(R), spatial), rtol=1e-10)
    assert_close(skew(body), transposed(R) @ change, rtol=1e-10)
    printed = change @ R  # ERR-003-35: the variation times R, not its transpose
    assert np.max(np.abs(printed + transposed(printed))) > 0.1


@pytest.mark.row("R-13")
@pytest.mark.parametrize("n", [2, 3, 5])
def test_increments_add_along_a_chain(n):
    """δ_2/0 = δ_2/1 + δ_1/0, with δ_2/1 varied at fixed basis 1: (δ₁R12) R12ᵀ."""
    path, _ = seeded_path(count=n, seed=7)
    t = 0.1
    links = so3.exp(path(t))
    own = rotation_increment.spatial(links, derivative(lambda t: so3.exp(path(t)), t))
    got = rotation_increment.along_chain(links, own)
    reached = rotation_chain.orientations(links)
    change = derivative(lambda t: rotation_chain.orientations(so3.exp(path(t))), t)
    assert_close(got, rotation_increment.spatial(reached, change), rtol=1e-10)
    # Adding the columns as they stand, each in its own basis, is wrong.
    assert np.max(np.abs(own.sum(axis=0) - got[-1])) > 0.01


def test_quaternion_and_angles_give_one_increment():
    """A change of orientation has one δ, whatever its parameters."""
    path, _ = seeded_path(seed=9)
    t = 0.1

    def R(t):
        return euler_matrix("zxz", path(t))

    def q(t):
        raw = QUATERNION.from_matrix(R(t))
        return raw * np.sign(np.sum(raw * QUATERNION.from_matrix(R(0.1)), -1))[:, None]

    delta = rotation_increment.spatial(R(t), derivative(R, t))
    assert_close(applied(QUATERNION.basis(q(t)), derivative(q, t)), delta, rtol=1e-9)


def test_first_order_update_of_a_batch():
    """(1 + [δ]) R for each member."""
    R, delta = seeded_rotations(), 1e-3 * seeded_columns()
    assert_close(rotation_increment.updated(R, delta), R + skew(delta) @ R)
