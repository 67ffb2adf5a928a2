"""Thin shapes of lines: rod and ring. Density is mass per length."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Scalar
from polhode.matter.axes import Z
from polhode.matter.parameter import Amount
from polhode.matter.solids.solid import Solid, Unit, fill, lengths
from polhode.matter.spread import column, diagonal


def rod(
    *,
    length: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A thin straight rod, its middle at the origin.

        I = m l^2/12 across it, 0 along it

    >>> rod(mass=1.2, length=0.5).moments().inertia[0, 0]
    np.float64(0.024999999999999998)
    """
    sizes = lengths("rod", length=length)
    return fill("rod", unit_rod, sizes, mass=mass, density=density, along=along)


def ring(
    *,
    radius: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A thin circular hoop round the axis, its centre at the origin.

    I = m r^2 about the axis, m r^2/2 across it
    """
    sizes = lengths("ring", radius=radius)
    return fill("ring", unit_ring, sizes, mass=mass, density=density, along=along)


def unit_rod(length: Any) -> Unit:
    """Length, centre and inertia of unit mass of a rod along z."""
    across = length**2 / 12
    return length, column(0.0, 0.0, 0.0), diagonal(across, across, 0.0)


def unit_ring(radius: Scalar) -> Unit:
    """Length, centre and inertia of unit mass of a ring round z."""
    around = radius**2
    return (
        2 * np.pi * radius,
        column(0.0, 0.0, 0.0),
        diagonal(around / 2, around / 2, around),
    )
