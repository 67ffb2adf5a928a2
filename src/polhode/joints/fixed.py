"""The weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import so3
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import STILL, UNTURNED
from polhode.matter.moments import Moments, placed_moments, sum_of_moments
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
class Fixed(FlatJoint):
    """Weld: M is F.

    q  0,  z  0. R = 1, p = 0, V = 0. It carries any wrench.
    """

    coordinates: ClassVar[int] = 0
    speeds: ClassVar[int] = 0
    coordinate_suffixes: ClassVar[tuple[str, ...]] = ()
    speed_suffixes: ClassVar[tuple[str, ...]] = ()
    units: ClassVar[tuple[str, ...]] = ()
    speed_units: ClassVar[tuple[str, ...]] = ()
    angles: ClassVar[tuple[bool, ...]] = ()

    def __post_init__(self) -> None:
        construct(self)

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """The two frames are one."""
        return UNTURNED, STILL

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = 0"""
        return np.zeros(6)

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Any couple and any force."""
        return np.eye(6)

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """The rotation vector (3) and the way between the origins, in M (3)."""
        xp = namespace(R_FM, p_FoMo_F)
        return xp.concatenate([so3.misalignment(R_FM), R_FM.T @ p_FoMo_F])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """None."""
        return np.zeros(0)


def merged_moments(
    joint: Fixed, of_first: Moments, of_second: Moments, table: Table = NOMINAL
) -> Moments:
    """The moments of two welded bodies as one, in the frame B of the first.

    R_BC = R_BF R_CMᵀ,   p_BoCo_B = p_BoFo_B - R_BC p_CoMo_C
    """
    R_BF, p_BoFo_B = joint.first_frame(table)
    R_CM, p_CoMo_C = joint.second_frame(table)
    R_BC = R_BF @ R_CM.T
    carried = placed_moments(of_second, R_BC, p_BoFo_B - R_BC @ p_CoMo_C)
    return sum_of_moments([of_first, carried], [1.0, 1.0])
