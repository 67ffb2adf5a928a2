"""Pressure of sunlight on a craft, and the shadow of the planet.

F = -nu P (d0/|d|)^2 C A e,      e = d/|d| to the Sun, nu the part of it that is seen
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import Attachment, parameters_of, require_points
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import PointAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, interaction
from polhode.actions.space.ephemeris import Ephemeris, admit_ephemeris, place_at
from polhode.actions.space.loads import along_observer, point_seen
from polhode.actions.space.planet import ASTRONOMICAL_UNIT, EARTH, SOLAR_PRESSURE, SUN
from polhode.actions.space.sunlight import sunlit_fraction
from polhode.arrays import Array, Scalar, read_by_name
from polhode.geometry.vector import norm
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at

SUN_NAME = "Sun"  # in printed equations: Sun_x(t)


@final
@dataclass(frozen=True, eq=False)
class SolarPressure(PointAction):
    """The push of sunlight at a point of a craft, away from the Sun.

    on             the point where it acts, such as the centre of pressure
    by             the planet's centre, from which the Sun's place is seen
    sun            ephemeris of the Sun, m
    reflectivity   C: 1 for black, 2 for a mirror that faces the Sun
    area           that faces the Sun, m^2
    radius         of the planet that casts shadow, m; 0 for none
    pressure       N/m^2 at one astronomical unit

    >>> import polhode as ph
    >>> craft = ph.Particle("craft", 500.0)
    >>> ends = craft.mass_centre, ph.World().origin
    >>> ph.space.SolarPressure(*ends, (1.496e11, 0, 0), 1.3, 4.0).reflectivity
    Parameter('sunlight.reflectivity', 1.3)
    """

    on: Attachment
    by: Attachment
    sun: Ephemeris
    reflectivity: Quantity
    area: Quantity
    _: KW_ONLY
    radius: Quantity = EARTH.radius
    sun_radius: Quantity = SUN.radius
    pressure: Quantity = SOLAR_PRESSURE
    name: str = "sunlight"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        sizes = {"area": "m^2", "radius": "m", "sun_radius": "m", "pressure": "Pa"}
        for what, unit in {"reflectivity": "", **sizes}.items():
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            object.__setattr__(self, what, value)
        object.__setattr__(self, "sun", admit_ephemeris(self.name, self.sun))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its own numbers, and those of the points."""
        numbers = self.reflectivity, self.area, self.radius, self.sun_radius
        return parameters_of((self.on, self.by), *numbers, self.pressure)

    def light(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The part of the Sun that is seen at x from the planet's centre, 0 to 1."""
        sizes = at(self.radius, table), at(self.sun_radius, table)
        seen = read_by_name("lit", sunlit_fraction)
        return seen(x, place_at(self.sun, t, SUN_NAME), *sizes)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The push at the point, and its opposite on the planet's frame."""
        place = point_seen(poses, self.on, self.by, table)
        d = place_at(self.sun, t, SUN_NAME) - place.x
        far = norm(d)
        size = at(self.pressure, table) * (ASTRONOMICAL_UNIT / far) ** 2
        size = size * at(self.reflectivity, table) * at(self.area, table)
        size = size * self.light(place.x, t, table) / far
        F = along_observer(place, -size[..., None] * d)
        return interaction(poses, place.arm, F, 0.0 * F)

    def fault(self) -> str:
        """A Sun without a place."""
        return "The Sun's ephemeris has no place at this time."
