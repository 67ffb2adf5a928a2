"""Smooth convex surfaces of bodies, by their farthest point in every direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

import numpy as np

from polhode.constraints.constraint import Attachment
from polhode.errors import ModelError
from polhode.geometry.vector import dot
from polhode.lowering.arrays import namespace
from polhode.matter.axes import direction
from polhode.matter.parameter import number

Support: TypeAlias = Callable[[Any], Any]


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """A smooth convex surface about a point of a body, by its support.

    `support(u)` is the farthest point (3,) from `centre` in the unit direction u, both
    along the body's axes; traceable.
    """

    centre: Attachment
    support: Support = field(repr=False)


def sphere(centre: Attachment, radius: float) -> Surface:
    """A ball."""
    r = _length(radius)
    return Surface(centre, lambda u: r * u)


def disc(centre: Attachment, radius: float, axis: Any) -> Surface:
    """A thin wheel that turns about an axis of its body; it rolls on its rim."""
    r, a = _length(radius), direction(axis, "the axis of a disc")

    def rim(u: Any) -> Any:
        across = u - a * dot(u, a)
        return r * across / namespace(u).sqrt(dot(across, across))

    return Surface(centre, rim)


def ellipsoid(centre: Attachment, semi_axes: Any) -> Surface:
    """A body with three half lengths along its axes."""
    squares = np.array([_length(a) for a in semi_axes]) ** 2

    def farthest(u: Any) -> Any:
        return squares * u / namespace(u).sqrt((squares * u * u).sum(-1))

    return Surface(centre, farthest)


def _length(value: Any) -> float:
    length = number(value, "the radius of a rolling body")
    if length <= 0:
        raise ModelError(
            f"the radius of a rolling body is {length:g} m.",
            "A point does not roll.",
            "Give a positive length.",
        )
    return length
