"""Laws of the group-invariant velocities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry import se3
from polhode.geometry.motion import invariant_velocity as invariant
from polhode.geometry.vector import cross, permutation_symbol
from rk4 import rk4
from strategies_geometry import Motion, displacement_matrix, generators

EPS = permutation_symbol()


def moving(rng):
    """A displacement and its rate, with its rotation and translation."""
    motion = Motion.random(rng)
    X, X_dot = motion.matrix(0.3), derivative(motion.matrix, 0.3)
    return X, X_dot


def parts(X, X_dot):
    """R, b and their rates."""
    return X[:3, :3], X[:3, 3], X_dot[:3, :3], X_dot[:3, 3]


@pytest.mark.row("K-21")
@given(generators)
def test_two_sets_of_linear_components(rng):
    """uhat = bdot along the observer's axes, u = R^T bdot along the body's."""
    X, X_dot = moving(rng)
    R, _, _, b_dot = parts(X, X_dot)
    u = invariant.left_invariant(X, X_dot)[3:]
    assert_close(u, R.T @ b_dot)
    assert_close(R @ u, b_dot)


@pytest.mark.row("G-02")
@given(generators)
def test_left_invariant_forms(rng):
    """mu = R^T db and nu_i = -1/2 eps_ipq (R^T dR)_pq: the body's u and w."""
    X, X_dot = moving(rng)
    R, _, R_dot, b_dot = parts(X, X_dot)
    V = invariant.left_invariant(X, X_dot)
    assert_close(V[:3], -np.einsum("ipq,pq", EPS, R.T @ R_dot) / 2)
    assert_close(V[3:], R.T @ b_dot)
    assert_close(se3.hat(V), se3.inverse(X) @ X_dot, rtol=1e-9)


@pytest.mark.row("G-04")
@given(generators)
def test_right_invariant_forms(rng):
    """muhat = db + R dR^T b and nuhat_i = 1/2 eps_ipq R_pk dR_qk.

    Of the printed formulas, 1/2 eps R_pk dR_kq and 1/2 eps R_kp dR_kq give something
    else, and eps_ijr b_j w_p has a free index where b x w needs w_r.
    """
    X, X_dot = moving(rng)
    R, b, R_dot, b_dot = parts(X, X_dot)
    V = invariant.right_invariant(X, X_dot)
    w = np.einsum("ipq,pk,qk", EPS, R, R_dot) / 2
    assert_close(V[:3], w)
    assert_close(V[3:], b_dot + R @ R_dot.T @ b, rtol=1e-9)
    assert_close(V[3:], b_dot + np.einsum("ijr,j,r", EPS, b, w))
    assert_close(se3.hat(V), X_dot @ se3.inverse(X), rtol=1e-9)
    printed_9b = np.einsum("ipq,pk,kq", EPS, R, R_dot) / 2
    printed_10b = np.einsum("ipq,kp,kq", EPS, R, R_dot) / 2
    for printed in (printed_9b, printed_10b):
        assert np.max(np.abs(printed - w)) > 1e-3
    body = invariant.left_invariant(X, X_dot)[:3]
    assert_close(printed_10b, -body, rtol=1e-9)
    for p in range(3):
        printed_10a = b_dot + np.einsum("ijr,j->i", EPS, b) * w[p]
        assert np.max(np.abs(printed_10a - V[3:])) > 1e-3


@pytest.mark.row("G-03")
@given(generators)
def test_another_observer_does_not_change_the_left_forms(rng):
    """l_g: R -> R_g R, b -> R_g b + b_g leaves them; right translation does not."""
    (X, X_dot), g = moving(rng), displacement_matrix(rng)
    V = invariant.left_invariant(X, X_dot)
    moved = invariant.left_translate(g, X, X_dot)
    R_g, b_g = g[:3, :3], g[:3, 3]
    assert_close(moved[0][:3, 3], R_g @ X[:3, 3] + b_g)
    assert_close(invariant.left_invariant(*moved), V)
    other = invariant.left_invariant(*invariant.right_translate(g, X, X_dot))
    assert np.max(np.abs(other - V)) > 1e-4
    assert_close(other, se3.adjoint(se3.inverse(g)) @ V, rtol=1e-9)


@pytest.mark.row("G-05")
@given(generators)
def test_another_body_frame_does_not_change_the_right_forms(rng):
    """r_g: R -> R R_g, b -> R b_g + b leaves them; left translation does not."""
    (X, X_dot), g = moving(rng), displacement_matrix(rng)
    V = invariant.right_invariant(X, X_dot)
    moved = invariant.right_translate(g, X, X_dot)
    assert_close(moved[0][:3, 3], X[:3, :3] @ g[:3, 3] + X[:3, 3])
    assert_close(invariant.right_invariant(*moved), V, rtol=1e-9)
    other = invariant.right_invariant(*invariant.left_translate(g, X, X_dot))
    assert np.max(np.abs(other - V)) > 1e-4
    assert_close(other, se3.adjoint(g) @ V, rtol=1e-9)


@pytest.mark.row("G-06")
@given(generators)
def test_velocity_field_from_the_space_origin(rng):
    """v_P = xi + w x (P - Omega), xi the velocity of the body point at the origin."""
    X, X_dot = moving(rng)
    V = invariant.right_invariant(X, X_dot)
    body_point = rng.normal(size=3)
    place = se3.act(X, body_point)
    v_P = invariant.space_origin_velocity(V, place)
    b, b_dot = X[:3, 3], X_dot[:3, 3]
    assert_close(v_P, b_dot + cross(V[:3], place - b), rtol=1e-12)
    assert_close(v_P, (X_dot @ np.append(body_point, 1))[:3], rtol=1e-9)
    at_origin = se3.act(se3.inverse(X), np.zeros(3))
    assert_close(V[3:], (X_dot @ np.append(at_origin, 1))[:3], rtol=1e-9)


@pytest.mark.row("G-07")
@given(generators)
def test_inversion_exchanges_left_and_right(rng):
    """right_forms(g^-1) = -left_forms(g): the observer seen from the body."""
    X, X_dot = moving(rng)
    back, back_dot = invariant.inverse_motion(X, X_dot)
    left, right = invariant.left_invariant, invariant.right_invariant
    assert_close(right(back, back_dot), -left(X, X_dot), rtol=1e-9)
    assert_close(left(back, back_dot), -right(X, X_dot), rtol=1e-9)
    # (-xi, -w) is what the body sees of the observer's frame, in the observer's axes.
    again = invariant.inverse_motion(back, back_dot)
    assert_close(again[1], X_dot, rtol=1e-9)


@pytest.mark.row("G-08")
def test_motion_is_rebuilt_from_either_velocity():
    """Xdot = X hat(V_B) and Xdot = hat(V_A) X give back one motion, to 1e-8."""
    rng = np.random.default_rng(12)
    for _ in range(2):
        motion = Motion.random(rng)

        def left(t, X, motion=motion):
            return invariant.rate_from_left(
                X, invariant.left_invariant(motion.matrix(t), velocity(motion, t))
            )

        def right(t, X, motion=motion):
            return invariant.rate_from_right(
                X, invariant.right_invariant(motion.matrix(t), velocity(motion, t))
            )

        start, end = motion.matrix(0.0), motion.matrix(1.0)
        from_left = rk4(left, start, 0.0, 1.0, 100)
        from_right = rk4(right, start, 0.0, 1.0, 100)
        assert_close(from_left, end, rtol=1e-8)
        assert_close(from_right, from_left, rtol=1e-8)


def velocity(motion, t):
    """The rate of a motion's matrix."""
    return derivative(motion.matrix, t)


@pytest.mark.row("G-08")
@given(generators)
def test_adjoint_joins_the_two(rng):
    """what = R w and xihat = R u + b x (R w)."""
    X, X_dot = moving(rng)
    left, right = (
        form(X, X_dot) for form in (invariant.left_invariant, invariant.right_invariant)
    )
    R, b = X[:3, :3], X[:3, 3]
    assert_close(right[:3], R @ left[:3], rtol=1e-9)
    assert_close(right[3:], R @ left[3:] + cross(b, R @ left[:3]), rtol=1e-9)
    assert_close(right, se3.adjoint(X) @ left, rtol=1e-9)
