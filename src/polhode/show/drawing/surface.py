"""Triangles to draw bodies by: the surface of every kind of matter.

Thin shapes get a thickness to be seen by: a rod, a ring, a plate and a disc have one
of a few hundredths of their size. What is cut away is a part of its own, drawn dark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.matter.cloud import Cloud
from polhode.matter.parameter import NOMINAL, Table, at
from polhode.matter.particle import Particle
from polhode.matter.solids import Compound, Solid
from polhode.matter.submerged import Submerged
from polhode.show.drawing.outline import ears
from polhode.show.drawing.stand_in import SHARE, bars, block_sizes

AROUND = 48  # corners of a circle
THIN = 0.04  # of a thin shape's size: what is drawn of a thickness that it has not
SWOLLEN = 1.004  # a hole is drawn through the surface that it pierces


class Surface(NamedTuple):
    """Corners (n, 3) in the body's axes, triangles (k, 3) of their numbers.

    Triangles are anticlockwise seen from outside. `colour` (red, green, blue, opacity)
    is its own; without one it has that of its body.
    """

    corners: np.ndarray
    triangles: np.ndarray
    is_hole: bool = False
    colour: tuple[float, ...] | None = None


def surfaces_of(
    member: Any, size: float = 0.1, table: Table = NOMINAL, points: Any = ()
) -> list:
    """The surfaces of a body or particle, in its axes.

    `size` is the diameter of what has none: a particle, or a point of a cloud. Matter
    of which only the moments are known is the even block that has them, with bars to
    `points` (k, 3), those where joints and springs hold it.

    >>> import polhode as ph
    >>> brick = ph.Body("brick", ph.solids.box(mass=1.0, x=0.1, y=0.2, z=0.3))
    >>> surfaces_of(brick)[0].corners.max(axis=0)
    array([0.05, 0.1 , 0.15])
    """
    if isinstance(member, Particle):
        return [_ball(size / 2)]
    held = np.asarray(points, float).reshape(-1, 3)
    return _surfaces(member.matter, size, table, held)


def _surfaces(matter: Any, size: float, table: Table, points: Any) -> list[Surface]:
    if isinstance(matter, Submerged):
        return _surfaces(matter.hull or matter.matter, size, table, points)
    if isinstance(matter, Compound):
        return [
            each if sign > 0 else _hole(each)
            for _, part, sign in matter.parts
            for each in _surfaces(part, size, table, points[:0])
        ]
    if isinstance(matter, Solid):
        return [_placed(matter, table)]
    if isinstance(matter, Cloud):
        return [
            _placed_surface(_ball(size / 2), np.eye(3), p) for p in matter.positions
        ]
    return _block_of(matter.moments(table), size, points)


def _placed(solid: Solid, table: Table) -> Surface:
    surface = SHAPES[solid.shape](**solid.sizes(table))
    turn = np.eye(3) if solid.turn is None else np.asarray(solid.turn)
    shift = np.array([float(at(entry, table)) for entry in solid.shift])
    return _placed_surface(surface, turn, shift)


def _placed_surface(surface: Surface, turn: np.ndarray, shift: np.ndarray) -> Surface:
    return surface._replace(corners=surface.corners @ turn.T + shift)


def _hole(surface: Surface) -> Surface:
    middle = surface.corners.mean(axis=0)
    swollen = middle + SWOLLEN * (surface.corners - middle)
    return surface._replace(corners=swollen, is_hole=True)


def _block_of(moments: Any, size: float, points: np.ndarray) -> list[Surface]:
    """The even block of some moments, and bars to the points that hold it."""
    mass, centre, inertia = (np.asarray(x, float) for x in moments)
    found = [bar(a, b, radius) for a, b, radius in bars(centre, points)]
    if mass <= 0:
        return found or [_placed_surface(_ball(size / 2), np.eye(3), centre)]
    if not np.any(np.linalg.eigvalsh(inertia) > 0):
        return [_placed_surface(_ball(size / 2), np.eye(3), centre)]  # a bob on a line
    kind, sizes, axes = block_sizes(float(mass), inertia)
    block = SHAPES[kind](*((SHARE if found else 1.0) * sizes))
    return [*found, _placed_surface(block, axes, centre)]


def bar(first: np.ndarray, second: np.ndarray, radius: float) -> Surface:
    """A round bar from one place to another, with round ends."""
    along = second - first
    length = float(np.linalg.norm(along))
    return _placed_surface(
        _capsule(radius, length), turn_along(along), (first + second) / 2
    )


def turn_along(axis: np.ndarray) -> np.ndarray:
    """A rotation (3, 3) whose third column is along an axis."""
    w = axis / np.linalg.norm(axis)
    u = np.linalg.svd(w[None])[2][1]
    return np.stack([u, np.cross(w, u), w], axis=1)


# --------------------------------------------------------------------- revolved


def revolve(radii: Any, heights: Any, around: int = AROUND) -> Surface:
    """A profile turned round Z; it goes up the outside, and closes if it is a loop.

    radii, heights (m,). A profile that begins or ends off the axis and is no loop gets
    no lid.
    """
    r, h = np.asarray(radii, float), np.asarray(heights, float)
    turn = 2 * np.pi * np.arange(around) / around
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    flat = r[:, None, None] * ring
    level = np.broadcast_to(h[:, None, None], (len(r), around, 1))
    corners = np.concatenate([flat, level], axis=-1).reshape(-1, 3)
    first = np.arange(around)
    second = (first + 1) % around
    bands = []
    for k in range(len(r) - 1):
        a, b = k * around, (k + 1) * around
        if r[k] > 0:
            bands.append(np.stack([a + first, a + second, b + first], axis=-1))
        if r[k + 1] > 0:
            bands.append(np.stack([a + second, b + second, b + first], axis=-1))
    return Surface(corners, np.concatenate(bands))


def _cylinder(radius: Any, length: Any) -> Surface:
    half = length / 2
    return revolve([0, radius, radius, 0], [-half, -half, half, half])


def _tube(inner_radius: Any, outer_radius: Any, length: Any) -> Surface:
    if inner_radius == 0:
        return _cylinder(outer_radius, length)
    a, b, h = inner_radius, outer_radius, length / 2
    return revolve([a, b, b, a, a], [-h, -h, h, h, -h])


def _cone(radius: Any, height: Any) -> Surface:
    return revolve([0, radius, 0], [0, 0, height])


def _capsule(radius: Any, length: Any) -> Surface:
    low = np.linspace(-np.pi / 2, 0, AROUND // 4 + 1)
    rise = np.concatenate([low, -low[::-1]])
    shift = np.repeat([-length / 2, length / 2], len(low))
    return revolve(_on_axis(radius * np.cos(rise)), radius * np.sin(rise) + shift)


def _torus(ring_radius: Any, tube_radius: Any) -> Surface:
    turn = np.linspace(0, 2 * np.pi, AROUND // 2 + 1)
    r, h = ring_radius + tube_radius * np.cos(turn), tube_radius * np.sin(turn)
    return revolve([*r[:-1], r[0]], [*h[:-1], h[0]])


def _ball(radius: Any) -> Surface:
    return ellipsoid_surface(radius, radius, radius)


def ellipsoid_surface(x: Any, y: Any, z: Any) -> Surface:
    """An ellipsoid of half axes x, y, z."""
    rise = np.linspace(-np.pi / 2, np.pi / 2, AROUND // 2 + 1)
    unit = revolve(_on_axis(np.cos(rise)), np.sin(rise))
    return unit._replace(corners=unit.corners * np.array([x, y, z], float))


def _on_axis(radii: np.ndarray) -> np.ndarray:
    """The ends exactly on the axis, so that no sliver is drawn there."""
    closed = radii.copy()
    closed[[0, -1]] = 0.0
    return closed


def _rod(length: Any) -> Surface:
    return _capsule(THIN * length / 2, (1 - THIN) * length)


def _ring(radius: Any) -> Surface:
    return _torus(radius, THIN * radius)


def _disc(radius: Any) -> Surface:
    return _cylinder(radius, THIN * radius)


# ------------------------------------------------------------------- flat faces

_CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4))
_FACES = (*_QUADS, (1, 5, 7, 3))


def _box(x: Any, y: Any, z: Any) -> Surface:
    corners = _CUBE * np.array([x, y, z], float) / 2
    return _facets(
        corners, [t for a, b, c, d in _FACES for t in ((a, b, c), (a, c, d))]
    )


def _plate(x: Any, y: Any) -> Surface:
    return _box(x, y, THIN * min(x, y))


def _tetrahedron(corners: Any) -> Surface:
    a, b, c, d = corners = np.asarray(corners, float)
    if np.dot(np.cross(b - a, c - a), d - a) > 0:
        corners = corners[[0, 2, 1, 3]]
    return _facets(corners, [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)])


def _extrusion(outline: Any, height: Any) -> Surface:
    flat = np.asarray(outline, float)
    n, half = len(flat), float(height) / 2
    top = np.column_stack([flat, np.full(n, half)])
    corners = np.concatenate([top, top * [1, 1, -1]])
    lid = ears(flat)
    here = np.arange(n)
    there = (here + 1) % n
    walls = [(a + n, b + n, b) for a, b in zip(here, there, strict=True)]
    walls += [(a + n, b, a) for a, b in zip(here, there, strict=True)]
    floor = [(a + n, c + n, b + n) for a, b, c in lid]
    return _facets(corners, [*lid, *floor, *walls])


def _mesh(vertices: Any, triangles: Any) -> Surface:
    return _facets(np.asarray(vertices, float), triangles)


def _facets(corners: np.ndarray, triangles: Any) -> Surface:
    return Surface(np.asarray(corners, float), np.asarray(triangles, int))


SHAPES: dict[str, Callable[..., Surface]] = {
    "box": _box,
    "capsule": _capsule,
    "cone": _cone,
    "cylinder": _cylinder,
    "disc": _disc,
    "ellipsoid": ellipsoid_surface,
    "ellipsoidal shell": ellipsoid_surface,
    "extrusion": _extrusion,
    "mesh": _mesh,
    "plate": _plate,
    "ring": _ring,
    "rod": _rod,
    "sphere": _ball,
    "spherical shell": _ball,
    "tetrahedron": _tetrahedron,
    "torus": _torus,
    "tube": _tube,
}
