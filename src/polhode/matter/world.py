"""The world: the observer whose axes do not turn and in which Z is up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.matter.material_point import Place, material_point
from polhode.matter.parameter import Amount


@final
@dataclass(frozen=True, eq=False)
class World:
    """An inertial frame with an origin, to which bodies are joined.

    >>> World().origin
    Point('world', [0, 0, 0], 'origin')
    """

    name: str = "world"
    frame: Frame = field(init=False, repr=False)
    origin: Place = field(init=False, repr=False)

    def __post_init__(self) -> None:
        frame = Frame(self.name, self)
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "origin", Point.origin(frame))

    def point(self, x: Amount, y: Amount, z: Amount, name: str = "") -> Place:
        """A place of the world, by numbers or parameters along its axes."""
        return material_point(self.frame, x, y, z, name=name)
