"""Loops: a joint between two bodies that other joints have placed already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from polhode.arrays import Scalar
from polhode.constraints.constraint import Placed
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table


@final
@dataclass(frozen=True, eq=False)
class Loop:
    """A joint as an equation: the pose of its second frame must be one it allows.

        residual(R_FM, p_FoMo_F) = 0,      X_FM = X_BF^-1 X_WB^-1 X_WC X_CM

    It has 6 - speeds rows. A system makes one of every joint that closes a loop.
    """

    joint: Joint
    is_holonomic: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The name of the joint."""
        return self.joint.name

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies of the joint."""
        return (self.joint.first.frame, self.joint.second.frame)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """None: the joint has no coordinates of its own here."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the joint."""
        return self.joint.parameters

    @property
    def rows(self) -> tuple[str, ...]:
        """Its equations, numbered."""
        return tuple(f"row {k + 1}" for k in range(6 - self.joint.speeds))

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """What keeps the pose from being an allowed one (6 - speeds,)."""
        return self.joint.residual(*self.pose(placed, table), table)

    def pose(self, placed: Placed, table: Table = NOMINAL) -> tuple[Any, Any]:
        """R_FM and p_FoMo_F of the joint between the bodies as they are placed."""
        R_BF, p_BoFo_B = self.joint.first_frame(table)
        R_CM, p_CoMo_C = self.joint.second_frame(table)
        R_WB, R_WC = placed.rotations[0], placed.rotations[1]
        p_WoFo_W = placed.origins[0] + R_WB @ p_BoFo_B
        p_WoMo_W = placed.origins[1] + R_WC @ p_CoMo_C
        R_WF = R_WB @ R_BF
        return R_WF.T @ R_WC @ R_CM, R_WF.T @ (p_WoMo_W - p_WoFo_W)
