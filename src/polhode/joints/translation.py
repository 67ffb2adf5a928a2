"""Free motion without turning: what a particle has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import so3
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import UNTURNED
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
class Translation(FlatJoint):
    """Three freedoms: M moves in F in all directions, and keeps its axes along F's.

    q  3  p_FoMo_F
    z  3  its rate

    R = 1, V = [0; z]. It carries any couple and no force.
    """

    coordinates: ClassVar[int] = 3
    speeds: ClassVar[int] = 3
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".x", ".y", ".z")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".vx", ".vy", ".vz")
    units: ClassVar[tuple[str, ...]] = ("m",) * 3
    speed_units: ClassVar[tuple[str, ...]] = ("m/s",) * 3
    angles: ClassVar[tuple[bool, ...]] = (False,) * 3

    def __post_init__(self) -> None:
        construct(self)

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """No turn, and the place."""
        return UNTURNED, q

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [0; z]"""
        return namespace(z).concatenate([np.zeros(3), z])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Any couple, no force."""
        return np.eye(6)[:, :3]

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The rotation vector (3)."""
        return so3.misalignment(R_FM)

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The place."""
        return p_FoMo_F
