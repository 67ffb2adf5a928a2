"""The magnetic field of a planet: a tilted dipole, or harmonics by a table (IGRF).

    dipole      B = -B0 (R/r)^3 [3 (k.e) e - k]       k to the northern magnetic pole
    harmonics   B = -grad V,   V = R sum (R/r)^(n+1) (g cos m l + h sin m l) P_nm

in tesla, at x from the planet's centre along axes at rest; both turn with the planet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.fields.gravity import inverse_distance
from polhode.actions.space.harmonics import (
    admit_coefficients,
    harmonic_gradient,
    harmonic_tables,
)
from polhode.actions.space.planet import EARTH
from polhode.actions.space.rotation import from_rotating, into_rotating
from polhode.actions.user_law import given
from polhode.arrays import Array, Scalar, namespace
from polhode.double import doubled
from polhode.geometry.vector import dot
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)
from polhode.matter.quantities.constants import values_of

# The reference radius of the IGRF, m.
MAGNETIC_RADIUS = 6371200.0


def dipole_field(x: Array, pole: Array, strength: Scalar, radius: Scalar) -> Any:
    """-B0 (R/r)^3 [3 (k.e) e - k] (..., 3); `pole` is k."""
    near = inverse_distance(x)
    e = near[..., None] * x
    size = strength * (radius * near) ** 3
    return size[..., None] * (pole - 3 * dot(pole, e)[..., None] * e)


@final
@dataclass(frozen=True, eq=False)
class DipoleField:
    """The field of a dipole in the planet's centre, tilted, turning with the planet.

    strength    B0 at the magnetic equator and the radius, T
    tilt        of the northern magnetic pole from Z, rad
    longitude   of that pole from the prime meridian, rad
    rate        of the planet about Z (rad/s), `angle` of its meridian from X at t = 0

    The numbers are the Earth's of 2020 unless others are given.

    >>> DipoleField(tilt=0.0).at([6371200.0, 0, 0])[2]
    np.float64(2.9806e-05)
    """

    _: KW_ONLY
    strength: Quantity = 2.9806e-05
    radius: Quantity = MAGNETIC_RADIUS
    tilt: Quantity = 0.16424
    longitude: Quantity = -1.26850
    rate: Quantity = EARTH.rate
    angle: Quantity = 0.0
    name: str = "magnetic field"

    def __post_init__(self) -> None:
        put = object.__setattr__
        for what, unit in (("strength", "T"), ("radius", "m")):
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            put(self, what, value)
        for what in ("tilt", "longitude", "rate", "angle"):
            unit = "rad/s" if what == "rate" else "rad"
            given = quantity(getattr(self, what), f"the {what} of {self.name!r}", unit)
            put(self, what, named(given, f"{self.name}.{what}"))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All six numbers."""
        return parameters_in(self._quantities)

    def at(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """B (..., 3) in tesla."""
        x = x if hasattr(x, "shape") else np.asarray(x, float)
        values = [at(value, table) for value in self._quantities]
        strength, radius, tilt, longitude, rate, angle = values
        xp = namespace(x, t, *values)
        turn = longitude + angle + rate * t
        sine = xp.sin(tilt)
        pole = [sine * xp.cos(turn), sine * xp.sin(turn), xp.cos(tilt) + 0.0 * turn]
        return dipole_field(x, xp.stack(pole, axis=-1), strength, radius)

    @property
    def _quantities(self) -> tuple[Any, ...]:
        where = self.tilt, self.longitude
        return self.strength, self.radius, *where, self.rate, self.angle


@final
@dataclass(frozen=True, eq=False)
class HarmonicField:
    """The field of Gauss's coefficients, as the IGRF publishes them.

    g, h   (n + 1, n + 1) in tesla, Schmidt quasi-normalised; the IGRF has nanotesla

    >>> g = [[0, 0], [-29404.8e-9, -1450.9e-9]]
    >>> h = [[0, 0], [0, 4652.5e-9]]
    >>> HarmonicField(g, h, rate=0.0).at([0, 0, 6371200.0]).round(9).tolist()
    [1.451e-06, -4.652e-06, -5.881e-05]
    """

    g: Any
    h: Any
    _: KW_ONLY
    radius: Quantity = MAGNETIC_RADIUS
    rate: Quantity = EARTH.rate
    angle: Quantity = 0.0
    name: str = "magnetic field"

    def __post_init__(self) -> None:
        put = object.__setattr__
        g, h = admit_coefficients(self.name, self.g, self.h)
        put(self, "g", g)
        put(self, "h", h)
        put(self, "radius", coefficient(self.name, "radius", self.radius, unit="m"))
        for what, unit in (("rate", "rad/s"), ("angle", "rad")):
            given = quantity(getattr(self, what), f"the {what} of {self.name!r}", unit)
            put(self, what, named(given, f"{self.name}.{what}"))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Radius, rate and angle; the tables are given."""
        return parameters_in((self.radius, self.rate, self.angle))

    def at(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """B (3,) in tesla."""
        numbers = [at(value, table) for value in (self.radius, self.rate, self.angle)]
        return self._field(namespace(x, t).asarray(x), t, numbers)

    @cached_property
    def _field(self) -> Callable[..., Any]:
        # Schmidt's functions are the fully normalised ones over sqrt(2 n + 1).
        scale = np.sqrt(2 * np.arange(len(self.g)) + 1.0)[:, None]
        tables = harmonic_tables(self.g / scale, self.h / scale)

        def field(x: Array, t: Scalar, numbers: Array) -> Any:
            radius, rate, angle = numbers
            turn = angle + rate * t
            B = -harmonic_gradient(into_rotating(x, turn), radius, tables)
            return from_rotating(B, turn)

        return doubled(field)


EARTH_FIELD = DipoleField()
MagneticField: TypeAlias = DipoleField | HarmonicField | Callable[[Any, Any], Any]


def field_law(
    name: str, field: Any, constants: Mapping[str, Any]
) -> Callable[..., Any]:
    """B(x, t, table) of a field, or of a law of the user B(x, t, **constants)."""
    if hasattr(field, "at"):
        return field.at

    def law(x: Array, t: Scalar, values: Mapping[str, Any]) -> Any:
        return given(name, field, {"x": x, "t": t}, 3, constants=values)

    called = doubled(law)
    return lambda x, t, table: called(x, 1.0 * t, values_of(constants, table))
