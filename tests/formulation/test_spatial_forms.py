"""The four forms of a body's equations, against particles that know none of them."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from closeness import assert_close
from polhode import PolhodeError
from polhode.formulation.spatial_forms import one_body
from polhode.formulation.spatial_forms.choices import CHOICES, coriolis_dyadic
from polhode.formulation.spatial_forms.forms import (
    bias_3,
    bias_4,
    central_matrix,
    coriolis_1,
    coriolis_2,
    coriolis_3,
    coriolis_3_blocks,
    coriolis_4,
    coriolis_4_lie,
    matrix_about,
    rate_of_inertia,
    seen_by,
)
from polhode.formulation.spatial_forms.one_body import (
    FORMS,
    needed_wrench,
    residual,
    velocity_rate,
)
from polhode.formulation.spatial_forms.transfer import spin, transfer, transfer_rate
from polhode.geometry.se3 import ad
from polhode.geometry.vector import skew
from tumbling import DRAWS, tumbling

draws = pytest.mark.parametrize("seed", range(DRAWS))
RTOL = 1e-11


def is_wrong(found, wanted, least=1e-3):
    """Whether a printed formula misses by far more than rounding."""
    return np.linalg.norm(found - wanted) > least * np.linalg.norm(wanted)


@draws
@pytest.mark.row("F-01")
def test_two_laws_make_one_spatial_balance(seed):
    """h_c' = tau_c and p' = f, each by itself; together H_c' = F_c."""
    s = tumbling(seed)
    M_c, turning = central_matrix(s.body), spin(s.w)
    # H = M V, so H' = M V' + M' V, all seen from the world.
    H_dot = M_c @ s.rates_c["inertial"] + (turning @ M_c - M_c @ turning) @ s.V_c
    assert_close(H_dot, s.wrench_c, rtol=RTOL)
    # A couple alone turns and does not push; a force through c only pushes.
    rest = np.zeros(6)
    couple, force = s.wrench_c * np.repeat([1, 0], 3), s.wrench_c * np.repeat([0, 1], 3)
    turned = velocity_rate(M_c, rest, couple, rates="inertial")
    pushed = velocity_rate(M_c, rest, force, rates="inertial")
    assert np.linalg.norm(turned[:3]) > 0
    assert np.linalg.norm(pushed[3:]) > 0
    assert not np.any(turned[3:])
    assert not np.any(pushed[:3])


@draws
@pytest.mark.row("F-02")
def test_momentum_is_inertia_on_velocity(seed):
    """H_c = M_c V_c with M_c = diag(J_c, m 1), against sums over particles."""
    s = tumbling(seed)
    M_c = central_matrix(s.body)
    assert_close(M_c @ s.V_c, s.momentum_c)
    assert_close(M_c[:3, :3], s.body.inertia)
    assert_close(M_c[3:, 3:], s.body.mass * np.eye(3))
    assert not np.any(M_c[:3, 3:])


@draws
@pytest.mark.row("F-04")
def test_form_1_is_euler_and_newton(seed):
    """M_c V' + C_1 V = F, inertial rates: J w' + w x J w = tau, m v' = f."""
    s = tumbling(seed)
    M_c, C_1, V_dot = central_matrix(s.body), coriolis_1(s.body, s.w), s.rates_c
    wrench = M_c @ V_dot["inertial"] + C_1 @ s.V_c
    assert_close(wrench, s.wrench_c, rtol=RTOL)
    J, w, alpha = s.body.inertia, s.w, V_dot["inertial"][:3]
    assert_close(J @ alpha + np.cross(w, J @ w), s.wrench_c[:3], rtol=RTOL)
    a = V_dot["inertial"][3:]
    assert_close(s.body.mass * a, s.wrench_c[3:], rtol=RTOL)
    given = {"rates": "inertial", "choice": "natural"}
    assert_close(coriolis_dyadic(M_c, s.V_c, **given), C_1, rtol=RTOL)
    check_dynamics(M_c, s.V_c, V_dot["inertial"], s.wrench_c, given)


@draws
@pytest.mark.row("F-06")
def test_form_2_multiplies_the_whole_rate_by_the_inertia(seed):
    """M_c (V' + [Om] V) + C_1 V = F; C_2 = C_1 + M_c [Om] = [Om] M_c."""
    s = tumbling(seed)
    M_c, turning, V_dot = central_matrix(s.body), spin(s.w), s.rates_c["body"]
    C_1, C_2 = coriolis_1(s.body, s.w), coriolis_2(s.body, s.w)
    assert_close(C_2, C_1 + M_c @ turning)
    assert_close(C_2, turning @ M_c)
    assert_close(M_c @ V_dot + C_2 @ s.V_c, s.wrench_c, rtol=RTOL)
    m, w, v = s.body.mass, s.w, s.V_c[3:]
    second = m * V_dot[3:] + m * np.cross(w, v)
    assert_close(second, s.wrench_c[3:], rtol=RTOL)
    # As printed in (19), the inertia multiplies only the rate.
    printed = M_c @ V_dot + turning @ s.V_c + C_1 @ s.V_c
    assert is_wrong(printed, s.wrench_c)
    given = {"rates": "body", "choice": "natural"}
    assert_close(coriolis_dyadic(M_c, s.V_c, **given), C_2, rtol=RTOL)
    check_dynamics(M_c, s.V_c, V_dot, s.wrench_c, given)


@draws
@pytest.mark.row("F-09")
def test_form_3_in_blocks_and_in_products(seed):
    """M_o V' + C_3 V = F_o about any point, C_3 = T^T M_c T' + T^T C_1 T."""
    s = tumbling(seed)
    m, r, J_c = s.body
    M_o, M_c, T = matrix_about(s.body), central_matrix(s.body), transfer(r)
    C_3 = coriolis_3(s.body, s.w)
    T_dot = transfer_rate(s.w, r)
    assert_close(C_3, T.T @ M_c @ T_dot + T.T @ coriolis_1(s.body, s.w) @ T)
    assert_close(C_3, coriolis_3_blocks(s.body, s.w))
    V_dot = s.rates_o["inertial"]
    assert_close(M_o @ V_dot + C_3 @ s.V_o, s.wrench_o, rtol=RTOL)
    lever = skew(r)
    assert_close(M_o[:3, :3], J_c - m * lever @ lever)
    # As printed in (33), without the mass.
    printed = M_o.copy()
    printed[:3, :3] = J_c - lever @ lever
    assert is_wrong(printed @ V_dot + C_3 @ s.V_o, s.wrench_o)
    given = {"rates": "inertial", "choice": "natural"}
    assert_close(coriolis_dyadic(M_o, s.V_o, **given), C_3, rtol=RTOL)
    check_dynamics(M_o, s.V_o, V_dot, s.wrench_o, given)


@draws
@pytest.mark.row("F-10")
def test_form_3_in_vectors_has_a_centripetal_term(seed):
    """C_3 V = [w x J_o w; m w x (w x r)]; the printed m [w][r] r is zero."""
    s = tumbling(seed)
    m, r, w = s.body.mass, s.body.centre, s.w
    M_o, V_dot = matrix_about(s.body), s.rates_o["inertial"]
    bias = bias_3(s.body, w)
    assert_close(bias, coriolis_3(s.body, w) @ s.V_o, rtol=RTOL)
    assert_close(M_o @ V_dot + bias, s.wrench_o, rtol=RTOL)
    J_o = M_o[:3, :3]
    assert_close(bias[:3], np.cross(w, J_o @ w))
    printed = np.r_[bias[:3], m * skew(w) @ skew(r) @ r]
    assert not np.any(np.abs(printed[3:]) > 1e-12)
    assert is_wrong(M_o @ V_dot + printed, s.wrench_o)


@draws
@pytest.mark.row("F-11")
def test_proposition_1_is_of_vectors_and_not_of_dyadics(seed):
    """[a][b][b] a = -[b][a][a] b; [a][b][a] = -[b][a][a] as printed is false."""
    a, b = np.random.default_rng(seed).normal(size=(2, 3))
    A, B = skew(a), skew(b)
    assert_close(A @ B @ B @ a, -B @ A @ A @ b)
    assert_close(A @ B @ A @ b, B @ A @ A @ b)
    assert is_wrong(A @ B @ A, -B @ A @ A)
    assert is_wrong(A @ B @ A, B @ A @ A)


@draws
@pytest.mark.row("F-12")
def test_form_4_follows_from_form_3(seed):
    """C_4 = C_3 + M_o [Om] block by block, and in vectors; body rates about o."""
    s = tumbling(seed)
    m, r, J_c = s.body
    w, v, R, W = s.w, s.V_o[3:], skew(r), skew(s.w)
    M_o, V_dot = matrix_about(s.body), s.rates_o["body"]
    C_4 = coriolis_4(s.body, w)
    assert_close(C_4, coriolis_3(s.body, w) + M_o @ spin(w))
    assert_close(C_4 @ s.V_o, bias_4(s.body, s.V_o), rtol=RTOL)
    J_o = M_o[:3, :3]
    upper = np.cross(w, J_o @ w) + m * np.cross(r, np.cross(w, v))
    lower = m * np.cross(w, v) + m * np.cross(w, np.cross(w, r))
    assert_close(bias_4(s.body, s.V_o), np.r_[upper, lower], rtol=RTOL)
    assert_close(M_o @ V_dot + C_4 @ s.V_o, s.wrench_o, rtol=RTOL)
    # (41) has one term too many, which C V does not show; (43) loses the centripetal.
    printed = C_4.copy()
    printed[:3, :3] += m * R @ R @ W
    assert is_wrong(printed, coriolis_3(s.body, w) + M_o @ spin(w))
    assert_close(printed @ s.V_o, C_4 @ s.V_o, rtol=RTOL)
    # (42): both rows as printed.
    rows = np.r_[W @ J_c @ w + m * R @ R @ W @ v, m * W @ v + m * W @ R @ r]
    assert is_wrong(M_o @ V_dot + rows, s.wrench_o)
    printed_43 = np.r_[upper, m * np.cross(w, v) + m * W @ R @ r]
    assert is_wrong(M_o @ V_dot + printed_43, s.wrench_o)
    given = {"rates": "body", "choice": "natural"}
    assert_close(coriolis_dyadic(M_o, s.V_o, **given), C_4, rtol=RTOL)
    check_dynamics(M_o, s.V_o, V_dot, s.wrench_o, given)


@draws
@pytest.mark.row("F-13")
def test_jacobi_rewrites_the_moment_with_its_mass(seed):
    """m r x (w x v) = m w x (r x v) - m v x (r x w), and m v x v adds nothing."""
    s = tumbling(seed)
    m, r, w, v = s.body.mass, s.body.centre, s.w, s.V_o[3:]
    inner = np.cross(w, np.cross(r, v)) - np.cross(v, np.cross(r, w))
    assert_close(m * inner, m * np.cross(r, np.cross(w, v)))
    assert is_wrong(inner, m * np.cross(r, np.cross(w, v)))  # as printed, without m
    # The bias of form 4 by this road.
    J_o = matrix_about(s.body)[:3, :3]
    p = m * (v + np.cross(w, r))
    upper = np.cross(w, J_o @ w + m * np.cross(r, v)) + np.cross(v, p)
    assert_close(upper, bias_4(s.body, s.V_o)[:3], rtol=RTOL)
    with_nothing = np.cross(w, J_o @ w) + m * inner + m * np.cross(v, v)
    assert_close(with_nothing, bias_4(s.body, s.V_o)[:3], rtol=RTOL)


@draws
@pytest.mark.row("F-14")
def test_form_4_is_the_equation_of_a_group(seed):
    """C_4 = +[Om_V] M_o = -ad_V^T M_o: Euler and Poincare's equation; no power."""
    s = tumbling(seed)
    V, M_o, V_dot = s.V_o, matrix_about(s.body), s.rates_o["body"]
    W, U, zero = skew(V[:3]), skew(V[3:]), np.zeros((3, 3))
    Om_V = np.block([[W, U], [zero, W]])
    assert_close(ad(V), np.block([[W, zero], [U, W]]))
    C_4 = coriolis_4_lie(M_o, V)
    assert_close(C_4, Om_V @ M_o)
    assert_close(C_4, -ad(V).T @ M_o)
    assert_close(M_o @ V_dot + C_4 @ V, s.wrench_o, rtol=RTOL)
    assert is_wrong(M_o @ V_dot - C_4 @ V, s.wrench_o)  # (48) as printed
    assert abs(V @ C_4 @ V) < 1e-12 * np.linalg.norm(C_4) * (V @ V)
    check_dynamics(M_o, V, V_dot, s.wrench_o, {"rates": "body", "choice": "Lie group"})


def check_dynamics(M, V, V_dot, F, given):
    """Forwards, backwards and residual are one equation."""
    assert_close(needed_wrench(M, V, V_dot, **given), F, rtol=RTOL)
    assert_close(velocity_rate(M, V, F, **given), V_dot, rtol=1e-9)
    assert_close(residual(M, V, V_dot, F, **given), 0 * F, atol=RTOL * np.max(abs(F)))


@draws
@pytest.mark.row("F-15")
def test_four_forms_are_one_motion(seed):
    """Accelerations of all forms, by all choices, mapped to c and the world, agree."""
    s = tumbling(seed)
    for form in FORMS.values():
        body, V, _, F = s.about(form.about)
        M = matrix_about(body)
        for choice in CHOICES:
            V_dot = velocity_rate(M, V, F, rates=form.rates, choice=choice)
            if form.rates == "body":
                V_dot = V_dot + spin(s.w) @ V
            if form.about == "point":
                r = body.centre
                V_dot = transfer(r) @ V_dot + transfer_rate(s.w, r) @ V
            assert_close(V_dot, s.rates_c["inertial"], rtol=1e-10)


@draws
@pytest.mark.row("F-16")
def test_any_observer_may_see_the_rates(seed):
    """V' from the world = V'_A + [Om_A] V: A the world gives 1, 3; the body 2, 4."""
    s = tumbling(seed)
    for place in ("mass centre", "point"):
        body, V, rates, F = s.about(place)
        M, C_B = matrix_about(body), coriolis_4(body, s.w)
        for observer, V_dot in rates.items():
            seen = s.seen(observer)
            found = needed_wrench(M, V, V_dot, rates=seen)
            assert_close(found, F, rtol=RTOL)
            assert_close(velocity_rate(M, V, F, rates=seen), V_dot, rtol=1e-9)
        C_N = coriolis_3(body, s.w)
        still, own = np.zeros(3), s.w
        assert_close(seen_by(C_B, M, s.w, rates=still), C_N, rtol=RTOL)
        assert_close(seen_by(C_B, M, s.w, rates=own), C_B)
        general = seen_by(C_B, M, s.w, rates=s.w_A)
        assert_close(general, C_N + M @ spin(s.w_A), rtol=RTOL)
        relative = spin(s.w - s.w_A)
        M_dot = rate_of_inertia(M, s.w, rates=s.w_A)
        assert_close(M_dot, relative @ M - M @ relative)


@draws
@pytest.mark.row("CV-13")
def test_each_form_fails_with_the_rate_of_another(seed):
    """Every form matches the particles with its own kind of rate only."""
    s = tumbling(seed)
    for place in ("mass centre", "point"):
        body, V, rates, F = s.about(place)
        M = matrix_about(body)
        for observer in rates:
            for other, V_dot in rates.items():
                found = needed_wrench(M, V, V_dot, rates=s.seen(observer))
                assert is_wrong(found, F) == (other != observer)


@pytest.mark.row("CV-13")
@pytest.mark.parametrize(
    "function", [needed_wrench, velocity_rate, residual, coriolis_dyadic, seen_by]
)
def test_every_equation_of_motion_asks_whose_rates(function):
    """`rates` has no default: the overscript cannot be lost."""
    parameter = inspect.signature(function).parameters["rates"]
    assert parameter.default is inspect.Parameter.empty
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


def test_an_unknown_observer_is_refused():
    """A word that is no observer is not one, and the refusal names those that are."""
    M, V = np.eye(6), np.ones(6)
    with pytest.raises(PolhodeError, match="seen from 'absolute'") as refusal:
        one_body.needed_wrench(M, V, V, rates="absolute")
    assert '"inertial", "body"' in str(refusal.value)
