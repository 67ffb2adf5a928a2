"""Kernels of the full shapes: volume, mass centre and inertia of unit mass.

Each is written in the shape's own axes: z is the axis of symmetry. The inertia is
about the mass centre, divided by the mass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Scalar
from polhode.matter.solids.solid import Unit
from polhode.matter.spread import column, diagonal


def box(x: Scalar, y: Scalar, z: Scalar) -> Unit:
    """A block of sides x, y, z."""
    moments = ((y**2 + z**2) / 12, (z**2 + x**2) / 12, (x**2 + y**2) / 12)
    return x * y * z, _origin(), diagonal(*moments)


def sphere(radius: Scalar) -> Unit:
    """A ball."""
    moment = 2 * radius**2 / 5
    volume = 4 * np.pi * radius**3 / 3
    return volume, _origin(), diagonal(moment, moment, moment)


def ellipsoid(x: Scalar, y: Scalar, z: Scalar) -> Unit:
    """An ellipsoid of half axes x, y, z."""
    moments = ((y**2 + z**2) / 5, (z**2 + x**2) / 5, (x**2 + y**2) / 5)
    return 4 * np.pi * x * y * z / 3, _origin(), diagonal(*moments)


def cylinder(radius: Scalar, length: Scalar) -> Unit:
    """A cylinder round z."""
    across = (3 * radius**2 + length**2) / 12
    volume = np.pi * radius**2 * length
    return volume, _origin(), diagonal(across, across, radius**2 / 2)


def tube(inner_radius: Scalar, outer_radius: Scalar, length: Scalar) -> Unit:
    """A hollow cylinder round z."""
    squares = inner_radius**2 + outer_radius**2
    across = (3 * squares + length**2) / 12
    gap = (outer_radius - inner_radius) * (outer_radius + inner_radius)
    return np.pi * gap * length, _origin(), diagonal(across, across, squares / 2)


def cone(radius: Scalar, height: Scalar) -> Unit:
    """A cone round z, base in the plane z = 0."""
    across = 3 * (4 * radius**2 + height**2) / 80
    inertia = diagonal(across, across, 3 * radius**2 / 10)
    return np.pi * radius**2 * height / 3, column(0.0, 0.0, height / 4), inertia


def torus(ring_radius: Scalar, tube_radius: Scalar) -> Unit:
    """A ring of circular section round z."""
    across = ring_radius**2 / 2 + 5 * tube_radius**2 / 8
    around = ring_radius**2 + 3 * tube_radius**2 / 4
    volume = 2 * np.pi**2 * ring_radius * tube_radius**2
    return volume, _origin(), diagonal(across, across, around)


def capsule(radius: Scalar, length: Scalar) -> Unit:
    """A cylinder round z with a half ball on each end.

    The shares of the volume are l : 4r/3. A half ball's centre is 3r/8 beyond the end.
    """
    whole = length + 4 * radius / 3
    barrel, caps = length / whole, 4 * radius / 3 / whole
    square = radius**2
    around = barrel * square / 2 + caps * 2 * square / 5
    ends = 2 * square / 5 + 3 * length * radius / 8 + length**2 / 4
    across = barrel * (3 * square + length**2) / 12 + caps * ends
    return np.pi * square * whole, _origin(), diagonal(across, across, around)


def _origin() -> Any:
    return column(0.0, 0.0, 0.0)
