"""Kinetic energy of a rigid body, whichever point it is reckoned from."""

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.geometry.vector import skew
from polhode.matter import energy, momentum
from polhode.matter.spatial_inertia import spatial_inertia
from polhode.matter.spread import static_moment
from strategies_matter import oracles


@pytest.mark.row("I-09")
@given(oracles())
def test_energy_is_the_same_from_every_body_point(oracle):
    """K = m v^2/2 + v . S w + w . I w/2 is the particles' energy, for each point Q."""
    for k in range(4):
        Q, v, w = oracle.x[k], oracle.v[k], oracle.w
        r, I_Q = oracle.centre - Q, oracle.inertia(Q)
        K = energy.kinetic_energy(oracle.mass, r, I_Q, v, w)
        assert_close(K, oracle.energy(), rtol=1e-11)
        p = momentum.linear_momentum(oracle.mass, r, v, w)
        L = momentum.angular_momentum(oracle.mass, r, I_Q, v, w)
        assert_close(energy.energy_of_momentum(p, L, v, w), K, rtol=1e-11)


@pytest.mark.row("I-09")
@given(oracles())
def test_the_printed_sign_of_the_rotational_energy_is_wrong(oracle):
    """+ w . [sum m r_x r_x] w/2, printed midway, is negative energy; minus is right."""
    Q, v, w, m = oracle.x[0], oracle.v[0], oracle.w, oracle.mass
    r_x = skew(oracle.x - Q)
    squares = np.einsum("k,kij,kjl->il", oracle.masses, r_x, r_x)
    common = m * v @ v / 2 + v @ static_moment(m, oracle.r_QG) @ w
    assert_close(common - w @ squares @ w / 2, oracle.energy(), rtol=1e-11)
    printed = common + w @ squares @ w / 2
    assert abs(printed - oracle.energy()) > 1e-4 * oracle.energy()


@given(oracles())
def test_koenig(oracle):
    """Energy is that of the mass centre and that about it."""
    v_G = oracle.momentum() / oracle.mass
    I_G = oracle.inertia(oracle.centre)
    ours = energy.koenig_energy(oracle.mass, I_G, v_G, oracle.w)
    assert_close(ours, oracle.energy(), rtol=1e-11)


@given(oracles())
def test_power_is_the_rate_of_energy(oracle):
    """K_dot = v_Q . Q_dot + w . (L_Q_dot + v_Q x Q) is the particles' sum m v . a."""
    Q, r, m = oracle.x[0], oracle.r_QG, oracle.mass
    v, w, a, alpha = oracle.v[0], oracle.w, oracle.a[0], oracle.alpha
    I_Q = oracle.inertia(Q)
    p = momentum.linear_momentum(m, r, v, w)
    p_dot = momentum.linear_momentum_rate(m, r, w, a, alpha)
    L_dot = momentum.angular_momentum_rate(m, r, I_Q, v_Q=v, w=w, a_Q=a, alpha=alpha)
    V = np.concatenate([w, v])
    ours = energy.kinetic_energy_rate(p, p_dot, L_dot, V)
    truth = oracle.masses @ np.sum(oracle.v * oracle.a, axis=1)
    scale = oracle.masses @ np.sum(np.abs(oracle.v * oracle.a), axis=1)
    assert_close(ours, truth, atol=1e-10 * scale)


@pytest.mark.row("CV-03")
@given(oracles())
def test_both_signs_of_the_static_moment_give_the_particles_energy(oracle):
    """003: linear row S_Q = -m [r]; 001: angular row +m [r] = S_Q^T; one energy."""
    Q, v, w, m, r = oracle.x[0], oracle.v[0], oracle.w, oracle.mass, oracle.r_QG
    I_Q = oracle.inertia(Q)
    S = static_moment(m, r)
    book = np.block([[m * np.eye(3), S], [S.T, I_Q]])  # 003, linear first
    V_book = np.concatenate([v, w])
    assert_close(V_book @ book @ V_book / 2, oracle.energy(), rtol=1e-11)
    I_G = oracle.inertia(oracle.centre)
    M = spatial_inertia(m, r, I_G)  # 001, angular first
    V = np.concatenate([w, v])
    assert_close(energy.spatial_kinetic_energy(M, V), oracle.energy(), rtol=1e-11)
    assert_close(M[:3, 3:], S.T, rtol=1e-12)
    assert_close(M[:3, 3:], m * skew(r), rtol=1e-12)
    assert_close(M[3:, :3], S, rtol=1e-12)
