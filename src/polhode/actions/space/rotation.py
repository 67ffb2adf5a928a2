"""Axes that turn about a planet's pole: from axes at rest to the planet's and back.

angle(t) = angle + rate t,      x_fixed = Rz(angle)^T x
"""

from __future__ import annotations

from typing import Any

from polhode.arrays import Array, Scalar, namespace


def into_rotating(x: Array, angle: Scalar) -> Any:
    """A column (..., 3) along axes that have turned by an angle about Z."""
    xp = namespace(x, angle)
    c, s = xp.cos(angle), xp.sin(angle)
    first = c * x[..., 0] + s * x[..., 1]
    return xp.stack([first, c * x[..., 1] - s * x[..., 0], x[..., 2]], axis=-1)


def from_rotating(x: Array, angle: Scalar) -> Any:
    """The opposite of `into_rotating`."""
    return into_rotating(x, -angle)


def carried(x: Array, rate: Scalar) -> Any:
    """The velocity (..., 3) of what turns with the planet at x.   rate k x x"""
    xp = namespace(x, rate)
    zero = 0.0 * x[..., 2]
    return xp.stack([-rate * x[..., 1], rate * x[..., 0], zero], axis=-1)
