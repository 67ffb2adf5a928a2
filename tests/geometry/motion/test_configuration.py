"""Laws of configurations and states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.errors import FrameMismatch, ModelError, StateError
from polhode.geometry.frame import Frame
from polhode.geometry.motion.configuration import (
    Configuration,
    State,
    degrees_of_freedom,
)
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.twist import Twist
from strategies_geometry import generators, pose_between

ROOM = Frame("room")
BODIES = [Frame(f"body {k}") for k in range(3)]


def random_state(rng, particles, bodies):
    """Particles and bodies anywhere, moving anyhow."""
    frames = BODIES[:bodies]
    poses = [pose_between(rng, of=frame, seen_from=ROOM) for frame in frames]
    twists = [
        Twist(
            angular=rng.normal(size=3),
            linear=rng.normal(size=3),
            of=frame,
            seen_from=ROOM,
            point=Point.origin(frame),
            frame=frame,
        )
        for frame in frames
    ]
    configuration = Configuration(ROOM, rng.normal(size=(particles, 3)), tuple(poses))
    return State(configuration, rng.normal(size=(particles, 3)), tuple(twists))


@pytest.mark.row("K-01")
@given(generators, st.integers(0, 3), st.integers(0, 3))
def test_states_become_columns_and_back(rng, particles, bodies):
    """unflatten(flatten(state)) is the state: coordinates, poses and velocities."""
    state = random_state(rng, particles, bodies)
    column = state.flatten()
    assert column.shape == (6 * particles + 13 * bodies,)
    pattern = random_state(rng, particles, bodies)
    again = pattern.unflatten(column)
    assert_close(again.flatten(), column, rtol=1e-14)
    assert_close(again.configuration.places, state.configuration.places, rtol=0)
    for one, other in zip(
        again.configuration.poses, state.configuration.poses, strict=True
    ):
        assert one.is_close(other)
    for one, other in zip(again.twists, state.twists, strict=True):
        assert_close(one, np.asarray(other), rtol=0)


@pytest.mark.row("K-01")
@given(generators, st.integers(0, 3), st.integers(1, 3), st.integers(0, 5))
def test_degrees_of_freedom_count_by_rank(rng, particles, bodies, count):
    """3 a particle and 6 a body, minus the rank, not the number, of constraints."""
    configuration = random_state(rng, particles, bodies).configuration
    free = 3 * particles + 6 * bodies
    assert degrees_of_freedom(configuration) == free
    rows = rng.normal(size=(count, free))
    assert degrees_of_freedom(configuration, rows) == free - count
    redundant = np.concatenate([rows, 1e6 * rows[:1], rows.sum(0, keepdims=True)])
    if count:
        assert degrees_of_freedom(configuration, redundant) == free - count


@pytest.mark.row("K-01")
def test_two_particles_on_a_rod_have_five():
    """6 speeds, one constraint of distance: 5 degrees of freedom."""
    places = np.array([[0.0, 0, 0], [1.0, 2, 2]])
    arm = places[1] - places[0]
    rows = [np.concatenate([-arm, arm])]
    assert degrees_of_freedom(Configuration(ROOM, places), rows) == 5


def test_wrong_columns_are_refused_with_the_layout():
    """A wrong length says what was expected, in which order."""
    state = random_state(np.random.default_rng(0), 1, 1)
    with pytest.raises(StateError) as caught:
        state.unflatten(np.zeros(18))
    assert "expected 19 numbers, got an array of shape (18,)" in str(caught.value)
    with pytest.raises(StateError, match=r"3 a particle \(1\), then 7 a body \(1\)"):
        state.configuration.unflatten(np.zeros(9))
    with pytest.raises(StateError, match="zero quaternion"):
        state.unflatten(np.zeros(19))


def test_states_must_fit_their_configuration():
    """Other observers, missing twists and empty constraints are refused."""
    state = random_state(np.random.default_rng(0), 0, 2)
    with pytest.raises(StateError, match=r"the twists are of \('body 0'\), the poses"):
        State(state.configuration, (), state.twists[:1])
    stranger = Pose.identity(of=BODIES[0], seen_from=BODIES[1])
    with pytest.raises(FrameMismatch, match="cannot collect"):
        Configuration(ROOM, (), (stranger,))
    with pytest.raises(ModelError, match="constraint row 1 is zero"):
        degrees_of_freedom(state.configuration, [np.ones(12), np.zeros(12)])
