"""Rotors and their bearings, supports that shake, fields and media that push."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

G = 9.81


@problem(sources.MERIAM, "chapter 7, a disc set askew on its shaft", digits=12)
def disc_askew_on_a_shaft() -> Sequence[Answer]:
    """A thin disc that is set askew on its shaft loads the bearings with a couple.

    With its normal at β from the shaft, which turns at Ω, the couple is
    (m r²/8) Ω² sin 2β about a diameter that turns along; there is none along the shaft.
    """
    m, r, rate = 3.0, 0.2, 40.0
    askew = np.radians([5.0, 20.0, 45.0])
    found, along = [], []
    for beta in askew:
        world, disc = ph.World(), ph.Body("disc", ph.solids.disc(mass=m, radius=r))
        axis = (np.sin(beta), 0.0, np.cos(beta))
        shaft = ph.Revolute("shaft", world.origin, disc.origin, axis=axis)
        system = ph.System([shaft], name="disc askew")
        state = system.state(speeds={"shaft": rate})
        couple = ph.newton_euler(system).reactions(state)["shaft"].torque
        found.append(np.linalg.norm(couple))
        along.append(couple @ np.array(axis))
    expected = m * r**2 / 8 * rate**2 * np.sin(2 * askew)
    return (
        Answer("couple, N m", expected, found),
        Answer("along the shaft, N m", np.zeros(3), along, size=expected[-1]),
    )


@problem(sources.DEN_HARTOG_MECHANICS, "the grinding mill", digits=11)
def grinding_mill() -> Sequence[Answer]:
    """A wheel that rolls round a post presses the floor by more than its weight.

    Its axle, of length L, is hinged to a post that turns at Ω. A uniform wheel of
    radius r presses with m (g + r Ω²/2), however long the axle is.
    """
    m, r, L = 5.0, 0.3, 0.9
    rates, found = np.array([1.0, 4.0, 9.0]), []
    for rate in rates:
        world = ph.World()
        nothing = (0.0, 0.0, 0.0)
        axle = ph.Body.from_inertia("axle", mass=0.0, inertia=nothing)
        post = ph.Body.from_inertia("post", mass=0.0, inertia=nothing)
        wheel = ph.Body("wheel", ph.solids.disc(mass=m, radius=r, along=ph.X))
        turn = ph.Revolute("turn", world.point(0, 0, r), post.origin, axis=ph.Z)
        lift = ph.Revolute("lift", post.origin, axle.origin, axis=ph.Y)
        spin = ph.Revolute("spin", axle.point(L, 0, 0), wheel.origin, axis=ph.X)
        rim = ph.surfaces.disc(wheel.origin, r, axis=ph.X)
        touch, _ = ph.rolling(rim, world.origin, name="floor")
        # The floor does not hold the rim along the axle, which lies level anyway.
        rolls = ph.Gear(spin, turn, -L / r, name="rolls")
        joints, rows = [turn, lift, spin], [touch, rolls]
        system = ph.System(joints, [ph.Weight(G)], rows, name="grinding mill")
        state = system.state(speeds={"turn": rate, "spin": -rate * L / r})
        push = ph.gauss(system).reactions(state)
        found.append(sum(w.force[2] for name, w in push.items() if "wheel" in name))
    return (Answer("push of the floor, N", m * (G + r * rates**2 / 2), found),)


@problem(sources.DEN_HARTOG, "section 6.7, a shaft of unequal stiffness", digits=9)
def flat_shaft() -> Sequence[Answer]:
    """A disc on a flat shaft is thrown out between its two critical speeds.

    With ω₁² and ω₂² the stiffness over the mass along two directions that turn at Ω,
    s⁴ + (ω₁² + ω₂² + 2 Ω²) s² + (ω₁² - Ω²)(ω₂² - Ω²) = 0.
    """
    m, stiffness = 2.0, (800.0, 1250.0)  # 20 and 25 rad/s
    first, second = (k / m for k in stiffness)
    rates, expected, found = np.array([10.0, 22.0, 31.0]), [], []
    for rate in rates:
        world, disc = ph.World(), ph.Particle("disc", m)
        bearing = ph.Body("bearing", ph.solids.ring(mass=1.0, radius=0.1))
        guide = ph.Body.from_inertia("guide", mass=0.0, inertia=(0.0, 0.0, 0.0))
        shaft = ph.Revolute("shaft", world.origin, bearing.origin, axis=ph.Z)
        one = ph.Prismatic("one", bearing.origin, guide.origin, axis=ph.X)
        other = ph.Prismatic("other", guide.origin, disc.mass_centre, axis=ph.Y)
        springs = [
            ph.JointSpring(joint, k)
            for joint, k in zip((one, other), stiffness, strict=True)
        ]
        turns = ph.PrescribedMotion(shaft, lambda t, rate=rate: rate * t)
        system = ph.System([shaft, one, other], springs, [turns], name="flat shaft")
        state = system.state(speeds={"shaft": rate})
        values = ph.linearise(system, state).spectrum.values
        found.append(np.sort((values**2).real)[::-1][:4:2])
        sum_, product = first + second + 2 * rate**2, first - rate**2
        product *= second - rate**2
        expected.append(np.sort(np.roots([1.0, sum_, product]).real)[::-1])
    return (Answer("s², 1/s²", np.ravel(expected), np.ravel(found)),)


@problem(
    sources.ABRAMOWITZ, "table 20.1: a₀, b₁ at q = 5 and 10", digits=4, basis=PRINTED
)
def pendulum_on_a_shaken_pivot() -> Sequence[Answer]:
    """A pendulum on a shaken pivot stands on its head between two of Mathieu's numbers.

    Its pivot goes up and down by A cos νt: small swings obey Mathieu's equation with
    a = 4 g/(l ν²) and q = 2 A/l. Over one period of the pivot the matrix of the next
    state has the trace 2 where a is a characteristic number a₀(q), and -2 where it is
    b₁(q). Both are negative here: the pendulum is upside down. At q = 10 they differ by
    4e-4, over which the trace goes from 2 to -2: nine printed digits leave four of it.
    """
    l, rate = 0.5, 30.0
    printed = {5.0: (-5.80004602, -5.79008060), 10.0: (-13.93697996, -13.93655248)}
    traces = []
    for q, numbers in printed.items():
        for a in numbers:
            traces.append(_trace_over_a_period(a * l * rate**2 / 4, q * l / 2, l, rate))
    expected = np.tile([2.0, -2.0], len(printed))
    return (Answer("trace of the matrix of a period", expected, traces),)


def _trace_over_a_period(gravity: float, A: float, l: float, rate: float) -> float:
    """Of small swings about a pendulum that hangs along a weight of either sign."""
    world, bob = ph.World(), ph.Particle("bob", 1.0)
    pivot = ph.Body("pivot", ph.solids.sphere(mass=1.0, radius=0.1))
    arm = ph.Body.from_inertia("arm", mass=0.0, inertia=(0.0, 0.0, 0.0))
    lift = ph.Prismatic("lift", world.origin, pivot.origin, axis=ph.Z)
    hinge = ph.Revolute("hinge", pivot.origin, arm.origin, axis=ph.Y)
    tip = ph.Fixed("tip", arm.point(0, 0, -l), bob.mass_centre)
    weight = ph.Weight(abs(gravity), up=(0.0, 0.0, np.copysign(1.0, gravity)))
    shaken = ph.PrescribedMotion(lift, lambda t: A * jnp.cos(rate * t))
    system = ph.System([lift, hinge, tip], [weight], [shaken], name="shaken pendulum")
    period, size, trace = 2 * np.pi / rate, 1e-7, 0.0
    for k, word in enumerate(("q", "z")):
        given: list[dict[str, float]] = [{}, {}]
        given[k] = {"hinge": size * rate**k}
        state = system.state({"lift": A, **given[0]}, speeds=given[1])
        motion = ph.simulate(system, state, until=period, rtol=1e-12, atol=1e-22)
        trace += getattr(motion.final, word)[1] / (size * rate**k)
    return trace


@problem(sources.LANDAU_FIELDS, "§22, motion in crossed fields", digits=9)
def charge_in_crossed_fields() -> Sequence[Answer]:
    """A charge in crossed electric and magnetic fields drifts along a cycloid.

    From rest, with E along Y, B along Z and ω = e B/m: x = (E/(B ω)) (ωt - sin ωt),
    y = (E/(B ω)) (1 - cos ωt).
    """
    m, e, E, B = 0.02, 0.5, 3.0, 1.6
    world, charge = ph.World(), ph.Particle("charge", m)

    def law(x: Any, v: Any, t: Any) -> Any:
        return e * (jnp.array([0.0, E, 0.0]) + jnp.cross(v, jnp.array([0.0, 0.0, B])))

    free = ph.Translation("free", world.origin, charge.mass_centre)
    push = ph.ForceLaw(charge.mass_centre, world.frame, law)
    system = ph.System([free], [push], name="crossed fields")
    rate = e * B / m
    times = np.linspace(0.0, 4 * np.pi / rate, 41)
    motion = ph.simulate(
        system, system.rest(), until=times[-1], rtol=1e-11, samples=times
    )
    turn, size = rate * times, E / (B * rate)
    return (
        Answer("x, m", size * (turn - np.sin(turn)), motion.q[:, 0], at=times),
        Answer("y, m", size * (1 - np.cos(turn)), motion.q[:, 1], at=times),
    )


@problem(sources.MARION, "section 2.4, fall with quadratic resistance", digits=9)
def fall_against_the_air() -> Sequence[Answer]:
    """A body that falls against air that resists as the square of its speed.

    v = w tanh(g t/w) and the depth (w²/g) ln cosh(g t/w), with w² = m g/b.
    """
    m, b = 80.0, 0.25
    world, body = ph.World(), ph.Particle("jumper", m)
    track = ph.Prismatic("depth", world.origin, body.mass_centre, axis=-ph.Z)
    air = ph.Drag(body.mass_centre, world.frame, quadratic=b)
    system = ph.System([track], [ph.Weight(G), air], name="jumper")
    times, w = np.linspace(0.0, 20.0, 41), np.sqrt(m * G / b)
    motion = ph.simulate(system, system.rest(), until=20.0, rtol=1e-11, samples=times)
    depth = w**2 / G * np.log(np.cosh(G * times / w))
    return (
        Answer("v, m/s", w * np.tanh(G * times / w), motion.z[:, 0], at=times),
        Answer("depth, m", depth, motion.q[:, 0], at=times),
    )


@problem(sources.ROUTH, "a sphere between two turning planes", digits=8)
def ball_between_turning_planes() -> Sequence[Answer]:
    """A ball between two planes that turn at different rates goes round in a circle.

    About the mean of the two axles, weighted by the rates W₁ and W₂ of the planes, at
    half the sum of these rates.
    """
    r, rates, axles = 0.05, (3.0, -1.0), ((0.0, 0.0), (0.4, 0.3))
    world, ball = ph.World(), ph.Body("ball", ph.solids.sphere(mass=1.0, radius=r))
    surface = ph.surfaces.sphere(ball.origin, r)
    joints: list[Any] = []
    rows: list[Any] = []
    for k, (rate, (x, y)) in enumerate(zip(rates, axles, strict=True)):
        plane = ph.Body(f"plane {k}", ph.solids.disc(mass=1.0, radius=2.0))
        at = world.point(x, y, 2 * r * k)
        axle = ph.Revolute(f"axle {k}", at, plane.origin, axis=ph.Z)
        joints.append(axle)
        rows.append(ph.PrescribedMotion(axle, lambda t, rate=rate: rate * t))
        normal = ph.Z if k == 0 else -ph.Z
        touch, rolls = ph.rolling(
            surface, plane.origin, normal=normal, name=f"contact {k}"
        )
        rows += [touch, rolls] if k == 0 else [rolls]  # the height is one row
    system = ph.System([*joints, ball], [ph.Weight(G)], rows, name="between planes")
    p = np.array([0.5, 0.1])
    speeds = [
        W * np.array([a[1] - p[1], p[0] - a[0]])
        for W, a in zip(rates, axles, strict=True)
    ]
    v, w = (speeds[0] + speeds[1]) / 2, (speeds[1] - speeds[0]) / (2 * r)
    start = system.state(
        ball={"x": p[0], "y": p[1], "z": r},
        speeds={
            "axle 0": rates[0],
            "axle 1": rates[1],
            "ball": (-w[1], w[0], 0.0, v[0], v[1], 0.0),
        },
    )
    mean = sum(rates) / 2
    centre = sum(W * np.array(a) for W, a in zip(rates, axles, strict=True)) / sum(
        rates
    )
    times = np.linspace(0.0, 2 * np.pi / mean, 9)
    motion = ph.simulate(system, start, until=times[-1], rtol=1e-11, samples=times)
    away, turn = p - centre, mean * times
    square = np.array([-away[1], away[0]])
    places = centre + np.outer(np.cos(turn), away) + np.outer(np.sin(turn), square)
    found = motion["ball"].position[:, :2]
    return (Answer("place, m", places.ravel(), found.ravel()),)
