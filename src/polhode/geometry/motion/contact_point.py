"""Contact points: the place of contact moves; the matter there moves otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from polhode.geometry.frame import require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.twist import Twist
from polhode.geometry.vector import Vector, shown


@final
@dataclass(frozen=True, eq=False)
class ContactPoint:
    """Where a body touches, with both of its velocities, seen by one observer.

        rolling disc           geometric velocity: of the place of contact, R thetadot
         .---.                 material velocity: of the particle there, zero
        |  *->|  R thetadot
         '---'
        ---*->------           the power of the contact force uses the material one

    `place` is a point of the observer's frame, `twist` the body's motion written there.
    """

    place: Point
    geometric_velocity: Vector
    twist: Twist

    def __post_init__(self) -> None:
        for frame in (self.geometric_velocity.frame, self.twist.frame):
            require_same_frame("mix at a contact", self.place.frame, frame)

    @property
    def material_velocity(self) -> Vector:
        """The velocity of the body's particle that is at the contact now."""
        return self.twist.velocity_of(self.place)

    @property
    def wandering(self) -> Vector:
        """The velocity of the place of contact over the body's surface."""
        return self.geometric_velocity - self.material_velocity

    def power(self, force: Vector) -> Any:
        """The power of a contact force on the body: force . material velocity."""
        return force.dot(self.material_velocity)

    def __repr__(self) -> str:
        return (
            f"ContactPoint({shown(self.place.coordinates)},"
            f" geometric_velocity={shown(self.geometric_velocity.components)},"
            f" material_velocity={shown(self.material_velocity.components)})"
        )
