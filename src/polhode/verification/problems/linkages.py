"""Linkages, gears, robots and suspended bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

G = 9.81


def frequencies(system: ph.System, state: ph.State) -> np.ndarray:
    """The angular frequencies of small oscillations, in order."""
    values = ph.linearise(system, state).spectrum.values
    return np.sort(values.imag[values.imag > 1e-6])


@problem(sources.BERNOULLI, "three weights on a thread", digits=4, basis=PRINTED)
def hanging_thread() -> Sequence[Answer]:
    """Three equal weights, equally spaced on a hanging thread, swing in three ways.

    ω² = x g/l with x the zeros of Laguerre's polynomial x³ - 9x² + 18x - 6: 0.41577,
    2.29428 and 6.28995.
    """
    l, joints, before = 0.4, [], ph.World().origin
    for number in range(3):
        weight = ph.Body.from_inertia(
            f"weight {number}", mass=0.3, inertia=(0, 0, 0), centre=(0, 0, -l)
        )
        joints.append(ph.Revolute(f"hinge {number}", before, weight.origin, axis=ph.Y))
        before = weight.point(0, 0, -l)
    system = ph.System(joints, [ph.Weight(G)], name="thread")
    found = frequencies(system, system.rest()) ** 2 * l / G
    return (Answer("ω² l/g", np.array([0.41577, 2.29428, 6.28995]), found),)


@problem(sources.ROUTH, "two rods that hang from each other", digits=10)
def two_hanging_rods() -> Sequence[Answer]:
    """Two equal rods that hang from each other swing in two ways.

    Uniform rods of the length l = 0.9 m, the second hinged to the end of the first:
    ω² = (3 ± 6/√7) g/l.
    """
    l = 0.9
    one, two = (ph.Body(n, ph.solids.rod(mass=1.1, length=l)) for n in "ab")
    top = ph.Revolute("top", ph.World().origin, one.point(0, 0, l / 2), axis=ph.Y)
    low = ph.Revolute("low", one.point(0, 0, -l / 2), two.point(0, 0, l / 2), axis=ph.Y)
    system = ph.System([top, low], [ph.Weight(G)], name="rods")
    expected = np.sqrt((3 + np.array([-6, 6]) / np.sqrt(7)) * G / l)
    return (Answer("ω, rad/s", expected, frequencies(system, system.rest())),)


@problem(sources.TIMOSHENKO, "the trifilar suspension", digits=9)
def trifilar_suspension() -> Sequence[Answer]:
    """A disc that hangs by three wires turns at ω² = m g R²/(I h).

    Wires of h = 1.5 m at the radius R = 0.2 m from the axis. The three other motions
    are of a pendulum of the length h, twice, for wires that stay parallel.
    """
    m, R, h, I = 2.0, 0.2, 1.5, 0.031
    world = ph.World()
    disc = ph.Body.from_inertia("disc", mass=m, inertia=(0.02, 0.02, I))
    angles = 2 * np.pi * np.arange(3) / 3
    wires = [
        ph.Distance(
            disc.point(R * np.cos(a), R * np.sin(a), 0),
            world.point(R * np.cos(a), R * np.sin(a), h),
            h,
            name=f"wire {k}",
        )
        for k, a in enumerate(angles)
    ]
    system = ph.System([disc], [ph.Weight(G)], wires, name="trifilar")
    expected = np.sqrt([G / h, G / h, m * G * R**2 / (I * h)])
    found = frequencies(system, system.rest())
    return (Answer("ω, rad/s", np.sort(expected), found),)


@problem(sources.WILLIS, "trains of wheels on an arm", digits=11)
def epicyclic_train() -> Sequence[Answer]:
    """With the ring held, the arm of an epicyclic train turns at z_s/(z_s + z_r).

    Teeth 24 and 72. With moments of inertia I_s and I_c, a torque M on the sun gives it
    the acceleration M/(I_s + n² I_c), n = z_s/(z_s + z_r).
    """
    world, teeth, M = ph.World(), (24, 72), 0.6
    moments = {"sun": 0.02, "ring": 0.3, "arm": 0.15}
    bodies = [
        ph.Body.from_inertia(name, mass=1.0, inertia=(I, I, I))
        for name, I in moments.items()
    ]
    joints = [ph.Revolute(b.name, world.origin, b.origin, axis=ph.Z) for b in bodies]
    train = ph.machines.planetary_gear(*joints, sun_teeth=teeth[0], ring_teeth=teeth[1])
    held = ph.PrescribedMotion(joints[1], lambda t: 0.0 * t)
    motor = ph.Motor(joints[0], M)
    system = ph.System(joints, [motor], [*train, held], name="train")
    found = ph.recursive(system).accelerations(system.rest())
    n = teeth[0] / sum(teeth)
    sun = M / (moments["sun"] + n**2 * moments["arm"])
    return (
        Answer("sun, rad/s²", sun, found[0]),
        Answer("arm, rad/s²", n * sun, found[2]),
    )


@problem(sources.SPONG, "the five-bar linkage, decoupled", digits=10)
def decoupled_parallelogram() -> Sequence[Answer]:
    """A parallelogram arm whose motors do not feel each other.

    With m₃ l₂ l_c3 = m₄ l₁ l_c4 the inertia of a five-bar parallelogram linkage has no
    coupling: each torque moves its own link alone, in every configuration, by
    1/(I + …), with M₁₁ = m₁ l_c1² + m₃ l_c3² + m₄ l₁² + I₁ + I₃ and so on.
    """
    l1, l2, m1, m2, m3 = 0.5, 0.3, 2.0, 1.5, 1.2
    c1, c2, c3, c4 = 0.2, 0.12, 0.22, 0.31
    m4 = m3 * l2 * c3 / (l1 * c4)
    I1, I2, I3, I4 = 0.05, 0.02, 0.04, 0.06
    world = ph.World()

    def link(name: str, mass: float, moment: float, centre: float) -> ph.Body:
        inertia = (moment, moment, moment)
        return ph.Body.from_inertia(
            name, mass=mass, inertia=inertia, centre=(centre, 0, 0)
        )

    one, two = link("one", m1, I1, c1), link("two", m2, I2, c2)
    three, four = link("three", m3, I3, c3), link("four", m4, I4, c4)
    q1 = ph.Revolute("q1", world.origin, one.origin, axis=ph.Z)
    q2 = ph.Revolute("q2", world.origin, two.origin, axis=ph.Z)
    q3 = ph.Revolute("q3", two.point(l2, 0, 0), three.origin, axis=ph.Z)
    # Link four goes on backwards from the end of link one, through the end of three.
    q4 = ph.Revolute("q4", one.point(l1, 0, 0), four.origin, axis=ph.Z)

    def closed(a: Any, b: Any, c: Any, d: Any, t: Any) -> Any:
        return jnp.stack([b + c - a, a + d - b - jnp.pi])

    loop = ph.JointEquation([q1, q2, q3, q4], closed, rows=("three", "four"))
    found, expected = [], []
    for torque in ((1.0, 0.0), (0.0, 1.0)):
        motors = [ph.Motor(q1, torque[0]), ph.Motor(q2, torque[1])]
        system = ph.System([q1, q2, q3, q4], motors, [loop], name="parallelogram")
        for a, b in ((0.3, 1.1), (-0.4, 1.9)):
            state = system.state(q1=a, q2=b, q3=a - b, q4=np.pi + b - a)
            found.append(ph.recursive(system).accelerations(state)[:2])
            M11 = m1 * c1**2 + m3 * c3**2 + m4 * l1**2 + I1 + I3
            M22 = m2 * c2**2 + m3 * l2**2 + m4 * c4**2 + I2 + I4
            expected.append([torque[0] / M11, torque[1] / M22])
    return (Answer("accelerations, rad/s²", np.array(expected), np.array(found)),)


@problem(sources.LIKINS, "dual-spin spacecraft, nutation", digits=9)
def dual_spin_nutation() -> Sequence[Answer]:
    """A craft with a spinning rotor and a platform at rest nods at C s/A.

    Platform and rotor on one axis of symmetry: with the platform despun the transverse
    rate turns at h/A, h = C_r s, A the transverse moment of the whole.
    """
    A, axial, C, s = 5.0, 2.0, 0.8, 60.0
    platform = ph.Body.from_inertia("platform", mass=50.0, inertia=(3.5, 3.5, axial))
    rotor = ph.Body.from_inertia("rotor", mass=10.0, inertia=(A - 3.5, A - 3.5, C))
    axle = ph.Revolute("axle", platform.origin, rotor.origin, axis=ph.Z)
    system = ph.System([platform, axle], name="dual spin")
    state = system.state(speeds={"axle": s})
    values = ph.linearise(system, state).spectrum.values
    found = values.imag[values.imag > 1e-6]
    return (Answer("ω, rad/s", [C * s / A], found),)


@problem(sources.MACMILLAN, "the particle on the axis of two equal masses", digits=8)
def particle_on_the_axis() -> Sequence[Answer]:
    """A speck on the axis of two stars swings √8 times as often as they revolve.

    Two equal masses on a circle of diameter d, n² = 2 G M/d³: through their middle a
    small particle swings with ω² = 16 G M/d³.
    """
    mu, d, z0 = 1.0, 1.0, 3e-6
    stars = [ph.Particle(n, 1.0) for n in ("one", "two")]
    speck = ph.Particle("speck", 1e-12)
    masses = [ph.PointMass.of(each) for each in (*stars, speck)]
    system = ph.System([*stars, speck], [ph.Gravitation(masses, mu)], name="stars")
    v = np.sqrt(2 * mu / d**3) * d / 2
    start = system.state(
        one=(d / 2, 0, 0),
        two=(-d / 2, 0, 0),
        speck=(0, 0, z0),
        speeds={"one": (0, v, 0), "two": (0, -v, 0)},
    )
    rate = np.sqrt(16 * mu / d**3)
    t = np.linspace(0, 3.0, 13)
    motion = ph.simulate(system, start, until=3.0, rtol=1e-12, samples=t)
    found = motion["speck"].position[:, 2] / z0
    return (Answer("z/z₀", np.cos(rate * t), found, at=t),)


@problem(sources.GINSBERG, "slider and crank at a constant rate", digits=9)
def piston_of_an_engine() -> Sequence[Answer]:
    """The piston of an engine is pulled back hardest at the top.

    Crank r = 0.05 m at 300 rad/s, rod l = 0.16 m: x = r cos θ + √(l² - r² sin² θ), so
    at the top x'' = -r ω² (1 + r/l) and at the bottom r ω² (1 - r/l).
    """
    r, l, rate = 0.05, 0.16, 300.0
    world = ph.World()
    crank = ph.Body("crank", ph.solids.rod(mass=1.0, length=r, along=ph.X))
    piston = ph.Particle("piston", 0.5)
    shaft = ph.Revolute("shaft", world.origin, crank.point(-r / 2, 0, 0), axis=ph.Z)
    bore = ph.Prismatic("bore", world.origin, piston.mass_centre, axis=ph.X)
    wrist = ph.Distance(crank.point(r / 2, 0, 0), piston.mass_centre, l, name="rod")
    turned = ph.PrescribedMotion(shaft, lambda t: rate * t)
    system = ph.System([shaft, bore], [], [wrist, turned], name="engine")
    form, found, expected = ph.recursive(system), [], []
    for theta in (0.0, 0.7, np.pi / 2, np.pi):
        c, s = np.cos(theta), np.sin(theta)
        root = np.sqrt(l**2 - (r * s) ** 2)
        v = -r * rate * s - r**2 * rate * s * c / root
        state = system.state(
            t=theta / rate,
            shaft=theta,
            bore=r * c + root,
            speeds={"shaft": rate, "bore": v},
        )
        found.append(form.accelerations(state)[1])
        bend = (np.cos(2 * theta) * root**2 + (r * s * c) ** 2) / root**3
        expected.append(-r * rate**2 * (c + r * bend))
    return (Answer("x'', m/s²", expected, found),)
