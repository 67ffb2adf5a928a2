"""Random linkages in random units: what is moved, counted or solved must not know them.

A ring of rods on hinges, balls and crosses, in a plane with redundant rows, is made
twice: in metres, kilograms and seconds, and in units drawn over eighteen decades. Its
count of freedoms and its accelerations must be the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import polhode as ph
from attacks.attack import Attack

CLOSE = 1e-8  # of the largest acceleration
MOVED = 1e-7  # radians and metres, after five seconds


class Units(NamedTuple):
    """What a metre, a kilogram and a second are in them."""

    length: float
    mass: float
    time: float


class Found(NamedTuple):
    """Answers in metres, kilograms and seconds."""

    rank: int
    redundant: tuple[str, ...]
    accelerations: np.ndarray


def trial(seed: int) -> str | None:
    """One linkage in two systems of units."""
    rng = np.random.default_rng(seed)
    units = Units(*(10.0 ** rng.uniform(-9, 9, 3)))
    one, other = (_found(seed, each) for each in (Units(1.0, 1.0, 1.0), units))
    if one.rank != other.rank or one.redundant != other.redundant:
        return f"in {units}: rank {other.rank} for {one.rank}, or other redundant rows"
    size = np.max(np.abs(one.accelerations))
    gap = np.max(np.abs(one.accelerations - other.accelerations)) / size
    return f"in {units}: accelerations differ by {gap:.2g}" if gap > CLOSE else None


def _found(seed: int, units: Units) -> Found:
    system = _linkage(np.random.default_rng(seed), units)
    state = system.rest()
    count = ph.mobility(system, state)
    found = ph.recursive(system).body_accelerations(state)
    own = np.repeat([1.0, units.length], 3) / units.time**2
    return Found(count.rank, count.redundant, np.asarray(found) / own)


def _linkage(rng: np.random.Generator, u: Units) -> ph.System:
    """Rods from corner to corner of a polygon, the last joint closing it.

    In a plane all are hinges, of which three rows repeat others; in space there are a
    ball and a universal joint among them.
    """
    world, count, is_plane = ph.World(), int(rng.integers(3, 6)), bool(rng.integers(2))
    corners = rng.normal(size=(count + 1, 3)) * [1.0, 0.0 if is_plane else 1.0, 1.0]
    members, before = [], world.point(*(u.length * corners[0]))
    for k in range(count):
        way = u.length * (corners[k + 1] - corners[k])
        mass = u.mass * float(rng.uniform(0.2, 3.0))
        thin = ph.solids.rod(mass=mass, length=float(np.linalg.norm(way)), along=way)
        stout = ph.solids.sphere(mass=mass, radius=0.1 * u.length)
        matter = ph.solids.placed(thin if is_plane else stout, way / 2)
        body = ph.Body(f"rod {k}", matter)
        kind = "hinge" if is_plane else ("hinge", "ball", "cross")[k % 3]
        members.append(_joint(f"joint {k}", kind, before, body.origin))
        before = body.point(*way)
    end = world.point(*(u.length * corners[count]))
    members.append(_joint("last", "hinge" if is_plane else "ball", before, end))
    return ph.System(members, [ph.Weight(9.81 * u.length / u.time**2)], name="linkage")


def _joint(name: str, kind: str, first: Any, second: Any):
    if kind == "ball":
        return ph.Spherical(name, first, second)
    if kind == "cross":
        return ph.Universal(name, first, second, axis=ph.X, second_axis=ph.Z)
    return ph.Revolute(name, first, second, axis=ph.Y)


def moved(seed: int) -> str | None:
    """A pendulum on a spring, in two systems of units: one motion, as many steps."""
    rng = np.random.default_rng(seed)
    units = Units(*(10.0 ** rng.uniform(-6, 9, 3)))
    one, other = (_motion(seed, each) for each in (Units(1.0, 1.0, 1.0), units))
    gap = float(np.max(np.abs(one[0] - other[0])))
    if gap > MOVED:
        return f"in {units}: places differ by {gap:.2g} of a metre or radian"
    if abs(one[1] - other[1]) > 2:
        return f"in {units}: {other[1]} steps for {one[1]}"
    return None


def _motion(seed: int, u: Units) -> tuple[np.ndarray, int]:
    """The place after five seconds in SI, and how many steps it took."""
    rng = np.random.default_rng(seed)
    m, l, k, c = rng.uniform(0.3, 3.0, 4)
    force = u.mass * u.length / u.time**2
    world = ph.World()
    cart = ph.Body("cart", ph.solids.sphere(mass=m * u.mass, radius=0.1 * u.length))
    rod = ph.Body(
        "rod", ph.solids.rod(mass=0.5 * m * u.mass, length=l * u.length, along=ph.Z)
    )
    slide = ph.Prismatic("slide", world.origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute(
        "hinge", cart.origin, rod.point(0, 0, 0.5 * l * u.length), axis=ph.Y
    )
    actions = [
        ph.Weight(9.81 * u.length / u.time**2),
        ph.Spring(slide, 10 * k * force / u.length),
        ph.Damper(slide, 0.1 * c * force * u.time / u.length),
    ]
    system = ph.System([slide, hinge], actions, name="cart")
    start = system.state(slide=0.2 * u.length, hinge=1.0)
    motion = ph.simulate(system, start, until=5.0 * u.time)
    return motion.q[-1] / [u.length, 1.0], len(motion)


ATTACKS = (
    Attack("units of linkages", 60, trial),
    Attack("units of motions", 60, moved),
)
