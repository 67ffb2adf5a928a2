"""The wrench of an action about a point of one's choice."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close


def in_orbit():
    """A craft with an offset mass centre under gravity, its gradient and a thruster."""
    world = ph.World()
    craft = ph.Body.from_inertia(
        "craft", mass=90.0, inertia=(5.0, 6.0, 7.0), centre=(0.2, -0.1, 0.4)
    )
    pull = ph.space.ZonalGravity(craft, world.origin)
    uneven = ph.space.GravityGradient(craft, world.origin)
    jet = ph.space.Thruster(craft.point(0, 0.5, 0), ph.X, 3.0, name="jet")
    system = ph.System([craft], [pull, uneven, jet], name="craft")
    place = {"x": 5e6, "y": 4e6, "z": 3e6, "qw": 0.8, "qx": 0.6}
    return craft, system.state({"craft": place}, speeds={"craft": (1, 2, 3, 0, 7e3, 0)})


@pytest.mark.row("S-12")
def test_a_wrench_is_about_the_point_that_is_asked_for():
    """A pull has no torque about the mass centre; elsewhere the force has its arm."""
    craft, state = in_orbit()
    R = state.system.poses(0.0, state.q).rotations[0]
    centre, other = craft.mass_centre, craft.point(1.0, 2.0, -0.5)
    pull = ph.questions.wrench_about(state, "gravity", centre)
    assert np.max(np.abs(pull.torque)) < 1e-13 * np.linalg.norm(pull.force)
    there = ph.questions.wrench_about(state, "gravity", other)
    arm = R @ (np.array([0.2, -0.1, 0.4]) - [1.0, 2.0, -0.5])
    assert_close(there.force, pull.force)
    assert_close(there.torque, np.cross(arm, pull.force), rtol=1e-12)
    gradient = ph.questions.wrench_about(state, "gravity gradient", centre)
    r = state.system.poses(0.0, state.q).origins[0] + R @ [0.2, -0.1, 0.4]
    e = r / np.linalg.norm(r)
    inertia = R @ np.diag([5.0, 6.0, 7.0]) @ R.T
    known = 3 * ph.space.EARTH.mu / np.linalg.norm(r) ** 3 * np.cross(e, inertia @ e)
    assert_close(gradient.torque, known, rtol=1e-9)


def test_an_input_may_be_given_and_names_are_checked():
    """A thruster at full level; unknown actions are told the nearest."""
    craft, state = in_orbit()
    at = craft.point(0, 0.5, 0)
    assert not np.any(ph.questions.wrench_about(state, "jet", at).force)
    full = ph.questions.wrench_about(state, "jet", at, {"jet": 1.0})
    assert abs(np.linalg.norm(full.force) - 3.0) < 1e-12
    assert_close(full.torque, np.zeros(3), atol=1e-15)
    with pytest.raises(ph.PolhodeError, match="no action 'gravty'"):
        ph.questions.wrench_about(state, "gravty", at)
