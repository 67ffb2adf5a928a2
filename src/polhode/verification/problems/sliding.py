"""Bodies that slide, fall, hang and are struck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem

G = 9.81


@problem(sources.WHITTAKER, "a particle in a tube that turns", digits=9)
def particle_in_a_turning_tube() -> Sequence[Answer]:
    """A particle flies out of a smooth tube that is turned at a constant rate.

    The tube turns in the horizontal at ω = 3 rad/s. Released at r₀ = 0.2 m at rest in
    the tube, r = r₀ cosh ωt, and the tube pushes sideways with 2 m ω² r₀ sinh ωt.
    """
    rate, r0, m = 3.0, 0.2, 0.5
    world = ph.World()
    tube = ph.Body("tube", ph.solids.rod(mass=1.0, length=4.0, along=ph.X))
    bead = ph.Particle("bead", m)
    axle = ph.Revolute("axle", world.origin, tube.origin, axis=ph.Z)
    bore = ph.Prismatic("bore", tube.origin, bead.mass_centre, axis=ph.X)
    turned = ph.PrescribedMotion(axle, lambda t: rate * t)
    system = ph.System([axle, bore], constraints=[turned], name="tube")
    start = system.state(bore=r0, speeds={"axle": rate})
    t = np.linspace(0, 1, 11)
    motion = ph.simulate(system, start, until=1.0, rtol=1e-12, samples=t)
    push = ph.reaction_table(motion).forces["bore"]
    return (
        Answer("r, m", r0 * np.cosh(rate * t), motion["bore"], at=t),
        Answer(
            "push, N",
            2 * m * rate**2 * r0 * np.sinh(rate * t),
            np.linalg.norm(push, axis=1),
            at=t,
        ),
    )


@problem(sources.BLOCH, "chapter 1, the knife edge on an inclined plane", digits=9)
def knife_edge_on_an_incline() -> Sequence[Answer]:
    """A skate on a tilted plane does not slide down: it goes sideways, in cycloids.

    With a steady turn ω the contact moves down by g sin α/(2ω²) sin² ωt and across by
    g sin α/(2ω²) (ωt - ½ sin 2ωt), though nothing holds it but the edge.
    """
    tilt, rate = 0.3, 1.7
    world = ph.World()
    skate = ph.Body.from_inertia("skate", mass=2.0, inertia=(0.1, 0.1, 0.2))
    # X of the plane is down the slope, so the weight is along it and into it.
    ice = ph.Planar("ice", world.origin, skate.origin, normal=ph.Z)

    def across(q: Any, t: Any) -> Any:
        return jnp.stack([0.0 * q[0], -jnp.sin(q[0]), jnp.cos(q[0])]), 0.0

    edge = ph.VelocityRows([ice], across, rows=("across",), name="edge")
    weight = ph.Weight(G, up=(-np.sin(tilt), 0.0, np.cos(tilt)))
    system = ph.System([ice], [weight], [edge], name="skate")
    start = system.state(speeds={"ice": (rate, 0, 0)})
    t = np.linspace(0, 4, 17)
    motion = ph.simulate(system, start, until=4.0, rtol=1e-12, samples=t)
    size = G * np.sin(tilt) / (2 * rate**2)
    return (
        Answer("down, m", size * np.sin(rate * t) ** 2, motion.q[:, 1], at=t),
        Answer(
            "across, m",
            size * (rate * t - np.sin(2 * rate * t) / 2),
            motion.q[:, 2],
            at=t,
        ),
    )


@problem(sources.LANDAU, "§32, problem 6; the period follows", digits=10)
def cylinder_in_a_cylinder() -> Sequence[Answer]:
    """A cylinder that rolls inside a larger one swings as a pendulum of 3/2 its length.

    T = ¾ m (R - a)² φ'², so ω² = 2g/(3(R - a)); R = 1 m, a = 0.2 m.
    """
    R, a = 1.0, 0.2
    world = ph.World()
    roller = ph.Body(
        "roller", ph.solids.cylinder(mass=2.0, radius=a, length=0.5, along=ph.Y)
    )
    wall = ph.surfaces.track(
        world.origin, lambda x: R - jnp.sqrt(x[0] ** 2 + x[2] ** 2)
    )
    rolls = ph.rolling(ph.surfaces.sphere(roller.origin, a), wall)
    plane = ph.Planar("plane", world.origin, roller.origin, normal=ph.Y)
    system = ph.System([plane], [ph.Weight(G)], rolls, name="roller")
    rest = system.state(plane=(0.0, a - R, 0.0))
    values = ph.linearise(system, rest).spectrum.values
    found = values.imag[values.imag > 1e-6]
    return (Answer("ω, rad/s", [np.sqrt(2 * G / (3 * (R - a)))], found),)


@problem(sources.MORIN, "chapter 8, leaving the sphere, for a cylinder", digits=9)
def cylinder_leaves_a_cylinder() -> Sequence[Answer]:
    """A cylinder that rolls off a fixed one leaves it at cos θ = 4/7.

    Energy gives ¾ v² = g (R + a)(1 - cos θ); the wall pushes m (g cos θ - v²/(R + a)).
    """
    R, a, m = 1.0, 0.25, 2.0
    world, reach = ph.World(), R + a
    roller = ph.Body(
        "roller", ph.solids.cylinder(mass=m, radius=a, length=0.5, along=ph.Y)
    )
    wall = ph.surfaces.track(
        world.origin, lambda x: jnp.sqrt(x[0] ** 2 + x[2] ** 2) - R
    )
    rolls = ph.rolling(ph.surfaces.sphere(roller.origin, a), wall)
    plane = ph.Planar("plane", world.origin, roller.origin, normal=ph.Y)
    system = ph.System([plane], [ph.Weight(G)], rolls, name="roller")
    form = ph.recursive(system)

    def push(lean: float) -> float:
        s, c = np.sin(lean), np.cos(lean)
        v = np.sqrt(4 / 3 * G * reach * (1 - c))
        # The coordinates of the plane are the turn about Y, then Z and X.
        state = system.state(
            plane=(0.0, reach * c, reach * s),
            speeds={"plane": (v / a, -v * s, v * c)},
        )
        force = form.reactions(state)["rolling contact on roller"].force
        return float(force @ np.array([s, 0, c]))

    found = brentq(push, 0.3, 1.4, xtol=1e-13)
    return (Answer("cos θ", 4 / 7, np.cos(found)),)


@problem(sources.GREENWOOD, "a rod that falls on a smooth floor", digits=8)
def rod_falls_on_a_smooth_floor() -> Sequence[Answer]:
    """A rod that slips from the upright lands with ω² = 3g/l, pressing with m g/4.

    Its mass centre falls straight. At the lean θ from the vertical
    ω² = 12 g (1 - cos θ)/(l (1 + 3 sin² θ)), and when it is level the floor carries a
    quarter of its weight.
    """
    l, m, lean = 1.4, 3.0, 0.1
    world = ph.World()
    rod = ph.Body("rod", ph.solids.rod(mass=m, length=l, along=ph.Z))
    plane = ph.Planar("plane", world.origin, rod.origin, normal=ph.Y)
    foot = ph.PointOn(rod.point(0, 0, -l / 2), world.frame, lambda x: x[2], name="foot")
    system = ph.System([plane], [ph.Weight(G)], [foot], name="rod")
    first = np.sqrt(12 * G / l * (1 - np.cos(lean)) / (1 + 3 * np.sin(lean) ** 2))
    start = ph.assemble(
        system,
        plane=(lean, l / 2 * np.cos(lean), 0.0),
        speeds={"plane": (first, -l / 2 * np.sin(lean) * first, 0.0)},
    ).state
    level = ph.Event("level", lambda t, s: s.q[0] - np.pi / 2, terminal=True)
    motion = ph.simulate(system, start, until=5.0, rtol=1e-12, events=[level])
    end = motion[-1]
    carried = float(np.ravel(ph.recursive(system).multipliers(end))[0])
    return (
        Answer("ω, rad/s", np.sqrt(3 * G / l), end.z[0]),
        Answer("push of the floor, N", m * G / 4, abs(carried)),
    )


@problem(sources.MERIAM, "chapter 6, a bar whose string is cut", digits=11)
def bar_with_a_cut_string() -> Sequence[Answer]:
    """When one of two strings is cut the other carries a quarter of the weight.

    A level bar of m = 4 kg hangs by two vertical strings at its ends; at the instant
    after one is cut the other pulls with m g/4, and the cut end falls with 3g/2.
    """
    m, l, h = 4.0, 1.2, 0.7
    world = ph.World()
    bar = ph.Body("bar", ph.solids.rod(mass=m, length=l, along=ph.X))
    plane = ph.Planar("plane", world.origin, bar.origin, normal=ph.Y)
    string = ph.Distance(bar.point(-l / 2, 0, 0), world.point(-l / 2, 0, h), h)
    system = ph.System([plane], [ph.Weight(G)], [string], name="bar")
    form, rest = ph.recursive(system), system.state()
    turn, up, _ = form.accelerations(rest)
    pull = np.linalg.norm(form.reactions(rest)["distance on bar"].force)
    return (
        Answer("pull, N", m * G / 4, pull),
        Answer("fall of the end, m/s²", -1.5 * G, up - turn * l / 2),
    )


@problem(sources.IRODOV, "part 1, a spool pulled by its thread", digits=11)
def spool_on_a_table() -> Sequence[Answer]:
    """A spool rolls the way its thread is pulled, also where it winds up.

    Rolling on the radius R, a thread that leaves below the axle at r, pulled at an
    angle α above the table: a = F R (R cos α - r)/(m (R² + k²)). With cos α = r/R it
    does not start.
    """
    m, R, r, F = 2.0, 0.3, 0.18, 4.0
    moment = 0.11
    world = ph.World()
    spool = ph.Body.from_inertia("spool", mass=m, inertia=(0.1, moment, 0.1))
    table = ph.Planar("table", world.origin, spool.origin, normal=ph.Y)
    rolls = ph.rolling(ph.surfaces.sphere(spool.origin, R), world.origin)
    found, expected = [], []
    for alpha in (0.0, 0.5, np.arccos(r / R), 1.3):
        leaves = spool.point(r * np.sin(alpha), 0, -r * np.cos(alpha))
        along = (np.cos(alpha), 0.0, np.sin(alpha))
        force = ph.theory.Vector(F * np.array(along), spool.frame)
        pull = ph.AppliedForce(leaves, force)
        system = ph.System([table], [ph.Weight(G), pull], rolls, name="spool")
        rest = system.state(table=(0.0, R, 0.0))
        found.append(ph.recursive(system).accelerations(rest)[2])
        expected.append(F * R * (R * np.cos(alpha) - r) / (m * R**2 + moment))
    return (Answer("a, m/s²", expected, found),)


@problem(sources.ROUTH_ELEMENTARY, "impulses on rods that are hinged", digits=11)
def struck_rods() -> Sequence[Answer]:
    """Two hinged rods in a line are struck at an end: the far one turns backwards.

    Equal rods m, 2a on a smooth table; a blow P across one free end gives the near rod
    9P/(4ma), the far one -3P/(4ma), and their centres 5P/(4m) and -P/(4m).
    """
    m, a, P = 0.8, 0.3, 1.7
    world = ph.World()
    far, near = (
        ph.Body(n, ph.solids.rod(mass=m, length=2 * a, along=ph.X))
        for n in ("far", "near")
    )
    table = ph.Planar("table", world.origin, far.origin, normal=ph.Z)
    hinge = ph.Revolute("hinge", far.point(a, 0, 0), near.point(-a, 0, 0), axis=ph.Z)
    system = ph.System([table, hinge], name="rods")
    after = ph.percussion(system.state(), near.point(a, 0, 0), (0, P, 0)).after
    twists = system.twists(0.0, after.q, after.z)
    expected = np.array([-3 * P / (4 * m * a), 9 * P / (4 * m * a)])
    return (
        Answer("spins, rad/s", expected, twists.angular[:, 2]),
        Answer("centres, m/s", np.array([-P, 5 * P]) / (4 * m), twists.linear[:, 1]),
    )


@problem(sources.MILNE, "a ball on a turntable that is tilted", digits=7)
def ball_on_a_tilted_turntable() -> Sequence[Answer]:
    """A ball on a tilted turntable does not run down: it drifts along the level.

    v' = (2/7) W n × v + (5/7) g_∥, so the mean drift is (5/2) g sin α/W across the
    slope. It starts at rest before the room; α = 0.05, W = 6 rad/s, after 2.5 s.
    """
    tilt, W, r, t = 0.05, 6.0, 0.02, 2.5
    world, table = ph.World(), ph.Body("table", ph.solids.disc(mass=1, radius=3))
    ball = ph.Body("ball", ph.solids.sphere(mass=0.1, radius=r))
    axle = ph.Revolute("axle", world.origin, table.origin, axis=ph.Z)
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, r), table.origin)
    turns = ph.PrescribedMotion(axle, lambda t: W * t)
    weight = ph.Weight(G, up=(-np.sin(tilt), 0.0, np.cos(tilt)))
    system = ph.System([axle, ball], [weight], [turns, *rolls], name="tilted table")
    p, up = np.array([0.4, 0.1, 0.0]), np.array([0, 0, 1.0])
    w = np.cross(up, -W * np.cross(up, p)) / r
    start = system.state(
        ball={"x": p[0], "y": p[1], "z": r}, speeds={"axle": W, "ball": (*w, 0, 0, 0)}
    )
    motion = ph.simulate(system, start, until=t, rtol=1e-11, samples=2)
    k, pull = 2 * W / 7, 5 / 7 * G * np.sin(tilt)
    # v = (pull/k)(sin kt, 1 - cos kt) before axes down the slope and across it.
    moved = pull / k**2 * np.array([1 - np.cos(k * t), k * t - np.sin(k * t)])
    found = motion["ball"].position[-1, :2] - p[:2]
    return (Answer("place, m", moved, found),)
