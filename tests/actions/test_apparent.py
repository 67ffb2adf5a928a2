"""Apparent forces: seen by non-inertial observers only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.actions.apparent import apparent_force, apparent_forces
from polhode.actions.force import Force, ForceSystem
from polhode.geometry.frame import Frame
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector
from strategies_actions import columns, generators, random_rotation

TABLE = Frame("table")
ZERO = np.zeros(3)


@pytest.mark.row("A-01")
@given(generators)
def test_a_turning_observer_sees_minus_m_times_the_named_terms(rng):
    """Origin, Euler, Coriolis and centrifugal force, each -m times its acceleration."""
    R = random_rotation(rng)
    p, w, v, alpha, a = rng.normal(size=(5, 3))
    d, v_B, a_B = rng.normal(size=(3, 3))
    observer = MovingFrame(R, p, w, v, alpha, a)
    seen = apparent_forces(2.5, observer, MovingPoint(d, v_B, a_B), TABLE)
    D, V = R @ d, R @ v_B
    terms = {
        "origin": a,
        "euler": np.cross(alpha, D),
        "coriolis": 2 * np.cross(w, V),
        "centrifugal": np.cross(w, np.cross(w, D)),
    }
    assert [force.name for force in seen] == list(terms)
    for force in seen:
        assert_close(force.vector, -2.5 * R.T @ terms[force.name], rtol=1e-12)
        assert force.is_apparent
        assert force.observer is TABLE
    sums = ForceSystem(TABLE, seen).resultant()
    whole = apparent_force(2.5, observer, MovingPoint(d, v_B, a_B))
    assert_close(R @ np.asarray(sums), whole, rtol=1e-12)


@pytest.mark.row("A-01")
@given(generators)
def test_the_observer_s_own_newton_law_needs_them(rng):
    """m a_B = F + apparent, with F = m a_A the true force."""
    R = random_rotation(rng)
    p, w, v, alpha, a = rng.normal(size=(5, 3))
    d, v_B, a_B = rng.normal(size=(3, 3))
    D, V, A = R @ d, R @ v_B, R @ a_B
    turning = np.cross(alpha, D) + 2 * np.cross(w, V) + np.cross(w, np.cross(w, D))
    true = 2.5 * (a + A + turning)
    observer = MovingFrame(R, p, w, v, alpha, a)
    apparent = apparent_force(2.5, observer, MovingPoint(d, v_B, a_B))
    assert_close(true + apparent, 2.5 * A, rtol=1e-12, atol=1e-12)


@pytest.mark.row("A-01")
@given(columns, columns, generators)
def test_an_inertial_observer_sees_none(d, v, rng):
    """A frame that moves straight and does not turn reports no apparent force."""
    glide = MovingFrame(random_rotation(rng), v, ZERO, v, ZERO, ZERO)
    assert apparent_forces(2.5, glide, MovingPoint(d, v, v), TABLE) == ()


@pytest.mark.row("A-01")
def test_users_forces_are_true():
    """A force made by hand is a true one."""
    push = Force(Vector([1, 0, 0], TABLE), Point.origin(TABLE))
    assert not push.is_apparent
    assert "apparent" not in repr(push)
