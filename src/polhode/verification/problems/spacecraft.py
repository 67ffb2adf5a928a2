"""Spacecraft with rotors, tethers and booms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem

MU, RADIUS = 3.986004418e14, 7.0e6


@problem(sources.HUGHES, "gyrostats: spin about the middle axis", digits=9)
def gyrostat_about_the_middle_axis() -> Sequence[Answer]:
    """A rotor along the middle axis makes spin about it stable.

    The transverse rates of a body with moments I₁ > I₂ > I₃ that spins at s about
    axis 2, with momentum h of a thin rotor along it, swing at
    ω² = (h + (I₂ - I₃) s)(h + (I₂ - I₁) s)/(I₁ I₃).
    """
    I1, I2, I3, s, h = 9.0, 7.0, 4.0, 0.5, 2.0
    wheel = 0.01
    hub = ph.Body.from_inertia(
        "hub", mass=50.0, inertia=(I1 - wheel / 2, I2 - wheel, I3 - wheel / 2)
    )
    flywheel = ph.machines.flywheel("rotor", hub.origin, wheel, axis=ph.Y)
    ball = ph.Spherical("ball", ph.World().origin, hub.origin)
    system = ph.System([ball, flywheel], name="gyrostat")
    state = system.state(speeds={"ball": (0, s, 0), "rotor": h / wheel})
    values = ph.linearise(system, state).spectrum.values
    expected = np.sqrt((h + (I2 - I3) * s) * (h + (I2 - I1) * s) / (I1 * I3))
    # Directions in space turn at s as the body sees them; the others are the answer.
    found = values.imag[(values.imag > 1e-6) & (abs(values.imag - s) > 1e-6)]
    return (Answer("ω, rad/s", [expected], found),)


@problem(sources.HUGHES, "roll and yaw under the gravity gradient", digits=6)
def roll_and_yaw_libration() -> Sequence[Answer]:
    """A satellite that faces the planet rolls and yaws at two frequencies.

    Roll (1, ahead), pitch (2), yaw (3, down): λ⁴ + (1 + 3 k₁ + k₁ k₃) n² λ² + 4 k₁ k₃
    n⁴ = 0 with k₁ = (I₂ - I₃)/I₁, k₃ = (I₂ - I₁)/I₃.
    """
    J = np.array([500.0, 800.0, 350.0])
    n = np.sqrt(MU / RADIUS**3)
    craft = ph.Body.from_inertia("craft", mass=700.0, inertia=tuple(J))
    world = ph.World()
    twist = ph.space.GravityGradient(craft, world.origin, mu=MU)
    # The mass centre goes round a circle; the attitude is free beside it.
    arm = ph.Body.from_inertia("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    round_ = ph.Revolute("round", world.origin, arm.origin, axis=ph.Y)
    ball = ph.Spherical("attitude", arm.point(0, 0, -RADIUS), craft.mass_centre)
    circle = ph.PrescribedMotion(round_, lambda t: n * t)
    system = ph.System([round_, ball], [twist], [circle], name="satellite")
    state = system.state(speeds={"round": n})
    values = ph.linearise(system, state).spectrum.values.imag / n
    k1, k3 = (J[1] - J[2]) / J[0], (J[1] - J[0]) / J[2]
    squares = np.roots([1, -(1 + 3 * k1 + k1 * k3), 4 * k1 * k3])
    pitch = np.sqrt(3 * (J[0] - J[2]) / J[1])
    expected = np.sort([*np.sqrt(squares), pitch])
    return (Answer("ω/n", expected, np.sort(values[values > 1e-3])),)


@problem(sources.BELETSKY, "a dumbbell on a tether in a circular orbit", digits=5)
def dumbbell_satellite() -> Sequence[Answer]:
    """Two masses on a light rod swing at √3 and 2 times the rate of the orbit.

    In the plane of the orbit √3 n, across 2 n; masses of 100 and 50 kg, 200 m apart.
    The answers are for a rod that is short beside the orbit.
    """
    a, b, l = 100.0, 50.0, 200.0
    n = np.sqrt(MU / RADIUS**3)
    world = ph.World()
    upper, lower = ph.Particle("upper", a), ph.Particle("lower", b)
    rod = ph.Distance(upper.mass_centre, lower.mass_centre, l)
    pulls = [
        ph.space.ZonalGravity(each, world.origin, mu=MU, zonals=[], name=each.name)
        for each in (upper, lower)
    ]
    system = ph.System([upper, lower], pulls, [rod], name="dumbbell")
    small = 1e-4
    out = {}
    for axis, rate in (("y", np.sqrt(3) * n), ("z", 2 * n)):
        lean = np.array([np.cos(small), 0.0, 0.0])
        lean["xyz".index(axis)] = np.sin(small)
        r = np.array([RADIUS, 0, 0])
        state = system.state(
            upper=tuple(r + b / (a + b) * l * lean),
            lower=tuple(r - a / (a + b) * l * lean),
            speeds={
                each: tuple(np.cross([0, 0, n], r + share * l * lean))
                for each, share in (("upper", b / (a + b)), ("lower", -a / (a + b)))
            },
        )
        motion = ph.simulate(system, state, until=np.pi / rate, samples=2, rtol=1e-12)
        d = (motion["upper"].position - motion["lower"].position)[-1]
        R = motion["upper"].position[-1] / np.linalg.norm(motion["upper"].position[-1])
        along = np.cross([0, 0, 1], R)
        out[axis] = (d @ along if axis == "y" else d[2]) / l / small
    return (
        Answer("lean in the plane after half a period", -1.0, out["y"]),
        Answer("lean across after half a period", -1.0, out["z"]),
    )


@problem(sources.YO_YO, "the de-spin of a satellite by two weights", digits=8)
def yo_yo_despin() -> Sequence[Answer]:
    """Weights on cords that unwind stop a spinning satellite.

    Two weights of m/2 on cords round a hub of radius R: cords unwind at the angle ω₀ t
    exactly, and ω = ω₀ (c - φ²)/(c + φ²), c = 1 + I/(m R²), φ = ω₀ t.
    """
    inertia, R, m, rate, begun = 2.0, 0.5, 0.4, 8.0, 0.02
    hub = ph.Body.from_inertia("hub", mass=20.0, inertia=(3, 3, inertia))
    spin = ph.Revolute("spin", ph.World().origin, hub.origin, axis=ph.Z)
    joints: list[Any] = [spin]
    for name, side in (("one", 1.0), ("two", -1.0)):
        weight = ph.Particle(name, m / 2)
        away = np.array([np.cos(begun), np.sin(begun), 0])
        along = np.array([np.sin(begun), -np.cos(begun), 0])
        start = tuple(side * R * (away + begun * along))

        def cord(q: Any, side: float = side, start: Any = start) -> Any:
            """Along the radius where the cord leaves, then straight on along it."""
            turn = begun + q[0]
            out = jnp.stack([jnp.cos(turn), jnp.sin(turn), 0.0])
            on = jnp.stack([jnp.sin(turn), -jnp.cos(turn), 0.0])
            return jnp.eye(3), side * (R * out + R * turn * on) - np.array(start)

        joints.append(
            ph.UserJoint(
                f"cord {name}",
                hub.point(*start),
                weight.mass_centre,
                cord,
                names=("angle",),
                kinds=("rad",),
            )
        )
    system = ph.System(joints, name="yo-yo de-spin")
    c = 1 + inertia / (m * R**2)
    state = system.state(
        speeds={
            "spin": rate * (c - begun**2) / (c + begun**2),
            "cord one": rate,
            "cord two": rate,
        },
    )
    motion = ph.simulate(system, state, until=0.3, rtol=1e-12, samples=7)
    phi = begun + rate * motion.t
    return (
        Answer("φ, rad", phi, begun + motion.q[:, 1], at=motion.t),
        Answer(
            "ω, rad/s",
            rate * (c - phi**2) / (c + phi**2),
            motion.z[:, 0],
            at=motion.t,
        ),
    )


@problem(sources.KANE, "the astronaut who turns by moving a wheel", digits=10)
def turn_without_momentum() -> Sequence[Answer]:
    """A craft without momentum turns by turning a rotor.

    A rotor of moment 0.2 on the axis of a hub of 3 kg m² is turned by 40 rad against
    it: the hub turns back by 40 x 0.2/3.2 rad.
    """
    hub = ph.Body.from_inertia("hub", mass=80.0, inertia=(5, 5, 3.0))
    rotor = ph.machines.flywheel("rotor", hub.origin, 0.2, axis=ph.Z)
    turn = ph.PrescribedMotion(
        rotor, lambda t: 40.0 * (3 * (t / 2) ** 2 - 2 * (t / 2) ** 3)
    )
    system = ph.System([hub, rotor], [], [turn], name="craft")
    motion = ph.simulate(system, system.rest(), until=2.0, rtol=1e-12, samples=3)
    angle = -40 * 0.2 / 3.2
    first = motion["hub"].orientation[-1][:, 0]
    return (
        Answer("axis 1 of the hub", [np.cos(angle), np.sin(angle), 0], first, size=1),
    )
