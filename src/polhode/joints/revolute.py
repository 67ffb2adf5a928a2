"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import STILL, admit_axis, admit_triad, admitted
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
class Revolute(FlatJoint):
    """Hinge: M turns in F about one axis through both origins, and only turns.

    q  1  the angle θ, right-handed about `axis`
    z  1  its rate

    R = turn about n by θ,  p = 0,  V = [n; 0] z. It carries any force through the
    origin and the couples square to n. The papers call it cylindrical.
    """

    axis: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 1
    speeds: ClassVar[int] = 1
    coordinate_suffixes: ClassVar[tuple[str, ...]] = ("",)
    speed_suffixes: ClassVar[tuple[str, ...]] = ("",)
    units: ClassVar[tuple[str, ...]] = ("rad",)
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s",)
    angles: ClassVar[tuple[bool, ...]] = (True,)

    def __post_init__(self) -> None:
        axis = admit_axis(self.name, "axis", self.axis)
        construct(self, axis=axis)
        triad = admit_triad(self.name, "axis", axis)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "axis", admitted(axis, triad))

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """A turn by θ about the axis, the origins together."""
        return turn_about(self.axis_at(table), q[0]), STILL

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [n z; 0]"""
        n = self.axis_at(table)
        return namespace(z, n).concatenate([n * z[0], STILL])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Couples along u and v, and any force."""
        return wrenches(self.triad_at(table)[:, :2], np.eye(3))

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The tilt of the axis (2) and the distance of the origins, in M (3)."""
        turn = tilt(self.triad_at(table), R_FM)
        xp = namespace(turn, p_FoMo_F)
        return xp.concatenate([turn, R_FM.T @ p_FoMo_F])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The angle in (-π, π]."""
        angle = angle_about(self.triad_at(table), R_FM)
        return namespace(angle).stack([angle])
