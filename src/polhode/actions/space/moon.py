"""Where the Moon is, by its largest perturbations: to some minutes of arc.

Longitude and latitude before the ecliptic and the distance are series in four angles,
the mean anomalies l and l' of Moon and Sun, F from the node and D from the Sun:

    evection, variation, yearly equation, ...     (the largest terms of Brown's theory)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Scalar, namespace
from polhode.geometry.admission import admit

DAY, CENTURY = 86400.0, 36525.0
OBLIQUITY = np.radians(23.4392911)
# Degrees at noon of 1 January 2000, and a century: mean longitude, l, l', F, D.
MEAN = np.array([218.31617, 134.96292, 357.52543, 93.27283, 297.85027])
RATE = np.array([481267.88088, 477198.86753, 35999.04944, 483202.01873, 445267.11135])
# Seconds of arc, and how often l, l', F, D are in the sine.
LONGITUDE = np.array(
    [
        *([22640, 1, 0, 0, 0], [769, 2, 0, 0, 0], [-4586, 1, 0, 0, -2]),
        *([2370, 0, 0, 0, 2], [-668, 0, 1, 0, 0], [-412, 0, 0, 2, 0]),
        *([-212, 2, 0, 0, -2], [-206, 1, 1, 0, -2], [192, 1, 0, 0, 2]),
        *([-165, 0, 1, 0, -2], [148, 1, -1, 0, 0], [-125, 0, 0, 0, 1]),
        *([-110, 1, 1, 0, 0], [-55, 0, 0, 2, -2]),
    ],
    dtype=float,
)
LATITUDE = np.array(
    [
        *([-526, 0, 0, 1, -2], [44, 1, 0, 1, -2], [-31, -1, 0, 1, -2]),
        *([-25, -2, 0, 1, 0], [-23, 0, 1, 1, -2], [21, -1, 0, 1, 0]),
        [11, 0, -1, 1, -2],
    ],
    dtype=float,
)
# Kilometres, and the same of the cosine.
DISTANCE = np.array(
    [
        *([-20905, 1, 0, 0, 0], [-3699, -1, 0, 0, 2], [-2956, 0, 0, 0, 2]),
        *([-570, 2, 0, 0, 0], [246, 2, 0, 0, -2], [-205, 0, 1, 0, -2]),
        *([-171, 1, 0, 0, 2], [-152, 1, 1, 0, -2]),
    ],
    dtype=float,
)
ARCSECOND = np.pi / 648000.0


@final
@dataclass(frozen=True)
class MoonEphemeris:
    """The Moon seen from the Earth, along the axes of the mean equator and equinox.

    days   since noon of the first of January 2000, at t = 0; `Epoch.moon` knows them

    >>> float(np.linalg.norm(MoonEphemeris(0.0).at(0.0)).round(-6))
    402000000.0
    """

    days: float

    def __post_init__(self) -> None:
        days = float(admit(self.days, (), "the days of the Moon's ephemeris"))
        object.__setattr__(self, "days", days)

    def at(self, t: Scalar) -> Any:
        """The place (3,), m."""
        xp = namespace(t)
        # Turns of the epoch are taken off here: in a trace only small angles are left.
        first = (MEAN + RATE * (self.days / CENTURY)) % 360.0
        angles = np.radians(first) + np.radians(RATE / CENTURY / DAY) * t
        args = angles[1:]

        def series(table: np.ndarray, wave: Any) -> Any:
            return (table[:, 0] * wave(xp.asarray(table[:, 1:]) @ args)).sum()

        bent = ARCSECOND * series(LONGITUDE, xp.sin)
        longitude = angles[0] + bent
        yearly = 412 * xp.sin(2 * args[2]) + 541 * xp.sin(args[1])
        tilt = 18520 * xp.sin(args[2] + bent + ARCSECOND * yearly)
        latitude = ARCSECOND * (tilt + series(LATITUDE, xp.sin))
        r = 1e3 * (385000.0 + series(DISTANCE, xp.cos))
        flat = r * xp.cos(latitude)
        x, y, z = (
            flat * xp.cos(longitude),
            flat * xp.sin(longitude),
            r * xp.sin(latitude),
        )
        c, s = np.cos(OBLIQUITY), np.sin(OBLIQUITY)
        return xp.stack([x, c * y - s * z, s * y + c * z])
