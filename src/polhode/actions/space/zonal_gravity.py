"""Gravity of a planet that is round about its pole: J2, J3, ..., J6 and beyond.

    phi = -mu/r [1 - sum_n J_n (R/r)^n P_n(u)],      u = z/r
    g = -grad phi = -mu/r^2 e + sum_n mu/r^2 J_n (R/r)^n [P'_{n+1}(u) e - P'_n(u) k]

e = x/r is outwards and k the pole. P_n are Legendre's polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.attachment import Attachment, parameters_of
from polhode.actions.coefficient import coefficient
from polhode.actions.fields.gravity import inverse_distance
from polhode.actions.motion_arrays import Poses
from polhode.actions.space.loads import (
    FieldOfGravity,
    admit_craft,
    mass_centres,
    parameters_of_bodies,
)
from polhode.actions.space.planet import EARTH
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
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

# The highest zonal that is written out; beyond, HarmonicGravity loops over a table.
HIGHEST = 12


def legendre(u: Array, degree: int) -> tuple[list[Any], list[Any]]:
    """P_n(u) and P_n'(u) for n = 0 ... degree.

    (n + 1) P_{n+1} = (2n + 1) u P_n - n P_{n-1},     P'_{n+1} = P'_{n-1} + (2n + 1) P_n
    """
    P, D = [1.0 + 0.0 * u, u], [0.0 * u, 1.0 + 0.0 * u]
    for n in range(1, degree):
        P.append(((2 * n + 1) * u * P[n] - n * P[n - 1]) / (n + 1))
        D.append(D[n - 1] + (2 * n + 1) * P[n])
    return P, D


def zonal_acceleration(
    x: Array, mu: Scalar, radius: Scalar, zonals: Sequence[Any]
) -> Any:
    """g (..., 3) at x (..., 3) from the planet's centre, Z along its pole."""
    xp = namespace(x, mu, radius, *zonals)
    near = inverse_distance(x)
    u, ratio, size = x[..., 2] * near, radius * near, mu * near * near
    _, slopes = legendre(u, len(zonals) + 2)
    radial, polar, power = -size, 0.0 * u, ratio
    for n, J in enumerate(zonals, start=2):
        power = power * ratio
        radial = radial + size * J * power * slopes[n + 1]
        polar = polar - size * J * power * slopes[n]
    g = (radial * near)[..., None] * x
    return g + polar[..., None] * xp.asarray([0.0, 0.0, 1.0])


def zonal_potential(x: Array, mu: Scalar, radius: Scalar, zonals: Sequence[Any]) -> Any:
    """phi (...,), the energy of a unit mass, zero far away."""
    near = inverse_distance(x)
    u, ratio = x[..., 2] * near, radius * near
    polynomials, _ = legendre(u, len(zonals) + 1)
    bracket, power = -1.0 + 0.0 * u, ratio
    for n, J in enumerate(zonals, start=2):
        power = power * ratio
        bracket = bracket + J * power * polynomials[n]
    return mu * near * bracket


@final
@dataclass(frozen=True, eq=False)
class ZonalGravity(FieldOfGravity):
    """The pull of a planet with zonal harmonics on the mass centres of bodies.

    on       a body or particle, or several
    by       the planet's centre; Z of its frame is the pole
    zonals   J2, J3, ...; none of them for a planet that is round

    The numbers are the Earth's unless others are given. An extended body feels its
    torque by `GravityGradient`.

    >>> import polhode as ph
    >>> craft = ph.Particle("craft", 500.0)
    >>> ph.space.ZonalGravity(craft, ph.World().origin, zonals=[1.0826e-3]).parameters
    (Parameter('gravity.mu', 3.986e+14), Parameter('gravity.radius', 6.37814e+06), \
Parameter('gravity.J2', 0.0010826), Parameter('craft.mass', 500))
    """

    on: Any
    by: Attachment
    _: KW_ONLY
    mu: Quantity = EARTH.mu
    radius: Quantity = EARTH.radius
    zonals: Sequence[Quantity] = EARTH.zonals
    name: str = "gravity"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "on", admit_craft(self.name, self.on, self.by))
        for what, unit in (("mu", "m^3/s^2"), ("radius", "m")):
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            put(self, what, value)
        if len(self.zonals) > HIGHEST - 1:
            raise ModelError(
                f"{self.name!r} has zonals up to J{len(self.zonals) + 1}.",
                f"They are written out one by one, up to J{HIGHEST}.",
                "Give more of them to ph.space.HarmonicGravity: C[n, 0] ="
                " -Jn/sqrt(2 n + 1).",
            )
        zonals = tuple(
            named(quantity(J, f"J{n} of {self.name!r}"), f"{self.name}.J{n}")
            for n, J in enumerate(self.zonals, start=2)
        )
        put(self, "zonals", zonals)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """mu, the radius, the zonals, and those of the masses."""
        own = parameters_of((self.by,), self.mu, self.radius, *self.zonals)
        return distinct((*own, *parameters_of_bodies(self.on)))

    @property
    def is_conservative(self) -> bool:
        """The field turns about its own axis of symmetry: it is steady."""
        return True

    def field(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (..., 3) in m/s^2 at x from the planet's centre, along its axes."""
        zonals = [at(J, table) for J in self.zonals]
        return zonal_acceleration(x, at(self.mu, table), at(self.radius, table), zonals)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = sum of m phi, zero far away."""
        numbers = at(self.mu, table), at(self.radius, table)
        zonals = [at(J, table) for J in self.zonals]
        places = mass_centres(poses, self.on, self.by, table)
        total = 0.0 * poses.origins[..., 0, 0]
        for body, p in zip(self.on, places, strict=True):
            phi = zonal_potential(p.x, *numbers, zonals)
            total = total + body.moments(table).mass * phi
        return total
