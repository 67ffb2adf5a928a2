"""How much of the Sun is seen behind a planet: light, penumbra, umbra.

a, b   apparent radii of Sun and planet (rad), c the angle between their centres

c >= a + b    all of it        c <= b - a    none       c <= a - b    a ring
else          1 - overlap of two discs/(pi a^2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.vector import cross, dot, norm


def sunlit_fraction(x: Array, sun: Array, radius: Scalar, sun_radius: Scalar) -> Any:
    """The part of the Sun's disc that is seen from x (3,); both from the planet.

    1 in light, 0 in the umbra, between in the penumbra. Inside the planet it is dark.
    """
    xp = namespace(x, sun, radius, sun_radius)
    to_sun = sun - x
    # At the centre of either body its disc is the whole sky.
    far, r = (xp.maximum(size, 1e-290) for size in (norm(to_sun), norm(x)))
    a = xp.arcsin(xp.minimum(sun_radius / far, 1.0))
    b = xp.arcsin(xp.minimum(radius / r, 1.0))
    c = xp.arctan2(norm(cross(x, to_sun)), -dot(x, to_sun))
    partial = (c < a + b) & (c > xp.abs(a - b))
    # Outside of the penumbra any discs that overlap serve: their part is not taken.
    p, q, d = (xp.where(partial, one, safe) for one, safe in ((a, 1), (b, 1), (c, 1)))
    along = (d * d + p * p - q * q) / (2 * d)
    height = xp.sqrt(xp.maximum(p * p - along * along, 0.0))
    overlap = p * p * xp.arctan2(height, along) + q * q * xp.arctan2(height, d - along)
    seen = 1 - (overlap - d * height) / (np.pi * p * p)
    ring = 1 - (xp.minimum(b, a) / xp.maximum(a, 1e-300)) ** 2
    outside = xp.where(partial, seen, xp.where(c >= a + b, 1.0, ring))
    return xp.where(r < radius, 0.0, outside)
