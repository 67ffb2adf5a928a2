"""Matter known only by its moments: measured, or read from a data sheet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.moments import Moments
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
from polhode.matter.spread import column, spread, symmetric
from polhode.matter.validity import require_physical, require_symmetric

ENTRIES = ("xx", "yy", "zz", "yz", "zx", "xy")


@final
@dataclass(frozen=True, eq=False)
class Given:
    """Mass, mass centre, and inertia (xx, yy, zz, yz, zx, xy) about a stated point.

    The products carry their minus sign: xy is -sum m x y. Without `about` the inertia
    is about the mass centre; all numbers are along the axes of the body. With
    `allow_unphysical` it may be one that no spread of mass has.
    """

    mass: Any
    centre: tuple[Any, ...]
    inertia: tuple[Any, ...]
    about: tuple[Any, ...] | None = None
    allow_unphysical: bool = False

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that the moments depend on."""
        about = self.about or ()
        return parameters_in([self.mass, *self.centre, *self.inertia, *about])

    def named(self, place: str) -> Given:
        """The same matter, bare numbers named from their place: 'wheel.mass'."""
        centre = (
            named(v, f"{place}.centre.{k}") for v, k in _pairs(self.centre, "xyz")
        )
        inertia = (
            named(v, f"{place}.inertia.{k}") for v, k in _pairs(self.inertia, ENTRIES)
        )
        mass = named(self.mass, f"{place}.mass")
        about = self.about and tuple(
            named(v, f"{place}.about.{k}") for v, k in _pairs(self.about, "xyz")
        )
        moments: Any = {"centre": tuple(centre), "inertia": tuple(inertia)}
        return replace(self, mass=mass, about=about, **moments)

    def moments(self, table: Table = NOMINAL) -> Moments:
        """Mass, mass centre and central inertia."""
        mass = at(self.mass, table)
        centre = column(*(at(entry, table) for entry in self.centre))
        xx, yy, zz, yz, zx, xy = (at(entry, table) for entry in self.inertia)
        inertia = symmetric((xx, yy, zz), (yz, zx, xy))
        if self.about is not None:
            point = column(*(at(entry, table) for entry in self.about))
            inertia = inertia - mass * spread(centre - point)
        return Moments(mass, centre, inertia)


def given(
    mass: Amount,
    inertia: Any,
    centre: Any,
    about: Any = None,
    *,
    who: str,
    allow_unphysical: bool = False,
) -> Given:
    """The door: a mass, three principal moments or a symmetric matrix, and places."""
    entries = _six_entries(inertia, who)
    matter = Given(
        quantity(mass, f"the mass of {who}", "kg"),
        _three(centre, f"the mass centre of {who}"),
        tuple(quantity(entry, f"the inertia of {who}", "kg*m^2") for entry in entries),
        None if about is None else _three(about, f"the point of inertia of {who}"),
        allow_unphysical,
    )
    if matter.about is not None and not allow_unphysical:
        _require_sound(matter, matter.about, who)
    return matter


def _require_sound(matter: Given, about: tuple[Any, ...], who: str) -> None:
    """Refuse in the words of the point that the inertia is given about."""
    if is_traced(matter.mass, *matter.inertia, *matter.centre, *about):
        return
    xx, yy, zz, yz, zx, xy = (at(entry) for entry in matter.inertia)
    I_O = symmetric((xx, yy, zz), (yz, zx, xy))
    O, G = (column(*(at(entry) for entry in p)) for p in (about, matter.centre))
    place = "point (" + ", ".join(f"{at(entry):g}" for entry in about) + ")"
    require_physical(at(matter.mass), I_O, O - G, who=who, about=place)


def _six_entries(inertia: Any, who: str) -> list[Any]:
    rows = inertia if is_traced(inertia) else _listed(inertia)
    if len(rows) == 3 and all(np.ndim(row) == 0 for row in rows):
        return [*rows, 0.0, 0.0, 0.0]
    if len(rows) != 3 or any(np.shape(row) != (3,) for row in rows):
        raise ModelError(
            f"the inertia of {who} is neither three moments nor a 3 x 3 matrix.",
            "It has three moments on its diagonal and three products beside it.",
            "Give (Ixx, Iyy, Izz), or three rows of three numbers.",
        )
    numbers = [
        [at(quantity(entry, f"the inertia of {who}", "kg*m^2")) for entry in row]
        for row in rows
    ]
    even = numbers if _any_traced(numbers) else require_symmetric(numbers, who)
    places = ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))
    return [
        rows[i][j] if isinstance(rows[i][j], Parameter) else even[i][j]
        for i, j in places
    ]


def _listed(values: Array) -> list[Any]:
    """The entries of a list or an array; none of what has none."""
    try:
        return list(values)
    except TypeError:
        return []


def _any_traced(rows: list[list[Any]]) -> bool:
    return is_traced(*(entry for row in rows for entry in row))


def _three(entries: Any, what: str) -> tuple[Any, ...]:
    entries = entries if is_traced(entries) else _listed(entries)
    if len(entries) != 3:
        raise ModelError(
            f"{what} has {len(entries) or 'no'} coordinates.",
            "A place in space has three.",
            "Give three numbers along the body's axes.",
        )
    return tuple(quantity(entry, what, "m") for entry in entries)


def _pairs(values: tuple[Any, ...], names: Any) -> list[tuple[Any, str]]:
    return list(zip(values, names, strict=True))
