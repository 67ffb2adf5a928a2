r"""Balls and capsules on capsules: places where two segments are nearest.

     (=====o=====)          c_1 = a + s d,  c_2 = b + t e,  s and t from 0 to 1
           | gap            gap = |c_1 - c_2| - r_1 - r_2,  n along c_1 - c_2
    (======o======)

A ball is a capsule of no length. Of two capsules the nearest places of all, and those
of each of the four ends, are candidates: of logs that lie along one another the ends
bear, of those that cross the nearest places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from polhode.arrays import namespace
from polhode.constraints.constraint import Placed, coordinates_of, parameters_of
from polhode.constraints.curved_contact import tangents_about
from polhode.constraints.surfaces import Corners, Surface
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.matter.parameter import Parameter, Table
from polhode.supports.geometry import Geometry

# Of the squares of both lengths: segments that are as good as parallel.
PARALLEL = 1e-12
ENDS = ("nearest", "end 1", "end 2", "end 1 of the other", "end 2 of the other")


@final
@dataclass(frozen=True, eq=False)
class SegmentCandidates:
    """Nearest places of a ball or a capsule and a capsule."""

    surface: Surface | Corners
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
        """Of all pairs of places."""
        import jax

        first = self._ends(0, placed, table)
        second = self._ends(1, placed, table)
        pairs = _pairs(first, second, len(self.names))
        away = pairs[:, 0] - pairs[:, 1]
        xp = namespace(away)
        size = xp.sqrt(xp.sum(away * away, axis=1))
        n = away / xp.where(size > 0, size, 1.0)[:, None]
        r = float(self.surface.radius or 0.0), self.on.radius
        in_ground = n @ placed.rotations[1]
        both = jax.vmap(lambda n: tangents_about(self.axes, n))(in_ground)
        tangents = placed.rotations[1] @ both
        axes = xp.concatenate([n[:, :, None], tangents], axis=2)
        return Geometry(size - r[0] - r[1], pairs[:, 1] + r[1] * n, axes)

    def _ends(self, k: int, placed: Placed, table: Table) -> Any:
        """The ends (2, 3) of a segment in the world."""
        one = (self.surface, self.on)[k]
        places = one.places if isinstance(one, Corners) else np.zeros((2, 3))
        arms = coordinates_of(one.centre, table) + places
        return placed.origins[k] + arms @ placed.rotations[k].T


def _pairs(first: Any, second: Any, count: int) -> Any:
    """Pairs (count, 2, 3) of places of two segments, in the order of `ENDS`."""
    xp = namespace(first, second)
    if count == 1:
        return xp.stack([xp.stack([first[0], _nearest(first[0], second)])])
    pairs = [nearest_pair(first, second)]
    pairs += [xp.stack([end, _nearest(end, second)]) for end in first]
    pairs += [xp.stack([_nearest(end, first), end]) for end in second]
    return xp.stack(pairs)


def _nearest(point: Any, ends: Any) -> Any:
    """The place of a segment that is nearest to a point."""
    d = ends[1] - ends[0]
    xp = namespace(d)
    return ends[0] + xp.clip(dot(point - ends[0], d) / dot(d, d), 0.0, 1.0) * d


def nearest_pair(first: Any, second: Any) -> Any:
    """The nearest places (2, 3) of two segments, without branches."""
    d, e, w = first[1] - first[0], second[1] - second[0], first[0] - second[0]
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    xp = namespace(d, e)
    square = dd * ee - de * de
    is_parallel = square <= PARALLEL * dd * ee
    s = (de * dot(e, w) - ee * dot(d, w)) / xp.where(is_parallel, 1.0, square)
    s = xp.clip(xp.where(is_parallel, 0.5, s), 0.0, 1.0)
    there = _nearest(first[0] + s * d, second)
    return xp.stack([_nearest(there, first), there])
