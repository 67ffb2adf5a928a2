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

from typing import Any, NamedTuple

from polhode.arrays import namespace
from polhode.geometry.vector import cross, dot


class Stop(NamedTuple):
    """A place on the line of a rope, along the world's axes.

    centre   (3,)
    radius   of the pulley; 0 at a point
    normal   (3,) its axis; zero at a point
    side     (3,) towards the side of the pulley on which the rope lies
    """

    centre: Any
    radius: Any
    normal: Any
    side: Any


class Arc(NamedTuple):
    """How a rope lies on a pulley: its angle, the angle of its middle from `side`, and
    which way it goes round the axis, +1 or -1."""

    angle: Any
    middle: Any
    sense: Any


def strands_and_arcs(stops: list[Stop]) -> tuple[list[Any], list[Arc]]:
    """Lengths of the strands between stops, and the arcs on all but the ends."""
    inner = range(1, len(stops) - 1)
    senses = [0.0, *(_sense(stops[k - 1], stops[k], stops[k + 1]) for k in inner), 0.0]
    lengths, along = [], []
    for k in range(len(stops) - 1):
        step = senses[k + 1] * stops[k + 1].radius - senses[k] * stops[k].radius
        normal = stops[k].normal if k else stops[k + 1].normal
        length, u = _strand(stops[k + 1].centre - stops[k].centre, step, normal)
        lengths.append(length)
        along.append(u)
    pairs = [(along[k - 1], along[k]) for k in inner]
    arcs = [
        _arc(stops[k], senses[k], *pair) for k, pair in zip(inner, pairs, strict=True)
    ]
    return lengths, arcs


def _sense(before: Stop, stop: Stop, after: Stop) -> Any:
    """Which way the rope goes round: on its side it runs from before to after."""
    xp = namespace(before.centre, after.centre, stop.normal)
    way = dot(after.centre - before.centre, cross(stop.normal, stop.side))
    return xp.where(way < 0, -1.0, 1.0)


def _strand(d: Any, step: Any, normal: Any) -> tuple[Any, Any]:
    """The length, and the unit vector along."""
    xp = namespace(d, step)
    square = dot(d, d)
    length = xp.sqrt(square - step * step)
    return length, (length * d - step * cross(normal, d)) / square


def _arc(stop: Stop, sense: Any, before: Any, after: Any) -> Arc:
    xp = namespace(before, after)
    n = stop.normal
    cosine, sine = dot(before, after), sense * dot(n, cross(before, after))
    out = before - after  # from the centre to the middle of the arc
    across = dot(out, cross(n, stop.side))
    return Arc(
        xp.pi + xp.arctan2(-sine, -cosine),
        xp.arctan2(across, dot(out, stop.side)),
        sense,
    )
