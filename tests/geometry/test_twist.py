"""Laws of twists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.errors import FrameMismatch, ModelError, StateError
from polhode.geometry import se3
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.twist import Twist, twist_of_velocity_field
from polhode.geometry.vector import Dyadic, Vector
from strategies_geometry import Motion, generators, pose_between, rotation_between

A, B, C = Frame("A"), Frame("B"), Frame("C")


def random_twist(rng, *, of=B, seen_from=A, point=None, frame=B):
    """Any twist, about the origin of the axes in which it is written."""
    angular, linear = rng.normal(size=(2, 3))
    return Twist(
        angular=angular,
        linear=linear,
        of=of,
        seen_from=seen_from,
        point=point or Point.origin(frame),
        frame=frame,
    )


@pytest.mark.row("K-04")
@given(generators)
def test_velocity_field_is_the_rate_of_the_places(rng):
    """v_P = v_Q + w x (P - Q), whatever point the twist is about."""
    motion, point = Motion.random(rng), Point(B, rng.normal(size=3))
    X, X_dot = motion.matrix(0.2), derivative(motion.matrix, 0.2)
    pose = Pose.from_matrix(X, of=B, seen_from=A)
    screw = se3.unhat(X_dot @ se3.inverse(X))
    spatial = Twist(
        angular=screw[:3],
        linear=screw[3:],
        of=B,
        seen_from=A,
        point=Point.origin(A),
        frame=A,
    )
    place = pose.place(point)
    expected = derivative(lambda t: se3.act(motion.matrix(t), point.coordinates), 0.2)
    assert_close(spatial.velocity_of(place), expected, rtol=1e-9)
    elsewhere = spatial.at(Point(A, rng.normal(size=3)))
    assert_close(elsewhere.velocity_of(place), expected, rtol=1e-9)
    body = spatial.moved_by(pose.inverse())
    assert_close(body.velocity_of(point).written_in(pose.rotation), expected, rtol=1e-9)


@given(generators)
def test_twists_move_with_poses_and_back(rng):
    """Ad(X_AB) then Ad(X_BA) is nothing, and re-expression keeps the point."""
    V_B = random_twist(rng)
    X_AB = pose_between(rng, of=B, seen_from=A)
    V_A = V_B.moved_by(X_AB)
    assert_close(V_A, se3.adjoint(np.asarray(X_AB)) @ np.asarray(V_B))
    assert (V_A.point.frame, V_A.frame) == (A, A)
    assert V_A.moved_by(X_AB.inverse()).is_close(V_B)
    turned = V_B.written_in(X_AB.rotation)
    assert turned.point is V_B.point
    assert_close(turned.angular, X_AB.rotation.matrix @ V_B.angular)


@given(generators)
def test_relative_twists_join(rng):
    """V_AC = V_AB + V_BC about one point, and the reverse motion is the opposite."""
    V_AB = random_twist(rng, of=B, seen_from=A)
    V_BC = random_twist(rng, of=C, seen_from=B)
    V_AC = V_AB.followed_by(V_BC)
    assert (V_AC.of, V_AC.seen_from) == (C, A)
    assert_close(V_AC, np.asarray(V_AB) + np.asarray(V_BC))
    assert_close(V_AB.followed_by(V_AB.reversed()), np.zeros(6))
    w = V_AC.angular_velocity
    assert w.vector.is_close(
        V_AB.angular_velocity.vector + V_BC.angular_velocity.vector
    )
    doubled = V_AB + V_AB
    assert doubled.is_close(2 * V_AB)
    assert (doubled - V_AB).is_close(V_AB)
    for wrong in (lambda: V_AB * np.ones(6), lambda: V_AB + np.ones(6)):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.row("K-24")
@given(generators)
def test_a_rigid_field_does_not_deform(rng):
    """The velocity gradient has no symmetric part and the curl is 2 w."""
    twist = random_twist(rng)
    place = rng.normal(size=3)

    def velocity(x):
        return np.asarray(twist.velocity_of(Point(B, x)))

    gradient = np.stack(
        # The field is affine: a difference over any length is its derivative.
        [velocity(place + e) - velocity(place) for e in np.eye(3)],
        axis=1,
    )
    assert_close(gradient + gradient.T, np.zeros((3, 3)), atol=1e-12)
    curl = np.array(
        [
            gradient[2, 1] - gradient[1, 2],
            gradient[0, 2] - gradient[2, 0],
            gradient[1, 0] - gradient[0, 1],
        ]
    )
    assert_close(curl, 2 * twist.angular, atol=1e-12)
    assert_close(twist.velocity_gradient, gradient, atol=1e-12)
    recovered = twist_of_velocity_field(
        twist.velocity_of(twist.point),
        twist.velocity_gradient,
        of=B,
        seen_from=A,
        point=twist.point,
    )
    assert recovered.is_close(twist)


@pytest.mark.row("K-24")
def test_deformable_motions_are_refused():
    """A stretching velocity gradient belongs to no rigid body, and the text says so."""
    stretch = Dyadic(np.diag([0.5, 0.0, 0.0]), A)
    with pytest.raises(ModelError) as caught:
        twist_of_velocity_field(
            Vector([0, 0, 0], A), stretch, of=B, seen_from=A, point=Point.origin(A)
        )
    text = str(caught.value)
    assert "'B' deforms: its velocity gradient has a symmetric part of 0.5" in text
    assert "Deformable bodies are not supported" in text


def test_unlike_twists_do_not_mix():
    """Other bodies, other points, other axes: each refusal names what differs."""
    rng = np.random.default_rng(7)
    V_AB, V_AC = random_twist(rng), random_twist(rng, of=C)
    with pytest.raises(FrameMismatch, match="'B' seen from 'A' and that of 'C' seen"):
        V_AB + V_AC
    with pytest.raises(FrameMismatch, match="cannot join a motion"):
        V_AB.followed_by(V_AC)
    with pytest.raises(FrameMismatch, match=r"Shift one first: quantity.at\(point\)"):
        V_AB + V_AB.at(Point(B, [1, 0, 0]))
    turned = V_AB.written_in(rotation_between(rng, of=B, seen_from=A))
    with pytest.raises(FrameMismatch, match="cannot shift"):
        turned.at(Point(B, [1, 0, 0]))
    with pytest.raises(StateError, match="the angular velocity of 'B' seen from 'A'"):
        Twist(
            angular=[np.nan, 0, 0],
            linear=[0, 0, 0],
            of=B,
            seen_from=A,
            point=Point.origin(B),
            frame=B,
        )


def test_twists_read_well():
    """A twist prints whose motion it is, for whom, where and along which axes."""
    twist = Twist(
        angular=[0, 0, 1],
        linear=[2, 0, 0],
        of=B,
        seen_from=A,
        point=Point.origin(B),
        frame=B,
    )
    assert repr(twist) == (
        "Twist(angular=[0, 0, 1], linear=[2, 0, 0], of='B', seen_from='A',"
        " point=Point('B', [0, 0, 0], 'origin'), frame='B')"
    )
