"""Where an action takes hold: a point of a body, its coordinates maybe parameters."""

from __future__ import annotations

from typing import Any, TypeAlias

from polhode.actions.motion_arrays import Poses, arm_from_other, turn
from polhode.actions.motion_arrays import place as placed
from polhode.errors import ModelError
from polhode.geometry.point import Point
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Parameter, Table, parameters_in
from polhode.matter.particle import Particle

Attachment: TypeAlias = Point | MaterialPoint


def require_points(name: str, *places: Any) -> None:
    """Refuse to take hold of a body at no point of it."""
    for place in places:
        if not isinstance(place, Point | MaterialPoint):
            points = (
                "world.origin, body.origin, body.point(x, y, z) or body.mass_centre"
            )
            if isinstance(place, Particle):
                points = f"the place of the particle, {place.name}.mass_centre"
            raise ModelError(
                f"{name!r} cannot take hold of {place!r}: it is not a point.",
                "A force acts at a point of a body.",
                f"Give {points}.",
            )


def held(poses: Poses, body: int, point: Attachment, table: Table) -> Any:
    """Where a point of a body is, for a table of parameters, in the observer's axes."""
    if isinstance(point, MaterialPoint):
        return placed(poses, body, point.at(table))
    return placed(poses, body, point.coordinates)


def arm_of(poses: Poses, body: int, point: Attachment, table: Table) -> Any:
    """From the origin of a body to a point of it, in the observer's axes."""
    if isinstance(point, MaterialPoint):
        return turn(poses, body, point.at(table))
    return turn(poses, body, point.coordinates)


def separation(
    poses: Poses, on: Attachment, by: Attachment, table: Table
) -> tuple[Any, Any]:
    """From a point of body 1 to one of body 0, and the arm of the latter.

    Origins and arms are subtracted from their like, so that the distance between bodies
    has the digits of it, not of their places.
    """
    arm, other = arm_of(poses, 0, on, table), arm_of(poses, 1, by, table)
    return arm_from_other(poses, arm - other), arm


def parameters_of(points: tuple[Attachment, ...], *numbers: Any) -> Any:
    """The named numbers on which points and numbers depend, each once."""
    held = [p.parameters for p in points if isinstance(p, MaterialPoint)]
    found: list[Parameter] = [root for parameters in held for root in parameters]
    return tuple(dict.fromkeys([*found, *parameters_in(numbers)]))
