"""Where an action takes hold: a point of a body, its coordinates maybe parameters."""

from __future__ import annotations

from typing import Any, TypeAlias

from polhode.actions.motion_arrays import Poses
from polhode.actions.motion_arrays import place as placed
from polhode.errors import ModelError
from polhode.geometry.point import Point
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Parameter, Table, parameters_in

Attachment: TypeAlias = Point | MaterialPoint


def require_points(name: str, *places: Any) -> None:
    """Refuse to take hold of a body at no point of it."""
    for place in places:
        if not isinstance(place, Point | MaterialPoint):
            raise ModelError(
                f"{name!r} cannot take hold of {place!r}: it is not a point.",
                "A force acts at a point of a body.",
                "Give world.origin, body.origin, body.point(x, y, z) or"
                " body.mass_centre.",
            )


def held(poses: Poses, body: int, point: Attachment, table: Table) -> Any:
    """Where a point of a body is, for a table of parameters, in the observer's axes."""
    if isinstance(point, MaterialPoint):
        return placed(poses, body, point.at(table))
    return placed(poses, body, point.coordinates)


def parameters_of(points: tuple[Attachment, ...], *numbers: Any) -> Any:
    """The named numbers on which points and numbers depend, each once."""
    held = [p.parameters for p in points if isinstance(p, MaterialPoint)]
    found: list[Parameter] = [root for parameters in held for root in parameters]
    return tuple(dict.fromkeys([*found, *parameters_in(numbers)]))
