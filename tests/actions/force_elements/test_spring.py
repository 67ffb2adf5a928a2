"""Laws of springs and dampers: energy, the third law, and their singular places."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.actions.action import (
    evaluate,
    power_of,
    third_law_residual,
)
from polhode.actions.applied import AppliedForce
from polhode.actions.central_force import CentralForce
from polhode.actions.contact import friction
from polhode.actions.drag import Drag
from polhode.actions.force_elements.damper import Damper, RotationalDamper
from polhode.actions.force_elements.rotational_spring import (
    RotationalSpring,
    TorsionalSpring,
    twist_angle,
)
from polhode.actions.force_elements.spring import (
    NonlinearSpring,
    Spring,
    elastic_energy,
    elastic_force,
    spring_energy,
    spring_force,
)
from polhode.actions.gravitation import Gravitation, PointMass
from polhode.actions.motion_arrays import Poses, Twists
from polhode.actions.weight import Weight
from polhode.double import doubled, jacobian
from polhode.errors import ForceError
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.rotations import so3
from polhode.geometry.vector import Vector, cross
from polhode.matter.axes import Y, Z
from strategies_actions import (
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
    CentralForce(*ENDS, lambda x, rate, t: -rate * (1 + x)),
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


@pytest.mark.parametrize(
    ("action", "slope"),
    [
        (RotationalSpring(BODY, OTHER, stiffness=2.0), -2.0 * np.eye(3)),
        (TorsionalSpring(BODY, OTHER, Z, 2.0), np.diag([0, 0, -2.0])),
    ],
    ids=kind,
)
def test_rotational_springs_have_their_stiffness_as_slope_at_rest(action, slope):
    """At zero rotation, a removable singularity, dM/dphi = -k, finite and right."""
    rest = Twists(np.zeros((2, 3)), np.zeros((2, 3)))

    def moment(phi):
        turns = jnp.stack([so3.exp(phi), jnp.eye(3)])
        return action.wrenches(Poses(turns, jnp.zeros((2, 3))), rest).torques[0]

    assert_close(jacobian(moment)(np.zeros(3)), slope, atol=1e-14)


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


@pytest.mark.row("A-01")
@given(generators)
def test_a_user_s_pair_force_may_be_any_law_along_the_line(rng):
    """The law of a spring and damper in one: the same wrenches as the two nouns."""
    own = BOTH_IN_ONE
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    pull, drag = STORING[0].wrenches(poses, twists), LOSING[0].wrenches(poses, twists)
    torques, forces = own.wrenches(poses, twists)
    assert_close(forces, pull.forces + drag.forces, rtol=1e-11, atol=1e-12)
    assert_close(torques, pull.torques + drag.torques, rtol=1e-11, atol=1e-12)


BOTH_IN_ONE = CentralForce(*ENDS, lambda x, rate, t: -3.0 * (x - 0.5) - 0.7 * rate)


SOFT_LAWS = {
    "square": (lambda x: 1.5 * x**2, 3.0),
    "quartic": (lambda x: x**4, 0.0),
    "cosine": (lambda x: 1.0 - jnp.cos(2.0 * x), 4.0),
    "rough": (lambda x: x**1.5, 0.0),
}


@pytest.mark.parametrize("law", SOFT_LAWS)
def test_a_closed_spring_by_energy_keeps_its_stiffness(law):
    """At d = 0 with V'(0) = 0 the force is zero and its derivative -V''(0)."""
    energy, stiffness = SOFT_LAWS[law]
    with jax.enable_x64(True):
        at_rest = jnp.zeros(3)
        force = elastic_force(energy, at_rest)
        slope = jax.jacfwd(lambda d: elastic_force(energy, d))(at_rest)
        bowl = jax.hessian(lambda d: elastic_energy(energy, d))(at_rest)
        near = jax.grad(lambda d: elastic_energy(energy, d))(at_rest + 0.3)
        pull = elastic_force(energy, at_rest + 0.3)
    assert_close(force, np.zeros(3))
    assert_close(slope, -stiffness * np.eye(3), rtol=1e-14)
    assert_close(bowl, stiffness * np.eye(3), rtol=1e-14)
    assert_close(pull, -near, rtol=1e-13)


def _closed(law, speed=0.0):
    """The force of a central law on points that meet, moving apart along x."""
    action = CentralForce(Point(BODY, [0, 0, 0]), Point(OTHER, [0, 0, 0]), law)
    poses = Poses(np.stack([np.eye(3)] * 2), np.zeros((2, 3)))
    linear = np.array([[speed, 0, 0], [0, 0, 0]])
    return action.wrenches(poses, Twists(np.zeros((2, 3)), linear)).forces[0]


def test_a_central_force_has_its_limit_where_the_points_meet():
    """A law that is zero at length zero gives no force there; another has none."""
    for law in (
        lambda x, rate, t: -3.0 * x,
        lambda x, rate, t: -(x**3) - x * rate,
        lambda x, rate, t: -jnp.sqrt(x),
    ):
        assert not np.any(_closed(law, 0.4))
    assert not np.any(_closed(lambda x, rate, t: -3.0 * x - 0.7 * rate))
    assert np.all(np.isnan(_closed(lambda x, rate, t: -3.0 * (x - 0.5))))
    assert np.any(np.isnan(_closed(lambda x, rate, t: -0.7 * rate, 0.4)))


def test_a_central_force_keeps_its_stiffness_where_the_points_meet():
    """The slope of the force at no length is that of the law, in both modes."""
    action = CentralForce(
        Point(BODY, [0, 0, 0]),
        Point(OTHER, [0, 0, 0]),
        lambda x, rate, t: -3 * x - x**3,
    )
    turns, rest = np.stack([np.eye(3)] * 2), np.zeros((2, 3))

    def force(d):
        places = jnp.stack([d, jnp.zeros(3)])
        return action.wrenches(Poses(turns, places), Twists(rest, rest)).forces[0]

    both = doubled(lambda d: (jax.jacfwd(force)(d), jax.jacrev(force)(d)))
    for slope in both(np.zeros(3)):
        assert_close(slope, -3 * np.eye(3), atol=1e-14)
