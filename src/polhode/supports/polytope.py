r"""A convex polytope: faces with their outlines, edges, and how far a place is from it.

       ____          face f: n_f . x <= d_f inside; its outline is a loop of corners,
      /___/|         counterclockwise as seen from outside
      |   | |        edge: two corners, and which of the unlike directions it has
      |___|/

Faces, loops and edges are found once, when a support is made; arrays have one shape.
Loops shorter than the longest are filled up with their last corner.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Array
from polhode.constraints.surfaces import Corners, Track
from polhode.errors import ModelError

# Of the size: faces of one plane, edges of one direction.
ALIKE = 1e-7
# Of the size: how far outside of a face a place still counts as above it.
BESIDE = 1e-12
MOST = 16  # corners; more would make long programs


class Polytope(NamedTuple):
    """About the centre, in the axes of its body.

    corners     (k, 3)
    normals     (f, 3) of its faces, and offsets (f,)
    loops       (f, m, 3) corners of each face, in order
    edges       (e, 2, 3)
    directions  (d, 3) of edges that are not parallel; ways (e,) says which each has
    size        m, of the farthest corner from the middle of all
    """

    corners: np.ndarray
    normals: np.ndarray
    offsets: np.ndarray
    loops: np.ndarray
    edges: np.ndarray
    directions: np.ndarray
    ways: np.ndarray
    size: float


def polytope_of(name: str, surface: Corners) -> Polytope:
    """The polytope of a box or a hull; refused where it is flat or has many corners."""
    places = np.asarray(surface.places, float)
    if len(places) > MOST:
        raise ModelError(
            f"{name!r} cannot find where a {surface.shape} of {len(places)} corners"
            " touches a box, a hull, a ball or a capsule.",
            f"Faces and edges are compared pair by pair, of {MOST} corners at most.",
            "Give fewer corners, or several hulls; on a plane there may be more.",
        )
    try:
        return _polytope(places.tobytes(), len(places))
    except _FlatError:
        raise ModelError(
            f"{name!r} cannot find where a {surface.shape} that is flat touches.",
            "Its corners are in one plane: it has no inside to keep others out of.",
            "Give a ph.surfaces.box, or corners that are not in one plane.",
        ) from None


class _FlatError(Exception):
    """Corners that span no volume."""


@lru_cache(maxsize=64)
def _polytope(given: bytes, count: int) -> Polytope:
    from scipy.spatial import ConvexHull, QhullError

    places = np.frombuffer(given).reshape(count, 3)
    middle = places.mean(axis=0)
    size = float(np.max(np.linalg.norm(places - middle, axis=1)))
    try:
        found = ConvexHull(places)
    except (QhullError, ValueError):
        raise _FlatError from None
    planes = _unlike(found.equations, size)
    # Corners of a face, whether or not qhull made them corners of its triangles.
    own = places[found.vertices]
    loops = [
        _loop(own[np.abs(own @ p[:3] + p[3]) < ALIKE * size], p[:3]) for p in planes
    ]
    most = max(map(len, loops))
    padded = np.array([[*loop, *[loop[-1]] * (most - len(loop))] for loop in loops])
    edges = _edges(loops)
    ways = edges[:, 1] - edges[:, 0]
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    directions, which = _directions(ways)
    return Polytope(
        own, planes[:, :3], -planes[:, 3], padded, edges, directions, which, size
    )


def _unlike(planes: np.ndarray, size: float) -> np.ndarray:
    """Each plane once: qhull has one a triangle."""
    found: list[np.ndarray] = []
    lengths = np.array([1.0, 1.0, 1.0, size])
    for plane in planes:
        if not any(np.all(np.abs(plane - p) < ALIKE * lengths) for p in found):
            found.append(plane)
    return np.array(found)


def _loop(corners: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Corners of a face in the order of their angles about its normal."""
    away = corners - corners.mean(axis=0)
    u = away[0] / np.linalg.norm(away[0])
    angles = np.arctan2(away @ np.cross(n, u), away @ u)
    return corners[np.argsort(angles)]


def _edges(loops: list[np.ndarray]) -> np.ndarray:
    """Each edge (e, 2, 3) once: two faces share it."""
    found: dict[tuple[tuple[float, ...], ...], None] = {}
    for loop in loops:
        for a, b in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            found[tuple(sorted((tuple(a), tuple(b))))] = None
    return np.array([*found])


def _directions(ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions (d, 3) of which none are parallel, and which each edge has."""
    found: list[np.ndarray] = []
    which = []
    for way in ways:
        alike = [
            k for k, d in enumerate(found) if np.linalg.norm(np.cross(d, way)) < ALIKE
        ]
        which.append(alike[0] if alike else len(found))
        if not alike:
            found.append(way)
    return np.array(found), np.array(which)


def distance_from(polytope: Polytope, x: Array) -> Any:
    """How far a place x (3,) is outside; below zero inside, to the nearest face.

    Above a face it is the height over it, else the way to the nearest edge.
    """
    import jax.numpy as jnp
    from jax import lax

    N, d, edges = polytope.normals, polytope.offsets, polytope.edges
    heights = N @ x - d
    top = jnp.arange(len(d)) == jnp.argmax(lax.stop_gradient(heights))
    height = jnp.sum(jnp.where(top, heights, 0.0))
    foot = x - height * jnp.sum(jnp.where(top[:, None], N, 0.0), axis=0)
    is_above = jnp.max(N @ foot - d) <= BESIDE * polytope.size
    e = edges[:, 1] - edges[:, 0]
    share = jnp.sum((x - edges[:, 0]) * e, axis=1) / np.sum(e * e, axis=1)
    away = x - edges[:, 0] - jnp.clip(share, 0.0, 1.0)[:, None] * e
    squares = jnp.sum(away * away, axis=1)
    near = jnp.arange(len(edges)) == jnp.argmin(lax.stop_gradient(squares))
    square = jnp.sum(jnp.where(near, squares, 0.0))
    beside = jnp.sqrt(jnp.where(is_above | (square == 0), 1.0, square))
    return jnp.where(is_above | (square == 0), height, beside)


def outside_of(name: str, on: Corners) -> Track:
    """A box or a hull as something that a ball touches, by the distance from it."""
    own = polytope_of(name, on)
    return Track(on.centre, lambda x: distance_from(own, x), on.shape, on.sizes)
