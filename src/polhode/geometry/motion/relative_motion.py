"""Velocity and acceleration seen from two frames, term by term, and apparent forces.

                 P          d = p_BoP, from B's origin to the point
           d   /            w, alpha: of B seen from A
        Bo --*              v_BP, a_BP: of P seen from B
       /
    Ao                      everything below is written in A

`tangential` is the acceleration that P would get from alpha if it were fixed in B:
normal to alpha and to d. `centripetal` is what it would get from w: towards the axis
through Bo along w, -|w|^2 times the part of d across w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint, apply
from polhode.geometry.vector import cross


class VelocityTerms(NamedTuple):
    """v_AP = origin + relative + rotation, (..., 3) each, written in A."""

    origin: Any
    relative: Any
    rotation: Any

    @property
    def drag(self) -> Any:
        """The velocity of the point of B with which P now coincides."""
        return self.origin + self.rotation

    @property
    def total(self) -> Any:
        """The velocity of P seen from A."""
        return self.origin + self.relative + self.rotation


class AccelerationTerms(NamedTuple):
    """a_AP = origin + relative + tangential + coriolis + centripetal, written in A."""

    origin: Any
    relative: Any
    tangential: Any
    coriolis: Any
    centripetal: Any

    @property
    def drag(self) -> Any:
        """The acceleration of the point of B with which P now coincides."""
        return self.origin + self.tangential + self.centripetal

    @property
    def total(self) -> Any:
        """The acceleration of P seen from A."""
        return self.drag + self.relative + self.coriolis


class ApparentAccelerations(NamedTuple):
    """What an observer in B must add to a_AP to get a_BP; times mass, apparent forces.

    The opposites of the terms: of the origin, of Euler, of Coriolis, centrifugal.
    """

    origin: Any
    euler: Any
    coriolis: Any
    centrifugal: Any

    @property
    def total(self) -> Any:
        """The sum: a_BP = a_AP + total, both written in A."""
        return self.origin + self.euler + self.coriolis + self.centrifugal


def velocity_terms(AB: MovingFrame, point: MovingPoint) -> VelocityTerms:
    """The velocity seen from A of a point whose motion is seen from B.

    v_AP = v_ABo + v_BP + w x d
    """
    d, v_BP = apply(AB.rotation, point.place), apply(AB.rotation, point.velocity)
    return VelocityTerms(AB.velocity, v_BP, cross(AB.angular_velocity, d))


def acceleration_terms(AB: MovingFrame, point: MovingPoint) -> AccelerationTerms:
    """The acceleration seen from A of a point whose motion is seen from B.

    a_AP = a_ABo + a_BP + alpha x d + 2 w x v_BP + w x (w x d)
    """
    w = AB.angular_velocity
    d, v_BP, a_BP = (apply(AB.rotation, column) for column in point)
    return AccelerationTerms(
        origin=AB.acceleration,
        relative=a_BP,
        tangential=cross(AB.angular_acceleration, d),
        coriolis=2 * cross(w, v_BP),
        centripetal=cross(w, cross(w, d)),
    )


def apparent_accelerations(
    AB: MovingFrame, point: MovingPoint
) -> ApparentAccelerations:
    """The apparent accelerations in B of a point whose motion is seen from B.

    a_BP = a_AP - a_ABo - alpha x d - 2 w x v_BP - w x (w x d)
    """
    terms = acceleration_terms(AB, point)
    return ApparentAccelerations(
        origin=-terms.origin,
        euler=-terms.tangential,
        coriolis=-terms.coriolis,
        centrifugal=-terms.centripetal,
    )
