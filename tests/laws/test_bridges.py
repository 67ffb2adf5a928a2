"""Bridges to the papers that only laws of motion can show: whose rate is meant."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.double import doubled
from polhode.geometry import transport
from polhode.geometry.motion.angular_velocity import spatial_components
from polhode.geometry.rotations import so3
from polhode.geometry.vector import cross, skew
from polhode.matter import momentum
from polhode.matter.cloud import Cloud, angular_momentum_of_points, momentum_of_points
from polhode.matter.spatial_inertia import rotate_spatial_inertia, spatial_inertia

_RNG = np.random.default_rng(5)
CLOUD = Cloud(_RNG.uniform(0.5, 2.0, 7), _RNG.normal(size=(7, 3)))
MASS, CENTRE, INERTIA = CLOUD.moments()
OTHER_POINT = np.array([0.4, -0.3, 0.7])
# 001's Table 1: the body point that all is about, and who sees the rate.
FORMS = {
    1: (CENTRE, "inertial"),
    2: (CENTRE, "body"),
    3: (OTHER_POINT, "inertial"),
    4: (OTHER_POINT, "body"),
}


def placement(t):
    """A body that tumbles and flies: rotation and origin."""
    turn = jnp.stack([jnp.sin(2 * t), 0.3 - t**2, 1.5 * t])
    return so3.exp(turn), jnp.stack([jnp.cos(t), t**3, jnp.sin(3 * t)])


def halves(matrix, column):
    """A 3x3 matrix on both halves of a spatial column."""
    return jnp.concatenate([matrix @ column[:3], matrix @ column[3:]])


def twist(t, point):
    """[w; v] about a body point, along the world's axes."""
    (R, _), (R_dot, v) = jax.jvp(placement, (t,), (jnp.ones_like(t),))
    return jnp.concatenate([spatial_components(R, R_dot), v + R_dot @ point])


def twist_in_body(t, point):
    """The same twist along the body's axes."""
    return halves(placement(t)[0].T, twist(t, point))


@doubled
def seen(t, point):
    """R, the twist, its rate seen from the world and its rate seen from the body."""
    one = jnp.ones_like(t)
    R, _ = placement(t)
    V, inertial = jax.jvp(lambda s: twist(s, point), (t,), (one,))
    _, body = jax.jvp(lambda s: twist_in_body(s, point), (t,), (one,))
    return R, V, {"inertial": inertial, "body": halves(R, body)}


@doubled
def particles(t):
    """Places and accelerations of the particles, by derivatives of their paths."""

    def places(s):
        R, p = placement(s)
        return p + CLOUD.positions @ R.T

    def velocities(s):
        return jax.jvp(places, (s,), (jnp.ones_like(s),))[1]

    return places(t), jax.jvp(velocities, (t,), (jnp.ones_like(t),))[1]


@cache
def needed(form, t=0.6):
    """The wrench about the form's point that the particles need: sum of m a."""
    places, accelerations = particles(t)
    R, p = (np.asarray(part) for part in doubled(placement)(t))
    about = p + R @ FORMS[form][0]
    torque = angular_momentum_of_points(CLOUD.masses, places, accelerations, about)
    return np.concatenate([torque, momentum_of_points(CLOUD.masses, accelerations)])


def blocks(R, w, arm):
    """M_c, T, and [Omega] of 001, along the world's axes; arm from o to c."""
    M_c = rotate_spatial_inertia(spatial_inertia(MASS, np.zeros(3), INERTIA), R)
    T = np.eye(6)
    T[3:, :3] = -skew(arm)
    return M_c, T, np.kron(np.eye(2), skew(w))


def left_side(form, R, V, rate):
    """M V' + C V of 001's form, with the Coriolis dyadics C1 to C4."""
    w, arm = V[:3], R @ (CENTRE - FORMS[form][0])
    M_c, T, spin = blocks(R, w, arm)
    C_1 = spin @ M_c - M_c @ spin
    T_dot = spin @ T - T @ spin
    M = T.T @ M_c @ T
    C = T.T @ M_c @ T_dot + T.T @ C_1 @ T
    if FORMS[form][1] == "body":
        C = C + M @ spin
    return M @ rate + C @ V


def by_library(form, R, V, rate):
    """The same wrench by the library's balances, each with its own kind of rate."""
    w, v, arm = V[:3], V[3:], R @ (CENTRE - FORMS[form][0])
    M_c, T, _ = blocks(R, w, arm)
    M = T.T @ M_c @ T
    if FORMS[form][1] == "body":
        return momentum.spatial_momentum_rate(M, V, rate)
    alpha, a = rate[:3], rate[3:]
    p = momentum.linear_momentum(MASS, arm, v, w)
    p_dot = momentum.linear_momentum_rate(MASS, arm, w, a, alpha)
    L_dot = momentum.angular_momentum_rate(
        MASS, arm, M[:3, :3], v_Q=v, w=w, a_Q=a, alpha=alpha
    )
    return np.concatenate([L_dot + cross(v, p), p_dot])


@pytest.mark.row("CV-13")
@pytest.mark.parametrize("balance", [left_side, by_library])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_holds_with_its_own_rate_and_fails_with_the_other(form, balance):
    """Forms 1 and 3 take inertial rates, 2 and 4 body rates; particles decide."""
    point, kind = FORMS[form]
    R, V, rates = seen(0.6, point)
    wanted = needed(form)
    assert_close(balance(form, R, V, rates[kind]), wanted, rtol=1e-12)
    (other,) = rates.keys() - {kind}
    wrong = balance(form, R, V, rates[other])
    assert np.linalg.norm(wrong - wanted) > 0.05 * np.linalg.norm(wanted)


@pytest.mark.row("CV-13")
@pytest.mark.parametrize("point", [CENTRE, OTHER_POINT])
def test_the_two_rates_differ_by_the_transport_of_both_halves(point):
    """(18): d/dt V seen from N is that seen from B and [Omega] V."""
    _, V, rates = seen(0.6, point)
    moved = transport.spatial_rate(rates["body"], V[:3], V)
    assert_close(moved, rates["inertial"], rtol=1e-13)


@pytest.mark.row("CV-13")
def test_inertia_and_transfer_have_an_inertial_rate_and_no_body_rate():
    """(12), (34): left an inertial rate, first on the right a body rate, zero."""
    R, V, _ = seen(0.6, OTHER_POINT)
    arm = CENTRE - OTHER_POINT
    central = spatial_inertia(MASS, np.zeros(3), INERTIA)

    def written(t):
        turn = jnp.kron(jnp.eye(2), placement(t)[0])
        return turn @ central @ turn.T, skew(placement(t)[0] @ arm)

    def slope(t):
        return jax.jvp(written, (t,), (jnp.ones_like(t),))[1]

    M_dot, lever_dot = doubled(slope)(0.6)
    M_c, _, spin = blocks(R, V[:3], R @ arm)
    assert_close(M_dot, spin @ M_c - M_c @ spin, rtol=1e-12)
    still = np.zeros((3, 3))
    turned = transport.dyadic_rate(still, V[:3], skew(R @ arm))
    assert_close(lever_dot, turned, rtol=1e-12)


@pytest.mark.row("CV-13")
def test_a_rate_names_its_observer():
    """No rate without the frame that sees it: the overscript cannot be lost."""
    body = ph.theory.Frame("body")
    arm = ph.theory.Vector([1, 0, 0], body)
    with pytest.raises(TypeError, match="seen_from"):
        ph.theory.Rate(arm, arm)
