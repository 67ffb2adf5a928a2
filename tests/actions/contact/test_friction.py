"""Laws of contact, friction and drag."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.actions.contact import friction
from polhode.actions.drag import drag_force, quadratic_coefficient
from polhode.double import jacobian
from strategies_actions import (
    columns,
    generators,
)


@pytest.mark.row("A-23")
@given(generators)
def test_a_contact_force_is_its_normal_and_its_tangential_part(rng):
    """F = N n + T with T.n = 0; a push has N >= 0 along the outward normal."""
    force, n = rng.normal(size=(2, 3))
    n = n / np.linalg.norm(n)
    N, T = friction.split(force, n)
    assert_close(N * n + T, force, atol=1e-15)
    assert_close(T @ n, 0.0, atol=1e-15)
    push, _ = friction.split(abs(rng.normal()) * n + np.cross(n, force), n)
    assert push >= 0


@given(columns, st.floats(0.1, 10))
def test_static_friction_carries_what_is_below_its_limit(applied, load):
    """At rest T = -applied while |T| <= mu_s N; the printed >= would carry the rest."""
    mu = {"static": 0.5, "dynamic": 0.3}
    T = friction.coulomb_friction(np.zeros(3), applied, load, **mu)
    size = np.linalg.norm(applied)
    if size <= 0.5 * load:
        assert_close(T, -applied)
        assert friction.sticks(T, load, 0.5)
    else:
        assert_close(T, -0.3 * load * applied / size, rtol=1e-12)
        assert not friction.sticks(applied, load, 0.5)
        printed = size >= 0.5 * load  # would call this one carried
        assert printed


@given(columns, st.floats(0.1, 10))
def test_sliding_friction_opposes_the_sliding(v, load):
    """T = -mu_d N v/|v|; its power is -mu_d N |v|; the smooth law tends to it."""
    speed = np.linalg.norm(v)
    T = friction.coulomb_friction(v, np.ones(3), load, static=0.5, dynamic=0.3)
    assert_close(T, -0.3 * load * v / speed)
    assert_close(T @ v, -0.3 * load * speed)
    smooth = friction.regularised_friction(v, load, 0.3, 1e-7 * speed)
    assert_close(smooth, T, rtol=1e-12)
    assert_close(friction.regularised_friction(0 * v, load, 0.3, 0.1), np.zeros(3))
    assert friction.Coulomb(0.3, 0.5).holds(0.49 * load * v / speed, load)


def test_friction_has_finite_slopes_at_rest():
    """Smooth friction is viscous at rest, mu N/s; dry friction has no NaN slope."""
    smooth = jacobian(lambda v: friction.regularised_friction(v, 5.0, 0.3, 0.1))
    assert_close(smooth(np.zeros(3)), -15.0 * np.eye(3))
    dry = jacobian(lambda v: friction.sliding_friction(v, 5.0, 0.3))
    assert np.all(np.isfinite(dry(np.zeros(3))))


@given(columns)
def test_drag_is_smooth_through_rest(v):
    """F = -(a + b|v|) v against v; at rest its derivative is -a, finite."""
    F = drag_force(v, 0.3, 0.2)
    assert_close(F, -(0.3 + 0.2 * np.linalg.norm(v)) * v)
    assert_close(_drag_slope(np.zeros(3)), -0.3 * np.eye(3))
    assert_close(quadratic_coefficient(1.2, 0.5, 2.0), 0.6)


_drag_slope = jacobian(lambda v: drag_force(v, 0.3, 0.2))
