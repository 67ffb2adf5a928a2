"""No joint at all: six freedoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import quaternion, so3
from polhode.joints.joint import Joint, construct
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
class Free(Joint):
    """Six freedoms: M moves in F as it likes; coordinates, and no restriction.

    q  7  unit quaternion (w, x, y, z) of R_FM, then p_FoMo_F
    z  6  the twist of M in F, written in M: [w_FM_M; v_FMo_M]

    q_dot = [q (0, w)/2; R v]. It carries nothing.
    """

    coordinates: ClassVar[int] = 7
    speeds: ClassVar[int] = 6
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (
        *(".qw", ".qx", ".qy", ".qz"),
        *(".x", ".y", ".z"),
    )
    speed_suffixes: ClassVar[tuple[str, ...]] = (
        *(".wx", ".wy", ".wz"),
        *(".vx", ".vy", ".vz"),
    )
    units: ClassVar[tuple[str, ...]] = ("",) * 4 + ("m",) * 3
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s",) * 3 + ("m/s",) * 3
    angles: ClassVar[tuple[bool, ...]] = (False,) * 7

    def __post_init__(self) -> None:
        construct(self)

    def neutral(self) -> np.ndarray:
        """(1, 0, 0, 0) and no displacement."""
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def normalised(self, q: JointColumn) -> JointColumn:
        """The quaternion over its length; the place as it is."""
        return namespace(q).concatenate([quaternion.normalised(q[:4]), q[4:]])

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """The rotation of the quaternion, and the place."""
        return quaternion.to_matrix(q[:4]), q[4:]

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = z"""
        return z

    def rates(self, q: JointColumn, z: Speeds) -> JointColumn:
        """q_dot = [q (0, w) / 2; R v]"""
        turning = quaternion.rates_of_body(q[:4], z[:3])
        moving = quaternion.to_matrix(q[:4]) @ z[3:]
        return namespace(q, z).concatenate([turning, moving])

    def speeds_from(self, q: JointColumn, q_dot: JointColumn) -> Speeds:
        """z = [2 q* q_dot; Rᵀ p_dot]"""
        angular = quaternion.body_angular_velocity(q[:4], q_dot[:4])
        linear = quaternion.to_matrix(q[:4]).T @ q_dot[4:]
        return namespace(q, q_dot).concatenate([angular, linear])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Nothing (6, 0)."""
        return np.zeros((6, 0))

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """Nothing (0,): every pose is allowed."""
        return np.zeros(0)

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The unit quaternion, w ≥ 0, and the place."""
        turn = quaternion.canonical(quaternion.from_matrix(R_FM))
        return namespace(R_FM, p_FoMo_F).concatenate([turn, p_FoMo_F])

    def local(self, q: JointColumn, delta: Speeds) -> JointColumn:
        """X exp(δ), δ a screw in M:   q exp(φ),  p + R J(φ) ρ"""
        phi, rho = delta[:3], delta[3:]
        turn = quaternion.product(q[:4], quaternion.exp(phi))
        way = quaternion.to_matrix(q[:4]) @ (so3.left_jacobian(phi) @ rho)
        return namespace(q, delta).concatenate([turn, q[4:] + way])
