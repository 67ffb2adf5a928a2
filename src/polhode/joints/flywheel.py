"""A flywheel on its bearing, by one call."""

from __future__ import annotations

from typing import Any

from polhode.joints.revolute import Revolute
from polhode.joints.seat import Place
from polhode.matter import solids
from polhode.matter.axes import Z
from polhode.matter.parameter import Quantity, named, quantity
from polhode.matter.rigid_body import Body


def flywheel(
    name: str,
    at: Place,
    inertia: Quantity,
    *,
    radius: Quantity = 0.2,
    axis: Any = Z,
) -> Revolute:
    """The joint of a new disc that turns about an axis through a point of a body.

    inertia   kg m^2 about the axis; the mass of the disc follows: m = 2 I/r^2

    >>> import polhode as ph
    >>> shaft = flywheel("flywheel", ph.World().origin, 0.5, axis=ph.X)
    >>> system = ph.System([shaft], [ph.Motor(shaft, 2.0)])
    >>> float(ph.gauss(system).accelerations(system.rest())[0])
    4.0
    """
    size = named(quantity(radius, f"the radius of {name!r}", "m"), f"{name}.radius")
    moment = named(
        quantity(inertia, f"the inertia of {name!r}", "kg*m^2"), f"{name}.inertia"
    )
    disc = solids.disc(mass=2 * moment / size**2, radius=size, along=axis)
    body = Body(f"{name} disc", disc)
    return Revolute(name, at, body.origin, axis=axis)
