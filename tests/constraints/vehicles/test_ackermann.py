"""Ackermann's steering: the axles meet on the line of the rear axle."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError


def pins():
    """Two hubs on kingpins of a body in the world."""
    world = ph.World()
    hubs = [ph.Body(n, ph.solids.disc(mass=1, radius=0.3)) for n in ("left", "right")]
    return [ph.Revolute(h.name, world.origin, h.origin, axis=ph.Z) for h in hubs]


@pytest.mark.parametrize("steer", [0.3, -0.2, 0.05])
def test_both_wheels_turn_about_one_point(steer):
    """The constraint, the closed form and the geometry say the same."""
    joints = pins()
    row = ph.vehicles.Ackermann(*joints, wheelbase=2.7, track=1.5)
    system = ph.System(joints, [], [row])
    left, right = ph.vehicles.ackermann_angles(steer, wheelbase=2.7, track=1.5)
    state = ph.assemble(system, left=left).state
    assert_close(state["right"], right, rtol=1e-9)
    # Distances of the turning point from both wheels, along the rear axle.
    assert_close(2.7 / np.tan(right) - 2.7 / np.tan(left), 1.5, rtol=1e-10)
    assert_close(2.7 / np.tan(left) + 0.75, 2.7 / np.tan(steer), rtol=1e-10)


def test_straight_ahead_is_no_pole():
    """At no steer both rows and slopes are finite, and the wheels are parallel."""
    joints = pins()
    row = ph.vehicles.Ackermann(*joints, wheelbase=2.7, track=1.5)
    system = ph.System(joints, [], [row])
    A, _ = system.constraint_rows(0.0, np.zeros(2), np.zeros(2))
    assert_close(A, [[1.0, -1.0]])
    with pytest.raises(ModelError, match="wheelbase"):
        ph.vehicles.Ackermann(*joints, wheelbase=0.0, track=1.5)
