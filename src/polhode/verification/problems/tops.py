"""Tops and gyroscopes under gravity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem

G = 9.81


@problem(sources.GOLDSTEIN, "section 5.7, steady precession", digits=8)
def steady_precession() -> Sequence[Answer]:
    """A heavy top precesses steadily at two rates, one slow and one fast.

    m = 1 kg, l = 0.3 m, moments about the tip 0.12 across and 0.05 kg m² along the
    axis, spin 60 rad/s along the axis, lean 0.5 rad: A p² cos θ - C s p + m g l = 0.
    """
    m, l, A, C, lean, spin = 1.0, 0.3, 0.12, 0.05, 0.5, 60.0
    body = ph.Body.from_inertia(
        "top", mass=m, inertia=(A, A, C), centre=(0, 0, l), about=(0, 0, 0)
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="top")
    motions = ph.questions.steady_precessions(system, lean, spin, starts=8)
    found = np.sort([motion.rates["turn z"] for motion in motions])
    expected = np.sort(np.roots([A * np.cos(lean), -C * spin, m * G * l]))
    return (Answer("p, rad/s", expected, found),)


@problem(sources.MERIAM, "chapter 7, gyroscopic motion: M = I p Ω", digits=9)
def level_gyroscope() -> Sequence[Answer]:
    """A gyroscope with its axis level precesses at M/(I p).

    With the axis level the rate of precession is Ω = m g l/(C s) exactly, for any
    spin s: started so, the axis stays level and has turned by Ω t.
    """
    m, l, A, C, spin, t = 1.0, 0.3, 0.12, 0.05, 80.0, 1.5
    body = ph.Body.from_inertia(
        "rotor", mass=m, inertia=(A, A, C), centre=(0, 0, l), about=(0, 0, 0)
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="gyroscope")
    rate = m * G * l / (C * spin)
    # The axis along the world's X: a quarter turn about Y; up is then the body's -X.
    level = {"qw": np.sqrt(0.5), "qy": np.sqrt(0.5)}
    start = system.state(tip=level, speeds={"tip": (-rate, 0, spin)})
    motion = ph.simulate(system, start, until=t, rtol=1e-12, samples=2)
    axis = motion["rotor"].orientation[-1][:, 2]
    expected = np.array([np.cos(rate * t), np.sin(rate * t), 0])
    return (Answer("direction of the axis", expected, axis),)


@problem(sources.LANDAU, "§35, problem 2", digits=6)
def sleeping_top() -> Sequence[Answer]:
    """The spin above which a top stands upright.

    Rotation about the vertical is stable if M₃² > 4 I₁' μ g l, with I₁' about the tip:
    the least spin is 2 √(A m g l)/C.
    """
    m, l, A, C = 1.0, 0.3, 0.12, 0.05
    body = ph.Body.from_inertia(
        "top", mass=m, inertia=(A, A, C), centre=(0, 0, l), about=(0, 0, 0)
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="top")
    expected = 2 * np.sqrt(A * m * G * l) / C
    return (Answer("least spin, rad/s", expected, ph.questions.sleeping_spin(system)),)


@problem(sources.KLEIN, "small oscillations of the upright top", digits=9)
def upright_top() -> Sequence[Answer]:
    """A sleeping top sways at two frequencies.

    The horizontal place ξ of a point of the axis obeys A ξ'' - i C s ξ' - m g l ξ =
    0: frequencies (C s ± √(C² s² - 4 A m g l))/(2A) seen from the room, for s = 40
    rad/s; seen from the top, s less each of them.
    """
    m, l, A, C, spin = 1.0, 0.3, 0.12, 0.05, 40.0
    body = ph.Body.from_inertia(
        "top", mass=m, inertia=(A, A, C), centre=(0, 0, l), about=(0, 0, 0)
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="top")
    state = system.state(speeds={"tip": (0, 0, spin)})
    values = ph.linearise(system, state).spectrum.values
    root = np.sqrt((C * spin) ** 2 - 4 * A * m * G * l)
    expected = np.array([C * spin - root, C * spin + root]) / (2 * A)
    found = spin - values.imag[values.imag > 1e-6]
    return (Answer("ω, rad/s", expected, np.sort(found)),)


@problem(sources.GOLDSTEIN, "section 5.7, nutation", digits=9)
def nutation_from_a_cusp() -> Sequence[Answer]:
    """A top let go with its axis at rest nods between two leans.

    u = cos θ moves between u₀ of the start and
    u₁ = k - √(k² - 2 k u₀ + 1), k = C² s²/(4 A m g l).
    """
    A, C, s, lean, weight, l = 2.0, 1.0, 12.0, 0.5, 2.0, 0.7
    body = ph.Body.from_inertia(
        "top", mass=weight / G, inertia=(A, A, C), centre=(0, 0, l), about=(0, 0, 0)
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="top")
    tilted = {"qw": np.cos(lean / 2), "qy": np.sin(lean / 2)}
    start = system.state(tip=tilted, speeds={"tip": (0, 0, s)})
    motion = ph.simulate(system, start, until=2.0, rtol=1e-12, samples=4001)
    u = motion["top"].orientation[:, 2, 2]
    # The least of a parabola through the three lowest samples.
    n = int(np.argmin(u))
    near = np.polyfit([-1.0, 0.0, 1.0], u[n - 1 : n + 2], 2)
    low = near[2] - near[1] ** 2 / (4 * near[0])
    k = (C * s) ** 2 / (4 * A * weight * l)
    u0 = np.cos(lean)
    expected = k - np.sqrt(k * k - 2 * k * u0 + 1)
    return (Answer("u₁", expected, low),)


@problem(sources.KOVALEVSKAYA, "the fourth integral", digits=9)
def kovalevskaya_top() -> Sequence[Answer]:
    """The integral of Kovalevskaya's top.

    A = B = 2C, mass centre in the equator at the distance e: with γ the upward
    direction in the body, |(ω₁ + i ω₂)² - (m g e/C)(γ₁ + i γ₂)|² does not change.
    """
    C, weight, e = 1.0, 2.0, 0.7
    body = ph.Body.from_inertia(
        "top",
        mass=weight / G,
        inertia=(2 * C, 2 * C, C),
        centre=(e, 0, 0),
        about=(0, 0, 0),
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="Kovalevskaya's top")
    tilted = {"qw": np.cos(0.65), "qy": np.sin(0.65)}
    start = system.state(tip=tilted, speeds={"tip": (0.5, 1.0, 2.0)})
    motion = ph.simulate(system, start, until=5.0, rtol=1e-12, samples=51)
    (w1, w2, _), up = motion.z.T, motion["top"].orientation[:, 2, :]
    pull = weight * e / C * (up[:, 0] + 1j * up[:, 1])
    kept = np.abs((w1 + 1j * w2) ** 2 - pull) ** 2
    return (Answer("integral, 1/s⁴", np.full(51, kept[0]), kept, at=motion.t),)


@problem(sources.GORYACHEV, "and Chaplygin: the case A = B = 4C", digits=8)
def goryachev_chaplygin_top() -> Sequence[Answer]:
    """The integral of Goryachev and Chaplygin.

    A = B = 4C, mass centre in the equator at the distance e, no momentum about the
    vertical: ω₃ (ω₁² + ω₂²) - (m g e/C) ω₁ γ₃ does not change.
    """
    C, weight, e = 1.0, 2.0, 0.7
    body = ph.Body.from_inertia(
        "top",
        mass=weight / G,
        inertia=(4 * C, 4 * C, C),
        centre=(e, 0, 0),
        about=(0, 0, 0),
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    system = ph.System([tip], [ph.Weight(G)], name="Goryachev's top")
    start = system.state(speeds={"tip": (0.7, 0.4, 0.0)})
    motion = ph.simulate(system, start, until=5.0, rtol=1e-12, samples=51)
    (w1, w2, w3), up = motion.z.T, motion["top"].orientation[:, 2, :]
    parts = w3 * (w1**2 + w2**2), weight * e / C * w1 * up[:, 2]
    kept = parts[0] - parts[1]
    size = float(np.max(np.abs(parts[1])))
    return (Answer("integral, 1/s³", np.full(51, kept[0]), kept, size=size),)


@problem(sources.SUSLOV, "a body that may not turn about one of its axes", digits=11)
def suslov_problem() -> Sequence[Answer]:
    """Suslov's problem: a body about a fixed point with ω₃ = 0 in its own axes.

    I₁ ω₁' = -(I₁₃ ω₁ + I₂₃ ω₂) ω₂ and I₂ ω₂' = (I₁₃ ω₁ + I₂₃ ω₂) ω₁, where I₁₂ = 0: the
    accelerations at ω = (0.5, -1, 0) rad/s.
    """
    I = np.array([[1.0, 0, -0.2], [0, 1.4, -0.3], [-0.2, -0.3, 1.6]])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    held = ph.VelocityRows([ball], lambda q, t: (np.array([0.0, 0, 1]), 0.0))
    system = ph.System([ball], constraints=[held], name="Suslov")
    w1, w2 = 0.5, -1.0
    state = system.state(speeds={"ball": (w1, w2, 0)})
    found = ph.recursive(system).accelerations(state)
    lever = I[0, 2] * w1 + I[1, 2] * w2
    expected = np.array([-lever * w2 / I[0, 0], lever * w1 / I[1, 1], 0])
    return (Answer("ω', rad/s²", expected, found),)


@problem(sources.LANDAU, "§32, problem on the cone that rolls on a plane", digits=11)
def energy_of_a_rolling_cone() -> Sequence[Answer]:
    """The kinetic energy of a homogeneous cone that rolls on a plane.

    Height h, half angle α at the vertex, the line of contact turning at θ':
    T = 3 μ h² θ'² (1 + 5 cos² α)/40.
    """
    m, h, alpha, rate = 1.7, 0.6, 0.4, 2.3
    solid = ph.solids.cone(mass=m, radius=h * np.tan(alpha), height=h)
    cone = ph.Body("cone", solid)
    free = ph.Free("free", ph.World().origin, cone.mass_centre)
    system = ph.System([free], name="cone")
    # About its mass centre, 3h/4 from the vertex: the axis of turning is the line of
    # contact, at the angle α to the cone's own axis.
    turn = rate / np.tan(alpha)
    spin = turn * np.array([np.sin(alpha), 0, np.cos(alpha)])
    speed = 0.75 * h * np.cos(alpha) * rate
    state = system.state(speeds={"free": (*spin, 0, speed, 0)})
    found = ph.recursive(system).kinetic_energy(state)
    expected = 3 / 40 * m * h**2 * rate**2 * (1 + 5 * np.cos(alpha) ** 2)
    return (Answer("T, J", expected, found),)
