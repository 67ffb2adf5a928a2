"""Numbers of planets and of the Sun, as published, in SI units."""

from __future__ import annotations

from typing import NamedTuple

ASTRONOMICAL_UNIT = 149_597_870_700.0  # m, IAU 2012
# Pressure of sunlight at one astronomical unit: 1361 W/m^2 over the speed of light.
SOLAR_PRESSURE = 1361.0 / 299_792_458.0


class Planet(NamedTuple):
    """A planet: what the actions of this drawer take as their numbers.

    mu           G M, m^3/s^2
    radius       at the equator, m; that of the zonal numbers
    rate         of rotation about Z, rad/s
    zonals       J2, J3, ... of its gravity
    flattening   of its surface
    """

    mu: float
    radius: float
    rate: float = 0.0
    zonals: tuple[float, ...] = ()
    flattening: float = 0.0


# EGM2008 (tide free) for gravity, WGS 84 for rate and flattening.
EARTH = Planet(
    mu=3.986004415e14,
    radius=6378136.3,
    rate=7.292115e-5,
    zonals=(
        1.08262617e-3,
        -2.5324105e-6,
        -1.6198976e-6,
        -2.2775360e-7,
        5.4066658e-7,
    ),
    flattening=1 / 298.257223563,
)
MOON = Planet(mu=4.9028001e12, radius=1738000.0, rate=2.6616995e-6)
SUN = Planet(mu=1.32712440018e20, radius=6.957e8)
