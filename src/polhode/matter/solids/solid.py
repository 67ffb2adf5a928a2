"""The noun of a solid: a shape with its dimensions, its mass and its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, final

import numpy as np

from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.axes import Z, turn_to
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
from polhode.matter.spread import column, rotated
from polhode.matter.validity import require_mass, require_not_negative, require_positive

# measure (volume, area or length), mass centre (3,), inertia of unit mass (3, 3)
Unit = tuple[Any, Any, Any]


@final
@dataclass(frozen=True, eq=False)
class Solid:
    """A shape filled evenly with mass, placed in the axes of its body.

    shape       the name of the kind, such as "cylinder"
    dimensions  what the kind needs to be drawn: lengths, or arrays of corners
    unit        (dimensions) -> measure, centre, inertia of unit mass, in its own axes
    mass        kg; or density, in kg per m^3, m^2 or m as the shape fills
    turn        (3, 3) its axes in the body's axes;  shift  its origin in the body
    """

    shape: str
    dimensions: Mapping[str, Any]
    unit: Callable[..., Unit]
    mass: Any = None
    density: Any = None
    turn: Any = None
    shift: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that the moments depend on."""
        amount = (self.mass, self.density)
        return parameters_in([*amount, *self.dimensions.values(), *self.shift])

    def named(self, place: str) -> Solid:
        """The same solid, its bare numbers named from their place: 'rod.mass'."""
        sizes = {k: named(v, f"{place}.{k}") for k, v in self.dimensions.items()}
        x, y, z = (
            named(v, f"{place}.shift.{axis}")
            for v, axis in zip(self.shift, "xyz", strict=True)
        )
        return replace(
            self,
            dimensions=MappingProxyType(sizes),
            mass=named(self.mass, f"{place}.mass"),
            density=named(self.density, f"{place}.density"),
            shift=(x, y, z),
        )

    def sizes(self, table: Table = NOMINAL) -> dict[str, Any]:
        """The dimensions as numbers and arrays."""
        return {name: at(value, table) for name, value in self.dimensions.items()}

    def moments(self, table: Table = NOMINAL) -> Moments:
        """Mass, mass centre and central inertia, in the axes of the body."""
        measure, centre, inertia = self.unit(**self.sizes(table))
        amount = at(self.density, table) if self.mass is None else at(self.mass, table)
        mass = amount * measure if self.mass is None else amount
        if self.turn is not None:
            centre, inertia = self.turn @ centre, rotated(inertia, self.turn)
        shift = column(*(at(entry, table) for entry in self.shift))
        return Moments(mass, centre + shift, mass * inertia)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={_shown(v)}" for name, v in self.dimensions.items())
        amount = "density" if self.mass is None else "mass"
        value = _shown(self.density if self.mass is None else self.mass)
        return f"{self.shape}({amount}={value}, {sizes})"


# In what the density of a thin shape is; all others fill a volume.
SPREAD = {
    **dict.fromkeys(("rod", "ring"), "kg/m"),
    **dict.fromkeys(("plate", "disc", "spherical shell"), "kg/m^2"),
}


def fill(
    shape: str,
    unit: Callable[..., Unit],
    dimensions: Mapping[str, Any],
    *,
    mass: Amount | None,
    density: Amount | None,
    along: Any = Z,
) -> Solid:
    """The door of every solid: check the amount of matter and the axis."""
    if (mass is None) == (density is None):
        raise ModelError(
            f"{an(shape)} needs its mass or its density, and only one of them.",
            "Either one gives the other through the size.",
            "Give mass=... or density=... .",
        )
    if mass is not None:
        mass = quantity(mass, f"the mass of {an(shape)}", "kg")
        require_mass(at(mass), f"{an(shape)}")
    else:
        spread = SPREAD.get(shape, "kg/m^3")
        density = quantity(density, f"the density of {an(shape)}", spread)
        require_not_negative(at(density), f"the density of {an(shape)}")
    turn = turn_to(along, f"the axis of {an(shape)}")
    kept = None if np.array_equal(turn, np.eye(3)) else turn
    return Solid(shape, MappingProxyType(dict(dimensions)), unit, mass, density, kept)


def lengths(shape: str, **sizes: Any) -> dict[str, Any]:
    """Dimensions checked to be positive lengths."""
    checked = {k: quantity(v, f"the {k} of {an(shape)}", "m") for k, v in sizes.items()}
    for name, value in checked.items():
        require_positive(at(value), f"the {name} of {an(shape)}")
    return checked


def length_or_zero(shape: str, name: str, size: Amount) -> dict[str, Any]:
    """A dimension checked to be a length, zero included."""
    checked = quantity(size, f"the {name} of {an(shape)}", "m")
    require_not_negative(at(checked), f"the {name} of {an(shape)}")
    return {name: checked}


def an(shape: str) -> str:
    """The shape with its article: a rod, an ellipsoid."""
    return f"an {shape}" if shape[0] in "aeiou" else f"a {shape}"


def require_less(shape: str, sizes: Mapping[str, Any], small: str, large: str) -> None:
    """Refuse a shape whose inner size is not below its outer one."""
    inner, outer = at(sizes[small]), at(sizes[large])
    if not is_traced(inner, outer) and not inner < outer:
        raise ModelError(
            f"{an(shape)} cannot have {small} {inner:g} and {large} {outer:g}.",
            f"Its {small} must be less than its {large}.",
            "Exchange them, or correct one.",
        )


def _shown(value: Any) -> str:
    if isinstance(value, Parameter):
        return value.name
    if is_traced(value) or np.ndim(value):
        return f"<{'x'.join(map(str, np.shape(value)))}>"
    return f"{value:g}"
