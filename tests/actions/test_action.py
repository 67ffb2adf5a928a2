"""Laws of weight, gravitation and given forces, and the doors of all actions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given

import polhode as ph
import polhode.actions
from closeness import assert_close
from polhode.actions.action import (
    evaluate,
    poses_of,
    third_law_residual,
    twists_of,
)
from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.contact import friction
from polhode.actions.drag import Drag
from polhode.actions.force_elements.damper import Damper, RotationalDamper
from polhode.actions.force_elements.rotational_spring import (
    RotationalSpring,
    TorsionalSpring,
)
from polhode.actions.force_elements.spring import Spring
from polhode.actions.gravitation import Gravitation, PointMass
from polhode.actions.motion_arrays import Poses, Twists, interaction, power
from polhode.actions.weight import Weight, surface_gravity
from polhode.errors import ForceError, FrameMismatch, ModelError, NumericalWarning
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.twist import Twist
from polhode.geometry.vector import Vector, cross
from polhode.matter.axes import X
from polhode.matter.parameter import Parameter
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body
from polhode.matter.solids import rod
from strategies_actions import (
    generators,
    random_poses,
    random_twists,
    turning,
)

BODY, OTHER, EARTH = Frame("body"), Frame("other"), Frame("earth")


ENDS = (Point(BODY, [0.1, -0.4, 0.2]), Point(OTHER, [0.3, 0.3, 0]))


def shut():
    poses = Poses(np.tile(np.eye(3), (2, 1, 1)), np.ones((2, 3)))
    return poses, Twists(np.zeros((2, 3)), np.zeros((2, 3)))


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
    wrenches = interaction(poses, at - poses.origins[0], force, couple)
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


def test_importing_the_room_imports_nothing_heavy():
    """The modules of actions load without jax, scipy, sympy and trimesh."""
    files = [path.relative_to(ROOM).with_suffix("") for path in ROOM.rglob("*.py")]
    names = [".".join(file.parts) for file in files if file.name != "__init__"]
    code = "import sys, importlib\n"
    code += f"[importlib.import_module('polhode.actions.' + n) for n in {names!r}]\n"
    code += (
        "print([m for m in ('jax', 'scipy', 'sympy', 'trimesh') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


ROOM = Path(polhode.actions.__file__).parent


def test_actions_of_masses_and_contacts_read_in_numbers():
    """Whom they act on, and how strongly, in one line."""
    world, moon, ship = Frame("world"), Frame("moon"), Frame("ship")
    places = (Point(moon, [0, 0, 0]), Point(ship, [0, 0, 1]))
    masses = (PointMass(places[0], 5.0), PointMass(places[1], 2))
    assert repr(masses[1]) == "PointMass(2 kg at [0, 0, 1] of 'ship')"
    listed = "5 kg of 'moon', 2 kg of 'ship.point(0, 0, 1)'"
    assert repr(Gravitation(masses, 1.5)) == f"Gravitation({listed}, G=1.5)"
    many = Gravitation(masses * 3, 1.5)
    assert repr(many) == f"Gravitation({listed}, 5 kg of 'moon', 3 more, G=1.5)"
    weight = "Weight(9.81 m/s^2 along -Z)"
    found = repr(Weight(9.81).on(masses, by=world))
    assert found == f"WeightOf({weight} on {listed}, by 'world')"
    place = Point(ship, [0, 0, 0], "sole")
    rubbing = friction.Friction(
        place, world, [0, 0, 1], 5.0, friction.Coulomb(0.3, 0.4)
    )
    assert repr(rubbing) == (
        "Friction('friction' at Point('ship', [0, 0, 0], 'sole'), on 'world'"
        " under 5 N along [0, 0, 1], Coulomb(dynamic=0.3, static=0.4))"
    )
    assert repr(friction.Viscous(0.2)) == "Viscous(0.2 N s/m)"
    smooth = friction.Regularised(0.3, 0.01)
    assert repr(smooth) == "Regularised(dynamic=0.3, speed=0.01)"


def test_several_masses_of_one_body_have_names_of_their_own():
    """Nobody named them: they are called by their places, not as their body is."""
    ship = ph.Body.from_inertia("ship", mass=9.0, inertia=(1.0, 2.0, 2.0))
    planet = PointMass(ph.World().origin, 1e20)
    ends = [PointMass(ship.point(x, 0, 0), m) for x, m in ((1, 4.0), (-1, 5.0))]
    found = ph.System([ship], [Gravitation((planet, *ends))]).parameters
    assert found["ship.mass"] == 9.0
    assert found["ship.point(1, 0, 0).mass"] == 4.0
    assert found["ship.point(-1, 0, 0).mass"] == 5.0
