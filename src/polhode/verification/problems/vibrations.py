"""Natural frequencies, and the loss of stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

G = 9.81


def lump(
    name: str, mass: float, moment: float = 0.0, centre: Any = (0.0, 0.0, 0.0)
) -> ph.Body:
    """A body with one moment of inertia about all axes."""
    moments = (moment, moment, moment)
    return ph.Body.from_inertia(name, mass=mass, inertia=moments, centre=centre)


def frequencies(system: ph.System, state: ph.State | None = None) -> np.ndarray:
    """The angular frequencies of small oscillations, in order."""
    values = ph.linearise(system, state or system.rest()).spectrum.values
    return np.sort(values.imag[values.imag > 1e-6])


@problem(sources.RAYLEIGH, "the loaded string, chapter VI", digits=10)
def chain_of_masses() -> Sequence[Answer]:
    """The modes of equal masses in a row between two walls.

    n masses m on n + 1 springs k: ω_j = 2 √(k/m) sin(j π/(2(n + 1))), j = 1 … n, the
    formula of the loaded string with k for its tension over the distance of masses.
    """
    n, m, k, world = 6, 0.5, 80.0, ph.World()
    joints, before = [], world.origin
    for number in range(n):
        body = lump(f"mass {number}", m, 1.0)
        joints.append(ph.Prismatic(f"x{number}", before, body.origin, axis=ph.X))
        before = body.origin
    # Each coordinate is relative to the mass before: springs are of the joints, but for
    # the last one, which is as long as the sum of all is short.
    springs = [ph.JointSpring(joint, k) for joint in joints]
    last = ph.Spring(before, world.point(n + 1.0, 0, 0), k, n + 1.0, name="last")
    system = ph.System(joints, [*springs, last], name="chain")
    j = np.arange(1, n + 1)
    expected = 2 * np.sqrt(k / m) * np.sin(j * np.pi / (2 * (n + 1)))
    return (Answer("ω, rad/s", expected, frequencies(system)),)


@problem(sources.LANDAU, "§24, problem 1", digits=10)
def linear_molecule() -> Sequence[Answer]:
    """The longitudinal vibrations of a linear triatomic molecule ABA.

    ω_s = √(k/m_A) and ω_a = √(k μ/(m_A m_B)) with μ = 2 m_A + m_B.
    """
    mA, mB, k = 1.3, 0.7, 50.0
    first, middle, last = lump("A", mA, 1), lump("B", mB, 1), lump("A'", mA, 1)
    rail = ph.Prismatic("rail", ph.World().origin, first.origin, axis=ph.X)
    one = ph.Prismatic("one", first.origin, middle.origin, axis=ph.X)
    two = ph.Prismatic("two", middle.origin, last.origin, axis=ph.X)
    springs = [ph.JointSpring(one, k), ph.JointSpring(two, k)]
    system = ph.System([rail, one, two], springs, name="molecule")
    expected = np.sqrt([k / mA, k * (2 * mA + mB) / (mA * mB)])
    return (Answer("ω, rad/s", expected, frequencies(system)),)


@problem(sources.DEN_HARTOG, "section 3.2, the dynamic vibration absorber", digits=10)
def vibration_absorber() -> Sequence[Answer]:
    """The two frequencies of a machine with a tuned absorber.

    A small mass m on a spring k, tuned to the machine (k/m = K/M), on a machine M, K:
    (ω/ω_a)² = (1 + μ/2) ± √(μ + μ²/4) with μ = m/M.
    """
    M, K, mu = 10.0, 4000.0, 0.2
    machine, small = lump("machine", M, 1.0), lump("absorber", mu * M, 1.0)
    rail = ph.Prismatic("rail", ph.World().origin, machine.origin, axis=ph.X)
    way = ph.Prismatic("way", machine.origin, small.origin, axis=ph.X)
    springs = [ph.JointSpring(rail, K), ph.JointSpring(way, mu * K)]
    system = ph.System([rail, way], springs, name="absorber")
    squares = 1 + mu / 2 + np.array([-1, 1]) * np.sqrt(mu + mu**2 / 4)
    expected = np.sqrt(K / M * squares)
    return (Answer("ω, rad/s", expected, frequencies(system)),)


@problem(sources.TIMOSHENKO, "torsional vibration of a shaft with two discs", digits=10)
def shaft_with_two_discs() -> Sequence[Answer]:
    """The torsional frequency of a shaft that carries two discs.

    ω² = k (I₁ + I₂)/(I₁ I₂), and the node divides the shaft in the ratio I₂ : I₁.
    """
    I1, I2, k = 0.8, 0.3, 120.0
    one, two = lump("one", 1.0, I1), lump("two", 1.0, I2)
    bearing = ph.Revolute("bearing", ph.World().origin, one.origin, axis=ph.X)
    shaft = ph.Revolute("shaft", one.origin, two.origin, axis=ph.X)
    system = ph.System([bearing, shaft], [ph.JointSpring(shaft, k)], name="shaft")
    expected = np.sqrt(k * (I1 + I2) / (I1 * I2))
    return (Answer("ω, rad/s", expected, frequencies(system)[-1]),)


@problem(
    sources.TIMOSHENKO, "torsional vibration of a shaft with three discs", digits=10
)
def shaft_with_three_discs() -> Sequence[Answer]:
    """The two torsional frequencies of a shaft that carries three discs.

    p⁴ - p² (k₁/I₁ + (k₁ + k₂)/I₂ + k₂/I₃) + k₁ k₂ (I₁ + I₂ + I₃)/(I₁ I₂ I₃) = 0.
    """
    I1, I2, I3, k1, k2 = 0.8, 0.3, 0.5, 120.0, 90.0
    discs = [lump(f"disc {n}", 1.0, I) for n, I in enumerate((I1, I2, I3))]
    bearing = ph.Revolute("bearing", ph.World().origin, discs[0].origin, axis=ph.X)
    one = ph.Revolute("one", discs[0].origin, discs[1].origin, axis=ph.X)
    two = ph.Revolute("two", discs[1].origin, discs[2].origin, axis=ph.X)
    springs = [ph.JointSpring(one, k1), ph.JointSpring(two, k2)]
    system = ph.System([bearing, one, two], springs, name="shaft")
    middle = k1 / I1 + (k1 + k2) / I2 + k2 / I3
    last = k1 * k2 * (I1 + I2 + I3) / (I1 * I2 * I3)
    expected = np.sqrt(np.sort(np.roots([1, -middle, last])))
    return (Answer("p, rad/s", expected, frequencies(system)),)


@problem(sources.RAO, "automobile on two springs", digits=4.5, basis=PRINTED)
def automobile() -> Sequence[Answer]:
    """An automobile bounces and pitches.

    1000 kg, radius of gyration 0.9 m, axles 1.0 m ahead and 1.5 m behind the mass
    centre on 18 and 22 kN/m: 5.8593 and 9.4341 rad/s.
    """
    m, gyration, ahead, behind, front, rear = 1e3, 0.9, 1.0, 1.5, 18e3, 22e3
    world = ph.World()
    car = ph.Body.from_inertia("car", mass=m, inertia=(400.0, m * gyration**2, 900.0))
    body = ph.Planar("body", world.point(0, 0, 1.0), car.origin, normal=ph.Y)
    # Pressed by their shares of the weight, springs are one metre long.
    shares = m * G * np.array([behind, ahead]) / (ahead + behind)
    rows = zip((ahead, -behind), (front, rear), shares, strict=True)
    springs = [
        ph.Spring(world.point(x, 0, 0), car.point(x, 0, 0), k, 1.0 + F / k, name=f"{x}")
        for x, k, F in rows
    ]
    system = ph.System([body], [ph.Weight(G), *springs], name="car")
    modes = ph.linearise(system).modes()
    swings = modes.eigenvalues.imag > 0
    found = np.sort(modes.frequencies[swings])
    return (Answer("ω, rad/s", np.array([5.8593, 9.4341]), found),)


@problem(sources.TIMOSHENKO, "damped free vibration, logarithmic decrement", digits=9)
def damped_oscillator() -> Sequence[Answer]:
    """A damped oscillator in closed form.

    m = 2 kg, k = 50 N/m, c = 1.5 N s/m, released at 0.1 m: x = e^(-n t)(x₀ cos p₁ t +
    (n x₀/p₁) sin p₁ t), n = c/(2m), p₁² = k/m - n².
    """
    m, k, c, x0 = 2.0, 50.0, 1.5, 0.1
    block = lump("block", m, 1.0)
    rail = ph.Prismatic("rail", ph.World().origin, block.origin, axis=ph.X)
    laws = [ph.JointSpring(rail, k), ph.JointDamper(rail, c)]
    system = ph.System([rail], laws, name="oscillator")
    t = np.linspace(0, 6, 61)
    start = system.state(rail=x0)
    motion = ph.simulate(system, start, until=6.0, rtol=1e-12, samples=t)
    n = c / (2 * m)
    p = np.sqrt(k / m - n * n)
    x = np.exp(-n * t) * (x0 * np.cos(p * t) + n * x0 / p * np.sin(p * t))
    return (Answer("x, m", x, motion.q[:, 0], at=t),)


@problem(sources.ZIEGLER, "the double pendulum under a follower force", digits=9)
def zieglers_column() -> Sequence[Answer]:
    """Ziegler's column under a load that follows it flutters at (7/2 - √2) c/l.

    Two links of 1 m with masses 2 m and m at their ends, springs c in both joints,
    pushed along the last: at the critical load two frequencies meet, ω⁴ = c²/(2 m²
    l⁴).
    """
    load = 3.5 - np.sqrt(2.0)
    first, last = lump("first", 2.0, 0.0, (0, 0, 1)), lump("last", 1.0, 0.0, (0, 0, 1))
    foot = ph.Revolute("foot", ph.World().origin, first.origin, axis=ph.Y)
    knee = ph.Revolute("knee", first.point(0, 0, 1), last.origin, axis=ph.Y)
    push = ph.theory.Vector((0, 0, -load), last.frame)
    springs = [ph.JointSpring(foot, 1.0), ph.JointSpring(knee, 1.0)]
    follower = ph.AppliedForce(last.point(0, 0, 1), push)
    system = ph.System([foot, knee], [*springs, follower], name="column")
    parts = ph.linearise(system).parts
    A = np.linalg.solve(parts.mass, parts.place)
    # ω⁴ - tr A ω² + det A = 0 has a double root.
    trace, det = np.trace(A), np.linalg.det(A)
    return (
        Answer("tr A/(2 √det A)", 1.0, trace / (2 * np.sqrt(det))),
        Answer("ω⁴, 1/s⁴", 0.5, det),
    )


@problem(sources.DEN_HARTOG, "shimmy of a castor on a springy pin", digits=7)
def shimmy() -> Sequence[Answer]:
    """A castor towed on a springy pin shimmies.

    (I + m (a-b)²) s³ + m (a-b) V s² + a² k s + a k V = 0 for a wheel at a behind the
    pin, mass centre b behind it, towed at V: the three roots.
    """
    a, b, V, k, m, I = 0.5, 0.2, 3.0, 50.0, 2.0, 0.13
    tow, pin = lump("tow", 1e3, 1.0), lump("pin", 1e-9, 1e-9)
    wheel = lump("wheel", m, I, (-b, 0, 0))
    rail = ph.Prismatic("rail", ph.World().origin, tow.origin, axis=ph.X)
    side = ph.Prismatic("side", tow.origin, pin.origin, axis=ph.Y)
    king = ph.Revolute("king", pin.origin, wheel.origin, axis=ph.Z)

    def no_slip(x: Any, y: Any, turn: Any, t: Any) -> Any:
        s, c = jnp.sin(turn[0]), jnp.cos(turn[0])
        return jnp.stack([-s, c, 0 * s - a]), 0.0

    joints = [rail, side, king]
    row = ph.VelocityRows(joints, no_slip, rows=("tyre",), name="tyre")
    system = ph.System(joints, [ph.JointSpring(side, k)], [row], name="castor")
    found = ph.linearise(system, system.state(speeds={"rail": V})).spectrum.values
    cubic = (I + m * (a - b) ** 2, m * (a - b) * V, a * a * k, a * k * V)
    roots = np.sort_complex(np.roots(cubic))
    return (Answer("s, 1/s", roots, np.sort_complex(found)),)


@problem(sources.RAO, "stability conditions: bar between two springs", digits=10)
def bar_between_springs() -> Sequence[Answer]:
    """An upright bar between two springs stands if they are stiff enough.

    A uniform bar of mass m and length l, pivoted at its foot, with two level springs k
    at its head: ω² = (12 k l² - 3 m g l)/(2 m l²).
    """
    m, l, k, world = 1.2, 0.8, 40.0, ph.World()
    rod = ph.solids.placed(ph.solids.rod(mass=m, length=l), (0, 0, l / 2))
    bar = ph.Body("bar", rod)
    hinge = ph.Revolute("hinge", world.origin, bar.origin, axis=ph.Y)
    head = bar.point(0, 0, l)
    springs = [
        ph.Spring(world.point(x, 0, l), head, k, 1.0, name=f"spring at {x}")
        for x in (-1, 1)
    ]
    system = ph.System([hinge], [ph.Weight(G), *springs], name="bar")
    expected = np.sqrt((12 * k * l**2 - 3 * m * G * l) / (2 * m * l**2))
    return (Answer("ω, rad/s", expected, frequencies(system)[0]),)


@problem(sources.FOUCAULT_1852, "the axis held level", digits=6)
def gyrocompass() -> Sequence[Answer]:
    """A gyrocompass swings about the meridian.

    A rotor whose axle stays level at the latitude φ of an Earth that turns at Ω swings
    about north at ω² = C s Ω cos φ/A, up to terms of Ω², with 1000 rad/s of spin.
    """
    A, C, spin, day, latitude = 0.02, 0.03, 1000.0, 7.292e-5, 0.6
    up = np.array([np.cos(latitude), 0, np.sin(latitude)])
    north = np.array([-np.sin(latitude), 0, np.cos(latitude)])
    earth, ring = lump("earth", 1.0, 1.0), lump("ring", 1e-6, 1e-9)
    moments = A * np.eye(3) + (C - A) * np.outer(north, north)
    rotor = ph.Body.from_inertia("rotor", mass=1.0, inertia=moments)
    pole = ph.Revolute("pole", ph.World().origin, earth.origin, axis=ph.Z)
    heading = ph.Revolute("heading", earth.origin, ring.origin, axis=up)
    axle = ph.Revolute("axle", ring.origin, rotor.origin, axis=north)
    turned = ph.PrescribedMotion(pole, lambda t: day * t)
    system = ph.System([pole, heading, axle], [], [turned], name="gyrocompass")
    state = system.state(speeds={"pole": day, "axle": spin})
    values = ph.linearise(system, state).spectrum.values
    expected = np.sqrt(C * spin * day * np.cos(latitude) / A)
    return (Answer("ω, rad/s", expected, np.max(values.imag)),)
