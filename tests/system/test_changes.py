"""Parts of a system by name, and systems with more or fewer of them."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

WORLD = ph.World()


def hand():
    """An arm, a hand on it and a finger on that, under weight, with a motor each."""
    bodies = [ph.Body(n, ph.solids.rod(mass=1.0, length=1.0)) for n in ("arm", "hand")]
    finger = ph.Body("finger", ph.solids.box(mass=0.2, x=0.1, y=0.1, z=0.3))
    arm, palm = bodies
    shoulder = ph.Revolute("shoulder", WORLD.origin, arm.point(0, 0, 0.5), axis=ph.Y)
    wrist = ph.Revolute("wrist", arm.point(0, 0, -0.5), palm.point(0, 0, 0.5), ph.Y)
    knuckle = ph.Revolute(
        "knuckle", palm.point(0, 0, -0.5), finger.point(0, 0, 0.15), ph.Y
    )
    joints = [shoulder, wrist, knuckle]
    motors = [ph.Motor(joint, 0.1) for joint in joints]
    spring = ph.Spring(finger.origin, WORLD.origin, 3.0, name="cord")
    return ph.System(joints, [ph.Weight(9.81), spring, *motors], name="robot")


def test_parts_are_found_by_name():
    """Bodies, joints, actions; a name that is none is refused with those near it."""
    robot = hand()
    assert robot["hand"] is robot.bodies[1]
    assert robot["wrist"] is robot.joints[1]
    assert robot["cord"] is next(a for a in robot.actions if a.name == "cord")
    assert "knuckle" in robot
    assert "thumb" not in robot
    with pytest.raises(ModelError, match="no part 'fingre'"):
        robot["fingre"]
    with pytest.raises(ModelError, match="is no list"):
        list(robot)


def test_more_is_added_and_the_rest_stays():
    """A damper on a joint that is asked by name; parameters keep their values."""
    robot = hand().with_({"cord.stiffness": 7.0})
    damped = robot.plus(actions=[ph.JointDamper(robot["wrist"], 0.5, name="oil")])
    assert damped.parameters["cord.stiffness"] == 7.0
    assert [a.name for a in damped.actions][-1] == "oil"
    state = robot.state(wrist=0.3, speeds={"wrist": 1.0})
    other = ph.State(damped, 0.0, state.q, state.z)
    both = [ph.gauss(s).accelerations(x) for s, x in ((robot, state), (damped, other))]
    M = robot.mass_matrix(0.0, state.q)
    assert_close(M @ (both[1] - both[0]), [0.0, -0.5, 0.0], atol=1e-12)
    nail = ph.Particle("nail", 0.01)
    tip = ph.Prismatic(
        "tip", robot["finger"].point(0, 0, -0.15), nail.mass_centre, ph.Z
    )
    assert robot.plus(joints=[tip]).bodies[-1] is nail


def test_without_a_body_goes_what_hangs_on_it():
    """The hand takes the finger, their motors and the cord along; the arm stays."""
    robot = hand()
    arm = robot.without("hand")
    assert [body.name for body in arm.bodies] == ["arm"]
    assert [action.name for action in arm.actions] == ["weight", "motor of shoulder"]
    alone = ph.System(
        [robot["shoulder"]], [ph.Weight(9.81), robot["motor of shoulder"]], name="arm"
    )
    start = {"shoulder": 0.4}
    rates = [ph.gauss(s).accelerations(s.state(start)) for s in (arm, alone)]
    np.testing.assert_array_equal(*rates)


def test_without_a_joint_its_body_moves_freely():
    """The finger falls as it would alone, and an action goes by its own name."""
    loose = hand().without("knuckle", "cord")
    assert loose.speeds == 2 + 6
    z_dot = ph.gauss(loose).accelerations(loose.rest())
    falls = dict(zip(loose.speed_names, z_dot, strict=True))
    assert_close(falls["finger.vz"], -9.81, rtol=1e-12)
    with pytest.raises(ModelError, match="no part 'thumb'"):
        loose.without("thumb")
    with pytest.raises(ModelError, match="nothing was named"):
        loose.without()


def test_one_speed_or_place_of_a_joint_by_its_name():
    """ "free.wy" beside the whole joint; parts of a quaternion are refused alone."""
    body = ph.Body("craft", ph.solids.sphere(mass=1.0, radius=1.0))
    system = ph.System([body], name="craft")
    state = system.state({"craft.x": 2.0}, speeds={"craft.wy": 0.3})
    names = system.speed_names
    assert_close(state.z[names.index("craft.wy")], 0.3)
    assert np.count_nonzero(state.z) == 1
    assert_close(state["craft"][4], 2.0)
    turned = state.changed(speeds={"craft.wy": 0.5, "craft.vz": 1.0})
    assert_close(turned.z[names.index("craft.wy")], 0.5)
    with pytest.raises(ph.PolhodeError, match="cannot be set alone"):
        system.state({"craft.qx": 1.0})
    with pytest.raises(ph.PolhodeError, match=r"no joint 'craft\.wq'"):
        system.state(speeds={"craft.wq": 1.0})


def test_near_chooses_the_branch_of_a_loop():
    """A four-bar closes open or crossed: each is found from a guess on its side."""
    linkage = ph.models.four_bar()
    branches = {}
    for side in (1.0, -1.0):
        branches[side] = ph.assemble(linkage, A=0.8, near={"C": side}).state
        assert_close(branches[side]["A"], 0.8)
    # The two closings are mirror images about the line from B to D.
    assert_close(branches[1.0]["C"], -branches[-1.0]["C"], rtol=1e-9)
    assert branches[1.0]["C"] > 0.5
    for state in branches.values():
        again = ph.assemble(linkage, A=0.81, near=state).state
        assert np.abs(again.q - state.q).max() < 0.1


def test_an_equation_between_joints_is_kept():
    """A lever y = a sin(x): g and the reaction's power are zero along the motion."""
    one, two = ph.Particle("one", 1.0), ph.Particle("two", 2.0)
    x = ph.Prismatic("x", WORLD.origin, one.mass_centre, axis=ph.X)
    z = ph.Prismatic("z", one.mass_centre, two.mass_centre, axis=ph.Z)
    a = ph.Parameter("a", 0.4)
    wave = ph.JointEquation(
        [x, z],
        lambda x, z, t, a: z - a * ph.functions.sin(x),
        constants={"a": a},
        name="wave",
    )
    system = ph.System([x, z], [ph.Weight(9.81)], [wave], name="waves")
    start = ph.assemble(system, x=0.3).state
    motion = ph.simulate(system, start, until=1.0)
    assert_close(motion.q[:, 1], 0.4 * np.sin(motion.q[:, 0]), atol=1e-10)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-7
    free = ph.System([x, z], [ph.Weight(9.81)], name="free")
    assert system.speeds == free.speeds
    other = system.with_({"a": 0.0})
    assert_close(ph.assemble(other, x=0.3).state["z"], 0.0, atol=1e-12)
