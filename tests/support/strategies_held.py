"""Topologies held by rows: rolling, wires, racks, users' equations, drivers."""

from __future__ import annotations

import jax.numpy as jnp

from polhode import (
    Body,
    Free,
    Gear,
    Holonomic,
    Particle,
    PointOn,
    Prismatic,
    Revolute,
    Spherical,
    Spring,
    System,
    Weight,
    World,
    X,
    Y,
    rolling,
    surfaces,
)
from polhode.theory import prescribed


def block(name: str, scale: float = 1.0) -> Body:
    """A body of three different moments, its mass centre off its origin."""
    return Body.from_inertia(
        name,
        mass=1.3 * scale,
        inertia=[[0.31, 0.02, -0.01], [0.02, 0.22, 0.03], [-0.01, 0.03, 0.17]],
        centre=(0.11, -0.07, 0.05),
    )


def rolling_egg() -> System:
    """A lopsided egg that rolls on a plane: one equation of place, two of velocity."""
    world, egg = World(), block("egg")
    free = Free("free", world.origin, egg.origin)
    shell = surfaces.ellipsoid(egg.origin, (0.5, 0.7, 0.6))
    ground = rolling(shell, world.point(0, 0, -0.6))
    return System([free], [Weight(9.81)], [*ground], name="rolling egg")


def bead_on_a_wire() -> System:
    """A bead on a wire that a swinging body carries."""
    frame, bead = block("frame"), Particle("bead", 0.4)
    hinge = Revolute("hinge", World().origin, frame.point(0, 0, 0.4), axis=Y)
    wire = PointOn(
        bead.mass_centre, frame.frame, parabola, rows=("y", "z"), name="wire"
    )
    spring = Spring(frame.point(1, 0, 0), bead.mass_centre, 8.0, 0.3)
    return System([hinge, bead], [Weight(9.81), spring], [wire], name="bead on a wire")


def parabola(x):
    """y = 0, z = x^2 / 2"""
    return jnp.stack([x[1], x[2] - 0.5 * x[0] ** 2])


def rack_and_pinion() -> System:
    """A pinion on a hinge that moves a rack, which carries a pendulum."""
    world, pinion, rack = World(), block("pinion", 0.2), block("rack")
    bob = block("bob", 0.4)
    turn = Revolute("turn", world.point(0, 0, 0.3), pinion.origin, axis=Y)
    slide = Prismatic("slide", world.origin, rack.origin, axis=X)
    swing = Spherical("swing", rack.point(0.2, 0, 0), bob.point(0, 0, 0.4))
    gear = Gear(slide, turn, 0.3)
    joints = [turn, slide, swing]
    return System(joints, [Weight(9.81)], [gear], name="rack and pinion")


def led_point() -> System:
    """A body whose tip a user's equation leads along a moving plane."""
    body = block("body")
    ball = Spherical("ball", World().origin, body.point(0, 0, 0.4))
    plane = Holonomic([body.frame], tip_height, name="moving plane")
    return System([ball], [Weight(9.81)], [plane], name="led point")


def tip_height(placement, t):
    """The height of a tip, led up and down in time."""
    position, rotation = placement
    tip = position + rotation @ jnp.array([0.5, 0.1, 0.2])
    return tip[2] - 0.1 * jnp.sin(3.0 * t) + 0.1


def carried_pendulum() -> System:
    """A pendulum on a platform that turns and rises as it is told."""
    world, platform, rod = World(), block("platform"), block("rod")
    driver = prescribed(platform, path, world)
    hinge = Revolute("hinge", platform.point(0.5, 0, 0), rod.point(0, 0, 0.4), axis=Y)
    joints = [*driver.joints, hinge]
    return System(joints, [Weight(9.81)], [driver], name="carried pendulum")


def path(t):
    """A turn about the vertical, and a rise."""
    c, s, o, i = jnp.cos(1.5 * t), jnp.sin(1.5 * t), 0.0 * t, 1.0 + 0.0 * t
    rotation = jnp.stack([c, -s, o, s, c, o, o, o, i]).reshape(3, 3)
    return rotation, jnp.stack([o, o, 0.2 * jnp.sin(2.0 * t)])
