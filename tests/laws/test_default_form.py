"""The form that `simulate` takes moves all matter under all actions as Gauss's does.

The default form has ways of its own: weight is an acceleration of the world, laws
along joints are efforts, bodies are described in the frames of their joints. Each is
right for some matter and some actions. Here is a case of every kind of both, and a kind
without a case fails.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, get_args

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies

import polhode as ph
from matter_kinds import FLUID, KINDS, all_solids
from polhode.formulation.compare import answers, disagreement, sizes
from polhode.geometry.rotations import so3
from polhode.integrate.host.motion_equations import equations_of
from polhode.matter.rigid_body import Matter
from strategies_system import block, random_state

SEEDS = strategies.integers(0, 2**32 - 1)
UP = (0.3, -0.5, 1.0)
HARMONICS = np.tril(np.cos(np.arange(16.0).reshape(4, 4)))


# ---------------------------------------------------------------- kinds of matter


def test_every_kind_of_matter_has_a_case():
    """Of every type that a body can be made of, and particles."""
    kinds = [make() for make in KINDS.values()]
    bodies = [kind for kind in kinds if isinstance(kind, ph.Body)]
    assert {type(body.matter) for body in bodies} == set(get_args(Matter))
    assert any(isinstance(kind, ph.Particle) for kind in kinds)
    names = {name for name in ph.solids.__all__ if name[0].islower()}
    assert set(all_solids()) == names


# ------------------------------------------------------------------ scenes


def hung(name: str, carrier: Any, kind: Any, **motor: Any) -> ph.theory.Joint:
    """A joint of one speed beside the mass centre, along which a kind resists."""
    if isinstance(kind, ph.Particle):
        return ph.Prismatic(name, carrier, kind.mass_centre, axis=(1, 2, 0.5), **motor)
    at = kind.point(0.1, -0.2, 0.15)
    return ph.Revolute(name, carrier, at, axis=(1, 2, 0.5), **motor)


def one_joint(kind: Any) -> ph.System:
    """One speed: by the composite mass matrix."""
    joint = hung("joint", ph.World().origin, kind)
    return ph.System([joint], [ph.Weight(9.81, UP)], name="one joint")


def carried(kind: Any) -> ph.System:
    """By articulated bodies: a free hub, a link without mass, a rotor with a gear."""
    hub = block("hub", 2.0)
    link = ph.Body.from_inertia("link", mass=0.0, inertia=(0, 0, 0))
    motor = {"rotor_inertia": 0.01, "gear_ratio": 5.0}
    elbow = ph.Revolute("elbow", hub.point(0.3, 0, 0.1), link.origin, axis=ph.Y)
    wrist = hung("wrist", link.point(0.2, 0.1, 0), kind, **motor)
    free = ph.Free("free", ph.World().origin, hub.point(0.1, 0.2, 0))
    return ph.System([free, elbow, wrist], [ph.Weight(9.81, UP)], name="carried")


def tied(kind: Any) -> ph.System:
    """With rows: the kind hangs on a thread and on a hub that a driver moves."""
    world, hub = ph.World(), block("hub", 2.0)
    track = ph.Prismatic("track", world.origin, hub.origin, axis=ph.X)
    joint = ph.Translation("joint", hub.origin, kind.mass_centre)
    if not isinstance(kind, ph.Particle):
        joint = ph.Free("joint", hub.origin, kind.origin)
    rod = ph.Distance(hub.point(0.1, 0, 2.0), kind.mass_centre, 2.0, name="rod")
    driver = ph.PrescribedMotion(track, lambda t: 0.3 * jnp.sin(2 * t), name="driver")
    return ph.System([track, joint], [ph.Weight(9.81, UP)], [rod, driver], name="tied")


def of_all_solids() -> ph.System:
    """Every shape on a hinge of its own, all on one carriage."""
    cart = block("cart", 3.0)
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=(1, 0, 1))
    bodies = [ph.Body(name, solid) for name, solid in all_solids().items()]
    joints = [hung(f"of {b.name}", cart.origin, b) for b in bodies]
    return ph.System([track, *joints], [ph.Weight(9.81, UP)], name="all solids")


def of_all_kinds() -> ph.System:
    """Every kind of matter on a joint of its own, all on one carriage."""
    cart = block("cart", 3.0)
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=(1, 0, 1))
    joints = [
        hung(f"of {name}", cart.origin, make(name)) for name, make in KINDS.items()
    ]
    return ph.System([track, *joints], [ph.Weight(9.81, UP)], name="all kinds")


def of_two_weights() -> ph.System:
    """A weight of all, and another of one body only: no acceleration of the world."""
    world, hub, arm = ph.World(), block("hub", 2.0), block("arm")
    elbow = ph.Revolute("elbow", hub.point(0.3, 0, 0.1), arm.origin, axis=ph.Y)
    free = ph.Free("free", world.origin, hub.origin)
    own = ph.PointMass(arm.point(0.1, 0.2, 0.3), 0.7)
    second = ph.Weight(3.0, ph.X, name="pull").on((own,), by=world.frame)
    return ph.System([free, elbow], [ph.Weight(9.81, UP), second], name="two weights")


SCENES = {scene.__name__: scene for scene in (one_joint, carried, tied)}
WHOLE = {
    scene.__name__: scene for scene in (of_all_solids, of_all_kinds, of_two_weights)
}


# --------------------------------------------------------------- kinds of actions


class Stage(NamedTuple):
    """Where actions are tried: a body in a fluid, and one on a joint of it."""

    world: ph.World
    hub: ph.Body
    arm: ph.Body
    elbow: ph.theory.Joint
    sleeve: ph.theory.Joint
    rod: ph.Distance

    @property
    def ends(self) -> tuple[Any, Any]:
        """A point of the arm, and one of the world."""
        return self.arm.point(0.1, -0.4, 0.2), self.world.point(0.3, 0.3, 0)

    @property
    def frames(self) -> tuple[Any, Any]:
        """The arm, and the hub that it hangs on."""
        return self.arm.frame, self.hub.frame


# They go over joints of one coordinate each.
OVER_JOINTS = {
    *("Servo", "TendonDamper", "TendonSpring"),
    *("BumpStop", "GasForce", "JointCurve", "TorqueMotor"),
}
STRIDE = 9  # groups of actions that are tried together
CURVE = ph.Table([-9.0, 0.0, 9.0], [-20.0, 0.0, 31.0], beyond="extend", name="curve")
STIFF = np.diag([3.0, 4.0, 5.0, 6.0, 7.0, 8.0]) + 0.2


def stage(kind: type = ph.Cylindrical) -> Stage:
    """New bodies for each system."""
    world, arm = ph.World(), block("arm")
    hub = ph.Body("hub", ph.marine.with_added_mass(block("hub", 2.0).matter, FLUID))
    elbow = kind("elbow", hub.point(0.3, 0, 0.1), arm.origin, axis=ph.Y)
    sleeve = kind("sleeve", world.origin, hub.point(0.1, 0.2, 0), axis=(1, 0, 2))
    rod = ph.Distance(world.point(0.2, 0.1, -2.5), hub.origin, 2.0, name="rod")
    return Stage(world, hub, arm, elbow, sleeve, rod)


def placement_energy(b: Any, k: Any) -> Any:
    """Of where and how a body is before another."""
    return k * b.rotation[0, 1] * b.position[2] + jnp.sin(b.position[0])


def raw_energy(a: Any, b: Any, t: Any, k: Any) -> Any:
    """Of two bodies before the world, and the time."""
    return k * t * a.rotation[0, 1] * (b.position @ a.position)


def observer(t: Any) -> Any:
    """A frame that turns about changing axes and flies."""
    turn = so3.exp(jnp.array([0.3, 1.1, -0.6]) * t + 0.4 * jnp.sin(t))
    return turn, jnp.stack([jnp.sin(t), 0.5 * t**2, 0.3 * jnp.cos(2 * t)])


def vector(frame: Any) -> ph.theory.Vector:
    """Three numbers along the axes of a frame."""
    return ph.theory.Vector([1.0, -2.0, 3.0], frame)


def potential(s: Stage) -> ph.Potential:
    """An energy of the arm before the hub."""
    return ph.Potential(s.frames, placement_energy, {"k": 0.7})


ACTIONS: dict[str, Callable[[Stage], Any]] = {
    "ApparentForce": lambda s: [
        ph.theory.ApparentForce("euler", (s.hub, s.arm), observer)
    ],
    "AppliedCouple": lambda s: [
        ph.AppliedCouple(s.hub.frame, vector(s.hub.frame)),
        ph.AppliedCouple(
            s.arm.frame, vector(s.world.frame), s.world.frame, name="fixed"
        ),
    ],
    "AppliedForce": lambda s: [
        ph.AppliedForce(s.ends[0], vector(s.arm.frame)),
        ph.AppliedForce(s.ends[0], vector(s.world.frame), s.world.frame, name="dead"),
    ],
    "CentralForce": lambda s: [ph.CentralForce(*s.ends, lambda x, r, t: -r * (t + x))],
    "CompliantContact": lambda s: [
        ph.CompliantContact(
            s.ends[0],
            s.world.point(0, 0, 9.0),
            ph.contact.HuntCrossley(3.0, restitution=0.6, at_speed=2.0),
            friction=ph.contact.Regularised(0.3, 0.1),
            name="deep in the floor",
        ),
        ph.CompliantContact(
            ph.surfaces.sphere(s.arm.origin, 0.2),
            ph.surfaces.sphere(s.world.origin, 20.0),
            ph.contact.KelvinVoigt(2.0, 0.3),
            name="deep in a ball",
        ),
    ],
    "ConstraintFriction": lambda s: [
        ph.contact.ConstraintFriction(
            s.rod,
            ph.contact.Regularised(0.2, 0.1),
            point=s.hub.origin,
            by=s.world.frame,
        )
    ],
    "Damper": lambda s: [ph.Damper(*s.ends, 0.7), ph.Damper(s.elbow, [0.5, 0.7])],
    "Drag": lambda s: [ph.Drag(s.ends[0], s.world.frame, 0.3, 0.2)],
    "ForceLaw": lambda s: [
        ph.ForceLaw(s.ends[0], s.hub.frame, lambda x, v, t: -x * t - 0.3 * v)
    ],
    "Friction": lambda s: [
        ph.contact.Friction(s.ends[0], s.world.frame, ph.Z, 5.0, law, name=law.name)
        for law in (
            ph.Coulomb(0.3, 0.4),
            ph.contact.Viscous(0.3),
            ph.contact.Regularised(0.3, 0.1),
        )
    ],
    "Gravitation": lambda s: [
        ph.Gravitation((ph.PointMass.of(s.arm), ph.PointMass(s.ends[1], 3.0)), 1.0)
    ],
    "JointDamper": lambda s: [ph.JointDamper(s.elbow, [0.5, 0.7])],
    "JointFriction": lambda s: [
        ph.JointFriction(s.elbow, ph.contact.Regularised(0.2, 0.1), radius=0.05)
    ],
    "JointSpring": lambda s: [ph.JointSpring(s.elbow, [3.0, 5.0], [0.2, 0.1])],
    "Motor": lambda s: [ph.Motor(s.elbow, lambda t, q, z: jnp.sin(t) - q + 0.3 * z)],
    "NonlinearSpring": lambda s: [
        ph.machines.NonlinearSpring(*s.ends, lambda x: x**4 / 4)
    ],
    "Potential": lambda s: [potential(s)],
    "RawPotential": lambda s: [
        ph.theory.RawPotential(s.frames, raw_energy, {"k": 0.7})
    ],
    "RotationalDamper": lambda s: [
        ph.machines.RotationalDamper(*s.frames, 0.4, (0, 0.6, 0.8))
    ],
    "RotationalSpring": lambda s: [
        ph.machines.RotationalSpring(s.hub.frame, s.world.frame, 2.0)
    ],
    "Spring": lambda s: [
        ph.Spring(*s.ends, 3.0, 0.5),
        ph.Spring(s.elbow, [3.0, 5.0], [0.2, 0.1]),
    ],
    "TorsionalSpring": lambda s: [
        ph.machines.TorsionalSpring(*s.frames, [0, 1, 0], 2.0, 0.3),
    ],
    "Weight": lambda s: [ph.Weight(9.81, UP)],
    "AtmosphericDrag": lambda s: [
        ph.space.AtmosphericDrag(
            *(s.ends[0], s.world.point(0.2, 0, -1), 2.2, 0.9),
            ph.space.ExponentialAtmosphere(0.6, 0.1, 2.0),
            radius=0.3,
            rate=0.4,
            flattening=0.1,
        )
    ],
    "GravityGradient": lambda s: [
        ph.space.GravityGradient((s.hub, s.arm), s.world.point(0, 0, -4), mu=9.0)
    ],
    "HarmonicGravity": lambda s: [
        ph.space.HarmonicGravity(
            *((s.arm, s.hub), s.world.point(0, 0, -4), HARMONICS, HARMONICS),
            mu=9.0,
            radius=1.0,
            rate=0.3,
        )
    ],
    "MagneticTorque": lambda s: [
        ph.space.MagneticTorque(
            *(s.arm.origin, s.world.point(0, 0, -4)),
            ph.space.DipoleField(strength=3.0, radius=1.0),
            (0.3, 0.7, -0.2),
        )
    ],
    "RandomLoad": lambda s: [
        ph.space.RandomLoad(s.ends[0], force=0.3, torque=0.2, time=0.5, seed=3)
    ],
    "SolarPressure": lambda s: [
        ph.space.SolarPressure(
            *(s.ends[0], s.world.point(0, 0, -4), (20, 30, 5), 1.5, 2.0),
            radius=2.0,
            sun_radius=8.0,
            pressure=1e-19,
        )
    ],
    "ThirdBody": lambda s: [
        ph.space.ThirdBody((s.hub, s.arm), s.world.point(0, 0, -4), 9.0, (5, 6, 7))
    ],
    "Servo": lambda s: [
        ph.machines.Servo(
            [s.elbow], [0.7], 3.0, (0.1, -2.0, -0.4), control=0.5, name="servo"
        )
    ],
    "TendonDamper": lambda s: [ph.machines.TendonDamper([s.elbow], [0.7], 0.5)],
    "TendonSpring": lambda s: [ph.machines.TendonSpring([s.elbow], [0.7], 3.0, 0.2)],
    "Thruster": lambda s: [ph.space.Thruster(s.ends[0], ph.Y, 2.0, 0.4)],
    "WheelMotor": lambda s: [
        ph.space.WheelMotor(s.elbow, 0.3, speed_limit=2.0, viscous=0.2, dry=0.1)
    ],
    "ZonalGravity": lambda s: [
        ph.space.ZonalGravity(
            *((s.hub, s.arm), s.world.point(0, 0, -4)),
            mu=9.0,
            radius=1.0,
            zonals=[0.1, 0.2],
        )
    ],
    "BumpStop": lambda s: [
        ph.machines.BumpStop(
            s.elbow, 3.0, limits=(-0.01, 0.01), exponent=1.5, damping=0.3
        )
    ],
    "Bushing": lambda s: [
        ph.machines.Bushing(s.hub.point(0.1, 0.2, 0), s.world.origin, STIFF, STIFF)
    ],
    "DamperCurve": lambda s: [ph.machines.DamperCurve(*s.ends, CURVE)],
    "GasForce": lambda s: [
        ph.machines.GasForce(s.elbow, s.sleeve, CURVE, 0.3, inwards=True)
    ],
    "JointCurve": lambda s: [
        ph.machines.JointCurve(s.elbow, CURVE, 0.2),
        ph.machines.JointCurve(s.elbow, damper=CURVE),
    ],
    "SpringCurve": lambda s: [ph.machines.SpringCurve(*s.ends, CURVE, 0.5)],
    "TorqueMotor": lambda s: [ph.machines.TorqueMotor(s.elbow, CURVE, 0.7)],
    "Tyre": lambda s: [
        ph.vehicles.Tyre(
            *(s.arm.origin, s.world.frame, 9.0, law),
            stiffness=2.0,
            damping=0.3,
            road=lambda x, y: 0.1 * jnp.sin(x) + 0.2 * y - 2.0,
            name=f"tyre of {law.name}",
        )
        for law in (
            ph.vehicles.LinearTyre(3.0, 2.0, name="linear"),
            ph.vehicles.FialaTyre(3.0, 2.0, 0.8, name="Fiala"),
            ph.vehicles.MagicFormula(3.0, 1.5, 0.3, 0.9, B_x=5.0, name="magic"),
        )
    ],
    "Buoyancy": lambda s: [ph.marine.Buoyancy(s.ends[0], s.world.frame, 0.001, up=UP)],
    "HydrodynamicDrag": lambda s: [
        ph.marine.HydrodynamicDrag(
            *(s.ends[0], s.world.frame, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
            [0.2, 0.1, 0.3, 0.4, 0.2, 0.1],
            current=(0.3, -0.2, 0.1),
        )
    ],
    "Propeller": lambda s: [
        ph.marine.Propeller(s.ends[0], (1, 2, 0), 0.3, 2.0, torque=0.1, limit=1.5)
    ],
    "driven_potential": lambda s: [
        ph.theory.driven_potential(potential(s), s.hub.frame, observer)
    ],
    "observed_from": lambda s: ph.theory.observed_from(observer, (s.hub, s.arm)),
}
# Public names of the room that no system takes as an action: laws, vectors, fields and
# questions. A new name belongs here, or has a case above.
NO_ACTIONS = {
    *("Anisotropic", "Coulomb", "Regularised", "Stribeck", "Viscous"),
    *("ForceFunction", "PointMass"),
    *("Flores", "Hertz", "HuntCrossley", "KelvinVoigt", "LankaraniNikravesh"),
    *(
        "audit_invariance",
        "Couple",
        "Force",
        "ForceField",
        "ForceSystem",
        "circulation",
    ),
    *("conservativity", "forces_by_power", "forces_by_virtual_work"),
    *("multiplier_family", "work"),
}
TOLD_TO_ACTIONS = {
    *("FialaTyre", "LinearTyre", "MagicFormula"),
    *("gravity_coefficients", "magnetic_coefficients", "MoonEphemeris"),
    *("DipoleField", "EARTH", "EARTH_AIR", "EARTH_FIELD", "ExponentialAtmosphere"),
    *("FixedPlace", "HarmonicField", "KeplerianEphemeris", "MOON", "Planet", "SUN"),
    *(
        "TableAtmosphere",
        "TableEphemeris",
        "sunlit_fraction",
        "Epoch",
        "local_rate",
        "LocalFrame",
    ),
    *("lvlh", "perifocal", "rotating", "rtn"),
}


HOMES = (ph.contact, ph.theory, ph.space, ph.machines, ph.vehicles, ph.marine)


def test_every_public_action_has_a_case():
    """What the library offers as an action is tried here, or this fails."""
    public = {n for n, at in ph.PUBLIC.items() if at.startswith("polhode.actions")}
    for home in HOMES:
        found = home.HOMES.items()
        nouns = {n for n, _ in found if not inspect.ismodule(getattr(home, n))}
        public |= {n for n, at in found if at.startswith("polhode.actions")} & nouns
    assert public == {*ACTIONS, *NO_ACTIONS, *TOLD_TO_ACTIONS}
    for name in NO_ACTIONS | TOLD_TO_ACTIONS:
        home = next((h for h in HOMES if name in h.HOMES), ph)
        assert not hasattr(getattr(home, name), "wrenches")
        assert not hasattr(getattr(home, name), "effort")


def acted_upon(*names: str) -> ph.System:
    """The stage, with some kinds of actions and no other."""
    kind = ph.Revolute if OVER_JOINTS.issuperset(names) else ph.Cylindrical
    made = stage(kind)
    tie = [made.rod] if "ConstraintFriction" in names else []
    actions = [action for name in names for action in ACTIONS[name](made)]
    joints = [made.sleeve, made.elbow]
    return ph.System(joints, actions, tie, name=" and ".join(names))


# Actions that act together on one stage, so that few are compiled. Accelerations are
# compared to 1e-10 of the largest, far below what any of them does; the long suite has
# each of them alone. Those of one group have names of their own.
APART = [n for n in ACTIONS if n not in OVER_JOINTS and n != "ConstraintFriction"]
TOGETHER = {f"group {k}": APART[k::STRIDE] for k in range(STRIDE)} | {
    "group joints": sorted(OVER_JOINTS),
    "group rod": ["ConstraintFriction"],
}


# ----------------------------------------------------------------------- laws


def build(case: str) -> ph.System:
    """The system of a case: "action Spring", "cloud tied", "of_all_solids"."""
    if case in WHOLE:
        return WHOLE[case]()
    if case in TOGETHER:
        return acted_upon(*TOGETHER[case])
    first, second = case.split()
    return acted_upon(second) if first == "action" else SCENES[second](KINDS[first]())


@cache
def programs(case: str) -> tuple[ph.System, ph.results.Program, ph.results.Program]:
    """The system, and what the default form and Gauss's answer, compiled once."""
    system = build(case)
    state = random_state(system, np.random.default_rng(0))
    at = state.t, state.q, state.z
    forms = equations_of(system), ph.gauss(system)
    default, gauss = (ph.compile(answers(form), *at) for form in forms)
    return system, default, gauss


# Dry bodies differ in numbers only, and so do those in a fluid: one kind of each goes
# through every scene, and particles do.
IN_ALL = {"solid", "particle", "added_mass"}
MATTER_CASES = [
    pytest.param(f"{kind} {scene}", marks=() if kind in IN_ALL else pytest.mark.long)
    for kind in KINDS
    for scene in SCENES
]
ACTION_CASES = [
    *TOGETHER,
    *(pytest.param(f"action {name}", marks=pytest.mark.long) for name in ACTIONS),
]


WHOLE_CASES = [
    # Shapes are numbers to the form, and twenty bodies take long to compile.
    pytest.param(name, marks=pytest.mark.long if name == "of_all_solids" else ())
    for name in WHOLE
]


@pytest.mark.parametrize("case", [*MATTER_CASES, *ACTION_CASES, *WHOLE_CASES])
@given(seed=SEEDS)
@settings(max_examples=6)
def test_the_default_form_moves_everything_as_gauss_does(case, seed):
    """Accelerations and reactions, of all matter and under all actions."""
    system, default, gauss = programs(case)
    state = random_state(system, np.random.default_rng(seed))
    found, wanted = (run(state.t, state.q, state.z) for run in (default, gauss))
    for part in range(2):
        size = np.array(sizes(state)[part])
        assert disagreement(found[part][None], wanted[part][None], size) < 1e-10


@pytest.mark.parametrize("case", TOGETHER)
def test_the_actions_of_a_case_act(case):
    """A case that exerts nothing would prove nothing."""
    system, _, _ = programs(case)
    state = random_state(system, np.random.default_rng(1))
    each = system.wrenches(state.t, state.q, state.z)
    assert len(each) >= len(TOGETHER[case])
    assert all(np.any(np.concatenate([*w])) for w in each.values())


@pytest.mark.parametrize("scene", SCENES)
def test_added_mass_resists_and_has_no_weight(scene):
    """Weight of a body in a fluid is that of its matter; the fluid slows its fall."""
    dry, wet = (programs(f"{kind} {scene}") for kind in ("solid", "added_mass"))
    state = random_state(dry[0], np.random.default_rng(4))
    at = state.t, state.q, state.z
    assert not np.allclose(dry[1](*at)[0], wet[1](*at)[0], rtol=1e-3)


def test_a_ball_in_a_fluid_falls_slower_by_its_added_mass():
    """m g/(m + m_f/2) down, in the default form as by hand."""
    ball = ph.solids.sphere(mass=2.0, radius=0.1)
    fluid = 1.0 / (4 / 3 * np.pi * 0.1**3)
    body = ph.Body("ball", ph.marine.submerged(ball, fluid_density=fluid))
    system = ph.System([body], [ph.Weight(9.81)], name="falling ball")
    found = equations_of(system).body_accelerations(system.state())
    assert abs(found[0, 5] + 9.81 * 2.0 / 2.5) < 1e-14
    motion = ph.simulate(system, system.state(), until=1.0)
    assert abs(motion.final.q[-1] + 0.5 * 9.81 * 2.0 / 2.5) < 1e-9
