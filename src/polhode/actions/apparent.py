"""Apparent forces: what a non-inertial observer must add to the true ones.

    m a_B = F + apparent,   apparent = -m (a_Bo + alpha x d + 2 w x v_B + w x (w x d))

They are made here only, from the motion of the observer before an inertial frame; an
observer who neither accelerates nor turns sees none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.actions.force import Force
from polhode.arrays import Scalar
from polhode.geometry.frame import Frame
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint
from polhode.geometry.motion.relative_motion import apparent_accelerations
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector

__all__ = ["apparent_force", "apparent_forces"]


def apparent_forces(
    mass: float, observer: MovingFrame, point: MovingPoint, frame: Frame
) -> tuple[Force, ...]:
    """The apparent forces on a mass, named, in the observer's own axes.

    `observer` is the motion of the observer's frame before an inertial one, `point` the
    motion of the mass as the observer sees it, `frame` the observer's frame. Terms that
    are zero are left out: an inertial observer gets none.
    """
    terms = apparent_accelerations(observer, point)
    at = Point(frame, point.place)
    made = []
    for name, acceleration in terms._asdict().items():
        column = mass * (np.asarray(observer.rotation).T @ np.asarray(acceleration))
        if np.any(column != 0):
            made.append(Force(Vector(column, frame), at, name, observer=frame))
    return tuple(made)


def apparent_force(mass: Scalar, observer: MovingFrame, point: MovingPoint) -> Any:
    """The sum of the apparent forces on a mass, along the inertial axes (..., 3)."""
    return mass * apparent_accelerations(observer, point).total
