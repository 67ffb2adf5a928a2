"""Thin shapes of surfaces: plate, disc and shells. Density is mass per area."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.matter.axes import Z
from polhode.matter.parameter import Amount
from polhode.matter.solids.solid import Solid, Unit, fill, lengths
from polhode.matter.spread import column, diagonal


def plate(
    *,
    x: Amount,
    y: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A thin rectangle of sides x and y, its normal along the axis.

        I = m (y^2/12, x^2/12, (x^2 + y^2)/12)

    Along X the sides lie on Y and Z; along Y they lie on Z and X.
    """
    sizes = lengths("plate", x=x, y=y)
    return fill("plate", unit_plate, sizes, mass=mass, density=density, along=along)


def disc(
    *,
    radius: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A thin circular disc round the axis, its centre at the origin.

    I = m r^2/2 about the axis, m r^2/4 across it
    """
    sizes = lengths("disc", radius=radius)
    return fill("disc", unit_disc, sizes, mass=mass, density=density, along=along)


def spherical_shell(
    *, radius: Amount, mass: Amount | None = None, density: Amount | None = None
) -> Solid:
    """A thin hollow sphere: I = 2 m r^2/3 about every axis."""
    sizes = lengths("spherical shell", radius=radius)
    unit = unit_spherical_shell
    return fill("spherical shell", unit, sizes, mass=mass, density=density)


def ellipsoidal_shell(*, x: Array, y: Array, z: Array, mass: Amount | None) -> Solid:
    """A thin shell between two similar ellipsoids of half axes x, y, z.

        I = m/3 (y^2 + z^2, z^2 + x^2, x^2 + y^2)

    Its thickness is not even: it goes with the distance from the centre to the tangent
    plane (a homoeoid). The shell of even thickness has no closed form, and no density
    is offered here since the area has none either.
    """
    sizes = lengths("ellipsoidal shell", x=x, y=y, z=z)
    unit = unit_ellipsoidal_shell
    return fill("ellipsoidal shell", unit, sizes, mass=mass, density=None)


def unit_plate(x: Array, y: Array) -> Unit:
    """Area, centre and inertia of unit mass of a rectangle across z."""
    moments = (y**2 / 12, x**2 / 12, (x**2 + y**2) / 12)
    return x * y, column(0.0, 0.0, 0.0), diagonal(*moments)


def unit_disc(radius: Scalar) -> Unit:
    """Area, centre and inertia of unit mass of a disc round z."""
    area, square = np.pi * radius**2, radius**2
    return area, column(0.0, 0.0, 0.0), diagonal(square / 4, square / 4, square / 2)


def unit_spherical_shell(radius: Scalar) -> Unit:
    """Area, centre and inertia of unit mass of a hollow sphere."""
    moment = 2 * radius**2 / 3
    area = 4 * np.pi * radius**2
    return area, column(0.0, 0.0, 0.0), diagonal(moment, moment, moment)


def unit_ellipsoidal_shell(x: Array, y: Array, z: Array) -> Unit:
    """No measure, centre and inertia of unit mass of a thin homoeoid."""
    moments = ((y**2 + z**2) / 3, (z**2 + x**2) / 3, (x**2 + y**2) / 3)
    return np.nan, column(0.0, 0.0, 0.0), diagonal(*moments)
