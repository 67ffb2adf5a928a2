"""Material points: places that move with a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.errors import FrameMismatch
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import Frame, require_frame, require_same_frame
from polhode.geometry.vector import Vector, components_close, shown


@final
@dataclass(frozen=True, eq=False)
class Point:
    """A material point fixed in a frame, by its coordinates along the frame's axes.

    >>> rod = Frame("rod")
    >>> Point(rod, [0, 0, 3], "tip") - Point(rod, [0, 0, 1])
    Vector([0, 0, 2], 'rod')
    """

    frame: Frame
    coordinates: Any
    name: str = ""

    def __post_init__(self) -> None:
        require_frame(self.frame, f"point {self.name!r}")
        what = f"point {self.name!r} of {self.frame.name!r}"
        column = admit(self.coordinates, (3,), what, self.frame)
        object.__setattr__(self, "coordinates", column)

    @staticmethod
    def origin(frame: Frame) -> Point:
        """The point at which a frame's three axes meet."""
        return Point(frame, (0.0, 0.0, 0.0), "origin")

    def is_close(self, other: Point, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """The same place, within `rtol` of the largest coordinate, or `atol`."""
        require_same_frame("compare", self.frame, other.frame)
        return components_close(self.coordinates, other.coordinates, rtol, atol)

    def __sub__(self, other: Point) -> Vector:
        """The vector from the other point to this one."""
        if not hasattr(other, "coordinates"):
            return NotImplemented
        require_same_frame("subtract", self.frame, other.frame)
        return Vector(self.coordinates - other.coordinates, self.frame)

    def __add__(self, displacement: Vector) -> Point:
        if not isinstance(displacement, Vector):
            return NotImplemented
        require_same_frame("add", self.frame, displacement.frame)
        return Point(self.frame, self.coordinates + displacement.components)

    def __repr__(self) -> str:
        label = f", {self.name!r}" if self.name else ""
        return f"Point({self.frame.name!r}, {shown(self.coordinates)}{label})"


def require_same_point(act: str, one: Point, other: Point) -> None:
    """Refuse to `act` on two quantities about different points."""
    if one is other or _coincide(one, other):
        return
    raise FrameMismatch(
        f"cannot {act} a quantity about {one!r} and one about {other!r}.",
        "A velocity or a moment changes with the point it is about.",
        "Shift one first: quantity.at(point).",
    )


def _coincide(one: Point, other: Point) -> bool:
    if one.frame is not other.frame:
        return False
    if is_traced(one.coordinates, other.coordinates):
        return True  # numbers that are not known yet are not refused
    return bool(np.array_equal(one.coordinates, other.coordinates))
