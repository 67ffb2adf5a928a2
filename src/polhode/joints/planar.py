"""The puck on a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import admit_axis, admit_triad, admitted
from polhode.joints.turning import angle_about, tilt, turn_about, wrenches
from polhode.matter.parameter import NOMINAL, Table

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
class Planar(FlatJoint):
    """Puck on a table: M slides in a plane of F and turns about its normal.

    q  3  the angle θ about `normal`, and the distances along u and v of F, which with
          the normal make a right-handed triad: (X, Y) for Z, (Y, Z) for X, (Z, X) for Y
    z  3  their rates

    R = turn about n by θ,  p = u q₂ + v q₃,  V = [n z₁; Rᵀ(u z₂ + v z₃)]. It carries
    couples square to n and the force along n.
    """

    normal: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 3
    speeds: ClassVar[int] = 3
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".u", ".v")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".u", ".v")
    units: ClassVar[tuple[str, ...]] = ("rad", "m", "m")
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s", "m/s", "m/s")
    angles: ClassVar[tuple[bool, ...]] = (True, False, False)

    def __post_init__(self) -> None:
        normal = admit_axis(self.name, "normal", self.normal)
        construct(self, axis=normal)
        triad = admit_triad(self.name, "normal", normal)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "normal", admitted(normal, triad))

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """A turn about the normal, the origin in the plane."""
        place = self.triad_at(table)[:, :2] @ q[1:]
        return turn_about(self.axis_at(table), q[0]), place

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [n z₁; Rᵀ(u z₂ + v z₃)]"""
        n, across = self.axis_at(table), self.triad_at(table)[:, :2]
        linear = turn_about(n, -q[0]) @ (across @ z[1:])
        return namespace(z, linear).concatenate([n * z[0], linear])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Couples along u and v of M, and the force along the normal."""
        triad = self.triad_at(table)
        return wrenches(triad[:, :2], triad[:, 2:])

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The tilt of the normal (2) and the height above the plane (1)."""
        triad = self.triad_at(table)
        height = triad[:, 2:].T @ p_FoMo_F
        return namespace(R_FM, height).concatenate([tilt(triad, R_FM), height])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The angle in (-π, π], and the distances along u and v."""
        triad = self.triad_at(table)
        angle, place = angle_about(triad, R_FM), triad[:, :2].T @ p_FoMo_F
        xp = namespace(angle, place)
        return xp.concatenate([xp.stack([angle]), place])
