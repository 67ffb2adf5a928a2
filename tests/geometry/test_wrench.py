"""Laws of wrenches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import FrameMismatch, ModelError, StateError
from polhode.geometry import se3
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.twist import Twist
from polhode.geometry.wrench import Wrench
from strategies_geometry import generators, pose_between

A, B, C = Frame("A"), Frame("B"), Frame("C")


def random_wrench(rng, *, by=None):
    """Any wrench on B, about B's origin in B's axes."""
    torque, force = rng.normal(size=(2, 3))
    origin = Point.origin(B)
    return Wrench(torque=torque, force=force, on=B, point=origin, frame=B, by=by)


def random_twist(rng, *, of=B):
    """Any twist about B's origin in B's axes."""
    angular, linear = rng.normal(size=(2, 3))
    where = {"point": Point.origin(B), "frame": B}
    return Twist(angular=angular, linear=linear, of=of, seen_from=A, **where)


@given(generators)
def test_power_is_one_number(rng):
    """Torque . w + force . v is the same about every point and in all axes."""
    F, V = random_wrench(rng), random_twist(rng)
    point = Point(B, rng.normal(size=3))
    X_AB = pose_between(rng, of=B, seen_from=A)
    power = F.power(V)
    assert_close(power, np.asarray(F) @ np.asarray(V), atol=1e-14)
    assert_close(F.at(point).power(V.at(point)), power, atol=1e-13)
    assert_close(F.moved_by(X_AB).power(V.moved_by(X_AB)), power, atol=1e-13)
    turned = F.written_in(X_AB.rotation).power(V.written_in(X_AB.rotation))
    assert_close(turned, power, atol=1e-13)


@given(generators)
def test_torque_of_a_force_is_its_moment(rng):
    """A pure force at P has the torque (P - Q) x f about Q."""
    P, Q = (Point(B, column) for column in rng.normal(size=(2, 3)))
    force = rng.normal(size=3)
    pure = Wrench(torque=np.zeros(3), force=force, on=B, point=P, frame=B)
    assert_close(pure.at(Q).torque, np.cross(np.asarray(P - Q), force), atol=1e-14)
    assert_close(pure.at(Q).at(P), np.asarray(pure), atol=1e-14)


@given(generators)
def test_wrenches_move_with_poses_and_back(rng):
    """Ad^-T(X_AB) then Ad^-T(X_BA) is nothing."""
    F, X_AB = random_wrench(rng), pose_between(rng, of=B, seen_from=A)
    assert_close(F.moved_by(X_AB), se3.coadjoint(np.asarray(X_AB)) @ np.asarray(F))
    assert F.moved_by(X_AB).moved_by(X_AB.inverse()).is_close(F)
    assert (F + F).is_close(2 * F)
    assert (F + F - F).is_close(F)
    assert_close(F - F, np.zeros(6))
    for wrong in (lambda: F * np.ones(6), lambda: F + np.ones(6), lambda: F - 1):
        with pytest.raises(TypeError):
            wrong()


def test_reaction_exchanges_the_bodies():
    """What B gets from C, C gets back with the opposite sign."""
    F = random_wrench(np.random.default_rng(8), by=C)
    back = F.reaction()
    assert (back.on, back.by) == (C, B)
    assert_close(back, -np.asarray(F))
    with pytest.raises(ModelError, match="the wrench on 'B' has no reaction"):
        random_wrench(np.random.default_rng(8)).reaction()


@pytest.mark.row("CV-06")
@given(generators)
def test_a_wrench_on_one_body_by_another(rng):
    """Power of a pair = (v1 - v2) . F_on1 + (w1 - w2) . M_on1, F_ij on i by j.

    Reading F_21 of one printed formula as the force on body 2, as elsewhere in the same
    book, gives the opposite power.
    """
    on_first = random_wrench(rng, by=C)
    V_1, V_2 = random_twist(rng, of=B), random_twist(rng, of=C)
    on_second = on_first.reaction()
    power = on_first.power(V_1) + on_second.power(V_2)
    difference = np.asarray(V_1) - np.asarray(V_2)
    assert_close(power, np.asarray(on_first) @ difference, atol=1e-13)
    misread = np.asarray(on_second) @ difference
    assert_close(misread, -power, atol=1e-13)
    assert abs(misread - power) > 1e-6


def test_unlike_wrenches_do_not_mix():
    """Other bodies and other points are refused by name; so are numbers not finite."""
    rng = np.random.default_rng(9)
    F = random_wrench(rng)
    with pytest.raises(FrameMismatch, match="a wrench on 'B' has no power on the mot"):
        F.power(random_twist(rng, of=C))
    with pytest.raises(FrameMismatch, match="a wrench on 'B' and one on 'C'"):
        F + random_wrench(rng, by=C).reaction()
    with pytest.raises(FrameMismatch, match="A velocity or a moment changes"):
        F + F.at(Point(B, [1, 0, 0]))
    with pytest.raises(StateError, match="the torque on 'B' is not finite"):
        F * np.array(np.inf)


def test_wrenches_read_well():
    """A wrench prints whom it acts on, by whom, where and along which axes."""
    F = Wrench(
        torque=[0, 0, 1], force=[2, 0, 0], on=B, by=C, point=Point.origin(B), frame=B
    )
    assert repr(F) == (
        "Wrench(torque=[0, 0, 1], force=[2, 0, 0], on='B', by='C',"
        " point=Point('B', [0, 0, 0], 'origin'), frame='B')"
    )
