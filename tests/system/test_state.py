"""States are given by names of joints, and are what they say."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import (
    FrameMismatch,
    NumericalWarning,
    PolhodeError,
    StateError,
    ZeroQuaternion,
)
from strategies_system import arm, cart_pendulum, topology


def test_a_state_is_given_and_read_by_names():
    """Named joints have their values, the others are neutral and at rest."""
    state = topology("cart_pendulum").state(pivot=0.3, speeds={"track": -2.0}, t=1.5)
    assert (state["pivot"], state["track"]) == (0.3, 0.0)
    assert (state.speed("track"), state.speed("pivot")) == (-2.0, 0.0)
    assert state.t == 1.5
    text = "State('cart-pendulum', t = 1.5 s: track = 0, pivot = 0.3;"
    assert repr(state).startswith(text)


def test_a_state_is_read_by_the_names_that_it_is_given_by():
    """Names of coordinates and of speeds, besides those of joints."""
    system = topology("spherical_pendulum")
    turn = dict(zip(("qw", "qx", "qy", "qz"), (0.6, 0.0, 0.8, 0.0), strict=True))
    state = system.state({"ball": turn}, speeds={"ball.wy": 2.0})
    for name, value in zip(system.coordinate_names, state.q, strict=True):
        assert state[name] == value
    for name, value in zip(system.speed_names, state.z, strict=True):
        assert state.speed(name) == value
    with pytest.raises(PolhodeError, match=r"no joint 'ball\.wy' with coordinates"):
        state["ball.wy"]
    with pytest.raises(PolhodeError, match=r"There are: 'ball', 'ball\.wx', 'b"):
        state.speed("ball.wu")


def test_names_that_are_no_words_go_into_a_mapping():
    """A joint called 'big end' can be set, too."""
    system = topology("slider_crank")
    state = ph.assemble(system, {"main": 0.4}).state
    again = system.state({"big end": state["big end"], "main": 0.4,
                          "small end": state["small end"]})  # fmt: skip
    assert again.is_close(state, rtol=1e-9)


def test_a_state_owns_its_numbers():
    """Nothing that is passed is changed or shared, and nothing can be written."""
    system = cart_pendulum()
    q, z = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    state = ph.State(system, 0.0, q, z)
    q[0] = z[0] = 99.0
    assert_close(state.q, [1.0, 2.0])
    assert_close(state.z, [3.0, 4.0])
    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 5.0
    with pytest.raises(ValueError, match="read-only"):
        state.z[0] = 5.0


def test_lists_and_integers_become_doubles():
    """Integers are not truncated arithmetic later on."""
    state = ph.State(cart_pendulum(), 0, [1, 2], (3, 4))
    assert state.q.dtype == state.z.dtype == np.float64


def test_an_unknown_joint_is_named_with_a_suggestion():
    """A misspelt name says which one was meant, and which there are."""
    with pytest.raises(StateError, match="no joint 'j3x'") as caught:
        arm().state(j3x=1.0)
    assert "Did you mean 'j3'?" in str(caught.value)
    with pytest.raises(StateError, match="no joint 'D' to set") as caught:
        topology("four_bar").state(D=1.0)
    assert "closes a loop" in str(caught.value)


@pytest.mark.parametrize("q", [[0.1], np.zeros(3), 0.5, np.zeros((2, 2))])
def test_a_wrong_length_is_refused_with_the_layout(q):
    """Too many or too few numbers: the order of the right ones is said."""
    with pytest.raises(StateError) as caught:
        ph.State(cart_pendulum(), 0.0, q, np.zeros(2))
    assert "track, pivot" in str(caught.value) or "(2,)" in str(caught.value)


def test_wrong_numbers_of_a_joint_are_refused():
    """One hinge takes one number; speeds of a ball take three."""
    with pytest.raises(StateError, match="has 1 coordinate"):
        cart_pendulum().state(pivot=[1.0, 2.0])
    with pytest.raises(StateError, match="has 3 speeds"):
        topology("spherical_pendulum").state(speeds={"ball": 1.0})
    with pytest.raises(StateError, match="not finite"):
        cart_pendulum().state(pivot=np.nan)


def test_degrees_are_suspected():
    """A hinge at 720 stands for 115 turns: hardly meant."""
    with pytest.warns(NumericalWarning, match="115 turns"):
        cart_pendulum().state(pivot=720.0)
    cart_pendulum().state(track=720.0)  # a length may be long


def test_a_ball_is_set_by_a_rotation_not_by_four_numbers():
    """Four numbers do not say which is the scalar; a Rotation does."""
    system = topology("spherical_pendulum")
    top, world = system.bodies[0], system.tree.world
    with pytest.raises(StateError, match="in which order"):
        system.state(ball=[1.0, 0.0, 0.0, 0.0])
    turn = ph.Rotation.from_axis_angle(
        [0, 0, 1], 0.4, of=top.frame, seen_from=world.frame
    )
    state = system.state(ball=turn)
    assert_close(system.poses(0, state.q).rotations[0], turn.matrix)
    assert_close(state["ball"], [np.cos(0.2), 0, 0, np.sin(0.2)])
    named = system.state(ball={"qw": np.cos(0.2), "qz": np.sin(0.2)})
    assert_close(system.poses(0, named.q).rotations[0], turn.matrix)
    with pytest.raises(FrameMismatch, match="inverse"):
        system.state(ball=turn.inverse())
    with pytest.raises(StateError, match="no coordinate 'w'"):
        system.state(ball={"w": 1.0})


def test_a_free_body_is_set_by_a_pose():
    """The pose given is the pose that is."""
    system = topology("free_body")
    body, world = system.bodies[0], system.tree.world
    turn = ph.Rotation.from_axis_angle(
        [1, 2, 2], 1.1, of=body.frame, seen_from=world.frame
    )
    state = system.state(satellite=ph.theory.Pose(turn, [1.0, 2.0, 3.0]))
    poses = system.poses(0, state.q)
    assert_close(poses.rotations[0], turn.matrix)
    assert_close(poses.origins[0], [1.0, 2.0, 3.0])


def test_a_zero_quaternion_is_refused():
    """Four zeros are no orientation, at this door as at any other."""
    system = topology("spherical_pendulum")
    with pytest.raises(ZeroQuaternion):
        ph.State(system, 0.0, np.zeros(4), np.zeros(3))


def test_a_quaternion_is_brought_to_length_one():
    """Rounded digits are put right."""
    system = topology("spherical_pendulum")
    state = ph.State(system, 0.0, [0.70710678, 0.70710678, 0, 0], np.zeros(3))
    assert_close(state.q @ state.q, 1.0, rtol=1e-15)


def test_a_refused_state_changes_nothing():
    """The system answers as before."""
    system = cart_pendulum()
    before = system.mass_matrix(0, np.array([0.1, 0.2]))
    with pytest.raises(StateError):
        system.state(pivot="north")
    assert np.array_equal(system.mass_matrix(0, np.array([0.1, 0.2])), before)


def test_a_joint_that_is_given_twice_is_refused():
    """In a mapping and by keyword: which of the two is meant?"""
    system = ph.models.pendulum()
    for ask in (system.state, system.rest().changed, partial(ph.assemble, system)):
        with pytest.raises(StateError, match="'hinge' is given twice: 1"):
            ask({"hinge": 1.0}, hinge=2.0)
