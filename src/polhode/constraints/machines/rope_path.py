r"""The line of a rope: straight strands, and arcs round pulleys.

        .--.            rho = +r if the rope goes round counterclockwise about n, -r
       /  + \ n         clockwise, 0 for a point; d from centre to centre
       |    |
       |    |           strand    L = sqrt(d.d - (rho_2 - rho_1)^2)
       o    o           along     u = (L d - (rho_2 - rho_1) n x d) / |d|^2
                        arc       r theta, cos theta = u_in . u_out

No angle is counted: arcs follow from the two directions, between 0 and a whole turn.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from polhode.arrays import Array, Scalar, namespace, removable
from polhode.geometry.vector import cross, dot

NEAR = 1e-9  # m^2: keeps quotients finite where an end is at the axis of a pulley


class Stop(NamedTuple):
    """A place on the line of a rope, along the world's axes.

    centre   (3,)
    radius   of the pulley; 0 at a point
    normal   (3,) its axis; zero at a point
    side     (3,) towards the side of the pulley on which the rope lies
    sense    +1 if the rope goes round the axis counterclockwise, else -1; 0 at a point
    """

    centre: Any
    radius: Any
    normal: Any
    side: Any
    sense: float


class Arc(NamedTuple):
    """How a rope lies on a pulley: its angle, and that of its middle from `side`."""

    angle: Any
    middle: Any


def strands_and_arcs(stops: list[Stop]) -> tuple[list[Any], list[Arc]]:
    """Lengths of the strands between stops, and the arcs on all but the ends."""
    lengths, along = _strands(stops)
    inner = zip(stops[1:-1], along, along[1:], strict=False)
    return lengths, [_arc(stop, before, after) for stop, before, after in inner]


def directions(stops: list[Stop]) -> list[Any]:
    """Unit vectors (3,) along the straight parts between stops."""
    return _strands(stops)[1]


def places_along(stops: list[Stop], count: int = 13) -> list[list[Any]]:
    """Points on the line of a rope, to be drawn: one a stop, some on its arc."""
    _, along = _strands(stops)
    found = [[stops[0].centre]]
    for stop, before, after in zip(stops[1:-1], along, along[1:], strict=False):
        if not stop.sense:
            found.append([stop.centre])
            continue
        arc = _arc(stop, before, after)
        n, out = stop.normal, stop.sense * cross(before, stop.normal)
        turns = [stop.sense * arc.angle * k / (count - 1) for k in range(count)]
        xp = namespace(before, after)
        rim = [xp.cos(a) * out + xp.sin(a) * cross(n, out) for a in turns]
        found.append([stop.centre + stop.radius * r for r in rim])
    return [*found, [stops[-1].centre]]


def _strands(stops: list[Stop]) -> tuple[list[Any], list[Any]]:
    """The length of every strand, and the unit vector along it."""
    lengths, along = [], []
    for one, two in pairwise(stops):
        step = two.sense * two.radius - one.sense * one.radius
        normal = one.normal if one.sense else two.normal
        length, u = _strand(two.centre - one.centre, step, normal)
        lengths.append(length)
        along.append(u)
    return lengths, along


def _strand(d: Array, step: Scalar, normal: Array) -> tuple[Any, Any]:
    """The length, and the unit vector along."""
    xp = namespace(d, step)
    square = dot(d, d)
    rest = square - step * step
    # An end inside a pulley has no tangent. While a model is put together it may be
    # there: a length below zero drives it out, where a root of zero would keep it.
    inside = rest <= 0
    root = xp.sqrt(removable(inside, NEAR - rest, rest))
    length = removable(inside, -root, root)
    under = removable(inside, NEAR + square, square)
    u = (length * d - step * cross(normal, d)) / under
    return length, u


def _arc(stop: Stop, before: Array, after: Array) -> Arc:
    xp = namespace(before, after)
    n = stop.normal
    cosine, sine = dot(before, after), stop.sense * dot(n, cross(before, after))
    out = before - after  # from the centre to the middle of the arc
    across = dot(out, cross(n, stop.side))
    return Arc(
        xp.pi + xp.arctan2(-sine, -cosine),
        xp.arctan2(across, dot(out, stop.side)),
    )
