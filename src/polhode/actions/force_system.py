"""Systems of forces on columns: resultants, change of pole, the central axis.

All columns of one call are written along the axes of one frame.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode.arrays import Array, removable
from polhode.geometry.transport import shift_torque
from polhode.geometry.vector import cross, dot


class CentralAxis(NamedTuple):
    """The wrench of a force system: R along a line, and a couple parallel to it.

    `arm` leads from the pole to the nearest point of the axis; `couple` is parallel to
    the resultant, or is the whole moment where the resultant is zero.
    """

    arm: Any
    couple: Any


def moment(pole: Array, point: Array, force: Array) -> Any:
    """The moment of a force about a pole.   M_H = (P - H) x F"""
    return cross(point - pole, force)


def change_pole(
    moment_of_first: Array, first: Array, second: Array, resultant: Array
) -> Any:
    """The moment about another pole.   M_K = M_H + (H - K) x R"""
    return shift_torque(moment_of_first, resultant, second - first)


def resultants(
    pole: Array, points: Array, forces: Array, couples: Array
) -> tuple[Any, Any]:
    """The moment about a pole and the resultant of forces at points, and couples.

        M_H = sum_n (P_n - H) x F_n + sum_m C_m,        R = sum_n F_n

    points, forces (..., n, 3); couples (..., m, 3), m may be 0.
    """
    moments = moment(pole[..., None, :], points, forces)
    return moments.sum(-2) + couples.sum(-2), forces.sum(-2)


def couple_of_pair(first: Array, second: Array, force: Array) -> Any:
    """The couple of F at P1 and -F at P2, the same about every pole.

    C = (P1 - P2) x F
    """
    return cross(first - second, force)


def central_axis(moment: Array, resultant: Array) -> CentralAxis:
    """The line along which the moment is parallel to the resultant (Poinsot).

        Q - H = R x M_H / |R|^2,        C = (R . M_H / |R|^2) R

    H is the pole of the given moment. Where R = 0 there is no axis: the arm is zero and
    the couple is the moment itself.
    """
    square = dot(resultant, resultant)[..., None]
    none = square == 0
    safe = removable(none, 1.0, square)
    arm = cross(resultant, moment) / safe
    along = dot(resultant, moment)[..., None] * resultant / safe
    return CentralAxis(arm, removable(none, moment, along))
