"""Locked joints hold, and let go again."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from strategies_joints import JOINTS
from strategies_system import arm, block, free_body, topology


def test_a_locked_joint_holds_its_bodies():
    """Locked at an angle, the arm has one freedom less and the same poses."""
    system = arm()
    held = ph.lock(system, "j3", at=0.4)
    assert (held.speeds, system.speeds) == (6, 7)
    rng = np.random.default_rng(1)
    q = rng.normal(size=7)
    q[2] = 0.4
    short = np.delete(q, 2)
    assert_close(held.poses(0, short).origins, system.poses(0, q).origins, atol=1e-13)
    M = system.mass_matrix(0, q)
    keep = np.array([0, 1, 3, 4, 5, 6])
    assert_close(held.mass_matrix(0, short), M[np.ix_(keep, keep)], rtol=1e-12)


def test_unlocking_gives_the_system_back():
    """The same joint object moves again, and values of parameters stay."""
    system = arm(3).with_({"link1.mass": 5.0})
    back = ph.unlock(ph.lock(system, "j2"), "j2")
    assert back.joints == system.joints
    assert back.parameters == system.parameters
    q = np.array([0.1, 0.2, 0.3])
    assert np.array_equal(back.mass_matrix(0, q), system.mass_matrix(0, q))


@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_every_kind_of_joint_can_be_locked(joint):
    """Held at neutral, the pose is the neutral one; as a loop it holds all six."""
    if not joint.speeds:
        return
    other = ph.Free("base", joint.first.frame.owner.origin, block("base").origin)
    held = ph.lock(ph.System([joint, other]), "joint")
    assert held.speeds == 6
    inner = held.edge("joint").joint
    R, p = joint.pose(joint.neutral())
    assert_close(inner.residual(R, p), np.zeros(6), atol=1e-12)
    assert inner.reaction(np.zeros(0)).shape == (6, 6)


def test_a_body_that_floats_can_be_held():
    """The joint that the system made is locked, too."""
    system = free_body()
    base = ph.Revolute(
        "wheel", system.bodies[0].origin, block("wheel").origin, axis=ph.Z
    )
    craft = ph.System([system.bodies[0], base])
    held = ph.lock(craft, "satellite")
    assert [type(j).__name__ for j in held.joints] == ["Locked", "Revolute"]
    assert held.speeds == 1


def test_wrong_locks_are_refused():
    """Twice locked, not locked, not there."""
    system = ph.lock(topology("double_pendulum"), "elbow")
    with pytest.raises(ModelError, match="locked already"):
        ph.lock(system, "elbow")
    with pytest.raises(ModelError, match="not locked"):
        ph.unlock(system, "shoulder")
    with pytest.raises(ModelError, match="Did you mean 'shoulder'"):
        ph.lock(system, "sholder")


def test_what_acts_along_a_locked_joint_rests():
    """The spring of a held cart does nothing, and pulls again when it is let go."""
    system = ph.models.cart_pendulum().with_({"k": 7.0})
    held = ph.lock(system, "rail", at=0.3)
    assert [a.name for a in held.actions] == ["weight", "couple"]
    assert_close(held.mass_matrix(0, [0.2]), [[0.8 * 0.9**2]], rtol=1e-12)
    back = ph.unlock(held, "rail")
    assert {a.name for a in back.actions} == {a.name for a in system.actions}
    assert back.parameters == system.parameters
    q, z = np.array([0.3, 0.2]), np.zeros(2)
    assert_close(back.applied(0, q, z), system.applied(0, q, z), rtol=1e-14)


def test_a_joint_that_is_driven_cannot_be_locked():
    """A gear or a driver says where the joint is: the constraint is named."""
    with pytest.raises(ModelError, match="cannot be locked: the constraint 'driver'"):
        ph.lock(ph.models.moving_hinge_pendulum(), "track")
