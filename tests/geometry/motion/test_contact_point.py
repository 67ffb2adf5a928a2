"""Laws of contact points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.errors import FrameMismatch
from polhode.geometry import se3
from polhode.geometry.frame import Frame
from polhode.geometry.motion.contact_point import ContactPoint
from polhode.geometry.motion.invariant_velocity import right_invariant
from polhode.geometry.point import Point
from polhode.geometry.rotations import so3
from polhode.geometry.twist import Twist
from polhode.geometry.vector import Vector
from strategies_geometry import numbers

ROAD, DISC = Frame("road"), Frame("disc")


def rolling(radius, angle):
    """A disc rolling along x on the plane z = 0, as a function of its angle."""
    centre = np.array([radius * angle, 0.0, radius])
    return se3.displacement(so3.exp(np.array([0.0, angle, 0.0])), centre)


def contact_of_rolling_disc(radius, speed, t):
    """The contact of a disc that has turned by speed * t."""
    X = rolling(radius, speed * t)
    X_dot = derivative(lambda s: rolling(radius, speed * s), t)
    screw = right_invariant(X, X_dot)
    twist = Twist(
        angular=screw[:3],
        linear=screw[3:],
        of=DISC,
        seen_from=ROAD,
        point=Point.origin(ROAD),
        frame=ROAD,
    )

    def lowest(s):
        return rolling(radius, speed * s)[:3, 3] - [0, 0, radius]

    place = Point(ROAD, lowest(t))
    return ContactPoint(place, Vector(derivative(lowest, t), ROAD), twist)


@pytest.mark.row("K-23")
@given(st.floats(0.1, 3), st.floats(0.2, 3), numbers)
def test_the_rolling_contact_stands_still_and_moves_on(radius, speed, t):
    """Material velocity zero, geometric velocity R thetadot, no power of any force.

    The printed v = R theta is wrong: it is no velocity.
    """
    contact = contact_of_rolling_disc(radius, speed, t)
    size = radius * speed * (1 + abs(speed * t))
    assert_close(contact.material_velocity, np.zeros(3), atol=1e-9 * size)
    assert_close(contact.geometric_velocity, [radius * speed, 0, 0], rtol=1e-9)
    force = Vector([3.0, 1.0, 20.0], ROAD)
    assert_close(contact.power(force), 0.0, atol=1e-7 * size)
    # The geometric velocity would give the force a power that it does not have.
    assert abs(force.dot(contact.geometric_velocity)) > 2 * radius * speed
    assert_close(contact.wandering, [radius * speed, 0, 0], rtol=1e-8 * (1 + size))
    printed = radius * speed * t
    if abs(t - 1) > 1e-3:
        assert abs(printed - contact.geometric_velocity.components[0]) > 1e-5


def test_a_contact_is_written_in_one_frame():
    """Velocity in other axes than the place are refused; a contact reads well."""
    contact = contact_of_rolling_disc(1.0, 2.0, 0.0)
    with pytest.raises(FrameMismatch, match="cannot mix at a contact"):
        ContactPoint(contact.place, Vector([1, 0, 0], DISC), contact.twist)
    assert "geometric_velocity=[2, 0, 0]" in repr(contact)
