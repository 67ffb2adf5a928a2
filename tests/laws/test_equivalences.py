"""One motion, several papers: what different texts write must come out the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.spatial_forms.forms import coriolis_4_lie, matrix_about
from polhode.formulation.spatial_forms.transfer import transfer
from polhode.geometry import se3, transport
from polhode.geometry.motion.invariant_velocity import (
    left_invariant,
    right_invariant,
    space_origin_velocity,
)
from polhode.geometry.spatial_order import exchange_matrix, exchange_vector
from polhode.geometry.vector import skew
from polhode.matter import momentum
from polhode.matter.cloud import Cloud
from polhode.matter.moments import Moments
from tumbling import DRAWS, matter, tumbling

draws = pytest.mark.parametrize("seed", range(DRAWS))
RTOL = 1e-10
BODY = 4


@cache
def craft():
    """A free body of particles, its origin at the point o; nothing acts on it."""
    cloud, point = matter(BODY)
    body = ph.Body("craft", Cloud(cloud.masses, cloud.positions - point))
    return ph.System([body], name="craft")


@cache
def made(form, **given):
    """The equations of the craft, compiled once."""
    return form(craft(), **given)


def form_3():
    """About the origin o, inertial rates."""
    return made(ph.spatial_form, about="origin", rates="inertial")


def form_4():
    """About the origin o, body rates."""
    return made(ph.spatial_form, about="origin", rates="body")


def halves(R, V):
    """A rotation on both halves."""
    return np.r_[R @ V[:3], R @ V[3:]]


def moving(seed):
    """A moment of the craft's motion: its facts, and the state of the system."""
    s, system = tumbling(seed, BODY), craft()
    (edge,) = system.tree.edges
    q = np.asarray(edge.joint.coordinates_from(s.R, s.x_o, {}))
    J = system.jacobians(0.0, q)[0]
    return s, ph.State(system, 0.0, q, np.linalg.solve(J, halves(s.R.T, s.V_o)))


@draws
@pytest.mark.row("Y-01")
def test_kirchhoff_is_form_4_and_the_block_form(seed):
    """000's Kirchhoff, 001's (47) corrected and 003's 4.5.3: one wrench."""
    s, state = moving(seed)
    V, V_dot = halves(s.R.T, s.V_o), halves(s.R.T, s.rates_o["body"])
    wanted = halves(s.R.T, s.wrench_o)
    for equations in (made(ph.kirchhoff), form_4()):
        assert_close(equations.velocities(state), V, rtol=RTOL)
        found = equations.inverse_dynamics(state, V_dot)
        assert_close(found, wanted, rtol=RTOL)
    M = made(ph.kirchhoff).mass_matrix(state)
    lie = M @ V_dot + coriolis_4_lie(M, V) @ V
    assert_close(lie, wanted, rtol=RTOL)
    # 003 writes linear first: [[m, S], [S^T, I]] and [[w_x, 0], [v_x, w_x]].
    M_3, W, U = exchange_matrix(M), skew(V[:3]), skew(V[3:])
    turning = np.block([[W, np.zeros((3, 3))], [U, W]])
    blocks = M_3 @ exchange_vector(V_dot) + turning @ M_3 @ exchange_vector(V)
    assert_close(exchange_vector(blocks), wanted, rtol=RTOL)
    # (48) with its printed sign is not among them.
    printed = M @ V_dot - coriolis_4_lie(M, V) @ V
    assert np.linalg.norm(printed - wanted) > 1e-3 * np.linalg.norm(wanted)


@draws
@pytest.mark.row("Y-02")
def test_hybrid_is_the_balance_about_o_and_form_3(seed):
    """000's hybrid, (4.2) of 003 with its pole at O and 001's (38): one wrench."""
    s, state = moving(seed)
    alpha, a = np.split(s.rates_o["inertial"], 2)
    m, r, _ = s.body
    w, v = s.w, s.V_o[3:]
    # Form 3: both halves along the world's axes.
    found = form_3().inverse_dynamics(state, np.r_[alpha, a])
    assert_close(form_3().velocities(state), s.V_o, rtol=RTOL)
    assert_close(found, s.wrench_o, rtol=RTOL)
    # Hybrid: moments along the body's axes, forces along the world's.
    hybrid = made(ph.hybrid).inverse_dynamics(state, np.r_[s.R.T @ alpha, a])
    assert_close(np.r_[s.R @ hybrid[:3], hybrid[3:]], found, rtol=RTOL)
    # (4.2) with H = O:  L_O' + v_O x Q = M_O,  Q' = R.
    I_O = matrix_about(s.body)[:3, :3]
    moves = {"v_Q": v, "w": w, "a_Q": a, "alpha": alpha}
    L_dot = momentum.angular_momentum_rate(m, r, I_O, **moves)
    Q = momentum.linear_momentum(m, r, v, w)
    Q_dot = momentum.linear_momentum_rate(m, r, w, a, alpha)
    balance = np.r_[L_dot + np.cross(v, Q), Q_dot]
    assert_close(balance, found, rtol=RTOL)


@draws
@pytest.mark.row("Y-03")
def test_newton_euler_is_the_balance_about_a_fixed_pole(seed):
    """000's Newton-Euler, (4.1), (4.2) of 003, and 001's two laws, moved."""
    s, state = moving(seed)
    alpha, a = np.split(s.rates_o["inertial"], 2)
    w, v, x_o = s.w, s.V_o[3:], s.x_o
    m, r, J_c = s.body
    # y = [w; v at the world's origin], and its rate.
    y = np.r_[w, v - np.cross(w, x_o)]
    y_dot = np.r_[alpha, a - np.cross(alpha, x_o) - np.cross(w, v)]
    equations = made(ph.newton_euler)
    assert_close(equations.velocities(state), y, rtol=RTOL)
    found = equations.inverse_dynamics(state, y_dot)
    # 001's (3), (4): h_c' = tau_c, p' = f; then the moment about the origin.
    f = m * (a + np.cross(alpha, r) + np.cross(w, np.cross(w, r)))
    tau_c = J_c @ alpha + np.cross(w, J_c @ w)
    moved = np.r_[tau_c + np.cross(x_o + r, f), f]
    assert_close(found, moved, rtol=RTOL)
    # 003's (4.2) with a pole at rest: L_H' = M_H, from that about O.
    I_O = matrix_about(Moments(m, r, J_c))[:3, :3]
    moves = {"v_Q": v, "w": w, "a_Q": a, "alpha": alpha}
    L_dot = momentum.angular_momentum_rate(m, r, I_O, **moves)
    Q = momentum.linear_momentum(m, r, v, w)
    L_H_dot = momentum.shift_angular_momentum_rate(L_dot, Q, f, x_o, v)
    assert_close(np.r_[L_H_dot, f], found, rtol=RTOL)
    # The particles agree.
    particles = np.r_[s.wrench_o[:3] + np.cross(x_o, s.wrench_o[3:]), s.wrench_o[3:]]
    assert_close(found, particles, rtol=RTOL)


@draws
@pytest.mark.row("Y-10")
def test_one_velocity_field(seed):
    """(1.1) of 003, (8) and (11) of 000, (24) of 001 and d/dt (Q X + q) of 004."""
    s = tumbling(seed)
    w, v_o, R, x_o = s.w, s.V_o[3:], s.R, s.x_o
    X = se3.displacement(R, x_o)
    X_dot = np.zeros((4, 4))
    X_dot[:3, :3], X_dot[:3, 3] = skew(w) @ R, v_o
    left, right = left_invariant(X, X_dot), right_invariant(X, X_dot)
    for place, velocity in zip(s.places, s.velocities, strict=True):
        arm = place - x_o
        body = R.T @ arm  # the material point's own coordinates
        found = {
            "003 (1.1)": v_o + np.cross(w, arm),
            "the library": transport.shift_velocity(w, v_o, arm),
            "000 (8), left": R @ (left[3:] + np.cross(left[:3], body)),
            "000 (11), right": right[3:] + np.cross(right[:3], place),
            "001 (24)": (transfer(arm) @ s.V_o)[3:],
            "004 (1)'": X_dot[:3, :3] @ body + X_dot[:3, 3],
        }
        for each in found.values():
            assert_close(each, velocity, rtol=1e-11)
    assert_close(space_origin_velocity(right, np.zeros(3)), right[3:])
    wrong = v_o - np.cross(w, s.places[0] - x_o)
    assert np.linalg.norm(wrong - s.velocities[0]) > 1e-3
