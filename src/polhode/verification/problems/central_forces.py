"""Central forces, transfers between orbits, beats, and a curve of a linkage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem
from polhode.verification.problems.orbits import about_a_fixed_centre
from polhode.verification.problems.vibrations import frequencies, lump

G = 9.81


@problem(sources.HOHMANN, "the ellipse that touches two circles", digits=9)
def hohmann_transfer() -> Sequence[Answer]:
    """From a circle of 7000 km to one of 42 164 km about the Earth.

    μ = 398600.4418 km³/s². A first push of √(μ/r₁) (√(2 r₂/(r₁ + r₂)) - 1) along the
    way leads in π √((r₁ + r₂)³/(8 μ)) to the other side, at r₂, where √(μ/r₂) less
    the speed of arrival √(2 μ r₁/(r₂ (r₁ + r₂))) is wanting.
    """
    mu, r1, r2 = 398600.4418, 7000.0, 42164.0
    push = np.sqrt(mu / r1) * (np.sqrt(2 * r2 / (r1 + r2)) - 1)
    system = about_a_fixed_centre(mu)
    first = system.state(
        craft=(r1, 0, 0), speeds={"craft": (0, np.sqrt(mu / r1) + push, 0)}
    )
    time = np.pi * np.sqrt((r1 + r2) ** 3 / (8 * mu))
    end = ph.simulate(system, first, until=time, rtol=1e-12, samples=2).final
    arrival = np.sqrt(2 * mu * r1 / (r2 * (r1 + r2)))
    wanting = np.sqrt(mu / r2) - np.linalg.norm(end.z[:3])
    return (
        Answer("place, km", np.array([-r2, 0.0]), end.q[:2]),
        Answer("second push, km/s", np.sqrt(mu / r2) - arrival, wanting),
    )


@problem(sources.NEWTON, "book I, proposition 10", digits=10)
def ellipse_about_its_centre() -> Sequence[Answer]:
    """A force that grows as the distance makes ellipses about the centre.

    m = 0.7 kg, k = 11 N/m, from (0.4, 0, 0.1) m at (0.3, -0.8, 0.5) m/s:
    r = r₀ cos ωt + (v₀/ω) sin ωt with ω² = k/m, whatever the size of the orbit.
    """
    m, k = 0.7, 11.0
    r0, v0 = np.array([0.4, 0.0, 0.1]), np.array([0.3, -0.8, 0.5])
    craft = ph.Particle("craft", m)
    pull = ph.CentralForce(
        craft.mass_centre, ph.World().origin, lambda r, rate, t: -k * r
    )
    system = ph.System([craft], [pull], name="spring")
    start = system.state(craft=tuple(r0), speeds={"craft": tuple(v0)})
    w, t = np.sqrt(k / m), np.linspace(0.0, 10.0, 41)
    motion = ph.simulate(system, start, until=10.0, rtol=1e-13, samples=t)
    phase = (w * t)[:, None]
    expected = r0 * np.cos(phase) + v0 / w * np.sin(phase)
    return (Answer("place, m", expected, motion["craft"].position, at=t),)


@problem(sources.NEWTON, "book I, propositions 43 to 45", digits=8)
def revolving_orbit() -> Sequence[Answer]:
    """An inverse cube turns an orbit in its plane, and changes nothing else.

    With μ/r² + λ/r³ an ellipse of e = 0.3 and semi-latus rectum p = 1 turns: r = p/(1 +
    e cos nφ), n² = 1 - λ/h², h² = p μ + λ. μ = 1, λ = 0.2: at the angle π/n the
    distance is greatest, p/(1 - e), and after 2π/n it is least again.
    """
    mu, lam, p, e = 1.0, 0.2, 1.0, 0.3
    h = np.sqrt(mu * p + lam)
    n = np.sqrt(1 - lam / h**2)
    craft = ph.Particle("craft", 1.0)
    pull = ph.CentralForce(
        craft.mass_centre, ph.World().origin, lambda r, rate, t: -mu / r**2 - lam / r**3
    )
    system = ph.System([craft], [pull], name="revolving orbit")
    near = p / (1 + e)
    start = system.state(craft=(near, 0, 0), speeds={"craft": (0, h / near, 0)})
    t = np.linspace(0.0, 30.0, 61)
    motion = ph.simulate(system, start, until=30.0, rtol=1e-13, samples=t)
    x, y, _ = motion["craft"].position.T
    angle = np.unwrap(np.arctan2(y, x))
    apsis = ph.Event("apsis", lambda t, s: s.q[:3] @ s.z[:3], -1, terminal=True)
    far = ph.simulate(system, start, until=30.0, rtol=1e-13, events=[apsis]).final
    expected = p / (1 + e * np.cos(n * angle))
    return (
        Answer("r, m", expected, np.hypot(x, y), at=t),
        Answer("greatest r, m", p / (1 - e), np.linalg.norm(far.q)),
        Answer(
            "its angle, rad", np.pi / n, np.arctan2(far.q[1], far.q[0]) % (2 * np.pi)
        ),
    )


@problem(sources.RAYLEIGH, "sympathetic pendulums, § 62", digits=6)
def sympathetic_pendulums() -> Sequence[Answer]:
    """Two pendulums with a spring between them exchange their swings.

    l = 1 m, m = 1 kg each, a spring of 0.4 N/m between the bobs: the small swings have
    ω₁² = g/l and ω₂² = g/l + 2 k/m. One released at θ₀ alone, they are θ₀ cos((ω₂ -
    ω₁) t/2) cos((ω₂ + ω₁) t/2) and θ₀ sin(...) sin(...), for θ₀ so small as 1e-4.
    """
    l, m, k, angle = 1.0, 1.0, 0.4, 1e-4
    bobs = [lump(name, m, 0.0, (0, 0, -l)) for name in ("left", "right")]
    world = ph.World()
    joints = [
        ph.Revolute(name, world.point(x, 0, 0), bob.origin, axis=-ph.Y)
        for name, x, bob in zip(("a", "b"), (0.0, 2.0), bobs, strict=True)
    ]
    spring = ph.Spring(bobs[0].point(0, 0, -l), bobs[1].point(0, 0, -l), k, 2.0)
    system = ph.System(joints, [ph.Weight(G), spring], name="sympathetic pendulums")
    w1, w2 = np.sqrt(G / l), np.sqrt(G / l + 2 * k / m)
    slow, quick, t = (w2 - w1) / 2, (w2 + w1) / 2, np.linspace(0.0, 50.0, 101)
    motion = ph.simulate(
        system, system.state(a=angle), until=50.0, rtol=1e-12, samples=t
    )
    expected = np.stack(
        [np.cos(slow * t) * np.cos(quick * t), np.sin(slow * t) * np.sin(quick * t)],
        axis=1,
    )
    found = frequencies(system)
    return (
        Answer("ω, rad/s", np.array([w1, w2]), found),
        Answer("θ/θ₀", expected, motion.q / angle, at=t),
    )


@problem(sources.WATT, "the curve of the parallel motion", digits=10)
def watts_curve() -> Sequence[Answer]:
    """The middle of the coupler of Watt's linkage draws a lemniscate of two loops.

    Cranks b about pivots 2 a apart, a coupler 2 c: r² = b² - (a sin φ ± √(c² - a²
    cos² φ))² in polar coordinates about the middle of the pivots. b = 1, a = 1.1, c =
    0.4 m, twelve places.
    """
    a, b, c = 1.1, 1.0, 0.4
    world, rod = ph.World(), ph.solids.box(mass=1.0, x=0.1, y=0.05, z=0.02)
    left, coupler, right = (ph.Body(word, rod) for word in ("left", "coupler", "right"))
    # At the start the middle of the coupler is that of the pivots.
    across = np.arccos((a * a + c * c - b * b) / (2 * a * c))
    tilt = np.arctan2(-c * np.sin(across), a - c * np.cos(across))
    joints = [
        ph.Revolute("one", world.point(-a, 0, 0), left.origin, axis=ph.Z),
        ph.Revolute("two", left.point(b, 0, 0), coupler.point(-c, 0, 0), axis=ph.Z),
        ph.Revolute("three", coupler.point(c, 0, 0), right.point(-b, 0, 0), axis=ph.Z),
        ph.Revolute("four", right.origin, world.point(a, 0, 0), axis=ph.Z),
    ]
    system = ph.System(joints, name="Watt's linkage")
    angles = {"one": tilt, "two": across - tilt, "three": tilt - across}
    near, misses = ph.assemble(system, **angles).state, []
    for turn in np.linspace(tilt - 0.3, tilt + 0.3, 12):
        near = ph.assemble(system, one=turn, near=near).state
        x, y, _ = system.poses(0.0, near.q).origins[1]
        r2, sine = x * x + y * y, y / np.hypot(x, y)
        root = np.sqrt(c * c - a * a * (1 - sine * sine))
        branches = b * b - (a * sine + np.array([-1.0, 1.0]) * root) ** 2
        misses.append(branches[np.argmin(np.abs(branches - r2))] - r2)
    return (Answer("r² less the curve's, m²", np.zeros(12), misses, size=b * b),)
