"""The sleeve on a shaft."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import admit_axis, admit_triad, admitted
from polhode.joints.turning import angle_about, offset, tilt, turn_about, wrenches
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
class Cylindrical(FlatJoint):
    """Sleeve on a shaft: M turns about one axis of F and slides along it.

    q  2  the angle θ about `axis`, and the distance d along it
    z  2  their rates

    R = turn about n by θ,  p = n d,  V = [n z₁; n z₂]. It carries couples and forces
    square to n. What the papers call cylindrical does not slide: that is `Revolute`.
    """

    axis: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 2
    speeds: ClassVar[int] = 2
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".slide")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".slide")
    units: ClassVar[tuple[str, ...]] = ("rad", "m")
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s", "m/s")
    angles: ClassVar[tuple[bool, ...]] = (True, False)

    def __post_init__(self) -> None:
        axis = admit_axis(self.name, "axis", self.axis)
        construct(self, axis=axis)
        triad = admit_triad(self.name, "axis", axis)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "axis", admitted(axis, triad))

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """A turn by θ about the axis, the origin d along it."""
        n = self.axis_at(table)
        return turn_about(n, q[0]), n * q[1]

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [n z₁; n z₂]"""
        n = self.axis_at(table)
        return namespace(z, n).concatenate([n * z[0], n * z[1]])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Couples along u and v, and forces along them."""
        across = self.triad_at(table)[:, :2]
        return wrenches(across, across)

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The tilt of the axis (2) and the way off it (2)."""
        triad = self.triad_at(table)
        off = offset(triad, R_FM, p_FoMo_F)
        return namespace(R_FM, off).concatenate([tilt(triad, R_FM), off])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The angle in (-π, π], and the distance along the axis."""
        angle = angle_about(self.triad_at(table), R_FM)
        along = self.axis_at(table) @ p_FoMo_F
        return namespace(angle, along).stack([angle, along])
