r"""Atwood's machines: blocks on ropes over pulleys that turn.

         .-+-.              a = (m_1 - m_2) g / (m_1 + m_2 + I/r^2)
        |     |
        |    .+.            the double one hangs a second machine on the first
     m_1 o  |   |
        m_2 o   o m_3

Surprise: in the double machine a block of 4 kg against 3 kg and 1 kg does not stay at
rest, though it weighs as much as both: what falls faster than the pulley holds less.
"""

from __future__ import annotations

from math import pi
from typing import Any

import polhode as ph

RADIUS, DROP = 0.1, 3.0


def atwood(m_1: float = 2.0, m_2: float = 1.0, wheel: float = 1.0) -> ph.System:
    """Two blocks on one rope over a wheel: slides "left" and "right", axle "axle".

    Surprise: the rope pulls harder on the side that goes down; only a wheel without
    inertia makes both tensions one.
    """
    world = ph.World()
    disc = _wheel("wheel", wheel)
    one = ph.Particle("one", ph.Parameter("m_1", m_1))
    two = ph.Particle("two", ph.Parameter("m_2", m_2))
    axle = ph.Revolute("axle", world.origin, disc.origin, axis=ph.Y)
    slides = [_slide("left", world, one, -RADIUS), _slide("right", world, two, RADIUS)]
    pulley = ph.machines.Pulley(axle, RADIUS)
    length = 2 * DROP + pi * RADIUS
    rope = ph.machines.Rope([one.mass_centre, pulley, two.mass_centre], length)
    return ph.System([axle, *slides], [ph.Weight(9.81)], [rope], name="atwood")


def double_atwood() -> ph.System:
    """A block against a pulley that carries two more: slides "one" to "three"."""
    world, block = ph.World(), _wheel("block", 0.01)
    wheels = [_wheel("wheel 1", 0.2), _wheel("wheel 2", 0.2)]
    loads = [ph.Particle(f"load {k}", m) for k, m in ((1, 4.0), (2, 3.0), (3, 1.0))]
    axles = [
        ph.Revolute("axle 1", world.origin, wheels[0].origin, axis=ph.Y),
        ph.Revolute("axle 2", block.origin, wheels[1].origin, axis=ph.Y),
    ]
    slides = [
        _slide("one", world, loads[0], -RADIUS),
        _slide("carrier", world, block, RADIUS),
        _slide("two", world, loads[1], 0.0, 2 * DROP),
        _slide("three", world, loads[2], 2 * RADIUS, 2 * DROP),
    ]
    pulleys = [ph.machines.Pulley(axle, RADIUS) for axle in axles]
    ends = [
        (loads[0].mass_centre, block.origin),
        (loads[1].mass_centre, loads[2].mass_centre),
    ]
    ropes = [
        ph.machines.Rope([a, pulley, b], 2 * DROP + pi * RADIUS, name=f"rope {k}")
        for k, (pulley, (a, b)) in enumerate(zip(pulleys, ends, strict=True), 1)
    ]
    members = [*axles, *slides]
    return ph.System(members, [ph.Weight(9.81)], ropes, name="double Atwood machine")


def _wheel(name: str, mass: float) -> ph.Body:
    return ph.Body(name, ph.solids.disc(mass=mass, radius=RADIUS, along=ph.Y))


def _slide(
    name: str, world: ph.World, body: Any, x: float, drop: float = DROP
) -> ph.theory.Joint:
    return ph.Prismatic(name, world.point(x, 0, -drop), body.mass_centre, axis=ph.Z)
