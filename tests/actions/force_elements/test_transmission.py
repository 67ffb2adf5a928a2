"""Tendons and servos: linear in the coordinates of several joints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from polhode.errors import ModelError

NUMBER = st.floats(-2, 2)


def arm():
    """Two hinges and a slide in a row."""
    one, two, three = (
        ph.Body(name, ph.solids.box(mass=1 + k, x=0.1, y=0.2, z=0.5))
        for k, name in enumerate(("one", "two", "three"))
    )
    a = ph.Revolute("a", ph.World().origin, one.point(0, 0, 0.25), axis=ph.Y)
    b = ph.Revolute("b", one.point(0, 0, -0.25), two.point(0, 0, 0.25), axis=ph.X)
    c = ph.Prismatic("c", two.point(0, 0, -0.25), three.origin, axis=ph.Z)
    return a, b, c


def accelerations(actions, q, z, constraints=()):
    a, b, c = joints = arm()
    system = ph.System(joints, actions(a, b, c), constraints)
    form = ph.recursive(system)
    return form, ph.State(system, 0.0, np.array(q), np.array(z))


@settings(max_examples=10)
@given(st.tuples(NUMBER, NUMBER, NUMBER), st.tuples(NUMBER, NUMBER, NUMBER))
def test_a_tendon_pulls_each_joint_by_its_arm(q, z):
    """tau_i = -a_i k (l - l_0), and its energy falls by its power."""
    form, state = accelerations(
        lambda a, b, c: [ph.machines.TendonSpring([a, c], [0.5, 2.0], 30.0, 0.2)], q, z
    )
    length = 0.5 * q[0] + 2.0 * q[2]
    pull = -30.0 * (length - 0.2)
    np.testing.assert_allclose(
        form.force(state), [0.5 * pull, 0, 2 * pull], rtol=1e-12, atol=1e-12
    )
    assert form.potential_energy(state) == pytest.approx(15 * (length - 0.2) ** 2)
    (power,) = form.powers(state).values()
    assert power == pytest.approx(pull * (0.5 * z[0] + 2.0 * z[2]), abs=1e-10)


def test_a_tendon_is_slack_within_its_range():
    """Between the shortest and the longest length nothing pulls."""
    for q, pull in ((0.1, 0.0), (0.5, -3.0), (-0.5, 4.0)):
        form, state = accelerations(
            lambda a, b, c: [ph.machines.TendonSpring([a], [1.0], 10.0, (-0.1, 0.2))],
            [q, 0, 0],
            [0, 0, 0],
        )
        np.testing.assert_allclose(form.force(state)[0], pull, atol=1e-14)


def test_every_form_knows_what_a_tendon_does():
    """Recursive, Lagrange, Kane and Newton-Euler give one acceleration."""
    a, b, c = arm()
    actions = [
        ph.machines.TendonSpring([a, b], [0.3, -0.4], 30.0, 0.2),
        ph.machines.TendonDamper([b, c], [0.1, 1.0], 2.0),
        ph.machines.Servo(
            [a, c], [1.0, 0.5], 3.0, (0.1, -2.0, -0.3), control=0.7, name="u"
        ),
        ph.Weight(9.81),
    ]
    system = ph.System([a, b, c], actions)
    state = system.state({"a": 0.3, "b": -0.4, "c": 0.2}, speeds={"a": 1.0, "c": -0.5})
    first = ph.recursive(system).accelerations(state)
    for form in (ph.lagrange, ph.kane, ph.gibbs_appell):
        np.testing.assert_allclose(form(system).accelerations(state), first, 1e-9)


def test_a_servo_is_cut_twice_and_driven_by_its_name():
    """The control to its limits, then the force to its own."""
    (a, b, c), cut = arm(), {"control_limits": (-1, 1), "force_limits": (-4, 5)}
    servo = ph.machines.Servo([a], [2.0], 3.0, (0.0, -1.0, 0.0), name="drive", **cut)
    q, z = [np.array([0.25])], [np.array([0.0])]
    for u, force in ((0.5, 1.0), (7.0, 2.5), (-9.0, -3.5)):
        assert servo.force(q, z, {"drive": u})[0] == pytest.approx(force)
    assert servo.effort([np.array([-5.0])], z)[0][0] == pytest.approx(10.0)  # 2 x 5
    system = ph.System([a, b, c], [servo])
    assert system.parameters["drive.control"] == 0.0
    inputs = {"drive": lambda t: 0.5}
    motion = ph.simulate(system, system.rest(), until=0.01, inputs=inputs)
    constant = system.with_({"drive.control": 0.5})
    again = ph.simulate(constant, constant.rest(), until=0.01)
    np.testing.assert_allclose(motion.final.q, again.final.q, rtol=1e-10, atol=1e-14)


def test_a_tendon_of_constant_length_ties_joints():
    """a_1 q_1 + a_2 q_2 + ... = length stays so, and its reaction has no power."""
    a, b, c = arm()
    tie = ph.machines.TendonLength([a, b, c], [1.0, -0.5, 2.0], 0.1, name="tie")
    system = ph.System([a, b, c], [ph.Weight(9.81)], [tie])
    start = ph.assemble(system, a=0.3).state
    motion = ph.simulate(system, start, until=0.3)
    lengths = motion.q @ [1.0, -0.5, 2.0]
    np.testing.assert_allclose(lengths, 0.1, atol=1e-9)
    form = ph.recursive(system)
    assert form.powers(motion.final)["tie"] == pytest.approx(0.0, abs=1e-9)


def test_what_is_no_transmission_is_refused():
    """Arms that do not fit, joints of several coordinates, ranges the wrong way."""
    a, b, _ = arm()
    with pytest.raises(ModelError, match="has 2 joints and 1 arms"):
        ph.machines.TendonSpring([a, b], [1.0], 3.0)
    ball = ph.Spherical("ball", a.first, b.second)
    with pytest.raises(ModelError, match="'ball', which has 4 coordinates"):
        ph.machines.Servo([ball])
    with pytest.raises(ModelError, match="the rest of 'tendon of a' is not a range"):
        ph.machines.TendonSpring([a], [1.0], 3.0, (1.0, 0.0))
    with pytest.raises(ModelError, match="is not three numbers"):
        ph.machines.Servo([a], bias=(1.0,))


def test_a_joint_under_a_tendon_cannot_be_locked_alone():
    """Its length would still depend on it; a servo of one joint rests with it."""
    a, b, c = arm()
    tendon = ph.machines.TendonSpring([a, b], [1.0, 1.0], 3.0, name="cord")
    system = ph.System([a, b, c], [tendon, ph.machines.Servo([c], name="lift")])
    with pytest.raises(ModelError, match="'cord' goes over it and over others"):
        ph.lock(system, "a")
    assert [x.name for x in ph.lock(system, "c").actions] == ["cord"]


def test_a_model_file_says_transmissions(tmp_path):
    """Servos, tendons and their lengths are written and read: the same motion."""
    a, b, c = arm()
    cut = {"control_limits": (-1, 1), "force_limits": (-4, 5)}
    actions = [
        ph.machines.Servo(
            [a], [2.0], 3.0, (0.1, -1.0, -0.2), name="u", control=0.3, **cut
        ),
        ph.machines.Servo([b], name="plain"),
        ph.machines.TendonSpring([a, b], [0.1, 0.2], 3.0, (0.1, 0.2)),
        ph.machines.TendonDamper([b, c], [0.1, 0.2], 3.0),
    ]
    tie = ph.machines.TendonLength([a, b, c], [1.0, -0.5, 2.0], 0.0, name="tie")
    system = ph.System([a, b, c], actions, [tie])
    ph.save_model(system, tmp_path / "arm.toml")
    again = ph.load_model(tmp_path / "arm.toml").system
    assert again.parameters == system.parameters
    assert again.actions[0].force_limits == (-4.0, 5.0)
    place = ph.assemble(system, a=0.3).state
    there = ph.State(again, 0.0, place.q, place.z)
    np.testing.assert_allclose(
        ph.recursive(again).accelerations(there),
        ph.recursive(system).accelerations(place),
        rtol=1e-12,
    )
