"""Laws of the motion of one frame before another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import FrameMismatch, StateError
from polhode.geometry.frame import Frame
from polhode.geometry.motion import moving_frame
from polhode.geometry.motion.frame_motion import FrameMotion
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from strategies_geometry import Motion, generators, pose_between

A, B, C = Frame("A"), Frame("B"), Frame("C")


def random_motion(rng, *, of, seen_from):
    """A frame moving anyhow before another."""
    pose = pose_between(rng, of=of, seen_from=seen_from)
    return FrameMotion(pose, *rng.normal(size=(4, 3)))


@given(generators)
def test_named_motions_are_the_kernels_with_names(rng):
    """M_AC = M_AB M_BC and M_BA undoes M_AB, frames included."""
    AB = random_motion(rng, of=B, seen_from=A)
    BC = random_motion(rng, of=C, seen_from=B)
    AC = AB @ BC
    assert (AC.of, AC.seen_from) == (C, A)
    expected = moving_frame.compose(AB.arrays, BC.arrays)
    for one, other in zip(AC.arrays, expected, strict=True):
        assert_close(one, other, rtol=1e-13)
    back = AB.inverse() @ AC
    for one, other in zip(back.arrays, BC.arrays, strict=True):
        assert_close(one, other, atol=1e-12)


@given(generators)
def test_twist_gives_the_velocity_of_every_point(rng):
    """What the twist says of a point is what the motion sees of it."""
    AB, point = random_motion(rng, of=B, seen_from=A), Point(B, rng.normal(size=3))
    seen = AB.see(point)
    assert_close(AB.twist.velocity_of(AB.pose.place(point)), seen.velocity)
    assert_close(AB.pose.place(point).coordinates, seen.place)


def test_motion_along_a_path():
    """The jet of a path is the named motion: here against its own definition."""
    motion = Motion.random(np.random.default_rng(3))
    seen = FrameMotion.along(motion.placement, 0.2, of=B, seen_from=A)
    assert_close(seen.pose.to_matrix(), motion.matrix(0.2))
    shifts = motion.shifts
    assert_close(seen.velocity, shifts[1] * np.cos(0.2) + 2 * 0.2 * shifts[2])


def test_motions_join_only_where_letters_match():
    """AB and AC do not join; NaN is refused with the quantity's name."""
    AB = FrameMotion(Pose.identity(of=B, seen_from=A))
    AC = FrameMotion(Pose.identity(of=C, seen_from=A))
    with pytest.raises(FrameMismatch, match="cannot join a motion of 'B' seen from"):
        AB @ AC
    with pytest.raises(FrameMismatch, match="cannot see"):
        AB.see(Point.origin(C))
    with pytest.raises(StateError, match="the angular acceleration of 'B' seen from"):
        FrameMotion(AB.pose, angular_acceleration=[0, np.nan, 0])
    assert repr(AB).startswith("FrameMotion(of='B', seen_from='A', place=[0, 0, 0]")


@given(generators)
def test_motions_are_compared_in_all_their_parts(rng):
    """There and back is close; a change in any one part is not."""
    pose = pose_between(rng, of=B, seen_from=A)
    parts = rng.normal(size=(4, 3))
    motion = FrameMotion(pose, *parts)
    assert motion.is_close(motion.inverse().inverse(), rtol=1e-12)
    for k in range(4):
        changed = parts.copy()
        changed[k] += 0.1
        assert not motion.is_close(FrameMotion(pose, *changed))
    with pytest.raises(FrameMismatch):
        motion.is_close(motion.inverse())
