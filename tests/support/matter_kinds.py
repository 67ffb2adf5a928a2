"""A body or particle of every kind of matter, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import polhode as ph
from strategies_system import block

FLUID = np.diag([0.02, 0.05, 0.04, 0.9, 1.7, 1.2]) + 0.01 * np.ones((6, 6))
CORNERS = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0], [0, 0, 0.5]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def all_solids() -> dict[str, Any]:
    """A solid of every shape, by the name of what makes it."""
    make = ph.solids
    amount: dict[str, Any] = {"mass": 1.3}
    box = make.box(x=0.2, y=0.3, z=0.4, **amount)
    aside = make.placed(make.rod(length=0.3, **amount), (0.1, 0.2, -0.1))
    hole = make.box(x=0.1, y=0.1, z=0.1, mass=0.05)
    radii = {"inner_radius": 0.1, "outer_radius": 0.2}
    return {
        "box": box,
        "capsule": make.capsule(radius=0.1, length=0.3, **amount),
        "cone": make.cone(radius=0.1, height=0.3, **amount),
        "cylinder": make.cylinder(radius=0.1, length=0.3, **amount),
        "disc": make.disc(radius=0.2, **amount),
        "ellipsoid": make.ellipsoid(x=0.1, y=0.2, z=0.3, **amount),
        "ellipsoidal_shell": make.ellipsoidal_shell(x=0.1, y=0.2, z=0.3, **amount),
        "extrusion": make.extrusion(outline=CORNERS[:3, :2], height=0.2, **amount),
        "joined": make.joined(box=box, aside=aside),
        "mesh": make.mesh((CORNERS, FACES), **amount),
        "pierced": make.pierced(box, hole=hole),
        "placed": aside,
        "plate": make.plate(x=0.2, y=0.3, **amount),
        "ring": make.ring(radius=0.2, **amount),
        "rod": make.rod(length=0.3, **amount),
        "sphere": make.sphere(radius=0.2, **amount),
        "spherical_shell": make.spherical_shell(radius=0.2, **amount),
        "tetrahedron": make.tetrahedron(corners=CORNERS, **amount),
        "torus": make.torus(ring_radius=0.3, tube_radius=0.1, **amount),
        "tube": make.tube(length=0.3, **radii, **amount),
    }


def cloud(name: str = "kind") -> ph.Body:
    """Points of mass, rigidly joined."""
    rng = np.random.default_rng(2)
    return ph.Body(name, ph.Cloud(rng.uniform(0.1, 1, 5), rng.normal(size=(5, 3))))


def given_moments(name: str = "kind") -> ph.Body:
    """Moments about a point that is not the mass centre."""
    moments = {"centre": (0.1, 0.05, -0.1), "about": (0.2, 0, 0.1)}
    return ph.Body.from_inertia(name, mass=1.3, inertia=(0.4, 0.5, 0.6), **moments)


def submerged_ball(name: str = "kind") -> ph.Body:
    """A ball that is its own hull."""
    ball = ph.solids.sphere(mass=1.3, radius=0.1)
    return ph.Body(name, ph.marine.submerged(ball, fluid_density=1000.0))


def submerged_in_a_hull(name: str = "kind") -> ph.Body:
    """Matter in an ellipsoid whose centre is elsewhere."""
    hull = ph.solids.ellipsoid(mass=0, x=0.1, y=0.2, z=0.15)
    hull = ph.solids.placed(hull, (0.05, -0.1, 0.02))
    box = ph.solids.box(mass=1.3, x=0.1, y=0.1, z=0.2)
    return ph.Body(name, ph.marine.submerged(box, hull=hull, fluid_density=900.0))


def added_mass(name: str = "kind") -> ph.Body:
    """An added inertia of the user's own, every entry of it coupled."""
    return ph.Body(name, ph.marine.with_added_mass(block(name).matter, FLUID))


def compound(name: str = "kind") -> ph.Body:
    """Several solids in one."""
    return ph.Body(name, all_solids()["joined"])


KINDS: dict[str, Callable[..., ph.Body | ph.Particle]] = {
    made.__name__: made
    for made in (
        *(cloud, given_moments, compound),
        *(submerged_ball, submerged_in_a_hull, added_mass),
    )
} | {
    "solid": lambda name="kind": ph.Body(name, all_solids()["cone"]),
    "particle": lambda name="kind": ph.Particle(name, 1.3),
}
