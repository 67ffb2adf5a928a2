"""One rigid body by Newton and Euler about any pole, against its particles."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from polhode.formulation.questions.pole_balance import (
    Pole,
    kinetic_energy_rate,
    needed_about,
    rates_about,
)
from polhode.formulation.questions.weak_form import projected
from polhode.formulation.spatial_forms.forms import coriolis_4_lie, matrix_about
from polhode.formulation.spatial_forms.one_body import (
    FORMS,
    needed_wrench,
    velocity_rate,
)
from polhode.geometry.spatial_order import exchange_matrix, exchange_vector
from polhode.geometry.vector import skew
from polhode.matter.continuum import sampled
from tumbling import DRAWS, matter, tumbling

draws = pytest.mark.parametrize("seed", range(DRAWS))
RTOL = 1e-9


def accelerations(s):
    """Of the particles, from the rates of the body's point o."""
    alpha, a = np.split(s.rates_o["inertial"], 2)
    arms = s.places - s.x_o
    return a + np.cross(alpha, arms) + np.cross(s.w, np.cross(s.w, arms))


def masses_of(seed):
    return matter(seed)[0].masses


@draws
@pytest.mark.row("D-16")
def test_the_pole_does_not_matter(seed):
    """L_H' + v_H x Q = M_H and Q' = R: H material, G, fixed, arbitrary: one motion.

    Without the term v_H x Q a pole that moves across Q gives another.
    """
    s, rng = tumbling(seed), np.random.default_rng(seed)
    m, r, _ = s.body
    p_material = rng.normal(size=3)
    poles = {
        "material": Pole(p_material, s.V_o[3:] + np.cross(s.w, p_material)),
        "G": Pole(r, s.V_c[3:]),
        "fixed": Pole(rng.normal(size=3), np.zeros(3)),
        "arbitrary": Pole(*rng.normal(size=(2, 3))),
    }
    M_o, R = np.split(s.wrench_o, 2)
    for pole in poles.values():
        wrench = np.r_[M_o - np.cross(pole.place, R), R]
        found = rates_about(s.body, s.V_o, wrench, pole)
        assert_close(found, s.rates_o["inertial"], rtol=RTOL)
        needed = needed_about(s.body, s.V_o, s.rates_o["inertial"], pole)
        assert_close(needed, wrench, rtol=RTOL)
        momentum = m * s.V_c[3:]
        lost = np.r_[np.cross(pole.velocity, momentum), np.zeros(3)]
        without = rates_about(s.body, s.V_o, wrench + lost, pole)
        if np.linalg.norm(lost) > 1e-3:
            assert np.linalg.norm(without - found) > 1e-6


@draws
@pytest.mark.row("D-17")
def test_about_the_mass_centre(seed):
    """m v_G' = R, I_G w' + w x I_G w = M_G, forwards and backwards; K' in three ways.

    K' = v_G.Q' + w.L_G' = v_G'.Q + w'.L_G = sum m v.a of the particles.
    """
    s = tumbling(seed)
    m, _, I_G = s.body
    M, V = matrix_about(s.central), s.V_c
    rates = FORMS[1].rates
    V_dot = velocity_rate(M, V, s.wrench_c, rates=rates)
    assert_close(V_dot, s.rates_c["inertial"], rtol=RTOL)
    assert_close(needed_wrench(M, V, V_dot, rates=rates), s.wrench_c, rtol=RTOL)
    alpha, a = np.split(V_dot, 2)
    euler = I_G @ alpha + np.cross(s.w, I_G @ s.w)
    assert_close(np.r_[euler, m * a], s.wrench_c, rtol=RTOL)
    L_G, Q = np.split(s.momentum_c, 2)
    oracle = np.sum(masses_of(seed)[:, None] * s.velocities * accelerations(s))
    first = V[3:] @ s.wrench_c[3:] + s.w @ s.wrench_c[:3]
    second = a @ Q + alpha @ L_G
    scale = np.linalg.norm(V) * np.linalg.norm(s.wrench_c)
    assert_close(first, oracle, rtol=RTOL, atol=1e-11 * scale)
    assert_close(second, oracle, rtol=RTOL, atol=1e-11 * scale)


@draws
@pytest.mark.row("D-18", "D-19")
def test_about_any_point_of_the_body(seed):
    """Q' = R, L_Q' + v_Q x Q = M_Q with S and I, forwards and backwards; K' = V.F.

    m a + S w' + w x S w = R; the moment of the mass centre's inertia joins I w'.
    """
    s = tumbling(seed)
    m, r, _ = s.body
    M, V, rates = matrix_about(s.body), s.V_o, FORMS[3].rates
    V_dot = velocity_rate(M, V, s.wrench_o, rates=rates)
    assert_close(V_dot, s.rates_o["inertial"], rtol=RTOL)
    assert_close(needed_wrench(M, V, V_dot, rates=rates), s.wrench_o, rtol=RTOL)
    own = Pole(np.zeros(3), V[3:])
    assert_close(rates_about(s.body, V, s.wrench_o, own), V_dot, rtol=RTOL)
    S, I, (alpha, a) = -m * skew(r), M[:3, :3], np.split(V_dot, 2)
    force = m * a + S @ alpha + np.cross(s.w, S @ s.w)
    moment = S.T @ a + I @ alpha + np.cross(s.w, I @ s.w)
    assert_close(np.r_[moment, force], s.wrench_o, rtol=RTOL)
    oracle = np.sum(masses_of(seed)[:, None] * s.velocities * accelerations(s))
    scale = np.linalg.norm(V) * np.linalg.norm(s.wrench_o)
    found = kinetic_energy_rate(V, s.wrench_o)
    assert_close(found, oracle, rtol=RTOL, atol=1e-11 * scale)
    wrong = kinetic_energy_rate(V, s.wrench_c)  # the moment about another point
    assert abs(wrong - oracle) > 1e-9 * scale


@draws
@pytest.mark.row("D-20", "D-21")
def test_the_block_form_and_the_sum_over_particles(seed):
    """[[m, S], [S^T, I]] V' + [[w, 0], [v, w]] [[m, S], [S^T, I]] V = F, body rates.

    Summing dm a = dF with rigid fields gives the same matrix, bias and forces; so does
    the Lie form of the paper with a plus sign, and solving it gives the motion.
    """
    s = tumbling(seed)
    M, V, V_dot = matrix_about(s.body), s.V_o, s.rates_o["body"]
    M_3, W, U = exchange_matrix(M), skew(V[:3]), skew(V[3:])
    turning = np.block([[W, np.zeros((3, 3))], [U, W]])
    carried = turning @ M_3 @ exchange_vector(V)
    F = exchange_vector(s.wrench_o)
    assert_close(M_3 @ exchange_vector(V_dot) + carried, F, rtol=RTOL)
    solved = np.linalg.solve(M_3, F - carried)
    assert_close(exchange_vector(solved), V_dot, rtol=RTOL)
    assert_close(velocity_rate(M, V, s.wrench_o, rates="body"), V_dot, rtol=RTOL)
    assert_close(exchange_vector(carried), coriolis_4_lie(M, V) @ V, rtol=RTOL)
    masses = masses_of(seed)
    forces = masses[:, None] * accelerations(s)
    sums = projected(masses, s.places - s.x_o, s.w, forces)
    assert_close(sums.mass_matrix, M, rtol=RTOL)
    assert_close(sums.force, s.wrench_o, rtol=RTOL)
    inertial = np.linalg.solve(sums.mass_matrix, sums.force - sums.bias)
    assert_close(inertial, s.rates_o["inertial"], rtol=RTOL)
    # The rate that the body sees lacks w x v_Q; the bias has it instead.
    seen = inertial - np.r_[np.zeros(3), np.cross(V[:3], V[3:])]
    assert_close(seen, V_dot, rtol=RTOL)


@pytest.mark.row("D-21")
def test_a_continuum_is_assembled_like_a_cloud():
    """A rod by Gauss points: m l^2/3 about its end; internal forces drop out."""
    rod = sampled(lambda u: (u, 0 * u, 0 * u), [(0.0, 2.0)], 0.75, points=8)
    w = np.array([0.0, 0.0, 1.3])
    inside = np.random.default_rng(0).normal(size=3)
    forces = np.zeros((8, 3))
    along = rod.positions[5] - rod.positions[2]
    forces[5], forces[2] = 3.0 * along, -3.0 * along
    found = projected(rod.masses, rod.positions, w, forces)
    assert_close(found.mass_matrix[2, 2], 1.5 * 2.0**2 / 3, rtol=1e-12)
    assert_close(found.force, np.zeros(6), atol=1e-12)
    assert_close(found.bias[3:], 1.5 * np.cross(w, np.cross(w, [1.0, 0, 0])))
    forces[5] += inside  # a pair that is not opposite is felt
    assert np.linalg.norm(projected(rod.masses, rod.positions, w, forces).force) > 0.1
