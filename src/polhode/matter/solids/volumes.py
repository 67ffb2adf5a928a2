"""Full shapes: box, sphere, cylinder and their kin. Density is mass per volume."""

from __future__ import annotations

from typing import Any

from polhode.matter.axes import Z
from polhode.matter.parameter import Amount
from polhode.matter.solids import units
from polhode.matter.solids.solid import (
    Solid,
    fill,
    length_or_zero,
    lengths,
    require_less,
)


def box(
    *,
    x: Amount,
    y: Amount,
    z: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
) -> Solid:
    """A rectangular block of sides x, y, z, its centre at the origin.

        I = m/12 (y^2 + z^2, z^2 + x^2, x^2 + y^2)

    >>> box(density=1000.0, x=0.5, y=0.5, z=2.0).moments().mass
    500.0
    """
    sizes = lengths("box", x=x, y=y, z=z)
    return fill("box", units.box, sizes, mass=mass, density=density)


def sphere(
    *, radius: Amount, mass: Amount | None = None, density: Amount | None = None
) -> Solid:
    """A full ball: I = 2 m r^2/5 about every axis."""
    sizes = lengths("sphere", radius=radius)
    return fill("sphere", units.sphere, sizes, mass=mass, density=density)


def ellipsoid(
    *,
    x: Amount,
    y: Amount,
    z: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
) -> Solid:
    """A full ellipsoid of half axes x, y, z: I = m/5 (y^2 + z^2, z^2 + x^2, ...)."""
    sizes = lengths("ellipsoid", x=x, y=y, z=z)
    return fill("ellipsoid", units.ellipsoid, sizes, mass=mass, density=density)


def cylinder(
    *,
    radius: Amount,
    length: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A full cylinder round the axis, its middle at the origin.

    I = m r^2/2 about the axis, m (3 r^2 + l^2)/12 across it
    """
    sizes = lengths("cylinder", radius=radius, length=length)
    amount = {"mass": mass, "density": density}
    return fill("cylinder", units.cylinder, sizes, **amount, along=along)


def tube(
    *,
    inner_radius: Amount,
    outer_radius: Amount,
    length: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A hollow cylinder round the axis, its middle at the origin.

    I = m (a^2 + b^2)/2 about the axis, m (3 a^2 + 3 b^2 + l^2)/12 across it
    """
    sizes = length_or_zero("tube", "inner_radius", inner_radius)
    sizes |= lengths("tube", outer_radius=outer_radius, length=length)
    require_less("tube", sizes, "inner_radius", "outer_radius")
    return fill("tube", units.tube, sizes, mass=mass, density=density, along=along)


def cone(
    *,
    radius: Amount,
    height: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A full circular cone: the base's centre at the origin, the apex along the axis.

             /|\\  apex, at h
            / | \\                mass centre at h/4
    ------ /__o__\\ ------        I = 3 m r^2/10 about the axis
            base                 I = 3 m (4 r^2 + h^2)/80 across it, through G
    """
    sizes = lengths("cone", radius=radius, height=height)
    return fill("cone", units.cone, sizes, mass=mass, density=density, along=along)


def torus(
    *,
    ring_radius: Amount,
    tube_radius: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A full ring of circular section: the section's centre at R from the axis.

    I = m (R^2 + 3 r^2/4) about the axis, m (R^2/2 + 5 r^2/8) across it
    """
    sizes = lengths("torus", ring_radius=ring_radius, tube_radius=tube_radius)
    require_less("torus", sizes, "tube_radius", "ring_radius")
    return fill("torus", units.torus, sizes, mass=mass, density=density, along=along)


def capsule(
    *,
    radius: Amount,
    length: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A cylinder with a half ball on each end; `length` is that of the cylinder."""
    sizes = lengths("capsule", radius=radius)
    sizes |= length_or_zero("capsule", "length", length)
    amount = {"mass": mass, "density": density}
    return fill("capsule", units.capsule, sizes, **amount, along=along)
