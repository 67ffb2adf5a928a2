"""Surfaces of bodies: smooth convex ones by their farthest point, others by corners."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.constraints.constraint import Attachment
from polhode.dimension import has_unit
from polhode.double import doubled, gradient
from polhode.errors import ModelError
from polhode.geometry.vector import dot
from polhode.matter.axes import Z, direction
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    number,
    parameters_in,
    quantity,
)

Support: TypeAlias = Callable[[Any], Any]
# What a shape was made with, by name.
Sizes: TypeAlias = tuple[tuple[str, Any], ...]

__all__ = [
    "Corners",
    "Cylinder",
    "Surface",
    "Track",
    "bowl",
    "box",
    "capsule",
    "cylinder",
    "disc",
    "ellipsoid",
    "hull",
    "outside",
    "point",
    "sphere",
    "track",
]


def __dir__() -> list[str]:
    return __all__


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """A smooth convex surface about a point of a body, by its support.

    `support(u)` is the farthest point (3,) from `centre` in the unit direction u, both
    along the body's axes; traceable. `radius` is that of a ball. `shape` is the name of
    the function that made it, with the `sizes` it was given; none of a user's own.
    Sizes may be parameters: `at(table)` is the surface for their values.
    """

    centre: Attachment
    support: Support = field(repr=False)
    radius: float | None = None
    shape: str = ""
    sizes: Sizes = ()
    varied: Callable[[Table], Surface] | None = field(default=None, repr=False)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that its sizes depend on."""
        return parameters_in(_flat(size for _, size in self.sizes))

    def at(self, table: Table) -> Surface:
        """The surface for a table of parameters."""
        return self if self.varied is None else self.varied(table)


@final
@dataclass(frozen=True, eq=False)
class Track:
    """A surface of any shape that a ball rolls on or in, by the distance from it.

    `distance(x)` is the height (m) of a place x (3,), from `centre` along the body's
    axes, above the nearest point of the surface; traceable, smooth where the ball is.
    """

    centre: Attachment
    distance: Callable[[Any], Any] = field(repr=False)
    shape: str = ""
    sizes: Sizes = ()

    def __post_init__(self) -> None:
        for x in ((0.31, 0.17, 0.53), (-0.4, 0.2, 1.1)):
            steep = float(np.linalg.norm(self.normal(np.array(x))))
            if np.isfinite(steep) and abs(steep - 1) > 1e-6:
                raise ModelError(
                    f"the distance from a track grows by {steep:.3g} m a metre at {x}.",
                    "A distance from the nearest point grows metre by metre.",
                    "Divide a level function by the length of its slope, or give the"
                    " distance itself.",
                )

    @cached_property
    def normal(self) -> Callable[[Any], Any]:
        """The slope of the distance: the unit normal, from the surface outwards."""
        return gradient(lambda x: namespace(x).asarray(self.distance(x), dtype=float))

    @cached_property
    def height(self) -> Callable[[Any], Any]:
        """The distance, in double precision outside a trace."""
        return doubled(self.distance)


@final
@dataclass(frozen=True, eq=False)
class Corners:
    """A body that touches with its corners: places (k, 3) from `centre`, its own axes.

    `radius` rounds them: a capsule is two balls. It rests on supports, and rolls on
    nothing.
    """

    centre: Attachment
    places: np.ndarray
    radius: float = 0.0
    shape: str = ""
    sizes: Sizes = ()


@final
@dataclass(frozen=True, eq=False)
class Cylinder:
    """A body that touches with the rims of its two ends; `axis` along its own axes."""

    centre: Attachment
    radius: float
    length: float
    axis: np.ndarray
    shape: str = "cylinder"

    @property
    def sizes(self) -> Sizes:
        """What it was made with."""
        return (("radius", self.radius), ("length", self.length), ("axis", self.axis))


def point(centre: Attachment) -> Surface:
    """A point of a body that touches by itself: a ball of no radius."""
    return Surface(centre, lambda u: 0.0 * u, 0.0, "point")


def box(centre: Attachment, sides: Any) -> Corners:
    """A box about its centre, by its eight corners.

    Corners are numbered from 1 in the order (-, -, -), (-, -, +), ... (+, +, +) of
    their signs along x, y and z.
    """
    x, y, z = (_length(side, "the side of a box") for side in _three(sides))
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    places = signs * np.array([x, y, z]) / 2
    return Corners(centre, places, 0.0, "box", (("sides", (x, y, z)),))


def hull(centre: Attachment, corners: Any) -> Corners:
    """A polytope by its corners (k, 3), from `centre` along the body's axes."""
    places = np.array(corners, dtype=float)
    if places.ndim != 2 or places.shape[1] != 3 or not len(places):
        raise ModelError(
            f"a hull cannot have corners of shape {places.shape}.",
            "Each corner is a place with three coordinates in its body.",
            "Give a list of at least one (x, y, z).",
        )
    if not np.all(np.isfinite(places)):
        raise ModelError(
            "a corner of a hull is not finite.",
            "NaN and infinity are no places.",
            "Look where the numbers come from.",
        )
    return Corners(centre, places, 0.0, "hull", (("corners", places),))


def capsule(centre: Attachment, radius: float, length: float, axis: Any = Z) -> Corners:
    """A cylinder with half balls on its ends, `length` from the one's centre to the
    other's."""
    r, a = _length(radius), direction(axis, "the axis of a capsule")
    half = _length(length, "the length of a capsule") / 2
    sizes = (("radius", r), ("length", 2 * half), ("axis", a))
    return Corners(centre, np.array([-half * a, half * a]), r, "capsule", sizes)


def cylinder(
    centre: Attachment, radius: float, length: float, axis: Any = Z
) -> Cylinder:
    """A cylinder about its middle, that stands on an end or lies on its side."""
    a = direction(axis, "the axis of a cylinder")
    return Cylinder(
        centre, _length(radius), _length(length, "the length of a cylinder"), a
    )


def sphere(centre: Attachment, radius: Quantity) -> Surface:
    """A ball; its radius may be a parameter."""
    given = _quantity(radius)

    def made(table: Table) -> Surface:
        r = at(given, table)
        return Surface(centre, lambda u: r * u, r, "sphere", (("radius", given),))

    return _by_parameters(made, given)


def bowl(centre: Attachment, radius: float) -> Track:
    """The inside of a sphere, in which a smaller ball rolls."""
    r = _length(radius)
    return Track(centre, lambda x: r - _norm(x), "bowl", (("radius", r),))


def track(centre: Attachment, distance: Callable[[Any], Any]) -> Track:
    """A surface or an extruded curve of any shape, by the distance from it."""
    return Track(centre, distance)


def outside(centre: Attachment, radius: float) -> Track:
    """A ball as something that another one rolls on."""
    return Track(centre, lambda x: _norm(x) - radius, "sphere", (("radius", radius),))


def _norm(x: Array) -> Any:
    return namespace(x).sqrt(dot(x, x))


def disc(centre: Attachment, radius: Quantity, axis: Any) -> Surface:
    """A thin wheel that turns about an axis of its body; it rolls on its rim.

    Its radius may be a parameter.
    """
    given, a = _quantity(radius), direction(axis, "the axis of a disc")

    def made(table: Table) -> Surface:
        r = at(given, table)

        def rim(u: Array) -> Any:
            across = u - a * dot(u, a)
            return r * across / namespace(across).sqrt(dot(across, across))

        return Surface(centre, rim, None, "disc", (("radius", given), ("axis", a)))

    return _by_parameters(made, given)


def ellipsoid(centre: Attachment, semi_axes: Any) -> Surface:
    """A body with three half lengths along its axes."""
    lengths = tuple(_quantity(a) for a in semi_axes)

    def made(table: Table) -> Surface:
        values = [at(length, table) for length in lengths]
        squares = namespace(*values).array(values, dtype=float) ** 2

        def farthest(u: Array) -> Any:
            longest = squares * u
            return longest / namespace(longest).sqrt((longest * u).sum(-1))

        return Surface(centre, farthest, None, "ellipsoid", (("semi_axes", lengths),))

    return _by_parameters(made, *lengths)


def _by_parameters(made: Callable[[Table], Surface], *sizes: Any) -> Surface:
    """The surface at nominal sizes, made again for others where they may vary."""
    nominal = made(NOMINAL)
    return replace(nominal, varied=made) if parameters_in(sizes) else nominal


def _flat(sizes: Iterable[Any]) -> list[Any]:
    """Sizes one by one, also of those that come in threes."""
    return [
        each
        for size in sizes
        for each in (size if isinstance(size, tuple) else (size,))
    ]


def _three(values: Array) -> tuple[Any, Any, Any]:
    entries = tuple(values) if isinstance(values, list | tuple | np.ndarray) else ()
    if len(entries) != 3:
        raise ModelError(
            f"a box cannot have the sides {values!r}.",
            "It has one along each of its three axes.",
            "Give three lengths: (0.1, 0.2, 0.3).",
        )
    return entries[0], entries[1], entries[2]


def _quantity(value: Any, what: str = "the radius of a rolling body") -> Any:
    """A positive length, by its number or as a parameter."""
    if not isinstance(value, Parameter):
        return _length(value, what)
    quantity(value, what, "m")
    _length(at(value), f"{what}, {value.name!r},")
    return value


def _length(value: Any, what: str = "the radius of a rolling body") -> float:
    if isinstance(value, Parameter):
        raise ModelError(
            f"{what} cannot be the parameter {value.name!r}.",
            "The shapes of bowls, boxes, hulls, capsules and cylinders stay as they"
            " are given.",
            f"Give its number, {at(value):g}, and make the system anew for another.",
        )
    length = at(quantity(value, what, "m")) if has_unit(value) else number(value, what)
    if length <= 0:
        raise ModelError(
            f"{what} is {length:g} m.",
            "A point does not roll, and nothing has no side.",
            "Give a positive length; for a point use ph.surfaces.point.",
        )
    return length
