"""Laws of poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import FrameMismatch, StateError
from polhode.geometry import se3
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from strategies_geometry import generators, pose_between, rotation_between

A, B, C = Frame("A"), Frame("B"), Frame("C")


@pytest.mark.row("K-08")
@given(generators)
def test_both_forms_of_the_placement_map(rng):
    """x = Q X + q and x = Q (X - Xbar) + xbar place all points alike.

    Xbar is any reference point, and the reference placement need not be the identity.
    """
    pose = pose_between(rng, of=B, seen_from=A)
    centre, point = (Point(B, column) for column in rng.normal(size=(2, 3)))
    Q, q = pose.rotation.matrix, pose.origin
    assert_close(pose.place(point).coordinates, Q @ point.coordinates + q)
    assert_close(pose.position_of(point), Q @ point.coordinates + q)
    again = Pose.carrying(centre, pose.place(centre), pose.rotation)
    assert again.is_close(pose)
    relative = Q @ np.asarray(point - centre) + pose.place(centre).coordinates
    assert_close(again.place(point).coordinates, relative, atol=1e-14)
    # From a reference placement X_0 of the body that is not the identity:
    reference = pose_between(rng, of=B, seen_from=C)
    moved = pose @ reference.inverse()
    assert_close(
        moved.place(reference.place(point)).coordinates, pose.place(point).coordinates
    )


@pytest.mark.row("K-20")
@given(generators)
def test_poses_are_the_group_with_names(rng):
    """X_AC = X_AB X_BC is the product of 4x4 matrices; X_BA undoes X_AB."""
    X_AB = pose_between(rng, of=B, seen_from=A)
    X_BC = pose_between(rng, of=C, seen_from=B)
    assert_close(X_AB @ X_BC, np.asarray(X_AB) @ np.asarray(X_BC))
    assert_close(X_AB @ X_AB.inverse(), np.eye(4), atol=1e-14)
    assert_close(X_AB.inverse(), se3.inverse(np.asarray(X_AB)), atol=1e-15)
    again = Pose.from_matrix(X_AB.to_matrix(), of=B, seen_from=A)
    assert again.is_close(X_AB)
    identity = Pose.identity(of=B, seen_from=A)
    assert_close(identity @ X_BC, np.asarray(X_BC))
    assert not identity.is_close(X_AB)


def test_poses_join_only_where_letters_match():
    """X_AB X_AC is refused; so is placing a point of another frame."""
    X_AB = Pose.identity(of=B, seen_from=A)
    with pytest.raises(FrameMismatch, match="'B' seen from 'A'"):
        X_AB @ Pose.identity(of=C, seen_from=A)
    with pytest.raises(FrameMismatch, match=r"cannot place .* 'C' and one of 'B'"):
        X_AB.place(Point.origin(C))


def test_bad_poses_are_refused():
    """A NaN origin, a transposed matrix and a reflection are called what they are."""
    turn = Rotation.identity(of=B, seen_from=A)
    with pytest.raises(StateError, match="the origin of 'B' seen from 'A' is not fin"):
        Pose(turn, [0, 0, np.nan])
    transposed = np.eye(4)
    transposed[3, 0] = 2
    with pytest.raises(StateError, match=r"last row \[2, 0, 0, 1\]"):
        Pose.from_matrix(transposed, of=B, seen_from=A)
    with pytest.raises(StateError, match="negative determinant"):
        Pose.from_matrix(np.diag([1, 1, -1, 1]), of=B, seen_from=A)


def test_poses_read_well():
    """A pose prints both frames and where the origin is."""
    text = repr(Pose.identity(of=B, seen_from=A))
    assert text.endswith("origin=[0, 0, 0], of='B', seen_from='A')")


@pytest.mark.row("K-06")
@given(generators)
def test_rotation_tensor_keeps_lengths_angles_and_handedness(rng):
    """a = R a0 with R^T R = R R^T = 1, det R = +1: triple products too are kept."""
    R = rotation_between(rng, of=B, seen_from=A).matrix
    a, b, c = rng.normal(size=(3, 3))
    assert_close(R.T @ R, np.eye(3), atol=1e-15)
    assert_close(R @ R.T, np.eye(3), atol=1e-15)
    assert_close(np.linalg.det(R), 1.0)
    assert_close((R @ a) @ (R @ b), a @ b, atol=1e-14)
    moved = np.cross(R @ a, R @ b) @ (R @ c)
    assert_close(moved, np.cross(a, b) @ c, atol=1e-14)
    near = R + 1e-4 * rng.normal(size=(3, 3))
    with pytest.raises(StateError, match="not orthogonal"):
        Rotation(near, of=B, seen_from=A)
    projected = Rotation.nearest(near, of=B, seen_from=A).matrix
    assert_close(projected.T @ projected, np.eye(3), atol=1e-15)
    assert np.max(np.abs(projected - R)) < 1e-3


@pytest.mark.row("K-06")
@pytest.mark.parametrize("signs", [(-1, -1, -1), (1, 1, -1), (-1, 1, 1)])
def test_what_reverses_orientation_is_no_rotation(signs):
    """-1 and plane reflections are refused; -1 is no plane reflection, though det = -1.

    The printed note calls every matrix of determinant -1 a reflection about a plane.
    """
    with pytest.raises(StateError, match="a reflection, perhaps with a turn"):
        Rotation(np.diag(signs), of=B, seen_from=A)
    fixed_directions = np.sum(np.linalg.eigvals(np.diag(signs)) > 0)
    assert (fixed_directions == 2) == (signs != (-1, -1, -1))
