"""Frames, Jacobians, mass centre and postures of robots, and those of Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ArgumentError, ModelError
from robots import text_of

AXES = {"aligned": "LOCAL_WORLD_ALIGNED", "local": "LOCAL", "world": "WORLD"}
# Of Pinocchio 4.1.
FIRST = [
    0.8228273951938077,
    0.3660361105922318,
    -0.4320792860818659,
    -0.5271161778733042,
    0.7759633060715387,
    -0.3464527134469679,
]
LAST = [
    0.10856999973887589,
    0.06369425998709824,
    0.36125006361335676,
    -0.5696865602839821,
    0.8214385512356623,
    0.026380477168976457,
]
PLACE = np.array([0.1, -0.2, 0.3])


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """Five hinges, and a hand fixed on the last."""
    path = tmp_path_factory.mktemp("robots") / "arm.urdf"
    path.write_text(text_of("arm"))
    return path, ph.load_urdf(path).system


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    """A free trunk with a leg."""
    path = tmp_path_factory.mktemp("robots") / "walker.urdf"
    path.write_text(text_of("walker"))
    return path, ph.load_urdf(path).system


def posture(system, seed=3):
    rng = np.random.default_rng(seed)
    q = system.local(system.neutral(), rng.uniform(-1, 1, system.speeds))
    return np.asarray(q), rng.normal(size=system.speeds)


def linear_first(rows):
    return np.concatenate([rows[3:], rows[:3]])


def test_a_jacobian_gives_the_velocity_of_its_frame(arm):
    """[w; v] = J z is how the pose changes along q_dot = rates(q, z)."""
    _, system = arm
    q, z = posture(system)
    hand = ph.kinematics(system).frame("hand")
    h = 1e-6
    ends = [hand.pose(np.asarray(system.local(q, s * h * z))) for s in (1, -1)]
    v = (ends[0].position - ends[1].position) / (2 * h)
    spin = (ends[0].rotation - ends[1].rotation) / (2 * h) @ hand.pose(q).rotation.T
    w = [spin[2, 1], spin[0, 2], spin[1, 0]]
    np.testing.assert_allclose(hand.velocity(q, z), [*w, *v], atol=1e-8)
    np.testing.assert_allclose(hand.jacobian(q) @ z, hand.velocity(q, z), atol=1e-13)


@pytest.mark.parametrize("axes", AXES)
def test_the_rate_of_a_jacobian_is_its_slope_along_the_motion(arm, axes):
    """By differences, and drift is the rate times the speeds."""
    _, system = arm
    q, z = posture(system)
    hand, h = ph.kinematics(system).frame("hand"), 1e-6
    ends = [
        hand.jacobian(np.asarray(system.local(q, s * h * z)), axes) for s in (1, -1)
    ]
    rate = hand.jacobian_rate(q, z, axes)
    np.testing.assert_allclose(rate, (ends[0] - ends[1]) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(hand.drift(q, z, axes), rate @ z, atol=1e-12)


def test_a_frame_at_a_point_with_axes_is_that_of_the_equations(arm):
    """The same Jacobian by the road of the formulation, which knows wrenches only."""
    _, system = arm
    q, z = posture(system)
    body = next(b for b in system.bodies if b.name == "c")
    place, state = body.point(*PLACE), ph.State(system, 0.0, q, z)
    frame = ph.kinematics(system).frame(place)
    theirs = ph.recursive(system).jacobian(state, place)
    np.testing.assert_allclose(frame.jacobian(q), theirs, atol=1e-13)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = ph.kinematics(system).frame(place, turn)
    R = turned.pose(q).rotation
    np.testing.assert_allclose(R, frame.pose(q).rotation @ turn, atol=1e-14)
    local = turned.jacobian(q, "local")
    np.testing.assert_allclose(R @ local[3:], theirs[3:], atol=1e-13)


def test_statics_and_momenta_are_those_of_the_equations(walker):
    """Mass centre, centroidal momentum and matrix, mass matrix, torques at rest."""
    _, system = walker
    q, z = posture(system)
    state, form = ph.State(system, 0.0, q, z), ph.recursive(system)
    still = ph.State(system, 0.0, q, 0.0 * z)
    robot = ph.kinematics(system)
    close = {"rtol": 1e-11, "atol": 1e-12}
    np.testing.assert_allclose(robot.mass_centre(q), form.mass_centre(state), **close)
    A = form.centroidal_matrix(state)
    np.testing.assert_allclose(robot.centroidal_matrix(q), A, **close)
    h = form.centroidal_momentum(state)
    np.testing.assert_allclose(robot.centroidal_momentum(q, z), h, **close)
    np.testing.assert_allclose(robot.mass_matrix(q), form.mass_matrix(state), **close)
    np.testing.assert_allclose(
        robot.gravity_compensation(q), -form.force(still), **close
    )
    tau = form.inverse_dynamics(state, z)
    np.testing.assert_allclose(robot.inverse_dynamics(q, z, z), tau, **close)


def test_operational_inertia_is_that_of_the_equations(walker):
    """(J M^-1 J^T)^-1 of the trunk; an arm of five joints yields in five directions."""
    _, system = walker
    q, z = posture(system)
    state = ph.State(system, 0.0, q, z)
    L = ph.kinematics(system).frame("trunk").operational_inertia(q)
    theirs = ph.recursive(system).operational_inertia(state, "trunk")
    np.testing.assert_allclose(L, theirs, rtol=1e-9, atol=1e-9)


def test_what_cannot_yield_is_refused(arm):
    """Five hinges do not move a hand in six directions."""
    _, system = arm
    q, _ = posture(system)
    with pytest.raises(ModelError, match="does not yield in all six"):
        ph.kinematics(system).frame("hand").operational_inertia(q)


def test_repeated_questions_use_one_program(arm):
    """A frame that is made anew asks the same program, and gets arrays of its own."""
    _, system = arm
    q, _ = posture(system)
    first = ph.kinematics(system).frame("hand").jacobian(q)
    count = len(system.compiled)
    again = ph.kinematics(system).frame("hand").jacobian(q)
    assert len(system.compiled) == count
    assert again is not first
    np.testing.assert_array_equal(first, again)


def test_wrong_questions_are_refused(arm):
    """Names, axes and shapes."""
    _, system = arm
    robot = ph.kinematics(system)
    with pytest.raises(ModelError, match="has no frame 'hnd'"):
        robot.frame("hnd")
    with pytest.raises(ModelError, match="axes='body'"):
        robot.frame("hand").jacobian(np.zeros(5), "body")
    with pytest.raises(ArgumentError, match=r"arrays of the shapes \(4,\) do not fit"):
        robot.frame("hand").jacobian(np.zeros(4))


# ------------------------------------------------------------------ with Pinocchio


@pytest.fixture(scope="module")
def pin():
    return pytest.importorskip("pinocchio", reason="the peer Pinocchio is missing")


def hinges(pin, model, system, q, z):
    """Their q and v, and their rows for our speeds; hinges only."""
    theirs, v, rows = pin.neutral(model), np.zeros(model.nv), []
    for edge in system.tree.edges:
        if edge.joint.speeds != 1:
            continue
        joint = model.joints[model.getJointId(edge.joint.name)]
        (angle,) = q[edge.q]
        own = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        theirs[joint.idx_q : joint.idx_q + joint.nq] = own
        v[joint.idx_v] = z[edge.z][0]
        rows.append(joint.idx_v)
    return theirs, v, rows


@pytest.mark.parametrize("axes", AXES)
def test_jacobians_and_rates_are_those_of_pinocchio(pin, arm, axes):
    """Of a link that is fixed on the last hinge, in all three ways of telling."""
    path, system = arm
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q, z = posture(system)
    q_pin, v, rows = hinges(pin, model, system, q, z)
    pin.computeJointJacobiansTimeVariation(model, data, q_pin, v)
    pin.updateFramePlacements(model, data)
    frame, kind = model.getFrameId("hand"), getattr(pin, AXES[axes])
    hand = ph.kinematics(system).frame("hand")
    J = pin.getFrameJacobian(model, data, frame, kind)[:, rows]
    np.testing.assert_allclose(linear_first(hand.jacobian(q, axes)), J, atol=1e-12)
    rate = pin.getFrameJacobianTimeVariation(model, data, frame, kind)[:, rows]
    ours = linear_first(hand.jacobian_rate(q, z, axes))
    np.testing.assert_allclose(ours, rate, atol=1e-12)
    pose = hand.pose(q)
    np.testing.assert_allclose(pose.position, data.oMf[frame].translation, atol=1e-13)
    np.testing.assert_allclose(pose.rotation, data.oMf[frame].rotation, atol=1e-13)
    ours = ph.kinematics(system).gravity_compensation(q)
    g = pin.computeGeneralizedGravity(model, data, q_pin)[rows]
    np.testing.assert_allclose(ours, g, rtol=1e-12, atol=1e-12)


def test_mass_centre_and_momentum_are_those_of_pinocchio(pin, walker):
    """Of a free trunk with a leg: [P; L_G] for ours [L_G; P]."""
    path, system = walker
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q, z = posture(system)
    q_pin, v, _ = hinges(pin, model, system, q, z)
    float_ = system.edge("float")
    joint = model.joints[model.getJointId("float")]
    own, speed = q[float_.q], z[float_.z]
    q_pin[joint.idx_q : joint.idx_q + 7] = [*own[4:], *own[1:4], own[0]]
    v[joint.idx_v : joint.idx_v + 6] = [*speed[3:], *speed[:3]]
    robot = ph.kinematics(system)
    centre = pin.centerOfMass(model, data, q_pin, v)
    np.testing.assert_allclose(robot.mass_centre(q), centre, atol=1e-12)
    v_G = robot.mass_centre_jacobian(q) @ z
    np.testing.assert_allclose(v_G, data.vcom[0], atol=1e-12)
    h = pin.computeCentroidalMomentum(model, data, q_pin, v)
    ours = linear_first(robot.centroidal_momentum(q, z))
    np.testing.assert_allclose(ours, h.vector, atol=1e-12)


def test_a_jacobian_is_that_recorded_from_pinocchio(arm):
    """The first and the last column of Pinocchio 4.1, linear part first."""
    _, system = arm
    q, _ = posture(system)
    J = linear_first(ph.kinematics(system).frame("hand").jacobian(q))
    np.testing.assert_allclose(J[:, 0], FIRST, atol=1e-12)
    np.testing.assert_allclose(J[:, -1], LAST, atol=1e-12)
