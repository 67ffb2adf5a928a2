"""Postures that meet their targets: round trips, limits, ties, and what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from robots import text_of


@pytest.fixture(scope="module")
def gripper(tmp_path_factory):
    path = tmp_path_factory.mktemp("robots") / "arm.urdf"
    path.write_text(text_of("arm"))
    return ph.load_urdf(path).system


@pytest.mark.parametrize("seed", range(5))
def test_a_posture_that_was_left_is_found_again(gripper, seed):
    """The frame is where it was, place and turn, to 1e-9; not always the same q."""
    rng = np.random.default_rng(seed)
    q = np.asarray(gripper.local(gripper.neutral(), rng.uniform(-1, 1, 5)))
    hand = ph.kinematics(gripper).frame("hand")
    wanted = hand.pose(q)
    found = ph.inverse_kinematics(gripper, {"hand": wanted})
    assert found.is_reached, found
    there = hand.pose(found.q)
    np.testing.assert_allclose(there.position, wanted.position, atol=1e-9)
    np.testing.assert_allclose(there.rotation, wanted.rotation, atol=1e-9)


def chain(limits=None):
    """Three hinges in a plane, each rod half a metre."""
    bodies = [ph.Body(n, ph.solids.rod(mass=1, length=0.5)) for n in ("u", "v", "w")]
    ends = [ph.World().origin, *(b.point(0, 0, -0.25) for b in bodies)]
    return ph.System(
        [
            ph.Revolute(f"j{k}", ends[k], b.point(0, 0, 0.25), axis=ph.Y, limits=limits)
            for k, b in enumerate(bodies)
        ]
    )


def test_limits_are_kept():
    """All joints stay within theirs, also where the target is out of reach then."""
    system = chain(limits=(-0.4, 0.4))
    tip = system.bodies[-1].point(0, 0, -0.25)
    frame = ph.kinematics(system).frame(tip)
    near = ph.inverse_kinematics(system, {frame: (0.2, 0.0, -1.43)})
    far = ph.inverse_kinematics(system, {frame: (1.0, 0.0, 1.0)}, attempts=2)
    assert near.is_reached
    assert not far.is_reached
    assert "not reached" in repr(far)
    for found in (near, far):
        assert np.all(np.abs(found.q) <= 0.4 + 1e-12)


def test_what_is_out_of_reach_is_approached():
    """Stretched straight towards it, a metre and a half out."""
    system = chain()
    frame = ph.kinematics(system).frame(system.bodies[-1].point(0, 0, -0.25))
    found = ph.inverse_kinematics(system, {frame: (3.0, 0.0, 0.0)}, attempts=3)
    assert not found.is_reached
    place = frame.pose(found.q).position
    np.testing.assert_allclose(place, [1.5, 0, 0], atol=1e-4)


def test_joints_can_be_held_and_start_matters():
    """A held joint keeps the angle of the start."""
    system = chain()
    frame = ph.kinematics(system).frame(system.bodies[-1].point(0, 0, -0.25))
    start = system.state(j0=0.3, j1=0.5)
    found = ph.inverse_kinematics(
        system, {frame: (0.6, 0.0, -0.9)}, start, held=["j0"], attempts=3
    )
    assert found.q[0] == 0.3
    assert found.is_reached


def test_gears_are_kept():
    """Two joints tied by a gear meet a target together."""
    system = chain()
    joints = system.joints
    tied = ph.System(joints, (), [ph.Gear(joints[2], joints[1], 0.5)])
    frame = ph.kinematics(tied).frame(tied.bodies[-1].point(0, 0, -0.25))
    found = ph.inverse_kinematics(tied, {frame: (0.4, 0.0, -1.1)})
    assert found.is_reached
    assert found.q[2] == pytest.approx(0.5 * found.q[1], abs=1e-9)


def test_a_free_body_goes_where_it_is_sent():
    """Quaternions stay of length one."""
    system = ph.System([ph.Body("craft", ph.solids.box(mass=1, x=0.1, y=0.2, z=0.3))])
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = ph.inverse_kinematics(system, {"craft": (turn, (1.0, 2.0, 3.0))})
    assert found.is_reached
    assert np.linalg.norm(found.q[:4]) == pytest.approx(1.0)


def test_bad_targets_are_refused():
    """None, of no frame, and of no place."""
    system = chain()
    with pytest.raises(ModelError, match="no frame of 'system' has a target"):
        ph.inverse_kinematics(system, {})
    with pytest.raises(ModelError, match="has no frame 'x'"):
        ph.inverse_kinematics(system, {"x": (0, 0, 0)})
    with pytest.raises(ModelError, match="the target of 'w' is not a place"):
        ph.inverse_kinematics(system, {"w": (0, 0)})
    with pytest.raises(ModelError, match="no table of targets"):
        ph.inverse_kinematics(system, (0, 0, 0), (1, 1, 1))
