"""The straight guide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import so3
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import STILL, UNTURNED, admit_axis, admit_triad, admitted
from polhode.joints.turning import wrenches
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
class Prismatic(FlatJoint):
    """Straight guide: M slides in F along one axis and does not turn.

    q  1  the distance d along `axis`
    z  1  its rate

    R = 1,  p = n d,  V = [0; n] z. It carries any couple and the forces square to n.
    The papers' slider keeps one direction more: see `Slider`.
    """

    axis: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 1
    speeds: ClassVar[int] = 1
    coordinate_suffixes: ClassVar[tuple[str, ...]] = ("",)
    speed_suffixes: ClassVar[tuple[str, ...]] = ("",)
    units: ClassVar[tuple[str, ...]] = ("m",)
    speed_units: ClassVar[tuple[str, ...]] = ("m/s",)
    angles: ClassVar[tuple[bool, ...]] = (False,)

    def __post_init__(self) -> None:
        axis = admit_axis(self.name, "axis", self.axis)
        construct(self, axis=axis)
        triad = admit_triad(self.name, "axis", axis)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "axis", admitted(axis, triad))

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """Axes parallel, the origin d along the axis."""
        return UNTURNED, self.axis_at(table) * q[0]

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [0; n z]"""
        n = self.axis_at(table)
        return namespace(z, n).concatenate([STILL, n * z[0]])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Any couple, and forces along u and v."""
        return wrenches(np.eye(3), self.triad_at(table)[:, :2])

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The rotation vector (3) and the way off the axis, along u and v (2)."""
        off = self.triad_at(table)[:, :2].T @ p_FoMo_F
        return namespace(R_FM, off).concatenate([so3.misalignment(R_FM), off])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The distance along the axis."""
        along = self.axis_at(table) @ p_FoMo_F
        return namespace(along).stack([along])
