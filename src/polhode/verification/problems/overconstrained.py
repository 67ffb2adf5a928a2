"""Linkages that move although a count of their joints says that they cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem

G = 9.81


def turned(axis: int, angle: float) -> np.ndarray:
    """The rotation about X or Z by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    if axis == 0:
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


@problem(sources.BENNETT, "the skew isogram", digits=9)
def bennett_linkage() -> Sequence[Answer]:
    """Four hinges in space, neither parallel nor meeting, with one freedom.

    Opposite links have equal lengths a, b and twists α, β with a sin β = b sin α. The
    angles at the two ends of a link obey tan(θ/2) tan(φ/2) = sin((β + α)/2)/
    sin((β - α)/2); a = 0.3 m, α = 0.5, β = 1.2 rad, six angles.
    """
    a, alpha, beta, theta = 0.3, 0.5, 1.2, 1.0
    b = a * np.sin(beta) / np.sin(alpha)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    phi = 2 * np.arctan(ratio / np.tan(theta / 2))
    # Hinges one after the other: where each is, and along what.
    R, p, hinges = np.eye(3), np.zeros(3), []
    lengths, twists = (a, b, a, b), (alpha, beta, alpha, beta)
    for angle, length, twist in zip(
        (theta, phi, -theta, -phi), lengths, twists, strict=True
    ):
        hinges.append((tuple(p), tuple(R[:, 2])))
        R = R @ turned(2, angle)
        p = p + length * R[:, 0]
        R = R @ turned(0, twist)
    world = ph.World()
    solid = ph.solids.box(mass=1.0, x=0.1, y=0.05, z=0.02)
    links = [ph.Body(name, solid) for name in ("one", "two", "three")]
    chain: list[Any] = [world, *links, world]
    joints = [
        ph.Revolute(name, before.point(*place), after.point(*place), axis=axis)
        for name, before, after, (place, axis) in zip(
            "ABCD", chain[:-1], chain[1:], hinges, strict=True
        )
    ]
    system = ph.System(joints, name="Bennett")
    near, found = system.rest(), []
    turns = 0.2 * np.arange(1, 7)
    for turn in turns:
        state = ph.assemble(system, A=turn, near=near).state
        found.append(phi + state["B"])
        near = state
    expected = 2 * np.arctan(ratio / np.tan((theta + turns) / 2))
    freedoms = ph.mobility(system).by_rank
    return Answer("freedoms by rank", 1, freedoms), Answer("φ, rad", expected, found)


@problem(sources.PEAUCELLIER, "the cell that draws a straight line", digits=10)
def peaucellier_cell() -> Sequence[Answer]:
    """Seven bars draw a straight line.

    Arms of 0.5 m from a fixed point to a rhombus of 0.2 m, whose near corner a crank
    of 0.2 m keeps on a circle through the fixed point: OA·OB = L² - l², so that the
    far corner stays at x = (L² - l²)/(2 r) while the crank swings under its weight.
    """
    L, l, r = 0.5, 0.2, 0.2
    world = ph.World()
    names = ("near", "far", "upper", "lower")
    near, far, upper, lower = (ph.Particle(name, 0.1) for name in names)
    bars = [
        ("crank", near, world.point(r, 0, 0), r),
        ("arm 1", upper, world.origin, L),
        ("arm 2", lower, world.origin, L),
    ]
    rods = [
        ph.Distance(p.mass_centre, at, length, name=name)
        for name, p, at, length in bars
    ]
    for p in (upper, lower):
        for q in (near, far):
            name = f"{p.name} {q.name}"
            rods.append(ph.Distance(p.mass_centre, q.mass_centre, l, name=name))
    flat = [
        ph.PointOn(
            p.mass_centre, world.frame, lambda x: x[2], name=f"{p.name} in plane"
        )
        for p in (near, far, upper, lower)
    ]
    system = ph.System(
        [near, far, upper, lower],
        [ph.Weight(G, up=(-1, 0, 0))],
        [*rods, *flat],
        name="Peaucellier",
    )
    turn = 0.6
    place = np.array([r + r * np.cos(turn), r * np.sin(turn)])
    out = np.linalg.norm(place)
    e, n = place / out, np.array([-place[1], place[0]]) / out
    # The rhombus has its middle on the line through the fixed point.
    middle = (L**2 - l**2 + out**2) / (2 * out)
    wide = np.sqrt(L**2 - middle**2)
    state = system.state(
        near=(*place, 0),
        far=(*((2 * middle - out) * e), 0),
        upper=(*(middle * e + wide * n), 0),
        lower=(*(middle * e - wide * n), 0),
    )
    motion = ph.simulate(system, state, until=1.0, rtol=1e-11, samples=21)
    x = motion["far"].position[:, 0]
    expected = np.full(21, (L**2 - l**2) / (2 * r))
    return (Answer("x of the far corner, m", expected, x, at=motion.t),)


@problem(sources.SARRUS, "two pairs of hinged plates", digits=7)
def sarrus_linkage() -> Sequence[Answer]:
    """A plate on two folding pairs of plates rises without turning.

    Six hinges, three parallel to X and three to Y: by count nothing moves, in truth
    the plate moves along Z alone. With all of the mass m in it, and both pairs leaning
    by θ, it falls freely: z'' = -g.
    """
    m, l, lean = 2.0, 0.4, 0.7
    world = ph.World()
    plate = ph.Body("plate", ph.solids.box(mass=m, x=0.3, y=0.3, z=0.02))
    joints = []
    for name, axis, place in (("x", ph.X, (0, 0.15, 0)), ("y", ph.Y, (0.15, 0, 0))):
        low, high = (
            ph.Body.from_inertia(f"{end} {name}", mass=1e-9, inertia=(1e-12,) * 3)
            for end in ("low", "high")
        )
        joints += [
            ph.Revolute(f"foot {name}", world.point(*place), low.origin, axis=axis),
            ph.Revolute(f"knee {name}", low.point(0, 0, l), high.origin, axis=axis),
            ph.Revolute(
                f"top {name}", high.point(0, 0, l), plate.point(*place), axis=axis
            ),
        ]
    system = ph.System(joints, [ph.Weight(G)], name="Sarrus")
    state = ph.assemble(
        system, near={"foot x": lean, "knee x": -2 * lean, "foot y": lean}
    ).state
    freedoms = ph.mobility(system, state)
    number = [body.name for body in system.bodies].index("plate")
    fall = ph.recursive(system).body_accelerations(state)[number][3:]
    return (
        Answer("freedoms by rank", 1, freedoms.by_rank),
        Answer("z'', m/s²", -G, fall[2]),
    )
