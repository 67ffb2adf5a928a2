"""What every constraint answers: equations of position, or of velocity.

A constraint reads the poses of some bodies and the coordinates of some joints:

    holonomic      position(placed, t, table) -> g (rows,),            g = 0
    otherwise      velocity(placed, moving, t, table) -> phi (rows,),  phi = 0

Rates of the first and derivatives of both are found by the system. `placed` and
`moving` hold the constraint's own bodies and joints in the order of `bodies` and
`joints`; everything is along the world's axes. `table` gives parameters other values
than the nominal ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError, PolhodeError
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import cross
from polhode.joints.joint import Joint
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.quantities.constants import call_form

Attachment: TypeAlias = Point | MaterialPoint


class Placed(NamedTuple):
    """Where the bodies and joints of a constraint are.

    rotations    (k, 3, 3)   R_WB of its bodies
    origins      (k, 3)      p_WoBo_W
    coordinates  a tuple of arrays, those of its joints
    """

    rotations: Any
    origins: Any
    coordinates: tuple[Any, ...]


class Moving(NamedTuple):
    """How the bodies and joints of a constraint move.

    angular  (k, 3)   w_WB_W of its bodies
    linear   (k, 3)   v_WBo_W
    speeds   a tuple of arrays, those of its joints
    """

    angular: Any
    linear: Any
    speeds: tuple[Any, ...]


class Constraint(Protocol):
    """An equation that the motion obeys, kept by a reaction; see the module."""

    @property
    def name(self) -> str:
        """What errors, reports and printed equations call it."""

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The frames of the bodies whose poses it reads, each once."""

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints whose coordinates it reads, each once."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers it depends on."""

    @property
    def rows(self) -> tuple[str, ...]:
        """One name an equation."""

    @property
    def is_holonomic(self) -> bool:
        """Whether it is an equation of position."""


class HolonomicConstraint(Constraint, Protocol):
    """A constraint by an equation of position, g(placed, t) = 0."""

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (rows,), zero where the constraint is kept."""


class VelocityConstraint(Constraint, Protocol):
    """A constraint by an equation of velocity, phi(placed, moving, t) = 0."""

    def velocity(
        self, placed: Placed, moving: Moving, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """phi (rows,), zero where the constraint is kept."""


def coordinates_of(point: Attachment, table: Table) -> Any:
    """The coordinates (3,) of a point in its body, for a table of parameters."""
    return point.at(table) if isinstance(point, MaterialPoint) else point.coordinates


def place(placed: Placed, body: int, point: Attachment, table: Table) -> Any:
    """Where a point of a body is.   p_WoP_W = p_WoBo_W + R_WB p_BoP_B"""
    arm = placed.rotations[body] @ coordinates_of(point, table)
    return placed.origins[body] + arm


def velocity_at(placed: Placed, moving: Moving, body: int, at: Array) -> Any:
    """The velocity of the material point of a body that is now at a place."""
    arm = at - placed.origins[body]
    return moving.linear[body] + cross(moving.angular[body], arm)


def parameters_of(*points: Attachment) -> tuple[Parameter, ...]:
    """The named numbers on which points depend, each once."""
    lists = [p.parameters for p in points if isinstance(p, MaterialPoint)]
    return tuple(dict.fromkeys(root for found in lists for root in found))


def require_two_bodies(name: str, first: Any, second: Any) -> None:
    """Refuse a constraint of a body with itself; ends are points or frames."""
    frames = [e if isinstance(e, Frame) else e.frame for e in (first, second)]
    if frames[0] is frames[1]:
        raise ModelError(
            f"{name!r} joins {frames[0].name!r} to itself.",
            "Points of one rigid body keep their distances anyway.",
            "Give a point of another body, or of the world.",
        )


def require_frames(name: str, bodies: Any) -> tuple[Frame, ...]:
    """The frames of bodies; refused if one body is no list, or a body is no frame."""
    is_list = isinstance(bodies, Iterable)
    frames = tuple(bodies) if is_list else (bodies,)
    for body in frames:
        if not isinstance(body, Frame) or not is_list:
            raise ModelError(
                f"{name!r} cannot be of {body!r}.",
                "A constraint reads a list of bodies, and knows each by the frame that"
                " it carries.",
                "Give [body.frame, ...]; brackets also round one.",
            )
    return frames


class JointCoupling:
    """An equation of position between the coordinates of joints; it reads no body."""

    is_holonomic: ClassVar[bool] = True

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """None: it reads joints only."""
        return ()


def require_single(name: str, joint: Joint) -> None:
    """Refuse a joint that has not one coordinate."""
    if joint.coordinates != 1:
        raise ModelError(
            f"{name!r} cannot use joint {joint.name!r}, which has"
            f" {joint.coordinates} coordinates.",
            "A ratio is between two numbers.",
            "Use a revolute, prismatic or screw joint; for others write"
            " ph.VelocityRows.",
        )


def require_rows(name: str, rows: Sequence[str]) -> tuple[str, ...]:
    """The names of rows as a tuple, each once, at least one."""
    names = (rows,) if isinstance(rows, str) else tuple(rows)
    are_words = all(isinstance(each, str) for each in names)
    if not names or not are_words or len(set(names)) < len(names):
        raise ModelError(
            f"the rows of {name!r} cannot be named {names!r}.",
            "Reports call each equation by its own name.",
            'Give a name for every equation, such as rows=("along", "across").',
        )
    return names


def called(
    name: str, law: Callable[..., Any], arguments: Mapping[str, Any], **constants: Any
) -> Any:
    """What a user's law gives; refused by its name if it cannot be called or traced.

    `arguments` are given to it in order; their names are for its error alone.
    """
    try:
        return law(*arguments.values(), **constants)
    except PolhodeError:
        raise
    except Exception as reason:
        first = str(reason).partition("\n")[0]
        raise ModelError(
            f"the law of {name!r} gave no equation.",
            f"Called as {call_form(arguments, constants)} it raised"
            f" {type(reason).__name__}: {first}",
            "Let it take these, and calculate with jax.numpy: no float(), no math, no"
            " `if` on numbers.",
        ) from reason


def shaped(name: str, values: Array, shape: tuple[int, ...]) -> Any:
    """What a user's law gave, in the shape expected of it; refused if too few or many.

    A single number may stand for one row, a list of numbers for several.
    """
    parts = values if isinstance(values, list | tuple) else (values,)
    xp = namespace(*parts)
    try:
        is_list = parts is values and len(parts) > 0
        array = xp.stack([*map(xp.asarray, parts)]) if is_list else xp.asarray(values)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        kind = "complex numbers" if array.dtype.kind == "c" else repr(values)
        raise ModelError(
            f"the law of {name!r} gave {kind}.",
            "An equation is one of real numbers.",
            "Return a number, or an array of them.",
        )
    count, expected = array.size, math.prod(shape)
    if count != expected:
        raise ModelError(
            f"the law of {name!r} gave {count} numbers, expected {expected}.",
            f"It has shape {array.shape} where {shape} is needed.",
            "Name as many rows as the law has equations: rows=(...).",
        )
    return xp.reshape(array, shape)
