"""Points of a body whose coordinates follow from the parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector, shown
from polhode.matter.parameter import (
    NOMINAL,
    Amount,
    Parameter,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)
from polhode.matter.spread import column


@final
@dataclass(frozen=True, eq=False)
class MaterialPoint:
    """A point fixed in a body: a function of the table, with nominal coordinates.

    It can be used where a `Point` of the body's frame can, with the nominal numbers;
    `at(table)` gives the coordinates (3,) for other values of the parameters. `entries`
    are the three quantities it was given by; none if it follows from the body's matter.
    """

    frame: Frame
    law: Callable[[Table], Any] = field(repr=False)
    name: str = ""
    parameters: tuple[Parameter, ...] = ()
    entries: tuple[Any, ...] = field(default=(), repr=False)
    coordinates: Any = field(init=False)

    def __post_init__(self) -> None:
        nominal = Point(self.frame, self.law(NOMINAL), self.name)
        object.__setattr__(self, "coordinates", nominal.coordinates)

    def at(self, table: Table) -> Any:
        """The coordinates (3,) that a table of parameters gives."""
        return self.law(table) if table else self.coordinates

    @property
    def nominal(self) -> Point:
        """The plain point at the nominal coordinates."""
        return Point(self.frame, self.coordinates, self.name)

    def is_close(self, other: Any, rtol: float = 1e-12) -> bool:
        """Nominally the same place of the same body."""
        return self.nominal.is_close(other, rtol)

    def __sub__(self, other: Any) -> Vector:
        return self.nominal - other

    def __add__(self, displacement: Vector) -> Point:
        return self.nominal + displacement

    def __repr__(self) -> str:
        label = f", {self.name!r}" if self.name else ""
        return f"MaterialPoint({self.frame.name!r}, {shown(self.coordinates)}{label})"


Place = Point | MaterialPoint  # what a joint, a spring or a sensor is put at


def material_point(
    frame: Frame, x: Amount, y: Amount, z: Amount, *, name: str
) -> MaterialPoint:
    """The point at three numbers or parameters, named after its place in the body."""
    checked = [quantity(e, f"point {name!r} of {frame.name!r}", "m") for e in (x, y, z)]
    label = name or "point(" + ", ".join(_written(e) for e in checked) + ")"
    x, y, z = (
        named(entry, f"{frame.name}.{label}.{axis}")
        for entry, axis in zip(checked, "xyz", strict=True)
    )

    def law(table: Table) -> Any:
        return column(at(x, table), at(y, table), at(z, table))

    return MaterialPoint(frame, law, name, parameters_in([x, y, z]), (x, y, z))


def _written(entry: Any) -> str:
    return entry.name if isinstance(entry, Parameter) else f"{at(entry):g}"
