"""Many dyadics, one C V: which of them a controller may use."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from closeness import assert_close
from polhode import PolhodeError
from polhode.formulation.spatial_forms.choices import (
    CHOICES,
    DEFAULT,
    coriolis_dyadic,
    energy_defect,
    is_passive,
    skew_defect,
)
from polhode.formulation.spatial_forms.forms import (
    bias_3,
    bias_4,
    central_matrix,
    coriolis_1,
    coriolis_2,
    coriolis_3,
    coriolis_4,
    matrix_about,
    rate_of_inertia,
)
from polhode.formulation.spatial_forms.transfer import spin
from polhode.geometry.vector import skew
from polhode.theory import CoriolisChoice
from tumbling import DRAWS, tumbling

draws = pytest.mark.parametrize("seed", range(DRAWS))
PASSIVE = {"Christoffel", "momentum", "spin", "gyroscopic"}
ZERO = np.zeros((3, 3))


def diagonal(upper, lower):
    """[[upper, 0], [0, lower]]"""
    return np.block([[upper, ZERO], [ZERO, lower]])


def cases(seed):
    """About c and o, from the world, the body and a turning frame."""
    s = tumbling(seed)
    for place in ("mass centre", "point"):
        body, V, _, _ = s.about(place)
        for observer in ("inertial", "body", "turning"):
            yield s, matrix_about(body), V, s.seen(observer)


def is_skew(C):
    """To rounding."""
    return np.linalg.norm(C + C.T) < 1e-12 * np.linalg.norm(C)


@draws
@pytest.mark.row("F-17")
def test_all_choices_have_one_product(seed):
    """C -> C + N(V) with N V = 0 changes C and not C V."""
    for s, M, V, rates in cases(seed):
        found = {c: coriolis_dyadic(M, V, rates=rates, choice=c) for c in CHOICES}
        wanted = found["Lie group"] @ V
        for C in found.values():
            assert_close(C @ V, wanted, rtol=1e-11, atol=1e-12 * np.linalg.norm(M))
        gaps = [
            np.linalg.norm(a - b)
            for k, a in enumerate(found.values())
            for b in list(found.values())[:k]
        ]
        assert min(gaps) > 1e-3, "two names for one dyadic"
        assert s.body.mass > 0


@pytest.mark.row("F-17")
def test_a_choice_of_ones_own_is_checked_by_its_product():
    """A user's C is taken if C V is right, and refused with the gap if not."""
    s = tumbling(0)
    M, V = matrix_about(s.body), s.V_o

    def own(M, V):
        momentum = CHOICES["momentum"].dyadic(M, V)
        return momentum + jnp.diag(jnp.array([1.0, 2, 3, 0, 0, 0])) @ spin(V[:3])

    def wrong(M, V):
        return 2.0 * CHOICES["momentum"].dyadic(M, V)

    C = coriolis_dyadic(M, V, rates="body", choice=CoriolisChoice("own", own))
    assert_close(C @ V, bias_4(s.body, V), rtol=1e-11)
    assert not is_passive(M, C, s.w, rates="body")
    with pytest.raises(PolhodeError, match="'doubled' of a body is wrong by"):
        coriolis_dyadic(M, V, rates="body", choice=CoriolisChoice("doubled", wrong))


def test_an_unknown_choice_is_refused_with_the_list():
    """A misspelt name fails at once and is told the valid ones."""
    with pytest.raises(PolhodeError, match="no Coriolis choice 'Fossen'") as refusal:
        coriolis_dyadic(np.eye(6), np.ones(6), rates="body", choice="Fossen")
    assert all(repr(name) in str(refusal.value) for name in CHOICES)


def test_a_choice_of_masses_is_refused_for_a_fluid():
    """`spin` needs the inertia of a rigid mass; three choices hold for any inertia."""
    V = np.arange(1.0, 7.0)
    M = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])  # a mass that depends on direction
    with pytest.raises(PolhodeError, match="'spin' of a body is wrong") as refusal:
        coriolis_dyadic(M, V, rates="body", choice="spin")
    assert "a fluid adds another" in str(refusal.value)
    needed = coriolis_dyadic(M, V, rates="body", choice="Lie group") @ V
    for choice in ("Christoffel", "momentum"):
        C = coriolis_dyadic(M, V, rates="body", choice=choice)
        assert_close(C @ V, needed)
        assert is_passive(M, C, V[:3], rates="body")


@draws
@pytest.mark.row("F-18")
def test_the_skew_defect_tells_passive_choices(seed):
    """s^T (M' - 2 C) s = 0 for all s for the passive ones, not for the natural."""
    rng = np.random.default_rng(seed)
    for s, M, V, rates in cases(seed):
        M_dot = rate_of_inertia(M, s.w, rates=rates)
        for choice in CHOICES:
            C = coriolis_dyadic(M, V, rates=rates, choice=choice)
            defect = skew_defect(M_dot, C)
            any_s = rng.normal(size=(6,))
            power = any_s @ (M_dot - 2 * C) @ any_s
            size = np.linalg.norm(M) * np.linalg.norm(V)
            assert is_passive(M, C, s.w, rates=rates) == (choice in PASSIVE)
            if choice in PASSIVE:
                assert defect < 1e-13 * size
                assert abs(power) < 1e-12 * size * (any_s @ any_s)
            else:
                assert defect > 1e-3 * size
                assert abs(power) > 1e-9 * size
    assert DEFAULT in PASSIVE


@draws
@pytest.mark.row("F-19")
def test_proposition_2_corrected(seed):
    """Passive if and only if C_B = C + M [Om - Om_A] is skew; C skew is not enough."""
    rng = np.random.default_rng(seed)
    for s, M, V, rates in cases(seed):
        w_A = {"inertial": np.zeros(3), "body": s.w}.get(
            rates if isinstance(rates, str) else "", s.w_A
        )
        D = spin(s.w - w_A)
        S = rng.normal(size=(6, 6))
        C = (S - S.T) - M @ D  # any skew C_B, whatever its product
        assert is_passive(M, C, s.w, rates=rates)
        # And back: a part of C_B that is not skew is seen.
        assert not is_passive(M, C + S + S.T, s.w, rates=rates)
        M_dot = rate_of_inertia(M, s.w, rates=rates)
        bracket = M_dot - 2 * C + 2 * (C + M @ D)
        assert_close(bracket, D @ M + M @ D, atol=1e-11)
        assert_close(bracket, -bracket.T, atol=1e-11)
        # As printed: C skew, with inertial rates. The skew dyadic (60) is an example.
        printed = CHOICES["momentum"].dyadic(M, V)
        assert is_skew(printed)
        own = isinstance(rates, str) and rates == "body"
        assert is_passive(M, printed, s.w, rates=rates) == own


@draws
@pytest.mark.row("F-20")
def test_form_1_has_two_passive_dyadics(seed):
    """C_1 is symmetric; diag([w] J, 0) and diag(([w] J - J [w] - [J w])/2, 0) serve."""
    s = tumbling(seed)
    M_c, J, w, W = central_matrix(s.body), s.body.inertia, s.w, skew(s.w)
    C_1, given = coriolis_1(s.body, w), {"rates": "inertial"}
    assert_close(C_1, C_1.T)
    assert_close(C_1[:3, :3], W @ J - J @ W)
    assert not np.any(np.abs(C_1[3:]) > 1e-13)
    assert not is_passive(M_c, C_1, w, **given)  # printed as "manifestly skew"
    first, second = (
        diagonal(W @ J, ZERO),
        diagonal((W @ J - J @ W - skew(J @ w)) / 2, ZERO),
    )
    for C, name in ((first, "spin"), (second, "Christoffel")):
        assert_close(C @ s.V_c, C_1 @ s.V_c, rtol=1e-11)
        assert is_passive(M_c, C, w, **given)
        found = coriolis_dyadic(M_c, s.V_c, choice=name, **given)
        assert_close(found, C, rtol=1e-11)


@draws
@pytest.mark.row("F-21")
def test_form_2_has_skew_dyadics(seed):
    """diag([w] J + J [w], m [w]) and diag(-[J w], m [w]); printed with a minus."""
    s = tumbling(seed)
    M_c, J, m, w = central_matrix(s.body), s.body.inertia, s.body.mass, s.w
    W = skew(w)
    assert_close(W @ J + J @ W, skew((np.trace(J) * np.eye(3) - J) @ w))
    wanted = coriolis_2(s.body, w) @ s.V_c
    entries = {
        "spin": diagonal(W @ J + J @ W, m * W),
        "gyroscopic": diagonal(-skew(J @ w), m * W),
    }
    for name, C in entries.items():
        assert is_skew(C)
        assert_close(C @ s.V_c, wanted, rtol=1e-11)
        found = coriolis_dyadic(M_c, s.V_c, rates="body", choice=name)
        assert_close(found, C, rtol=1e-11)
        assert is_passive(M_c, found, w, rates="body")
    printed = diagonal(W @ J - J @ W, m * W)
    assert not is_skew(printed)
    assert not is_passive(M_c, printed, w, rates="body")


@draws
@pytest.mark.row("F-22")
def test_form_4_has_a_skew_dyadic_of_spins(seed):
    """[[ [w] J_o + J_o [w], m [r][w] ], [ -m [w][r], m [w] ]]; printed with a minus."""
    s = tumbling(seed)
    m, M, W, R = s.body.mass, matrix_about(s.body), skew(s.w), skew(s.body.centre)
    J_o = M[:3, :3]

    def dyadic(sign):
        upper = [W @ J_o + sign * J_o @ W, m * R @ W]
        return np.block([upper, [-m * W @ R, m * W]])

    found = coriolis_dyadic(M, s.V_o, rates="body", choice="spin")
    assert_close(found, dyadic(+1))
    assert is_skew(found)
    assert_close(found @ s.V_o, coriolis_4(s.body, s.w) @ s.V_o, rtol=1e-11)
    printed = dyadic(-1)
    assert_close(printed @ s.V_o, found @ s.V_o, rtol=1e-11)  # (58), (59) are right
    assert not is_passive(M, printed, s.w, rates="body")


@draws
@pytest.mark.row("F-23")
def test_identities_on_the_way_to_the_dyadics(seed):
    """[a][b] a = [a x b] a, [a] b = -[b] a, and m v x v may be subtracted."""
    a, b = np.random.default_rng(seed).normal(size=(2, 3))
    assert_close(skew(a) @ skew(b) @ a, skew(np.cross(a, b)) @ a)
    assert_close(skew(a) @ b, -skew(b) @ a)
    s = tumbling(seed)
    m, v = s.body.mass, s.V_o[3:]
    less = bias_4(s.body, s.V_o)[:3] - m * skew(v) @ v
    assert_close(less, bias_4(s.body, s.V_o)[:3])


@draws
@pytest.mark.row("F-24")
def test_proposition_3(seed):
    """[a][b] c = -[b x a] c + [c x a] b, as printed."""
    a, b, c = np.random.default_rng(seed).normal(size=(3, 3))
    right = -skew(np.cross(b, a)) @ c + skew(np.cross(c, a)) @ b
    assert_close(skew(a) @ skew(b) @ c, right)
    wrong = skew(np.cross(b, a)) @ c + skew(np.cross(c, a)) @ b
    assert np.linalg.norm(wrong - right) > 1e-3


@draws
@pytest.mark.row("F-25")
def test_form_4_has_a_skew_dyadic_of_momenta(seed):
    """(60) as printed: -[J_o w] + m [v x r], and -m [w x r] - m [v] beside it."""
    s = tumbling(seed)
    m, r, w, v = s.body.mass, s.body.centre, s.w, s.V_o[3:]
    M = matrix_about(s.body)
    upper = -skew(M[:3, :3] @ w) + m * skew(np.cross(v, r))
    side = -m * skew(np.cross(w, r)) - m * skew(v)
    printed = np.block([[upper, side], [side, ZERO]])
    found = coriolis_dyadic(M, s.V_o, rates="body", choice="momentum")
    assert_close(found, printed, rtol=1e-11)
    assert is_skew(found)
    assert_close(found @ s.V_o, coriolis_4(s.body, w) @ s.V_o, rtol=1e-11)


@draws
@pytest.mark.row("F-26")
def test_form_3_has_a_passive_dyadic(seed):
    """C_3 = C_4 skew - M_o [Om]: right product, M' - 2 C skew, C itself not skew."""
    s = tumbling(seed)
    M, w = matrix_about(s.body), s.w
    M_dot = rate_of_inertia(M, w, rates="inertial")
    for name in PASSIVE:
        skewed = coriolis_dyadic(M, s.V_o, rates="body", choice=name)
        C_3 = coriolis_dyadic(M, s.V_o, rates="inertial", choice=name)
        assert_close(C_3, skewed - M @ spin(w), rtol=1e-11)
        assert_close(C_3 @ s.V_o, bias_3(s.body, w), rtol=1e-10)
        assert_close(C_3 @ s.V_o, coriolis_3(s.body, w) @ s.V_o, rtol=1e-10)
        assert is_skew(M_dot - 2 * C_3)
        assert not is_skew(C_3)


@draws
@pytest.mark.row("F-27")
def test_no_choice_has_power_on_the_motion_itself(seed):
    """V^T (M' - 2 C) V = 0 for every choice, passive or not, before every observer."""
    for s, M, V, rates in cases(seed):
        M_dot = rate_of_inertia(M, s.w, rates=rates)
        for choice in CHOICES:
            C = coriolis_dyadic(M, V, rates=rates, choice=choice)
            defect = energy_defect(M_dot, C, V)
            assert abs(defect) < 1e-12 * np.linalg.norm(M) * np.linalg.norm(V) ** 3
    # The identity is not empty: with a doubled C it fails about any point but c.
    s = tumbling(seed)
    M = matrix_about(s.body)
    C = coriolis_dyadic(M, s.V_o, rates="inertial")
    M_dot = rate_of_inertia(M, s.w, rates="inertial")
    assert abs(energy_defect(M_dot, 2 * C, s.V_o)) > 1e-3
