"""The papers' roller: a slider with a hinge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import (
    admit_axis,
    admit_triad,
    admitted,
    entries_of,
    triad_of,
)
from polhode.joints.turning import angle_about, tilt, turn_about, wrenches
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


@final
@dataclass(frozen=True, eq=False, repr=False)
class Roller(FlatJoint):
    """Hinge on a flat guide: M's origin slides in a plane of F, M turns about one axis.

    q  3  the angle θ about `axis`, and the distances along u and v of F, which with
          `normal` make a right-handed triad: (X, Y) for Z, (Y, Z) for X, (Z, X) for Y
    z  3  their rates

    R = turn about a by θ,  p = u q₂ + v q₃,  V = [a z₁; Rᵀ(u z₂ + v z₃)]. It carries
    couples square to a and the force along the normal. `BallRoller` turns freely.
    """

    normal: Any
    axis: Any
    triad: np.ndarray = field(init=False)
    axis_triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 3
    speeds: ClassVar[int] = 3
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".u", ".v")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".u", ".v")
    units: ClassVar[tuple[str, ...]] = ("rad", "m", "m")
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s", "m/s", "m/s")
    angles: ClassVar[tuple[bool, ...]] = (True, False, False)

    def __post_init__(self) -> None:
        normal, axis = (
            admit_axis(self.name, word, getattr(self, word))
            for word in ("normal", "axis")
        )
        construct(self, *entries_of(axis), axis=normal)
        triad = admit_triad(self.name, "normal", normal)
        axis_triad = admit_triad(self.name, "axis", axis)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "axis_triad", axis_triad)
        object.__setattr__(self, "normal", admitted(normal, triad))
        object.__setattr__(self, "axis", admitted(axis, axis_triad))

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """A turn about the axis, the origin in the plane."""
        place = self.triad_at(table)[:, :2] @ q[1:]
        return turn_about(unit_at(self.axis, table), q[0]), place

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [a z₁; Rᵀ(u z₂ + v z₃)]"""
        a = unit_at(self.axis, table)
        linear = turn_about(a, -q[0]) @ (self.triad_at(table)[:, :2] @ z[1:])
        return namespace(q, z, linear).concatenate([a * z[0], linear])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Couples square to the axis, and the force along the normal of F."""
        across = triad_of(self.axis, self.axis_triad, table)[:, :2]
        turn = turn_about(unit_at(self.axis, table), -q[0])
        return wrenches(across, turn @ self.triad_at(table)[:, 2:])

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The tilt of the axis (2) and the height above the plane (1)."""
        height = self.triad_at(table)[:, 2:].T @ p_FoMo_F
        turn = tilt(triad_of(self.axis, self.axis_triad, table), R_FM)
        return namespace(R_FM, height).concatenate([turn, height])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The angle in (-π, π], and the distances along u and v."""
        xp = namespace(R_FM, p_FoMo_F)
        angle = angle_about(triad_of(self.axis, self.axis_triad, table), R_FM)
        place = self.triad_at(table)[:, :2].T @ p_FoMo_F
        return xp.concatenate([xp.stack([angle]), place])
