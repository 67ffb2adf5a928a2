r"""Boxes, hulls and capsules on boxes and hulls: corners of what they have in common.

         ______          of all planes that separate the two, the one farthest from
     ___|_x__x_|___      both: a face of one of them, or along an edge of each
    |   '------'   |
    |______________|     on a face: where its outline and that of the other's face,
                         seen along the normal, have corners (x)

Which face and which edges these are changes as bodies move, and so do the places: they
are candidates of one instant. What is not there counts as open, with a gap of the size
of both. So they are for a method that steps over contacts; a switch of one that is
located would find another candidate in its place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import numpy as np

from polhode.arrays import Array, Scalar, namespace, scanned
from polhode.constraints.constraint import Placed, coordinates_of, parameters_of, place
from polhode.constraints.curved_contact import tangents_about
from polhode.constraints.surfaces import Corners
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross
from polhode.matter.parameter import Parameter, Table
from polhode.supports.geometry import Geometry
from polhode.supports.polytope import Polytope, distance_from, polytope_of
from polhode.supports.segments import nearest_pair

# Of both sizes: an edge must separate better than faces by as much, for along nearly
# parallel edges rounding decides.
BIAS = 1e-6
# Squared sine of the angle of edges that are as good as parallel.
PARALLEL = 1e-10
# Pairs of directions above which they are a loop.
STRAIGHT = 16
# Of both sizes: outlines that lie on each other by rounding.
BESIDE = 1e-9
# How far parallel edges keep bodies apart: less than anything does.
NEVER = -1e30


class Places(NamedTuple):
    """Of k places: gap (k,), where (k, 3), normal (k, 3), in the ground's axes."""

    gap: Any
    point: Any
    normal: Any


@dataclass(frozen=True, eq=False)
class OnPolytope(ABC):
    """What polytopes and capsules on a polytope have in common."""

    surface: Corners
    on: Corners
    axes: np.ndarray = field(repr=False)
    names: tuple[str, ...]

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return (self.surface.centre.frame, self.on.centre.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two middles."""
        return parameters_of(self.surface.centre, self.on.centre)

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """By the places that the two have in common now."""
        import jax

        R_WG = placed.rotations[1]
        origin = place(placed, 1, self.on.centre, table)
        R = R_WG.T @ placed.rotations[0]
        away = placed.origins[0] - origin
        arm = coordinates_of(self.surface.centre, table)
        c = R_WG.T @ away + R @ arm
        found = self._places(c, R)
        tangents = jax.vmap(lambda n: tangents_about(self.axes, n))(found.normal)
        xp = namespace(tangents)
        axes = xp.concatenate([found.normal[:, :, None], tangents], axis=2)
        return Geometry(found.gap, origin + found.point @ R_WG.T, R_WG @ axes)

    @abstractmethod
    def _places(self, c: Scalar, R: Array) -> Places:
        """Of a body about c (3,), turned by R (3, 3), seen from the ground."""


@final
@dataclass(frozen=True, eq=False)
class PolytopePair(OnPolytope):
    """A box or a hull on another: corners of a common outline, or two edges."""

    def _places(self, c: Scalar, R: Array) -> Places:
        """Corners of the common outline, then the place between edges."""
        import jax.numpy as jnp

        own = polytope_of(self.names[0], self.surface)
        ground = polytope_of(self.names[0], self.on)
        size = own.size + ground.size
        A = _turned(own, c, R)
        m = max(own.loops.shape[1], ground.loops.shape[1])
        up, above = _face(ground, A.corners, m)
        down, below = _face(A, ground.corners, m)
        is_ground = above >= below - BIAS * size
        # The face that bears, and of the other body the one that looks at it.
        bearing = _either(is_ground, up, down)
        facing = _either(
            is_ground, _opposite(A, up.normal, m), _opposite(ground, down.normal, m)
        )
        gap, point = _common(bearing, facing, size)
        between, edges = _edges(A, ground)
        is_edges = between > jnp.maximum(above, below) + BIAS * size
        side = jnp.where(is_ground, 1.0, -1.0)
        gap = jnp.where(is_edges, size, gap)
        last = jnp.where(is_edges, between, size)
        flat = jnp.broadcast_to(side * bearing.normal, point.shape)
        return Places(
            jnp.concatenate([gap, last[None]]),
            jnp.concatenate([point, edges.point]),
            jnp.concatenate([flat, edges.normal]),
        )


@final
@dataclass(frozen=True, eq=False)
class CapsuleOnPolytope(OnPolytope):
    """A capsule on a box or a hull: where it is over a face, or nearest an edge."""

    def _places(self, c: Scalar, R: Array) -> Places:
        """Where it begins and ends to be over a face, then where it is nearest."""
        import jax.numpy as jnp

        ground, r = polytope_of(self.names[0], self.on), self.surface.radius
        size = ground.size + float(np.max(np.abs(self.surface.places))) + r
        ends = c + self.surface.places @ R.T
        face, _ = _face(ground, ends, ground.loops.shape[1])
        enters, leaves, is_over = _clipped(face, ends[:1], ends[1:], size)
        both = jnp.concatenate([enters, leaves])
        line = ends[0] + both[:, None] * (ends[1] - ends[0])
        height = (line - face.loop[0]) @ face.normal
        gap = jnp.where(is_over[0], height - r, size)
        near = _nearest(ground, ends)
        is_nearer = near.gap < jnp.min(gap + r) - BIAS * size
        point = jnp.concatenate([line - r * face.normal, near.point])
        point = point.at[2].add(-r * near.normal[0])
        return Places(
            jnp.concatenate([gap, jnp.where(is_nearer, near.gap - r, size)]),
            point,
            jnp.concatenate(
                [jnp.broadcast_to(face.normal, (2, 3)), near.normal]
            ),
        )  # fmt: skip


class _Face(NamedTuple):
    """A face: its normal (3,), and its loop (m, 3)."""

    normal: Any
    loop: Any


class _Turned(NamedTuple):
    """A polytope in other axes; fields as of `Polytope`."""

    corners: Any
    normals: Any
    offsets: Any
    loops: Any
    edges: Any
    directions: Any
    ways: np.ndarray


def _turned(own: Polytope, c: Scalar, R: Array) -> _Turned:
    normals = own.normals @ R.T
    return _Turned(
        c + own.corners @ R.T,
        normals,
        own.offsets + normals @ c,
        c + own.loops @ R.T,
        c + own.edges @ R.T,
        own.directions @ R.T,
        own.ways,
    )


def _chosen(which: Any, rows: Any) -> Any:
    """The row of a table that a number says."""
    import jax.numpy as jnp

    mask = (jnp.arange(len(rows)) == which).reshape(-1, *[1] * (rows.ndim - 1))
    return jnp.sum(jnp.where(mask, rows, 0.0), axis=0)


def _face(own: Any, corners: Array, m: int) -> tuple[_Face, Any]:
    """The face from which corners (k, 3) of another are farthest, and how far."""
    import jax.numpy as jnp

    heights = jnp.min(corners @ own.normals.T - own.offsets, axis=0)
    best = jnp.argmax(heights)
    loop = _chosen(best, _padded(own.loops, m))
    return _Face(_chosen(best, jnp.asarray(own.normals)), loop), jnp.max(heights)


def _opposite(own: Any, n: Array, m: int) -> _Face:
    """The face that looks most against a direction."""
    import jax.numpy as jnp

    best = jnp.argmin(own.normals @ n)
    loop = _chosen(best, _padded(own.loops, m))
    return _Face(_chosen(best, jnp.asarray(own.normals)), loop)


def _padded(loops: Any, m: int) -> Any:
    """Loops of m corners: the last one again and again."""
    import jax.numpy as jnp

    last = jnp.asarray(loops)[:, -1:]
    return jnp.concatenate([jnp.asarray(loops), *[last] * (m - loops.shape[1])], axis=1)


def _either(is_first: Any, first: _Face, second: _Face) -> _Face:
    import jax.numpy as jnp

    pairs = zip(first, second, strict=True)
    return _Face(*(jnp.where(is_first, a, b) for a, b in pairs))


def _clipped(face: _Face, first: Any, second: Any, size: float) -> tuple[Any, Any, Any]:
    """Of lines from `first` to `second` (k, 3) what is over a face, as shares of them.

    Where they enter and leave (k,), and whether they are over it at all.
    """
    import jax.numpy as jnp

    way = jnp.roll(face.loop, -1, axis=0) - face.loop
    inwards = cross(face.normal, way)
    inside = jnp.sum((first[:, None] - face.loop) * inwards, axis=2)
    inside = inside + BESIDE * size * jnp.sqrt(jnp.sum(way * way, axis=1))
    slope = jnp.sum((second - first)[:, None] * inwards, axis=2)
    at = -inside / jnp.where(slope == 0, 1.0, slope)
    enters = jnp.max(jnp.where(slope > 0, at, 0.0), axis=1)
    leaves = jnp.min(jnp.where(slope < 0, at, 1.0), axis=1)
    enters, leaves = jnp.maximum(enters, 0.0), jnp.minimum(leaves, 1.0)
    is_beside = jnp.any((slope == 0) & (inside < 0), axis=1)
    is_over = (enters <= leaves) & ~is_beside
    return jnp.minimum(enters, 1.0), jnp.maximum(leaves, 0.0), is_over


def _common(bearing: _Face, facing: _Face, size: float) -> tuple[Any, Any]:
    """Gaps (3m,) and places (3m, 3) of the corners of a common outline."""
    import jax.numpy as jnp

    n, loop, other = bearing.normal, bearing.loop, facing.loop
    following = jnp.roll(other, -1, axis=0)
    way = following - other
    enters, leaves, is_over = _clipped(bearing, other, following, size)
    is_over = is_over & (jnp.sum(way * way, axis=1) > 0)
    x = jnp.concatenate([
        other + enters[:, None] * way, other + leaves[:, None] * way
    ])  # fmt: skip
    # A line that goes on to its end ends where the next one begins.
    real = jnp.concatenate([is_over, is_over & (leaves < 1.0)])
    gap = jnp.where(real, (x - loop[0]) @ n, size)
    # Corners of the bearing face itself that are under the other.
    steep = jnp.sum(facing.normal * n)
    rise = (other[0] - loop) @ facing.normal / jnp.where(steep == 0, 1.0, steep)
    inwards = cross(-n, way)
    inside = jnp.sum((loop[:, None] - other) * inwards, axis=2)
    own = jnp.roll(loop, -1, axis=0) - loop
    long = jnp.sqrt(jnp.sum(way * way, axis=1))
    is_under = jnp.all((inside > BESIDE * size * long) | (long == 0), axis=1)
    is_under = is_under & (jnp.sum(own * own, axis=1) > 0) & (steep < 0)
    corners = loop + rise[:, None] * n
    below = jnp.where(is_under, rise, size)
    return jnp.concatenate([gap, below]), jnp.concatenate([x, corners])


def _edges(A: _Turned, B: Polytope) -> tuple[Any, Places]:
    """How far two edges keep A and B apart, and the place between them."""
    import jax.numpy as jnp

    first, second = jnp.asarray(A.directions), jnp.asarray(B.directions)

    def along(d: Array) -> tuple[Any, Any]:
        """Of one direction of A and all of B: distances (k,), normals (k, 3)."""
        n = cross(d, second)
        square = jnp.sum(n * n, axis=1)
        is_parallel = square < PARALLEL
        n = n / jnp.sqrt(jnp.where(is_parallel, 1.0, square))[:, None]
        own, ground = A.corners @ n.T, B.corners @ n.T
        up = jnp.min(own, axis=0) - jnp.max(ground, axis=0)
        down = jnp.min(ground, axis=0) - jnp.max(own, axis=0)
        apart = jnp.where(is_parallel, NEVER, jnp.maximum(up, down))
        return apart, jnp.where((up >= down)[:, None], n, -n)

    if len(first) * len(second) <= STRAIGHT:
        each = [along(d) for d in first]
        apart, normals = (jnp.stack(part) for part in zip(*each, strict=True))
    else:
        apart, normals = scanned(lambda s, d: (s, along(d)), (), first)[1]
    best = jnp.argmax(apart.reshape(-1))
    n = _chosen(best, normals.reshape(-1, 3))
    is_it = (jnp.arange(apart.size) == best).reshape(apart.shape)
    own = _outermost(A.edges, jnp.any(is_it, axis=1)[A.ways], -n)
    ground = _outermost(jnp.asarray(B.edges), jnp.any(is_it, axis=0)[B.ways], n)
    pair = nearest_pair(own, ground)
    distance = jnp.max(apart)
    return distance, Places(distance[None], pair[:1], n[None])


def _outermost(edges: Any, is_one: Any, n: Array) -> Any:
    """Of some edges the one that is farthest along a direction."""
    import jax.numpy as jnp

    far = jnp.where(is_one, jnp.sum(edges, axis=1) @ n, NEVER)
    return _chosen(jnp.argmax(far), edges)


def _nearest(ground: Polytope, ends: Any) -> Places:
    """The place of a segment that is nearest: one of its ends, or beside an edge."""
    import jax
    import jax.numpy as jnp

    of_ends = jnp.stack([distance_from(ground, end) for end in ends])
    slopes = jnp.stack([
        jax.grad(lambda x: distance_from(ground, x))(end) for end in ends
    ])  # fmt: skip
    pairs = jax.vmap(lambda edge: nearest_pair(ends, edge))(jnp.asarray(ground.edges))
    away = pairs[:, 0] - pairs[:, 1]
    square = jnp.sum(away * away, axis=1)
    size = jnp.sqrt(jnp.where(square > 0, square, 1.0))
    beside = jnp.where(square > 0, size, 0.0)
    gaps = jnp.concatenate([of_ends, beside])
    normals = jnp.concatenate([slopes, away / size[:, None]])
    places = jnp.concatenate([ends, pairs[:, 0]])
    best = jnp.argmin(gaps)
    return Places(
        _chosen(best, gaps)[None], _chosen(best, places)[None],
        _chosen(best, normals)[None],
    )  # fmt: skip
