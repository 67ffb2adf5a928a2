"""The ball on a table: a point kept in a plane."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import quaternion
from polhode.joints.joint import Joint, construct
from polhode.joints.seat import STILL, admit_axis, admit_triad, admitted
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
class BallRoller(Joint):
    """Ball on a flat guide: the origin of M stays in a plane of F, M turns freely.

    q  6  unit quaternion (w, x, y, z) of R_FM, then the distances along u and v of F,
          which with `normal` make a right-handed triad, as for `Roller`
    z  5  angular velocity of M in F, written in M, then the rates along u and v

    V = [w; Rᵀ(u z₄ + v z₅)]. It carries the force along the normal and nothing else.
    """

    normal: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 6
    speeds: ClassVar[int] = 5
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (
        *(".qw", ".qx", ".qy", ".qz"),
        *(".u", ".v"),
    )
    speed_suffixes: ClassVar[tuple[str, ...]] = (".wx", ".wy", ".wz", ".u", ".v")
    units: ClassVar[tuple[str, ...]] = ("", "", "", "", "m", "m")
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s",) * 3 + ("m/s",) * 2
    angles: ClassVar[tuple[bool, ...]] = (False,) * 6

    def __post_init__(self) -> None:
        normal = admit_axis(self.name, "normal", self.normal)
        construct(self, axis=normal)
        triad = admit_triad(self.name, "normal", normal)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "normal", admitted(normal, triad))

    def neutral(self) -> np.ndarray:
        """(1, 0, 0, 0) and no displacement."""
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def normalised(self, q: JointColumn) -> JointColumn:
        """The quaternion over its length; the place as it is."""
        return namespace(q).concatenate([quaternion.normalised(q[:4]), q[4:]])

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """The rotation of the quaternion, the origin in the plane."""
        return quaternion.to_matrix(q[:4]), self.triad_at(table)[:, :2] @ q[4:]

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [w; Rᵀ(u z₄ + v z₅)]"""
        linear = quaternion.to_matrix(q[:4]).T @ (self.triad_at(table)[:, :2] @ z[3:])
        return namespace(z, linear).concatenate([z[:3], linear])

    def rates(self, q: JointColumn, z: Speeds) -> JointColumn:
        """q_dot = [q (0, w) / 2; z₄; z₅]"""
        turning = quaternion.rates_of_body(q[:4], z[:3])
        return namespace(q, z).concatenate([turning, z[3:]])

    def speeds_from(self, q: JointColumn, q_dot: JointColumn) -> Speeds:
        """z = [2 q* q_dot; the rates along u and v]"""
        angular = quaternion.body_angular_velocity(q[:4], q_dot[:4])
        return namespace(q, q_dot).concatenate([angular, q_dot[4:]])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """The force along the normal of F."""
        force = quaternion.to_matrix(q[:4]).T @ self.axis_at(table)
        return namespace(force).concatenate([STILL, force])[:, None]

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The height above the plane (1)."""
        return self.triad_at(table)[:, 2:].T @ p_FoMo_F

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The unit quaternion, w ≥ 0, and the distances along u and v."""
        turn = quaternion.canonical(quaternion.from_matrix(R_FM))
        place = self.triad_at(table)[:, :2].T @ p_FoMo_F
        return namespace(R_FM, place).concatenate([turn, place])

    def local(self, q: JointColumn, delta: Speeds) -> JointColumn:
        """q exp(φ), and the distances moved by the rest of δ."""
        turn = quaternion.product(q[:4], quaternion.exp(delta[:3]))
        return namespace(q, delta).concatenate([turn, q[4:] + delta[3:]])
