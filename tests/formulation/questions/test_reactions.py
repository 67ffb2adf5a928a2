"""Reactions about a point of the user's choice."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from strategies_system import random_state, topology


def test_a_reaction_moves_to_a_named_point():
    """torque_Q = torque_P - p_PQ x force; the force stays."""
    system = topology("double_pendulum")
    state = random_state(system, np.random.default_rng(2))
    equations = ph.gauss(system)
    plain = equations.reactions(state)
    upper = system.bodies[0]
    place = upper.point(0.1, 0.2, -0.3)
    moved = equations.reactions(state, at={"shoulder": place})
    poses = system.poses(state.t, state.q)
    hinge = poses.origins[0] + poses.rotations[0] @ plain["shoulder"].point.coordinates
    there = poses.origins[0] + poses.rotations[0] @ place.coordinates
    force = plain["shoulder"].force
    expected = plain["shoulder"].torque - np.cross(there - hinge, force)
    assert_close(moved["shoulder"].force, force)
    assert_close(moved["shoulder"].torque, expected, rtol=1e-12)
    assert moved["shoulder"].point.is_close(place)
    assert_close(moved["elbow"].torque, plain["elbow"].torque, atol=1e-15)


def test_one_point_serves_all_reactions():
    """About the world's origin, the shoulder's hinge is where it was."""
    system = topology("double_pendulum")
    state = random_state(system, np.random.default_rng(2))
    equations = ph.gauss(system)
    plain = equations.reactions(state)
    origin = ph.theory.Point.origin(system.tree.world.frame)
    moved = equations.reactions(state, at=origin)
    assert_close(moved["shoulder"].torque, plain["shoulder"].torque, atol=1e-12)
    assert np.max(np.abs(moved["elbow"].torque - plain["elbow"].torque)) > 0.01
    assert set(moved) == set(plain)


def test_a_reaction_that_is_not_there_is_refused():
    """A misspelt joint is named, with the one that was meant."""
    system = topology("double_pendulum")
    place = system.bodies[0].origin
    with pytest.raises(ModelError, match="Did you mean 'elbow'"):
        ph.gauss(system).reactions(system.rest(), at={"elbo": place})
