"""Where a joint sits on its two bodies: points, axes, directions, and their doors."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.geometry.frame import Frame, is_name, require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.rotations.rotation_admission import admit_matrix
from polhode.matter.axes import turn_to
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Parameter, Table
from polhode.matter.quantities.direction import Direction, admit_direction

Place: TypeAlias = Point | MaterialPoint

UNTURNED = np.eye(3)
UNTURNED.setflags(write=False)
STILL = np.zeros(3)
STILL.setflags(write=False)


def coordinates_of(place: Place, table: Table) -> Any:
    """The coordinates (3,) of a point of a body, for a table of parameters."""
    return place.at(table) if isinstance(place, MaterialPoint) else place.coordinates


def require_ends(name: str, first: Any, second: Any) -> None:
    """Refuse a joint without a name, without points, or from a body to itself."""
    if not is_name(name):
        raise ModelError(
            f"a joint cannot be named {name!r}.",
            "Its coordinates, errors and printed equations are called by its name.",
            'Give it a short text, such as Revolute("hinge", ...).',
        )
    for which, place in (("first", first), ("second", second)):
        if not isinstance(place, Point | MaterialPoint):
            raise ModelError(
                f"the {which} end of joint {name!r} is not a point: {place!r}.",
                "A joint sits at a point of each of its two bodies.",
                "Give world.origin, body.point(x, y, z) or body.mass_centre.",
            )
    if first.frame is second.frame:
        raise ModelError(
            f"joint {name!r} joins {first.frame.name!r} to itself.",
            "Points of one rigid body do not move on each other.",
            "Give a point of another body, or of the world.",
        )


def admit_axes(name: str, axes: Array | None, body: Frame) -> Any:
    """The constant rotation (3, 3) of a joint's frame in its body; 1 if none is given.

    A `Rotation` must be seen from the body; a matrix has the joint's axes as columns.
    """
    if axes is None:
        return UNTURNED
    if isinstance(axes, Rotation):
        require_same_frame(f"seat joint {name!r} by", body, axes.seen_from)
        return axes.matrix
    return admit_matrix(axes, f"the axes of joint {name!r} on {body.name!r}")


def admit_triad(name: str, word: str, axis: Any) -> np.ndarray:
    """The axes (u, v, n) as columns (3, 3), n along the axis, u and v square to it.

    For Z they are (X, Y, Z), for X (Y, Z, X), for Y (Z, X, Y). Of a direction by
    parameters they are those at the nominal values.
    """
    if isinstance(axis, Direction):
        return axis.triad()
    column = np.asarray(axis)
    if column.shape != (3,) or column.dtype.kind not in "fiu":
        raise ModelError(
            f"the {word} of joint {name!r} is not a direction: {axis!r}.",
            f"The {word} is written in the axes of the joint's first frame.",
            "Give X, Y, Z or three numbers.",
        )
    if not np.all(np.isfinite(column)):
        raise ModelError(
            f"the {word} of joint {name!r} is not finite: {column.tolist()}.",
            "NaN and infinity point nowhere.",
            "Look where the numbers come from: a division by zero or a missing value.",
        )
    if not np.any(column):
        raise ModelError(
            f"the {word} of joint {name!r} is too small: it is zero.",
            "A direction needs some length.",
            "Give X, Y, Z or three numbers that are not all zero.",
        )
    return turn_to(column, f"the {word} of joint {name!r}")


def admit_axis(name: str, word: str, axis: Any) -> Any:
    """A `Direction` where an axis has parameters; else the axis as it was given."""
    entries = axis if isinstance(axis, list | tuple) else ()
    if not any(isinstance(entry, Parameter) for entry in entries):
        return axis
    return admit_direction(axis, f"the {word} of joint {name!r}")


def admitted(axis: Any, triad: np.ndarray) -> Any:
    """What a joint keeps as its axis: a `Direction`, or the unit column n."""
    return axis if isinstance(axis, Direction) else triad[:, 2]


def entries_of(axis: Any) -> tuple[Any, ...]:
    """The three quantities of a `Direction`; none of a column of numbers."""
    return axis.entries if isinstance(axis, Direction) else ()


def triad_of(axis: Array, triad: np.ndarray, table: Table) -> Any:
    """(u, v, n) of an axis that a joint keeps, for a table of parameters."""
    return axis.triad(table) if isinstance(axis, Direction) else triad
