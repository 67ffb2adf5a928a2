"""Forces, couples and their systems as nouns: resultants, equivalent loads.

A force is a vector bound to a line; a couple is a free vector. Those of one system are
written along the axes of one frame, at points of that frame.

          F                 M_H = (P - H) x F
         /                  the moment about H does not change
    H---P--- line           when P slides along the line of F
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.actions import force_system
from polhode.actions.attachment import require_points
from polhode.actions.fields.quadrature import Quadrature
from polhode.arrays import Array
from polhode.errors import ForceError, ModelError
from polhode.geometry.admission import admit
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector, cross, shown
from polhode.geometry.wrench import Wrench


@final
@dataclass(frozen=True, eq=False)
class Force:
    """A force in newtons, on the line through a point.

    True forces come from gravitation, contact, springs or charges. An apparent one has
    the non-inertial `observer` to whom it appears; `apparent_forces` makes it.

    >>> deck = Frame("deck")
    >>> Force(Vector([0, 0, -2], deck), Point(deck, [3, 0, 0])).moment(
    ...     Point.origin(deck))
    Vector([0, 6, 0], 'deck')
    """

    vector: Vector
    at: Point
    name: str = ""
    observer: Frame | None = None

    def __post_init__(self) -> None:
        _require_vector(self.vector, "a force")
        require_points(self.name or "a force", self.at)
        require_same_frame("apply", self.vector.frame, self.at.frame)

    @property
    def is_apparent(self) -> bool:
        """Whether only a non-inertial observer sees it."""
        return self.observer is not None

    def moment(self, pole: Point) -> Vector:
        """The moment about a pole.   M_H = (P - H) x F"""
        return (self.at - pole).cross(self.vector)

    def slid(self, distance: float) -> Force:
        """The same force with its point moved along its line: nothing changes."""
        length = float(self.vector.norm())
        step = self.vector * (distance / length if length else 0.0)
        return Force(self.vector, self.at + step, self.name, self.observer)

    def is_close(self, other: Force, rtol: float = 1e-12) -> bool:
        """The same vector on the same line, within `rtol`."""
        same = self.vector.is_close(other.vector, rtol)
        gap = (other.at - self.at).components
        off = np.linalg.norm(cross(gap, np.asarray(self.vector)))
        reach = np.linalg.norm(gap) + np.linalg.norm(self.at.coordinates)
        return same and bool(off <= rtol * reach * self.vector.norm())

    def __neg__(self) -> Force:
        return Force(-self.vector, self.at, self.name, self.observer)

    def __repr__(self) -> str:
        kind = f", apparent to {self.observer.name!r}" if self.observer else ""
        return f"Force({shown(self.vector.components)}, at {self.at!r}{kind})"


@final
@dataclass(frozen=True, eq=False)
class Couple:
    """A couple in newton metres: a free vector, the same about every pole."""

    vector: Vector
    name: str = ""

    def __post_init__(self) -> None:
        _require_vector(self.vector, "a couple")

    @staticmethod
    def of_pair(force: Force, opposite: Point) -> Couple:
        """The couple of a force and its opposite at another point.

        C = (P1 - P2) x F1
        """
        return Couple((force.at - opposite).cross(force.vector), force.name)

    def is_close(self, other: Couple, rtol: float = 1e-12) -> bool:
        """The same vector, within `rtol`."""
        return self.vector.is_close(other.vector, rtol)

    def __repr__(self) -> str:
        return f"Couple({shown(self.vector.components)}, {self.vector.frame.name!r})"


@final
@dataclass(frozen=True, eq=False)
class EquivalentLoad:
    """The simplest load with the same resultant and moments: a force and a couple.

    `force` is on the central axis, or None if the resultant is zero; `couple` is
    parallel to it, or None if it is zero.
    """

    force: Force | None
    couple: Couple | None

    @property
    def pitch(self) -> float:
        """The couple over the force, in metres: the advance of the screw per radian."""
        if self.force is None:
            raise ForceError(
                "a load without a resultant has no pitch.",
                "The pitch is the couple divided by the force.",
                "Ask for the couple instead.",
            )
        if self.couple is None:
            return 0.0
        force = self.force.vector
        return float(force.dot(self.couple.vector) / force.dot(force))

    def __repr__(self) -> str:
        return f"EquivalentLoad(force={self.force!r}, couple={self.couple!r})"


@final
@dataclass(frozen=True, eq=False)
class ForceSystem:
    """Forces at points and couples, along the axes of one frame."""

    frame: Frame
    forces: tuple[Force, ...] = ()
    couples: tuple[Couple, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "forces", tuple(self.forces))
        object.__setattr__(self, "couples", tuple(self.couples))
        members: tuple[Force | Couple, ...] = (*self.forces, *self.couples)
        for member in members:
            require_same_frame("sum", self.frame, member.vector.frame)

    @staticmethod
    def distributed(frame: Frame, rule: Quadrature, densities: Array) -> ForceSystem:
        """A load spread over a line, surface or volume, by quadrature.

            R = integral f,        M_H = integral (P - H) x f

        `densities` (n, 3) is the force per length, area or volume at the rule's points.
        """
        f = admit(densities, rule.points.shape, "the densities of a distributed load")
        pairs = zip(rule.points, rule.weights[:, None] * f, strict=True)
        return ForceSystem(
            frame, tuple(Force(Vector(F, frame), Point(frame, P)) for P, F in pairs)
        )

    def resultant(self) -> Vector:
        """The sum of the forces."""
        return Vector(self._sums(Point.origin(self.frame))[1], self.frame)

    def moment(self, pole: Point) -> Vector:
        """The sum of the moments of the forces about a pole, and of the couples."""
        return Vector(self._sums(pole)[0], self.frame)

    def wrench(self, point: Point, on: Frame, by: Frame | None = None) -> Wrench:
        """The whole system on one body, summed up about a point."""
        torque, force = self._sums(point)
        return Wrench(
            torque=torque, force=force, on=on, by=by, point=point, frame=self.frame
        )

    def reduced(self, rtol: float = 1e-12) -> EquivalentLoad:
        """The wrench of the system: a force on the central axis, a couple along it.

        Resultants and couples below `rtol` of the sum of what was added count as zero.
        """
        origin = Point.origin(self.frame)
        M, R = self._sums(origin)
        forces, moments = self._scales()
        if np.linalg.norm(R) <= rtol * forces:
            free = Couple(Vector(M, self.frame))
            return EquivalentLoad(
                None, free if np.linalg.norm(M) > rtol * moments else None
            )
        axis = force_system.central_axis(M, R)
        force = Force(Vector(R, self.frame), Point(self.frame, axis.arm))
        small = np.linalg.norm(axis.couple) <= rtol * moments
        couple = None if small else Couple(Vector(axis.couple, self.frame))
        return EquivalentLoad(force, couple)

    def single_force(self, rtol: float = 1e-12) -> Force:
        """The one force that replaces the system, where one does.

        (Q - H) x R = M_H has a solution Q only if R . M_H = 0 and R is not zero.
        """
        load = self.reduced(rtol)
        if load.force is not None and load.couple is None:
            return load.force
        if load.force is None:
            why = "Its resultant is zero: it is a couple, or nothing at all."
        else:
            along = float(np.dot(self.resultant(), self.moment(load.force.at)))
            why = f"The moment has a part along the resultant: R.M = {along:.6g} N^2 m."
        raise ForceError(
            f"no single force replaces this system in {self.frame.name!r}.",
            why,
            "Take the force and the couple of reduced().",
        )

    def is_equivalent(self, other: ForceSystem, rtol: float = 1e-12) -> bool:
        """The same resultant and moment, within `rtol` of what was added up."""
        origin = Point.origin(self.frame)
        M, R = self._sums(origin)
        N, S = other._sums(origin)
        forces = max(self._scales()[0], other._scales()[0])
        moments = max(self._scales()[1], other._scales()[1])
        same = np.linalg.norm(R - S) <= rtol * forces
        return bool(same and np.linalg.norm(M - N) <= rtol * moments)

    def _sums(self, pole: Point) -> tuple[Any, Any]:
        require_same_frame("take moments", self.frame, pole.frame)
        points, forces, couples = self._arrays()
        return force_system.resultants(pole.coordinates, points, forces, couples)

    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = _stack(force.at.coordinates for force in self.forces)
        forces = _stack(force.vector.components for force in self.forces)
        return points, forces, _stack(c.vector.components for c in self.couples)

    def _scales(self) -> tuple[float, float]:
        points, forces, couples = self._arrays()
        sizes = np.linalg.norm(forces, axis=-1)
        arms = np.linalg.norm(points, axis=-1)
        moments = (arms * sizes).sum() + np.linalg.norm(couples, axis=-1).sum()
        return float(sizes.sum()), float(moments)

    def __repr__(self) -> str:
        counts = f"{len(self.forces)} forces, {len(self.couples)} couples"
        return f"ForceSystem({counts}, in {self.frame.name!r})"


def _require_vector(vector: Any, what: str) -> None:
    if not isinstance(vector, Vector):
        raise ModelError(
            f"{what} is not a vector: {vector!r}.",
            "Three numbers say nothing without the axes they are along.",
            "Give Vector(components, frame).",
        )


def _stack(columns: Iterable[Any]) -> np.ndarray:
    return np.reshape(list(columns), (-1, 3)).astype(float)
