"""Going from point to point of a body and from observer to observer."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from closeness import assert_close
from polhode.arrays import matvec
from polhode.double import doubled
from polhode.formulation.spatial_forms.forms import (
    central_matrix,
    matrix_about,
    rate_of_inertia,
)
from polhode.formulation.spatial_forms.transfer import (
    moved_inertia,
    spatial_dyadic_rate,
    spin,
    transfer,
    transfer_rate,
)
from polhode.geometry.rotations import so3
from polhode.geometry.transport import (
    shift_twist,
    shift_wrench,
    spatial_rate,
    vector_rate,
)
from polhode.geometry.vector import cross, skew
from polhode.matter.momentum import shift_angular_momentum
from polhode.matter.spatial_inertia import shift_spatial_inertia
from polhode.matter.spread import spread, static_moment
from tumbling import DRAWS, tumbling

draws = pytest.mark.parametrize("seed", range(DRAWS))


@draws
@pytest.mark.row("F-07")
def test_one_dyadic_moves_velocities_forces_and_inertias(seed):
    """V_c = T V_o, F_o = T^T F_c, H_o = T^T H_c and M_o = T^T M_c T; one power."""
    s = tumbling(seed)
    r, T = s.body.centre, transfer(s.body.centre)
    w, v_o, f = s.w, s.V_o[3:], s.wrench_c[3:]
    assert_close(T @ s.V_o, np.r_[w, v_o + np.cross(w, r)])
    assert_close(T @ s.V_o, s.V_c)
    assert_close(T.T @ s.wrench_c, np.r_[s.wrench_c[:3] + np.cross(r, f), f])
    assert_close(T.T @ s.wrench_c, s.wrench_o)
    M_o, M_c = matrix_about(s.body), central_matrix(s.body)
    assert_close(T.T @ s.momentum_c, M_o @ s.V_o)
    assert_close(T.T @ M_c @ T, M_o)
    assert_close(s.V_c @ s.wrench_c, s.V_o @ s.wrench_o)


@draws
@pytest.mark.row("F-07")
def test_two_transfers_are_one(seed):
    """T(a) T(b) = T(a + b), and T(-a) undoes T(a)."""
    a, b = np.random.default_rng(seed).normal(size=(2, 3))
    assert_close(transfer(a) @ transfer(b), transfer(a + b))
    assert_close(transfer(-a) @ transfer(a), np.eye(6))


@draws
@pytest.mark.row("Y-08")
def test_the_transfer_is_the_shift_of_static_moment_inertia_and_momentum(seed):
    """T of 001, the transport of S and I of 003 and the pole change of Q, L agree."""
    s = tumbling(seed)
    m, r, J_c = s.body
    T, M_c, M_o = transfer(r), central_matrix(s.body), matrix_about(s.body)
    assert_close(shift_twist(s.V_o, r), T @ s.V_o)
    assert_close(shift_wrench(s.wrench_c, -r), T.T @ s.wrench_c)
    assert_close(shift_spatial_inertia(M_c, r), T.T @ M_c @ T)
    # 003: S_Q = -m (G - Q)_x stands in the linear row; I_Q = I_G + m S(r).
    assert_close(M_o[3:, :3], static_moment(m, r))
    assert_close(M_o[:3, :3], J_c + m * spread(r))
    h_c, p = s.momentum_c[:3], s.momentum_c[3:]
    moved = np.r_[shift_angular_momentum(h_c, p, r), p]
    assert_close(T.T @ s.momentum_c, moved)
    assert_close(M_o @ s.V_o, moved)


@doubled
def _along_a_turn(rotation_vectors, r, dyadic):
    """w, and the slopes in time of T(R r) and of a dyadic that turns with R."""

    def turn(t):
        return so3.exp(rotation_vectors[0] + t * rotation_vectors[1])

    def carried(t):
        R = turn(t)
        both = jnp.kron(jnp.eye(2), R)
        return transfer(R @ r), both @ dyadic @ both.T

    one = jnp.ones(())
    R, R_dot = jax.jvp(turn, (0.0 * one,), (one,))
    values, slopes = jax.jvp(carried, (0.0 * one,), (one,))
    S = R_dot @ R.T
    w = jnp.stack([S[2, 1], S[0, 2], S[1, 0]])
    return w, R @ r, values, slopes


@draws
@pytest.mark.row("F-08")
def test_the_rate_of_the_transfer_is_that_of_its_arm(seed):
    """T' = [Om] T - T [Om] = [[0, 0], [-[w x r], 0]], and V_c' = T V_o' + T' V_o."""
    rng = np.random.default_rng(seed)
    vectors, arm = rng.normal(size=(2, 3)), rng.normal(size=3)
    w, r, _, (T_dot, _) = _along_a_turn(vectors, arm, np.eye(6))
    assert_close(transfer_rate(w, r), T_dot, rtol=1e-11)
    assert_close(transfer_rate(w, r)[3:, :3], -skew(cross(w, r)))
    s = tumbling(seed)
    T, T_dot = transfer(s.body.centre), transfer_rate(s.w, s.body.centre)
    by_parts = T @ s.rates_o["inertial"] + T_dot @ s.V_o
    assert_close(by_parts, s.rates_c["inertial"], rtol=1e-11)
    # Seen from the body T has no rate.
    assert_close(T @ s.rates_o["body"], s.rates_c["body"], rtol=1e-11)


@draws
@pytest.mark.row("F-05")
def test_both_halves_of_a_spatial_vector_are_transported(seed):
    """V' seen from the world is V' seen from the body and [Om] V."""
    s = tumbling(seed)
    for V, rates in ((s.V_o, s.rates_o), (s.V_c, s.rates_c)):
        assert_close(rates["body"] + spin(s.w) @ V, rates["inertial"], rtol=1e-11)
        moved = spatial_rate(rates["body"], s.w, V)
        assert_close(moved, rates["inertial"], rtol=1e-11)
        assert_close(moved[3:], vector_rate(rates["body"][3:], s.w, V[3:]))
        back = rates["body"] - spin(s.w) @ V
        assert np.linalg.norm(back - rates["inertial"]) > 1e-3


@draws
@pytest.mark.row("F-03")
def test_the_rate_of_the_inertia_is_symmetric(seed):
    """M' = [Om] M - M [Om] from the world, zero from the body: never skew."""
    rng = np.random.default_rng(seed)
    M_B = matrix_about(tumbling(seed).body)
    vectors, r = rng.normal(size=(2, 3)), rng.normal(size=3)
    w, _, (_, M), (_, M_dot) = _along_a_turn(vectors, r, M_B)
    seen = rate_of_inertia(M, w, rates="inertial")
    assert_close(seen, M_dot, rtol=1e-11)
    assert_close(spatial_dyadic_rate(np.zeros((6, 6)), w, M), seen)
    assert_close(rate_of_inertia(M, w, rates="body"), np.zeros((6, 6)))
    assert_close(seen, seen.T, rtol=1e-13)
    # As printed in the proof of Proposition 2, M' = -M'^T.
    assert np.linalg.norm(seen + seen.T) > 0.1 * np.linalg.norm(seen)
    # An inertia that burns off has a rate seen from the body, which is added.
    burning = np.diag(rng.uniform(size=6))
    assert_close(spatial_dyadic_rate(burning, w, M) - seen, burning, rtol=1e-11)


def test_leading_axes_are_bodies():
    """Transfers of many arms are those of each."""
    rng = np.random.default_rng(0)
    arms, V = rng.normal(size=(4, 3)), rng.normal(size=(4, 6))
    M = np.stack([matrix_about(tumbling(k).body) for k in range(4)])
    for k in range(4):
        assert_close(matvec(transfer(arms), V)[k], transfer(arms[k]) @ V[k])
        assert_close(moved_inertia(M, arms)[k], moved_inertia(M[k], arms[k]))
