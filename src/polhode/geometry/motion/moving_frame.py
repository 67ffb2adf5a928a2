"""Frames and points in motion, to second order: place, velocity, acceleration.

A `MovingFrame` of B seen from A is written in A; a `MovingPoint` seen from B is
written in B. Plain tuples of arrays, so that they pass through `jit` and `vmap`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from polhode.geometry.vector import cross

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3


class MovingPoint(NamedTuple):
    """A point P seen from a frame: place, velocity and acceleration, (..., 3) each."""

    place: Any
    velocity: Any
    acceleration: Any


class MovingFrame(NamedTuple):
    """A frame B seen from A, all written in A.

    R_AB (..., 3, 3); p_AoBo, w_AB, alpha_AB, v_ABo, a_ABo (..., 3). alpha is the rate
    of w, the same seen from A as from B.
    """

    rotation: Any
    place: Any
    angular_velocity: Any
    velocity: Any
    angular_acceleration: Any
    acceleration: Any

    @property
    def origin(self) -> MovingPoint:
        """The motion of B's origin seen from A."""
        return MovingPoint(self.place, self.velocity, self.acceleration)


def compose(AB: MovingFrame, BC: MovingFrame) -> MovingFrame:
    """The motion of C seen from A, through B.

        w_AC = w_AB + w_BC
        alpha_AC = alpha_AB + alpha_BC + w_AB x w_BC      alpha_BC as seen from B

    The last term is the rate at which B carries w_BC around.
    """
    w_AB, w_BC_A = AB.angular_velocity, apply(AB.rotation, BC.angular_velocity)
    alpha_BC_A = apply(AB.rotation, BC.angular_acceleration)
    origin = see_point(AB, BC.origin)
    return MovingFrame(
        rotation=AB.rotation @ BC.rotation,
        place=origin.place,
        angular_velocity=w_AB + w_BC_A,
        velocity=origin.velocity,
        angular_acceleration=AB.angular_acceleration + alpha_BC_A + cross(w_AB, w_BC_A),
        acceleration=origin.acceleration,
    )


def see_point(AB: MovingFrame, point: MovingPoint) -> MovingPoint:
    """The motion seen from A of a point whose motion is seen from B.

        v_AP = v_ABo + v_BP + w x d                                      d = p_BoP
        a_AP = a_ABo + a_BP + alpha x d + 2 w x v_BP + w x (w x d)

    `relative_motion` gives the terms by name.
    """
    w, alpha = AB.angular_velocity, AB.angular_acceleration
    d, v, a = (apply(AB.rotation, column) for column in point)
    drag = cross(w, d)
    return MovingPoint(
        place=AB.place + d,
        velocity=AB.velocity + v + drag,
        acceleration=AB.acceleration + a + cross(alpha, d) + cross(w, 2 * v + drag),
    )


def inverse(AB: MovingFrame) -> MovingFrame:
    """The motion of A seen from B, written in B: the roles exchanged."""
    w, alpha, p = AB.angular_velocity, AB.angular_acceleration, AB.place
    v_seen_from_B = AB.velocity - cross(w, p)
    a_seen_from_B = AB.acceleration - cross(alpha, p) - cross(w, AB.velocity)
    a_seen_from_B = a_seen_from_B - cross(w, v_seen_from_B)
    R_BA = AB.rotation.swapaxes(-1, -2)
    columns = (p, w, v_seen_from_B, alpha, a_seen_from_B)
    return MovingFrame(R_BA, *(-apply(R_BA, column) for column in columns))


def apply(matrix: Matrices3, column: Columns3) -> Columns3:
    """matrix (..., 3, 3) times column (..., 3)."""
    return (matrix @ column[..., None])[..., 0]
