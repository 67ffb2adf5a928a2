"""The ball and socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import quaternion
from polhode.joints.joint import Joint, construct
from polhode.joints.seat import STILL
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
class Spherical(Joint):
    """Ball and socket: M turns freely in F about a shared origin.

    q  4  unit quaternion (w, x, y, z) taking components in M to components in F
    z  3  angular velocity of M in F, written in M

    q_dot = q (0, z)/2, so q_dot is not z; no pose is singular. V = [z; 0]. It carries
    any force through the origin and no couple.
    """

    coordinates: ClassVar[int] = 4
    speeds: ClassVar[int] = 3
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".qw", ".qx", ".qy", ".qz")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".wx", ".wy", ".wz")
    units: ClassVar[tuple[str, ...]] = ("",) * 4
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s",) * 3
    angles: ClassVar[tuple[bool, ...]] = (False,) * 4

    def __post_init__(self) -> None:
        construct(self)

    def neutral(self) -> np.ndarray:
        """(1, 0, 0, 0)"""
        return np.array([1.0, 0.0, 0.0, 0.0])

    def normalised(self, q: JointColumn) -> JointColumn:
        """q / |q|"""
        return quaternion.normalised(q)

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """The rotation of the quaternion, the origins together."""
        return quaternion.to_matrix(q), STILL

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [z; 0]"""
        return namespace(z).concatenate([z, STILL])

    def rates(self, q: JointColumn, z: Speeds) -> JointColumn:
        """q_dot = q (0, z) / 2"""
        return quaternion.rates_of_body(q, z)

    def speeds_from(self, q: JointColumn, q_dot: JointColumn) -> Speeds:
        """z = 2 q* q_dot, its vector part"""
        return quaternion.body_angular_velocity(q, q_dot)

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Any force, no couple."""
        return np.eye(6)[:, 3:]

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The way between the origins, in M (3)."""
        return R_FM.T @ p_FoMo_F

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The unit quaternion, of its two signs the one with w ≥ 0."""
        return quaternion.canonical(quaternion.from_matrix(R_FM))

    def local(self, q: JointColumn, delta: Speeds) -> JointColumn:
        """q exp(δ), δ a rotation vector in M."""
        return quaternion.product(q, quaternion.exp(delta))
