"""Many spacecraft as one: what each has, all have."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.arrays import matvec
from polhode.formulation.compare import answers
from polhode.formulation.spatial_forms.choices import (
    CHOICES,
    coriolis_dyadic,
    skew_defect,
)
from polhode.formulation.spatial_forms.forms import matrix_about
from polhode.formulation.spatial_forms.one_body import velocity_rate
from polhode.formulation.spatial_forms.stacked import (
    FreeBody,
    Stacked,
    reduced,
    reduced_force,
    stacked,
    stacked_defect,
    stacked_rates,
)
from polhode.formulation.spatial_forms.transfer import spin
from strategies_system import block
from tumbling import DRAWS, tumbling

draws = pytest.mark.parametrize("seed", range(DRAWS))
OBSERVERS = ("inertial", "body", "turning")
PLACES = ("mass centre", "point")
PASSIVE = ("Christoffel", "momentum", "spin", "gyroscopic")


def formation(count, choices=tuple(CHOICES)):
    """Spacecraft of which no two are alike in point, observer and choice."""
    bodies, V, F, rates = [], [], [], []
    for k in range(count):
        s, place, seen = tumbling(k % 25), PLACES[k % 2], OBSERVERS[k % 3]
        body, V_k, rates_k, F_k = s.about(place)
        choice = choices[k % len(choices)]
        bodies.append(FreeBody(body=body, rates=s.seen(seen), choice=choice))
        V.append(V_k)
        F.append(F_k)
        rates.append(rates_k[seen])
    return bodies, np.stack(V), np.stack(F), np.stack(rates)


def dense(blocks):
    """One block-diagonal matrix."""
    count = len(blocks)
    whole = np.zeros((6 * count, 6 * count))
    for k, each in enumerate(blocks):
        whole[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = each
    return whole


@pytest.mark.row("S-01")
def test_each_spacecraft_has_its_own_point_observer_and_choice():
    """M_i V_i' + C_i V_i = F_i with mixed choices gives the motion of the particles."""
    bodies, V, F, rates = formation(12)
    stack = stacked(bodies, V)
    for k, body in enumerate(bodies):
        assert_close(stack.inertias[k], matrix_about(body.body))
        residual = stack.inertias[k] @ rates[k] + stack.dyadics[k] @ V[k] - F[k]
        assert_close(residual, np.zeros(6), atol=1e-10 * np.max(np.abs(F[k])))
    assert_close(stacked_rates(stack, V, F), rates, rtol=1e-10)


@pytest.mark.row("S-02")
@pytest.mark.parametrize("count", [1, 2, 50])
def test_a_stack_is_its_bodies(count):
    """Block-diagonal M and C, stacked V and F: the rates of each body by itself."""
    bodies, V, F, rates = formation(count)
    stack = stacked(bodies, V)
    assert stack.inertias.shape == stack.dyadics.shape == (count, 6, 6)
    found = stacked_rates(stack, V, F)
    for k, each in enumerate(bodies):
        M, given = matrix_about(each.body), {"rates": each.rates, "choice": each.choice}
        assert_close(found[k], velocity_rate(M, V[k], F[k], **given))
    assert_close(found, rates, rtol=1e-9)
    if count < 50:
        M, C = dense(stack.inertias), dense(stack.dyadics)
        whole = np.linalg.solve(M, F.reshape(-1) - C @ V.reshape(-1))
        assert_close(found.reshape(-1), whole, rtol=1e-11)


def spacecraft(count):
    """Free bodies under a weight, as a system."""
    bodies = [block(f"craft {k}", 1.0 + k) for k in range(count)]
    return ph.System(bodies, [ph.Weight(9.81)], name=f"{count} craft")


@pytest.mark.row("S-02")
def test_the_work_grows_with_the_number_of_spacecraft():
    """Free bodies of a system are solved for one by one: operations linear in N."""
    operations = {}
    for count in (1, 2, 4):
        system = spacecraft(count)
        equations = ph.spatial_form(system, about="mass centre", rates="inertial")
        state = system.rest()
        program = ph.compile(answers(equations), state.t, state.q, state.z)
        operations[count] = program.report().operations
    assert operations[4] - operations[2] <= 2.2 * (operations[2] - operations[1])


@draws
@pytest.mark.row("S-03")
def test_proposition_4_corrected(seed):
    """The stack is passive if every C_i + M_i [Om_i - Om_A,i] is skew."""
    bodies, V, _, _ = formation(6 + seed % 3, PASSIVE[seed % 4 :] or PASSIVE)
    stack = stacked(bodies, V)
    size = np.linalg.norm(stack.inertias) * np.linalg.norm(V)
    assert stacked_defect(stack) < 1e-13 * size
    M_dot, C = dense(stack.inertia_rates), dense(stack.dyadics)
    gap = M_dot - 2 * C
    assert np.linalg.norm(gap + gap.T) < 1e-12 * size
    # One that is not passive spoils the stack.
    dyadics = stack.dyadics.copy()
    dyadics[1] = coriolis_dyadic(
        stack.inertias[1], V[1], rates=bodies[1].rates, choice="Lie group"
    )
    assert stacked_defect(stack._replace(dyadics=dyadics)) > 1e-4 * size


@pytest.mark.row("S-03")
def test_skew_dyadics_are_not_enough_with_inertial_rates():
    """As printed, skew C_i and inertial rates: M' - 2 C is not skew."""
    bodies = [FreeBody(body=tumbling(k).body, rates="inertial") for k in range(3)]
    V = np.stack([tumbling(k).V_o for k in range(3)])
    stack = stacked(bodies, V)
    skewed = CHOICES["momentum"].dyadic(stack.inertias, V)
    printed = Stacked(stack.inertias, skewed, stack.inertia_rates)
    assert_close(skewed, -skewed.swapaxes(-1, -2))
    assert stacked_defect(printed) > 1.0
    moved = skewed - stack.inertias @ spin(V[:, :3])
    corrected = stacked_defect(stack._replace(dyadics=moved))
    assert corrected < 1e-12 * stacked_defect(printed)


@draws
@pytest.mark.row("S-11")
def test_a_reduction_keeps_the_skew_property(seed):
    """M_nu' - 2 C_nu = J^T (M' - 2 C) J + (J'^T M J - J^T M J'), for any J and J'."""
    rng = np.random.default_rng(seed)
    bodies, V, F, _ = formation(3, PASSIVE)
    M, C, M_dot = stacked(bodies, V)
    J, J_dot = rng.normal(size=(2, 3, 6, 5))
    found = reduced(M, C, J, J_dot, M_dot)
    J_all, slope = J.reshape(18, 5), J_dot.reshape(18, 5)
    M_all, C_all, rate = dense(M), dense(C), dense(M_dot)
    assert_close(found.mass, J_all.T @ M_all @ J_all, rtol=1e-12)
    by_hand = J_all.T @ (M_all @ slope + C_all @ J_all)
    assert_close(found.coriolis, by_hand, rtol=1e-12)
    swing = slope.T @ M_all @ J_all - J_all.T @ M_all @ slope
    gap = found.mass_rate - 2 * found.coriolis
    assert_close(gap, J_all.T @ (rate - 2 * C_all) @ J_all + swing, rtol=1e-11)
    size = np.linalg.norm(found.mass_rate)
    assert skew_defect(found.mass_rate, found.coriolis) < 1e-12 * size
    # J' matters: without it the reduction is not passive.
    careless = J_all.T @ C_all @ J_all
    assert skew_defect(found.mass_rate, careless) > 1e-3 * size
    # The force goes along: the power of F is that of J^T F.
    y = rng.normal(size=5)
    assert_close(reduced_force(F, J) @ y, F.reshape(-1) @ (J_all @ y), atol=1e-9)
    # So do the equations: with F = M V' + C V they are those of y.
    y_dot = rng.normal(size=5)
    V_dot, V_y = J @ y_dot + J_dot @ y, J @ y
    needed = reduced_force(matvec(M, V_dot) + matvec(C, V_y), J)
    assert_close(needed, found.mass @ y_dot + found.coriolis @ y, rtol=1e-10)
