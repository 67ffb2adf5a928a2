"""The pull of a third body, such as the Sun or the Moon, on what orbits a planet.

    a = mu [(s - x)/|s - x|^3 - s/|s|^3]

x and s go from the planet's centre. The second term is the planet's own fall: axes at
rest before the planet fall with it. The difference is taken by Battin's function, for
of two pulls that agree in five digits it is what is left.

    q = x.(x - 2 s)/s^2,   f(q) = q (3 + 3 q + q^2)/(1 + (1 + q)^(3/2))
    a = -mu/|s - x|^3 (x + f s)
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.attachment import Attachment, parameters_of
from polhode.actions.coefficient import coefficient
from polhode.actions.space.ephemeris import Ephemeris, admit_ephemeris, place_at
from polhode.actions.space.loads import (
    FieldOfGravity,
    admit_craft,
    parameters_of_bodies,
)
from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.vector import dot
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at, distinct


def third_body_acceleration(x: Array, s: Array, mu: Scalar) -> Any:
    """mu [(s - x)/|s - x|^3 - s/|s|^3] (..., 3), without its cancellation."""
    xp = namespace(x, s, mu)
    q = dot(x, x - 2 * s) / dot(s, s)
    f = q * (3 + 3 * q + q * q) / (1 + (1 + q) * xp.sqrt(1 + q))
    apart = s - x
    square = dot(apart, apart)
    size = mu / (square * xp.sqrt(square))
    return -size[..., None] * (x + f[..., None] * s)


@final
@dataclass(frozen=True, eq=False)
class ThirdBody(FieldOfGravity):
    """The tidal pull of a body that moves along an ephemeris, on mass centres.

    on          a body or particle, or several
    by          the planet's centre, from which places are seen
    mu          G M of the third body, m^3/s^2
    ephemeris   where it is: FixedPlace, KeplerianEphemeris, TableEphemeris, three
                numbers, or a function of time

    >>> import polhode as ph
    >>> craft, moon = ph.Particle("craft", 500.0), (3.844e8, 0, 0)
    >>> ph.space.ThirdBody(craft, ph.World().origin, 4.9028e12, moon).parameters[0]
    Parameter('third body.mu', 4.9028e+12)
    """

    on: Any
    by: Attachment
    mu: Quantity
    ephemeris: Ephemeris
    _: KW_ONLY
    name: str = "third body"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "on", admit_craft(self.name, self.on, self.by))
        put(self, "mu", coefficient(self.name, "mu", self.mu, unit="m^3/s^2"))
        put(self, "ephemeris", admit_ephemeris(self.name, self.ephemeris))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """mu, and those of the masses."""
        own = parameters_of((self.by,), self.mu)
        return distinct((*own, *parameters_of_bodies(self.on)))

    def field(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The acceleration (..., 3) at x from the planet's centre."""
        s = place_at(self.ephemeris, t, self.name)
        return third_body_acceleration(x, s, at(self.mu, table))

    def fault(self) -> str:
        """A body that is met, or a time outside of the table."""
        return (
            "A craft is at the place of the third body, or its ephemeris has no place"
            " at this time."
        )
