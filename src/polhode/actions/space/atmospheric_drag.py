"""Drag of thin air that turns with its planet.

F = -(1/2) rho(h, t) C A |u| u,      u = v - w x x,      h = |x| - R (1 - f sin^2 lat)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, final

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import PointAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    velocity_of,
)
from polhode.actions.space.atmosphere import EARTH_AIR, Atmosphere, density_law
from polhode.actions.space.loads import along_observer, point_seen
from polhode.actions.space.planet import EARTH
from polhode.actions.space.rotation import carried
from polhode.actions.user_law import admit_law_constants
from polhode.arrays import Scalar, namespace, removable
from polhode.errors import ModelError
from polhode.geometry.vector import norm
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


@final
@dataclass(frozen=True, eq=False)
class AtmosphericDrag(PointAction):
    """Drag at a point of a craft, by air that turns with the planet about Z.

    on            the point where it acts, such as the centre of pressure
    by            the planet's centre
    drag_number   C, and `area` A (m^2)
    air           ExponentialAtmosphere, TableAtmosphere, or law(height, t, **constants)
                  in kg/m^3
    rate          of the air about the pole, rad/s
    flattening    of the surface from which heights are counted
    constants     numbers or parameters that a law of the air takes by name

    The numbers are the Earth's unless others are given.

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    >>> behind = craft.point(0, 0, -0.1)
    >>> ph.space.AtmosphericDrag(behind, ph.World().origin, 2.2, 0.9).area
    Parameter('air drag.area', 0.9)
    """

    on: Attachment
    by: Attachment
    drag_number: Quantity
    area: Quantity
    air: Atmosphere = EARTH_AIR
    _: KW_ONLY
    radius: Quantity = EARTH.radius
    rate: Quantity = EARTH.rate
    flattening: Quantity = EARTH.flattening
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = "air drag"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        sizes = {"area": "m^2", "radius": "m"}
        for what in ("drag_number", "area", "radius", "flattening"):
            unit = sizes.get(what, "")
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            object.__setattr__(self, what, value)
        rate = quantity(self.rate, f"the rate of {self.name!r}", "rad/s")
        object.__setattr__(self, "rate", named(rate, f"{self.name}.rate"))
        if not hasattr(self.air, "at") and not callable(self.air):
            raise ModelError(
                f"{self.name!r} has no air: {self.air!r}.",
                "Drag needs the density at a height.",
                "Give ph.space.ExponentialAtmosphere, TableAtmosphere, or"
                " law(height, t).",
            )
        admitted = admit_law_constants(self.name, self.constants, self.air, "the air")
        object.__setattr__(self, "constants", admitted)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its own numbers, those of the air and of the points."""
        numbers = self.drag_number, self.area, self.radius, self.rate, self.flattening
        own = parameters_of((self.on, self.by), *numbers, *self.constants.values())
        return distinct((*own, *getattr(self.air, "parameters", ())))

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The drag at the point, and its opposite on the planet."""
        place = point_seen(poses, self.on, self.by, table)
        x, v = place.x, velocity_of(twists, 0, place.arm)
        v = v - velocity_of(twists, 1, arm_from_other(poses, place.arm))
        u = v - along_observer(place, carried(x, at(self.rate, table)))
        xp, r = namespace(x), norm(x)
        sine = x[..., 2] / removable(r == 0, 1.0, r)
        surface = 1 - at(self.flattening, table) * sine * sine
        # Below the surface the air is that of the surface: an exponential would grow
        # beyond all numbers towards the centre, where states begin before they are set.
        height = xp.maximum(r - at(self.radius, table) * surface, 0.0)
        rho = self._density(height, t, table)
        size = rho * at(self.drag_number, table) * at(self.area, table) / 2
        F = -(size * norm(u))[..., None] * u
        return interaction(poses, place.arm, F, 0.0 * F)

    def fault(self) -> str:
        """The law of the air, or a craft at the planet's centre."""
        return "Its air has no finite density there."

    @cached_property
    def _density(self) -> Callable[..., Any]:
        return density_law(self.name, self.air, self.constants)
