"""Gravity of a planet by spherical harmonics that turn with it.

phi = -mu/r - mu/R sum_{n>0} (R/r)^(n+1) P_nm(u) (C_nm cos m l + S_nm sin m l)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, final

from polhode.actions.attachment import Attachment, parameters_of
from polhode.actions.coefficient import coefficient
from polhode.actions.fields.gravity import inverse_distance
from polhode.actions.motion_arrays import Poses
from polhode.actions.space.harmonics import (
    Harmonics,
    admit_coefficients,
    harmonic_gradient,
    harmonic_sum,
    harmonic_tables,
)
from polhode.actions.space.loads import (
    FieldOfGravity,
    admit_craft,
    mass_centres,
    parameters_of_bodies,
)
from polhode.actions.space.planet import EARTH
from polhode.actions.space.rotation import from_rotating, into_rotating
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    distinct,
    named,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class HarmonicGravity(FieldOfGravity):
    """The pull of a planet by tables of coefficients on the mass centres of bodies.

    on      a body or particle, or several
    by      the planet's centre; Z of its frame is the pole
    C, S    (n + 1, n + 1) fully normalised, C[2, 0] = -J2/sqrt(5); C[0, 0] is not read
    rate    of the planet about Z (rad/s), and `angle` from X to its prime meridian at
            t = 0 (rad)

    Of any degree, and finite at the poles; degree 70 is compiled as one short loop.
    """

    on: Any
    by: Attachment
    C: Any
    S: Any
    _: KW_ONLY
    mu: Quantity = EARTH.mu
    radius: Quantity = EARTH.radius
    rate: Quantity = EARTH.rate
    angle: Quantity = 0.0
    name: str = "gravity"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "on", admit_craft(self.name, self.on, self.by))
        for what, unit in (("mu", "m^3/s^2"), ("radius", "m")):
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            put(self, what, value)
        for what, unit in (("rate", "rad/s"), ("angle", "rad")):
            given = quantity(getattr(self, what), f"the {what} of {self.name!r}", unit)
            put(self, what, named(given, f"{self.name}.{what}"))
        C, S = admit_coefficients(self.name, self.C, self.S)
        put(self, "C", C)
        put(self, "S", S)

    @property
    def degree(self) -> int:
        """The highest degree of the tables."""
        return len(self.C) - 1

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """mu, radius, rate and angle, and those of the masses; not the tables."""
        numbers = self.mu, self.radius, self.rate, self.angle
        own = parameters_of((self.by,), *numbers)
        return distinct((*own, *parameters_of_bodies(self.on)))

    @property
    def is_conservative(self) -> bool:
        """Only where the field does not turn: a turning one gives and takes energy."""
        return not isinstance(self.rate, Parameter) and self.rate == 0.0

    def field(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (3,) in m/s^2 at x (3,) from the planet's centre, along axes at rest."""
        return self._field(x, t, self._numbers(table))

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = sum of m phi, zero far away; 0 where the field turns."""
        total = 0.0 * poses.origins[..., 0, 0]
        if not self.is_conservative:
            return total
        places = mass_centres(poses, self.on, self.by, table)
        for body, p in zip(self.on, places, strict=True):
            phi = self._potential(p.x, t, self._numbers(table))
            total = total + body.moments(table).mass * phi
        return total

    def _numbers(self, table: Table) -> tuple[Any, ...]:
        each = self.mu, self.radius, self.rate, self.angle
        return tuple(at(value, table) for value in each)

    @cached_property
    def _tables(self) -> Harmonics:
        return harmonic_tables(self.C, self.S)

    @cached_property
    def _field(self) -> Callable[..., Any]:
        def field(x: Array, t: Scalar, numbers: Array) -> Any:
            mu, radius, rate, angle = numbers
            turn = angle + rate * t
            own = into_rotating(x, turn)
            near = inverse_distance(own)
            uneven = harmonic_gradient(own, radius, self._tables)
            # The round part is added last and exactly: it is a thousand times larger.
            g = mu / radius**2 * uneven - mu * near**3 * own
            return from_rotating(g, turn)

        return doubled(field)

    @cached_property
    def _potential(self) -> Callable[..., Any]:
        def potential(x: Array, t: Scalar, numbers: Array) -> Any:
            mu, radius, rate, angle = numbers
            own = into_rotating(x, angle + rate * t)
            uneven = harmonic_sum(own, radius, self._tables)
            return -mu / radius * uneven - mu * inverse_distance(own)

        return doubled(potential)
