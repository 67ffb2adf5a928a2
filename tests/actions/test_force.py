"""Laws of forces, couples and their systems."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.actions import force_system
from polhode.actions.fields.quadrature import (
    ball,
    box,
    disc,
    rectangle,
    segment,
    sphere,
    tetrahedron,
    triangle,
)
from polhode.actions.force import Couple, Force, ForceSystem
from polhode.errors import ForceError, FrameMismatch, StateError
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector
from strategies_actions import generators

DECK = Frame("deck")
ORIGIN = Point.origin(DECK)


def force(rng) -> Force:
    return Force(Vector(rng.normal(size=3), DECK), Point(DECK, rng.normal(size=3)))


def system(rng, forces=4, couples=2) -> ForceSystem:
    free = [Couple(Vector(rng.normal(size=3), DECK)) for _ in range(couples)]
    return ForceSystem(DECK, [force(rng) for _ in range(forces)], free)


def point(rng) -> Point:
    return Point(DECK, rng.normal(size=3))


@pytest.mark.row("A-02")
@given(generators, st.floats(-10, 10))
def test_a_force_may_slide_along_its_line(rng, distance):
    """Moving a force along its line changes neither resultant nor any moment."""
    one = force(rng)
    other, pole = one.slid(distance), point(rng)
    assert_close(other.vector, one.vector)
    assert_close(other.moment(pole), one.moment(pole), atol=1e-13)
    assert one.is_close(other, rtol=1e-12)
    aside = Force(one.vector, one.at + Vector(rng.normal(size=3), DECK))
    assert not one.is_close(aside)


@pytest.mark.row("A-03")
@given(generators)
def test_moment_is_arm_cross_force_and_changes_with_the_pole(rng):
    """M_H = (P - H) x F, and M_K = M_H + (H - K) x F."""
    one, H, K = force(rng), point(rng), point(rng)
    by_hand = np.cross(one.at.coordinates - H.coordinates, one.vector.components)
    assert_close(one.moment(H), by_hand, atol=1e-15)
    changed = force_system.change_pole(
        by_hand, H.coordinates, K.coordinates, one.vector.components
    )
    assert_close(one.moment(K), changed, atol=1e-14)


@pytest.mark.row("A-04")
@given(generators)
def test_resultants_are_sums_and_obey_the_change_of_pole(rng):
    """R = sum F, M_H = sum (P - H) x F + sum C, M_K = M_H + (H - K) x R."""
    load, H, K = system(rng), point(rng), point(rng)
    R = sum(np.asarray(f.vector) for f in load.forces)
    M = sum(np.asarray(f.moment(H)) for f in load.forces)
    M = M + sum(np.asarray(c.vector) for c in load.couples)
    assert_close(load.resultant(), R)
    assert_close(load.moment(H), M, atol=1e-14)
    arm = H - K
    changed = load.moment(H) + arm.cross(load.resultant())
    assert_close(load.moment(K), changed, atol=1e-13)
    wrench = load.wrench(H, on=DECK)
    assert_close(wrench.at(K).torque, load.moment(K), atol=1e-13)


@pytest.mark.row("A-05")
@given(generators)
def test_reduction_keeps_all_moments(rng):
    """Force on the central axis and couple along it: the same R and M at any pole."""
    load = system(rng)
    reduced = load.reduced()
    same = ForceSystem(DECK, [reduced.force], [reduced.couple])
    for _ in range(5):
        pole = point(rng)
        assert_close(same.moment(pole), load.moment(pole), atol=1e-12)
    assert_close(same.resultant(), load.resultant())
    parallel = reduced.force.vector.cross(reduced.couple.vector)
    assert_close(parallel, np.zeros(3), atol=1e-12)
    assert_close(reduced.pitch * reduced.force.vector, reduced.couple.vector)
    assert load.is_equivalent(same)
    assert not load.is_equivalent(ForceSystem(DECK, [reduced.force]))


@pytest.mark.row("A-05")
@given(generators)
def test_a_single_force_exists_only_if_moment_and_resultant_are_orthogonal(rng):
    """In general R.M != 0: the printed single force Q cannot carry the moment."""
    load = system(rng)
    with pytest.raises(ForceError, match=r"no single force .* 'deck'"):
        load.single_force()
    R, M = np.asarray(load.resultant()), np.asarray(load.moment(ORIGIN))
    # The best Q in (Q - H) x R = M_H leaves a residual along R.
    Q, *_ = np.linalg.lstsq(-_skew(R), M, rcond=None)
    residual = np.cross(Q, R) - M
    assert np.linalg.norm(residual) > 1e-9
    assert_close(residual, -(R @ M) / (R @ R) * R, atol=1e-12)


def _skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@pytest.mark.row("A-05")
@given(generators)
def test_parallel_forces_have_a_single_equivalent_force(rng):
    """Parallel forces, R != 0: R.M = 0 and one force does."""
    n = rng.normal(size=3)
    sizes = rng.uniform(0.5, 2, size=4)
    load = ForceSystem(DECK, [Force(Vector(s * n, DECK), point(rng)) for s in sizes])
    one = load.single_force(rtol=1e-10)
    assert load.is_equivalent(ForceSystem(DECK, [one]), rtol=1e-12)


@pytest.mark.row("A-05", "A-06")
@given(generators)
def test_two_opposite_forces_are_a_couple(rng):
    """R = 0 and C = (P1 - P2) x F1 about every pole; no single force replaces it."""
    one, other = force(rng), point(rng)
    pair = ForceSystem(DECK, [one, Force(-one.vector, other)])
    couple = Couple.of_pair(one, other)
    for _ in range(3):
        assert_close(pair.moment(point(rng)), couple.vector, atol=1e-13)
    assert_close(pair.resultant(), np.zeros(3), atol=1e-15)
    reduced = pair.reduced()
    assert reduced.force is None
    assert reduced.couple.is_close(couple, rtol=1e-10)
    with pytest.raises(ForceError, match="resultant is zero"):
        pair.single_force()
    with pytest.raises(ForceError, match="no pitch"):
        _ = reduced.pitch


def test_nothing_reduces_to_nothing():
    """An empty system has neither force nor couple."""
    load = ForceSystem(DECK).reduced()
    assert load.force is None
    assert load.couple is None


def test_frames_do_not_mix():
    """A force written in one frame cannot act at a point of another."""
    hull = Frame("hull")
    with pytest.raises(FrameMismatch, match=r"'deck'.*'hull'"):
        Force(Vector([1, 0, 0], DECK), Point.origin(hull))
    with pytest.raises(FrameMismatch):
        ForceSystem(DECK, [Force(Vector([1, 0, 0], hull), Point.origin(hull))])
    with pytest.raises(FrameMismatch):
        ForceSystem(DECK).moment(Point.origin(hull))


def test_nan_is_refused():
    """A load density with NaN is refused at the door."""
    rule = segment([0, 0, 0], [1, 0, 0], 2)
    with pytest.raises(StateError, match="not finite"):
        ForceSystem.distributed(DECK, rule, np.full((2, 3), np.nan))


@pytest.mark.row("A-08")
def test_uniform_load_on_a_beam_acts_at_its_middle():
    """A uniform line load equals its resultant at the midpoint."""
    rule = segment([1, 0, 0], [4, 0, 0], order=3)
    load = ForceSystem.distributed(DECK, rule, np.tile([0, 0, -7.0], (3, 1)))
    one = load.single_force()
    assert one.is_close(Force(Vector([0, 0, -21], DECK), Point(DECK, [2.5, 0, 0])))


@pytest.mark.row("A-08")
@given(st.floats(0.5, 2), st.floats(0.5, 3), st.floats(0, 5))
def test_centre_of_pressure_of_a_plate(width, height, depth):
    """Hydrostatic pressure on a vertical plate acts I/(A h) below its centre."""
    rule = rectangle([0, 0, -depth], [width, 0, 0], [0, 0, -height], order=3)
    pressure = -9810 * rule.points[:, 2]
    load = ForceSystem.distributed(DECK, rule, pressure[:, None] * [0, 1.0, 0])
    one = load.single_force(rtol=1e-10)
    mean, area = depth + height / 2, width * height
    assert_close(one.vector, [0, 9810 * mean * area, 0], atol=1e-9)
    below = width * height**3 / 12 / (area * mean)
    assert_close(one.at.coordinates[2], -mean - below)
    assert_close(one.at.coordinates[0], width / 2)


@pytest.mark.row("A-08")
def test_composite_rules_converge_with_order_twice_their_points():
    """Halving the panels of a 2-point rule divides the error by 2^4."""
    exact = np.exp(2) - 1
    errors = []
    for panels in (4, 8, 16):
        ends = np.linspace(0, 2, panels + 1)
        parts = [segment([a, 0, 0], [b, 0, 0], 2) for a, b in pairwise(ends)]
        whole = sum(parts[1:], parts[0])
        f = np.exp(whole.points[:, :1]) * [0, 0, 1.0]
        R = ForceSystem.distributed(DECK, whole, f).resultant()
        errors.append(abs(np.asarray(R)[2] - exact))
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 4) < 0.1)


@pytest.mark.row("A-08")
@pytest.mark.parametrize(
    ("rule", "measure", "moment"),
    [
        (segment([0, 0, 0], [0, 0, 3], 2), 3, 9),
        (triangle([[0, 0, 0], [2, 0, 0], [0, 0, 3]], 3), 3, 4.5),
        (tetrahedron([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], 4), 4, 6.4),
        (rectangle([0, 0, 0], [2, 0, 0], [0, 0, 3], 2), 6, 18),
        (box([1, 2, 3], 2), 6, 4.5),
        (sphere(2, 2), 16 * np.pi, 64 * np.pi / 3),
        (ball(2, 4), 32 * np.pi / 3, 128 * np.pi / 15),
        (ball(2, 4, hollow=1), 28 * np.pi / 3, 124 * np.pi / 15),
    ],
)
def test_rules_are_exact_for_squares(rule, measure, moment):
    """Measure and the integral of z^2 of each shape, in closed form."""
    assert_close(rule.measure, measure)
    assert_close(rule.integrate(rule.points[:, 2] ** 2), moment)


@pytest.mark.row("A-08")
def test_disc_rule_is_exact_for_squares():
    """A disc of radius 2: area 4 pi, the integral of x^2 is 4 pi."""
    rule = disc(2, 3)
    assert_close(rule.measure, 4 * np.pi)
    assert_close(rule.integrate(rule.points[:, 0] ** 2), 4 * np.pi)
