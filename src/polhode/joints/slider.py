"""The papers' slider: a block on a flat guide."""

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
class Slider(FlatJoint):
    """Block on a flat guide: M slides in F along a plane and does not turn.

    q  2  the distances along u and v, which with `normal` make a right-handed triad:
          (X, Y) for Z, (Y, Z) for X, (Z, X) for Y
    z  2  their rates

    R = 1,  p = u q₁ + v q₂. It carries any couple and the force along the normal. In
    plane motion it is the usual guide; in space `Prismatic` is.
    """

    normal: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 2
    speeds: ClassVar[int] = 2
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".u", ".v")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".u", ".v")
    units: ClassVar[tuple[str, ...]] = ("m", "m")
    speed_units: ClassVar[tuple[str, ...]] = ("m/s", "m/s")
    angles: ClassVar[tuple[bool, ...]] = (False, False)

    def __post_init__(self) -> None:
        normal = admit_axis(self.name, "normal", self.normal)
        construct(self, axis=normal)
        triad = admit_triad(self.name, "normal", normal)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "normal", admitted(normal, triad))

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """Axes parallel, the origin in the plane."""
        return UNTURNED, self.triad_at(table)[:, :2] @ q

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [0; u z₁ + v z₂]"""
        linear = self.triad_at(table)[:, :2] @ z
        return namespace(linear).concatenate([STILL, linear])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Any couple, and the force along the normal."""
        return wrenches(np.eye(3), self.triad_at(table)[:, 2:])

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The rotation vector (3) and the height above the plane (1)."""
        height = self.triad_at(table)[:, 2:].T @ p_FoMo_F
        return namespace(R_FM, height).concatenate([so3.misalignment(R_FM), height])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The distances along u and v."""
        return self.triad_at(table)[:, :2].T @ p_FoMo_F
