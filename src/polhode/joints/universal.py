"""Hooke's joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.errors import ModelError
from polhode.geometry.vector import cross, dot
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import (
    STILL,
    admit_axis,
    admit_triad,
    admitted,
    entries_of,
    triad_of,
)
from polhode.joints.turning import angle_about, turn_about, wrenches
from polhode.matter.parameter import NOMINAL, Table
from polhode.matter.quantities.direction import unit_at

if TYPE_CHECKING:
    from polhode.public.shapes import (
        Column3,
        Column6,
        JointColumn,
        Matrix3,
        ReactionBasis,
        Residual,
        Speeds,
    )

PARALLEL = 1e-9


@final
@dataclass(frozen=True, eq=False, repr=False)
class Universal(FlatJoint):
    """Hooke's joint: a cross whose one arm is an axis of F, the other an axis of M.

    q  2  the angle α of the cross about `axis` a of F, and β of M about `second_axis`
          b of the cross; both axes are written as they stand at q = 0
    z  2  their rates

    R = turn(a, α) turn(b, β),  p = 0. With a' = turn(b, -β) a, the first axis in M,
    V = [a' z₁ + b z₂; 0]. a' and b keep their angle, so no pose is singular. It
    carries any force through the origin and the couple along a' x b.
    """

    axis: Any
    second_axis: Any
    triad: np.ndarray = field(init=False)
    second_triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 2
    speeds: ClassVar[int] = 2
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".first", ".second")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".first", ".second")
    units: ClassVar[tuple[str, ...]] = ("rad", "rad")
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s", "rad/s")
    angles: ClassVar[tuple[bool, ...]] = (True, True)

    def __post_init__(self) -> None:
        first, second = (
            admit_axis(self.name, word, getattr(self, word))
            for word in ("axis", "second_axis")
        )
        construct(self, *entries_of(second), axis=first)
        one = admit_triad(self.name, "axis", first)
        other = admit_triad(self.name, "second_axis", second)
        require_apart(self.name, one[:, 2], other[:, 2])
        kept = {
            "axis": admitted(first, one),
            "second_axis": admitted(second, other),
            "triad": one,
            "second_triad": other,
        }
        for word, value in kept.items():
            object.__setattr__(self, word, value)

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """A turn about the first axis, then about the second one carried along."""
        a, b = self._arms(table)
        return turn_about(a, q[0]) @ turn_about(b, q[1]), STILL

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [a' z₁ + b z₂; 0]"""
        a, b = self._arms(table)
        angular = turn_about(b, -q[1]) @ a * z[0] + b * z[1]
        return namespace(q, z).concatenate([angular, STILL])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """The couple square to both arms of the cross, and any force."""
        a, b = self._arms(table)
        square = cross(a, b)
        unit = square / namespace(square).sqrt(dot(square, square))
        couple = turn_about(b, -q[1]) @ unit
        return wrenches(couple[:, None], np.eye(3))

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """(a.b - a.Rb)/|a x b| (1), and the way between the origins, in M (3)."""
        xp = namespace(R_FM, p_FoMo_F)
        a, b = self._arms(table)
        size = namespace(a, b).sqrt(1.0 - dot(a, b) ** 2)
        opening = (dot(a, b) - a @ (R_FM @ b)) / size
        return xp.concatenate([xp.stack([opening]), R_FM.T @ p_FoMo_F])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """Both angles in (-π, π]: first that which carries b to R b."""
        xp = namespace(R_FM)
        a, b = self._arms(table)
        carried = R_FM @ b
        sine = dot(a, cross(b, carried))
        alpha = xp.arctan2(sine, dot(b, carried) - dot(a, b) * dot(a, carried))
        rest = turn_about(a, -alpha) @ R_FM
        triad = triad_of(self.second_axis, self.second_triad, table)
        return xp.stack([alpha, angle_about(triad, rest)])

    def _arms(self, table: Table) -> tuple[Any, Any]:
        """Both axes (3,), for a table of parameters."""
        return unit_at(self.axis, table), unit_at(self.second_axis, table)


def require_apart(name: str, a: np.ndarray, b: np.ndarray) -> None:
    """Refuse a cross whose arms are parallel."""
    column = cross(a, b)
    if np.sqrt(column @ column) < PARALLEL:
        raise ModelError(
            f"the two axes of universal joint {name!r} are parallel.",
            "The arms of its cross must span a plane; along one line they give one"
            " freedom twice.",
            "Turn one of them, usually by a right angle, or use Revolute.",
            f"axis {a.tolist()}, second_axis {b.tolist()}",
        )
