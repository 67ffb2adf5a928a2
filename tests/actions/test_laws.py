"""Laws of springs, dampers, drag, friction, weight and gravitation as actions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.actions import friction
from polhode.actions.action import (
    evaluate,
    poses_of,
    power_of,
    third_law_residual,
    twists_of,
)
from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.damper import Damper, RotationalDamper
from polhode.actions.double import jacobian
from polhode.actions.drag import Drag, drag_force, quadratic_coefficient
from polhode.actions.gravitation import Gravitation, PointMass
from polhode.actions.motion_arrays import Poses, Twists, interaction, power
from polhode.actions.rotational_spring import (
    RotationalSpring,
    TorsionalSpring,
    twist_angle,
)
from polhode.actions.spring import NonlinearSpring, Spring, spring_energy, spring_force
from polhode.actions.weight import Weight, surface_gravity
from polhode.errors import ForceError, FrameMismatch, ModelError, NumericalWarning
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.rotation import Rotation
from polhode.geometry.twist import Twist
from polhode.geometry.vector import Vector, cross
from polhode.matter.axes import X, Y, Z
from polhode.matter.parameter import Parameter
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body
from polhode.matter.solids import rod
from strategies_actions import (
    columns,
    generators,
    moved,
    random_poses,
    random_rotation,
    random_twists,
    turning,
)

BODY, OTHER, EARTH = Frame("body"), Frame("other"), Frame("earth")
ENDS = (Point(BODY, [0.1, -0.4, 0.2]), Point(OTHER, [0.3, 0.3, 0]))

STORING = [
    Spring(*ENDS, 3.0, 0.5),
    NonlinearSpring(*ENDS, lambda x: x**4 / 4 + jnp.cos(x)),
    TorsionalSpring(BODY, OTHER, axis=[1, 2, 2], stiffness=2.0, rest_angle=0.3),
    RotationalSpring(BODY, OTHER, stiffness=2.0),
    Gravitation((PointMass(ENDS[0], 2.0), PointMass(ENDS[1], 3.0)), constant=1.0),
    AppliedForce(ENDS[0], Vector([1, 2, 3], OTHER), by=OTHER),
    Weight(9.81, up=Y).on((PointMass(ENDS[0], 2.0),), by=OTHER),
]
LOSING = [
    Damper(*ENDS, 0.7),
    RotationalDamper(BODY, OTHER, 0.4),
    RotationalDamper(BODY, OTHER, 0.4, axis=Z),
    Drag(ENDS[0], OTHER, linear=0.3, quadratic=0.2),
    friction.Friction(ENDS[0], OTHER, Z, 5.0, friction.Coulomb(0.3, 0.4)),
    friction.Friction(ENDS[0], OTHER, Z, 5.0, friction.Viscous(0.3)),
    friction.Friction(ENDS[0], OTHER, Z, 5.0, friction.Regularised(0.3, 0.01)),
]


def kind(action):
    return type(action).__name__


@pytest.mark.row("A-22")
@pytest.mark.parametrize("action", STORING, ids=kind)
@given(generators)
def test_power_is_the_loss_of_stored_energy(action, rng):
    """dV/dt = -power in random motions of both bodies: forces are -grad V."""
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    gain = derivative(lambda h: action.energy(moved(poses, twists, h)), 0.0, 2e-3)
    wrenches = action.wrenches(poses, twists)
    size = np.abs(wrenches.torques).max() + np.abs(wrenches.forces).max()
    assume(size < 50)  # near a collision the difference quotient is too coarse
    assert_close(power_of(action, poses, twists), -gain, atol=1e-6 * (size + 1))


@pytest.mark.row("A-22")
@pytest.mark.parametrize("action", LOSING, ids=kind)
@given(generators)
def test_resistance_never_gives_energy(action, rng):
    """Power <= 0 in every motion, no energy is stored, and the third law holds."""
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    assert power_of(action, poses, twists) < 0
    assert action.energy(poses) == 0
    assert not action.is_conservative
    assert max(third_law_residual(action, poses, twists)) < 1e-12


@pytest.mark.row("A-22")
@given(generators)
def test_a_spring_pulls_along_its_line(rng):
    """F_on = -k (|d| - L0) d/|d|, V = k (|d| - L0)^2/2, moments by the arms."""
    spring = STORING[0]
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    P, Q = (x + R @ end.coordinates for R, x, end in zip(*poses, ENDS, strict=True))
    length = np.linalg.norm(P - Q)
    F = -3.0 * (length - 0.5) * (P - Q) / length
    torques, forces = spring.wrenches(poses, twists)
    assert_close(forces, [F, -F], atol=1e-13)
    assert_close(torques[0], cross(P - poses.origins[0], F), atol=1e-13)
    assert_close(torques[1], cross(Q - poses.origins[1], -F), atol=1e-12)
    assert_close(spring.energy(poses), 1.5 * (length - 0.5) ** 2, atol=1e-14)


@pytest.mark.row("A-22")
@given(st.floats(-3.1, 3.1))
def test_a_torsional_spring_turns_back_about_its_axis(angle):
    """M = -k (angle - rest) about the axis, V = k (angle - rest)^2/2."""
    spring = STORING[2]
    axis = np.array([1, 2, 2]) / 3
    assume(abs(angle - 0.3) < 3.0)
    R = turning(axis, angle) if angle else np.eye(3)
    tilt = random_rotation(np.random.default_rng(1))
    poses = Poses(np.stack([tilt @ R, tilt]), np.zeros((2, 3)))
    rest = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
    torques, forces = spring.wrenches(poses, rest)
    expected = -2.0 * (angle - 0.3) * tilt @ axis
    assert_close(torques, [expected, -expected], rtol=1e-11, atol=1e-12)
    assert_close(forces, np.zeros((2, 3)))
    assert_close(spring.energy(poses), (angle - 0.3) ** 2, rtol=1e-12, atol=1e-13)


@pytest.mark.row("A-22")
@given(generators)
def test_a_rotational_spring_pulls_along_the_rotation_vector(rng):
    """M_on = -k phi, with phi the rotation vector between the bodies."""
    phi = rng.normal(size=3)
    phi = phi / np.linalg.norm(phi) * rng.uniform(0.01, 3.0)
    tilt = random_rotation(rng)
    poses = Poses(np.stack([tilt @ turning(phi, 1.0), tilt]), np.zeros((2, 3)))
    torques, _ = STORING[3].wrenches(poses, random_twists(rng, 2))
    assert_close(torques, 2.0 * np.stack([-tilt @ phi, tilt @ phi]), rtol=1e-10)


@given(generators)
def test_twist_angle_ignores_the_swing(rng):
    """A turn about n followed by a swing of n keeps the angle of the turn."""
    n = np.array([0, 0, 1.0])
    angle, lean = rng.uniform(-3, 3), rng.uniform(-1.5, 1.5)
    across = np.array([np.cos(angle * 7), np.sin(angle * 7), 0])
    R = turning(across, lean) @ turning(n, angle)
    assert_close(twist_angle(R, n), angle, rtol=1e-11, atol=1e-12)


@pytest.mark.row("A-22")
@given(generators)
def test_a_damper_resists_the_rate_of_its_length(rng):
    """The power of a damper is -c (d length/dt)^2."""
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)

    def length(h):
        later = moved(poses, twists, h)
        P, Q = (x + R @ e.coordinates for R, x, e in zip(*later, ENDS, strict=True))
        return np.linalg.norm(P - Q)

    assume(length(0.0) > 0.1)
    rate = derivative(length, 0.0, 2e-3)
    lost = power_of(LOSING[0], poses, twists)
    assert_close(lost, -0.7 * rate**2, rtol=1e-5, atol=1e-7)


@pytest.mark.row("A-22")
def test_mass_spring_and_damper_balance_their_energy():
    """RK4 of a mass on a spring and damper: kinetic + stored + lost stays the same."""
    spring = Spring(Point.origin(BODY), Point.origin(EARTH), 4.0, 0.5)
    damper = Damper(Point.origin(BODY), Point.origin(EARTH), 0.3)

    def seen(y):
        turns = np.tile(np.eye(3), (2, 1, 1))
        still = np.zeros((2, 3))
        return Poses(turns, np.stack([y[:3], np.zeros(3)])), Twists(
            still, np.stack([y[3:6], np.zeros(3)])
        )

    def rates(y):
        poses, twists = seen(y)
        pull = spring.wrenches(poses, twists).forces[0]
        drag = damper.wrenches(poses, twists).forces[0]
        lost = -power_of(damper, poses, twists)
        return np.concatenate([y[3:6], (pull + drag) / 2.0, [lost]])

    def energy(y):
        return y[3:6] @ y[3:6] + spring.energy(seen(y)[0]) + y[6]

    y = np.array([0.8, 0.1, -0.3, 0.2, 0.9, 0.4, 0.0])
    start, h = energy(y), 2e-3
    for _ in range(1000):
        a = rates(y)
        b = rates(y + h / 2 * a)
        c = rates(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rates(y + h * c))
    assert y[6] > 0.01
    assert_close(energy(y), start, rtol=1e-9)


def shut():
    poses = Poses(np.tile(np.eye(3), (2, 1, 1)), np.ones((2, 3)))
    return poses, Twists(np.zeros((2, 3)), np.zeros((2, 3)))


def test_a_closed_spring_without_rest_length_pulls_nothing():
    """Zero length, zero rest length: zero force, with the right slope -k."""
    spring = Spring(Point.origin(BODY), Point.origin(OTHER), 3.0)
    assert_close(evaluate(spring, *shut()).forces, np.zeros((2, 3)))
    slope = jacobian(lambda d: spring_force(d, 3.0, 0.0))(np.zeros(3))
    bend = jacobian(jax.grad(lambda d: spring_energy(d, 3.0, 0.0)))(np.zeros(3))
    assert_close(slope, -3.0 * np.eye(3))
    assert_close(bend, 3.0 * np.eye(3))


@pytest.mark.parametrize(
    "action",
    [
        Spring(Point.origin(BODY), Point.origin(OTHER), 3.0, 0.2, name="strut"),
        NonlinearSpring(
            Point.origin(BODY), Point.origin(OTHER), lambda x: x, name="strut"
        ),
        Damper(Point.origin(BODY), Point.origin(OTHER), 0.2, name="strut"),
    ],
    ids=kind,
)
def test_a_closed_spring_with_rest_length_is_refused_by_name(action):
    """Zero length, rest length not zero: no direction; refused, naming the spring."""
    with pytest.raises(
        ForceError, match=r"'strut' gives no force on 'body' and 'other'"
    ):
        evaluate(action, *shut())


def test_two_masses_at_one_place_are_refused_by_name():
    """Gravity at r = 0 is a ForceError that says why, and no division warning."""
    masses = (PointMass(Point.origin(BODY), 1), PointMass(Point.origin(OTHER), 1))
    with pytest.raises(
        ForceError, match=r"'gravitation' gives no force(.|\n)*one place"
    ):
        evaluate(Gravitation(masses), *shut())


@pytest.mark.parametrize(
    "build",
    [
        lambda **k: Spring(*ENDS, -2.0, name="soft", **k),
        lambda **k: Damper(*ENDS, -2.0, name="soft", **k),
        lambda **k: TorsionalSpring(BODY, OTHER, X, -2.0, name="soft", **k),
        lambda **k: RotationalSpring(BODY, OTHER, -2.0, name="soft", **k),
        lambda **k: RotationalDamper(BODY, OTHER, -2.0, name="soft", **k),
        lambda **k: Drag(ENDS[0], OTHER, -2.0, name="soft", **k),
    ],
)
def test_negative_coefficients_need_a_flag_and_warn(build):
    """Negative stiffness or damping: refused, or accepted with a warning if asked."""
    with pytest.raises(ModelError, match=r"of 'soft' is negative: -2"):
        build()
    with pytest.warns(NumericalWarning, match="'soft' is negative"):
        build(allow_negative=True)


@pytest.mark.parametrize("bad", [np.nan, np.inf, "stiff", [1.0, 2.0]])
def test_coefficients_are_finite_numbers(bad):
    """NaN, infinity, text and lists are no stiffness."""
    with pytest.raises(ModelError, match="the stiffness of 'spring'"):
        Spring(*ENDS, bad)


def test_doors_say_who_and_what():
    """A body joined to itself, a negative rest length, wrong axes, bad friction."""
    with pytest.raises(ModelError, match="'spring' joins 'body' to itself"):
        Spring(ENDS[0], Point.origin(BODY), 1.0)
    with pytest.raises(ModelError, match="rest length of 'spring' is negative"):
        Spring(*ENDS, 1.0, -0.1)
    with pytest.raises(ModelError, match="the axis of 'torsional spring' is zero"):
        TorsionalSpring(BODY, OTHER, [0, 0, 0], 1.0)
    with pytest.raises(ModelError, match=r"static friction 0.1 below dynamic 0.3"):
        friction.Coulomb(dynamic=0.3, static=0.1)
    with pytest.raises(ModelError, match="the speed of 'regularised' is zero"):
        friction.Regularised(0.3, 0.0)
    with pytest.raises(FrameMismatch, match="written in 'earth', which is neither"):
        AppliedForce(ENDS[0], Vector([1, 0, 0], EARTH))


@pytest.mark.row("A-23")
@given(generators)
def test_a_contact_force_is_its_normal_and_its_tangential_part(rng):
    """F = N n + T with T.n = 0; a push has N >= 0 along the outward normal."""
    force, n = rng.normal(size=(2, 3))
    n = n / np.linalg.norm(n)
    N, T = friction.split(force, n)
    assert_close(N * n + T, force, atol=1e-15)
    assert_close(T @ n, 0.0, atol=1e-15)
    push, _ = friction.split(abs(rng.normal()) * n + np.cross(n, force), n)
    assert push >= 0


@given(columns, st.floats(0.1, 10))
def test_static_friction_carries_what_is_below_its_limit(applied, load):
    """At rest T = -applied while |T| <= mu_s N; the printed >= would carry the rest."""
    mu = (0.5, 0.3)
    T = friction.coulomb_friction(np.zeros(3), applied, load, mu)
    size = np.linalg.norm(applied)
    if size <= 0.5 * load:
        assert_close(T, -applied)
        assert friction.sticks(T, load, 0.5)
    else:
        assert_close(T, -0.3 * load * applied / size, rtol=1e-12)
        assert not friction.sticks(applied, load, 0.5)
        printed = size >= 0.5 * load  # would call this one carried
        assert printed


@given(columns, st.floats(0.1, 10))
def test_sliding_friction_opposes_the_sliding(v, load):
    """T = -mu_d N v/|v|; its power is -mu_d N |v|; the smooth law tends to it."""
    speed = np.linalg.norm(v)
    T = friction.coulomb_friction(v, np.ones(3), load, (0.5, 0.3))
    assert_close(T, -0.3 * load * v / speed)
    assert_close(T @ v, -0.3 * load * speed)
    smooth = friction.regularised_friction(v, load, 0.3, 1e-7 * speed)
    assert_close(smooth, T, rtol=1e-12)
    assert_close(friction.regularised_friction(0 * v, load, 0.3, 0.1), np.zeros(3))
    assert friction.Coulomb(0.3, 0.5).holds(0.49 * load * v / speed, load)


@given(columns)
def test_drag_is_smooth_through_rest(v):
    """F = -(a + b|v|) v against v; at rest its derivative is -a, finite."""
    F = drag_force(v, 0.3, 0.2)
    assert_close(F, -(0.3 + 0.2 * np.linalg.norm(v)) * v)
    assert_close(_drag_slope(np.zeros(3)), -0.3 * np.eye(3))
    assert_close(quadratic_coefficient(1.2, 0.5, 2.0), 0.6)


_drag_slope = jacobian(lambda v: drag_force(v, 0.3, 0.2))


@pytest.mark.row("A-18")
@given(generators)
def test_weight_is_m_g_down_at_the_mass_centre(rng):
    """F = -m g up at each mass, V = m g h, and the Earth feels the opposite."""
    weight = Weight(9.81).on(
        (PointMass(ENDS[0], 2.0), PointMass(ENDS[1], 3.0)), by=EARTH
    )
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    poses = poses._replace(
        rotations=np.concatenate([np.eye(3)[None], poses.rotations[1:]]),
        origins=np.concatenate([np.zeros((1, 3)), poses.origins[1:]]),
    )
    torques, forces = weight.wrenches(poses, twists)
    assert_close(forces[1], [0, 0, -2 * 9.81])
    assert_close(forces[2], [0, 0, -3 * 9.81])
    assert_close(forces[0], [0, 0, 5 * 9.81])
    P = poses.origins[1] + poses.rotations[1] @ ENDS[0].coordinates
    Q = poses.origins[2] + poses.rotations[2] @ ENDS[1].coordinates
    assert_close(torques[1], cross(P - poses.origins[1], forces[1]), atol=1e-13)
    assert_close(weight.energy(poses), 9.81 * (2 * P[2] + 3 * Q[2]), atol=1e-13)
    assert max(third_law_residual(weight, poses, twists)) < 1e-13
    assert_close(surface_gravity(3.986e14, 6.371e6), 9.8202, rtol=1e-4)


def test_mass_and_points_of_actions_follow_the_parameters():
    """A rod's weight and a spring's end change with the table, and are listed."""
    m, l = Parameter("m", 1.2), Parameter("l", 0.8)
    body, bob = Body("rod", rod(mass=m, length=l)), Particle("bob", 0.3)
    pull = Weight(Parameter("g", 10.0)).on(
        (PointMass.of(body), PointMass.of(bob)), by=EARTH
    )
    poses = Poses(np.tile(np.eye(3), (3, 1, 1)), np.eye(3))
    twists = Twists(np.zeros((3, 3)), np.zeros((3, 3)))
    assert {p.name for p in pull.parameters} >= {"m", "g", "bob.mass"}
    forces = pull.wrenches(poses, twists, 0.0, {"m": 2.0, "g": 3.0}).forces
    assert_close(forces[1:], [[0, 0, -6.0], [0, 0, -0.9]])
    tip = body.point(0, 0, l)
    spring = Spring(tip, Point.origin(EARTH), Parameter("k", 2.0))
    assert {p.name for p in spring.parameters} == {"l", "k"}
    flat = Poses(np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 3)))
    still = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
    F = spring.wrenches(flat, still, 0.0, {"l": 3.0, "k": 5.0}).forces[0]
    assert_close(F, [0, 0, -15.0])


@pytest.mark.row("A-14")
@given(generators)
def test_uneven_gravity_turns_a_body_of_several_masses(rng):
    """A dumbbell near a point mass: third law with moments, and the gradient torque."""
    a = np.array([0.0, 0.0, 1e-3])
    dumbbell = (PointMass(Point(BODY, a), 0.5), PointMass(Point(BODY, -a), 0.5))
    planet = PointMass(Point.origin(OTHER), 7.0)
    action = Gravitation((*dumbbell, planet), constant=1.0)
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    r = poses.origins[0] - poses.origins[1]
    d = np.linalg.norm(r)
    assume(d > 0.5)
    torques, _ = action.wrenches(poses, twists)
    # 3 mu/d^3 (r/d) x I (r/d), with I = m (|a|^2 1 - a a)
    arm = poses.rotations[0] @ a
    u = r / d
    expected = 3 * 7.0 / d**3 * np.cross(u, -(arm @ u) * arm)
    assert_close(torques[0], expected, rtol=1e-3, atol=1e-9)
    assert max(third_law_residual(action, poses, twists)) < 1e-12


@pytest.mark.row("CV-06")
@given(generators)
def test_power_of_an_interaction_by_relative_velocities(rng):
    """P = (v_1 - v_2).F_on1 + (w_1 - w_2).M_on1 with both velocities at the joint.

    F_on1 acts on 1, exerted by 2. Read the other way round, the sign is wrong.
    """
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    at, force, couple = rng.normal(size=(3, 3))
    wrenches = interaction(poses, at, force, couple)
    v = twists.linear + cross(twists.angular, at - poses.origins)
    w = twists.angular
    P = (v[0] - v[1]) @ force + (w[0] - w[1]) @ couple
    assert_close(power(wrenches, twists), P, atol=1e-12)
    opposite = (v[1] - v[0]) @ force + (w[1] - w[0]) @ couple
    assert_close(opposite, -P, atol=1e-12)


def test_dead_loads_and_followers():
    """A dead load keeps its axes of the exerting body, a follower turns along."""
    quarter = turning(np.array([0, 0, 1.0]), np.pi / 2)
    poses = Poses(np.stack([quarter, np.eye(3)]), np.zeros((2, 3)))
    still = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
    dead = AppliedForce(ENDS[0], Vector([1, 0, 0], OTHER), by=OTHER)
    assert_close(dead.wrenches(poses, still).forces[0], [1, 0, 0], atol=1e-15)
    thrust = AppliedForce(ENDS[0], Vector([1, 0, 0], BODY))
    alone = Poses(poses.rotations[:1], poses.origins[:1])
    assert_close(thrust.wrenches(alone, still).forces, [[0, 1, 0]], atol=1e-15)
    assert not thrust.is_conservative
    motor = AppliedCouple(BODY, Vector([0, 0, 2], OTHER), by=OTHER)
    assert_close(motor.wrenches(poses, still).torques, [[0, 0, 2], [0, 0, -2]])
    jet = AppliedCouple(BODY, Vector([2, 0, 0], BODY))
    assert_close(jet.wrenches(alone, still).torques, [[0, 2, 0]], atol=1e-15)


def test_actions_read_poses_and_twists_of_nouns():
    """Poses and twists as nouns become the arrays that actions take."""
    tilt = turning(np.array([0, 0, 1.0]), 0.3)
    pose = Pose(Rotation(tilt, of=BODY, seen_from=EARTH), [1, 2, 3])
    twist = Twist(
        angular=[0, 0, 1],
        linear=[1, 0, 0],
        of=BODY,
        seen_from=EARTH,
        point=Point(EARTH, [1, 2, 3]),
        frame=EARTH,
    )
    assert_close(poses_of([pose]).origins, [[1, 2, 3]])
    assert_close(poses_of([pose]).rotations[0], tilt)
    assert_close(twists_of([twist]).angular, [[0, 0, 1]])
    other = Pose(Rotation(tilt, of=BODY, seen_from=OTHER), [1, 2, 3])
    with pytest.raises(FrameMismatch):
        poses_of([pose, other])
