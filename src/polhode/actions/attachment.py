"""Where an action takes hold: a point of a body, its coordinates maybe parameters."""

from __future__ import annotations

from typing import Any, TypeAlias

from polhode.actions.motion_arrays import Poses, place
from polhode.geometry.point import Point
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Parameter, Table, parameters_in

Attachment: TypeAlias = Point | MaterialPoint


def held(poses: Poses, body: int, point: Attachment, table: Table) -> Any:
    """Where a point of a body is, for a table of parameters, in the observer's axes."""
    if isinstance(point, MaterialPoint):
        return place(poses, body, point.at(table))
    return place(poses, body, point.coordinates)


def parameters_of(points: tuple[Attachment, ...], *numbers: Any) -> Any:
    """The named numbers on which points and numbers depend, each once."""
    held = [p.parameters for p in points if isinstance(p, MaterialPoint)]
    found: list[Parameter] = [root for parameters in held for root in parameters]
    return tuple(dict.fromkeys([*found, *parameters_in(numbers)]))
