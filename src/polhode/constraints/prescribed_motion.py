"""Prescribed motion: a joint that a driver moves as a given function of time.

The joint keeps its coordinates. The constraint's reaction is what the driver exerts
along them, and its power what the driver gives:

    coordinates of the joint = law(t)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.constraints.constraint import Placed, called, shaped
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.rotations import so3
from polhode.joints.joint import Joint, freedoms
from polhode.matter.parameter import NOMINAL, Parameter, Table


@final
@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """The coordinates of a joint are a function of time, q = law(t).

    `law(t)` gives one number, or as many as the joint has coordinates; traceable, with
    two derivatives. For a quaternion the turn from the prescribed orientation counts.
    """

    joint: Joint
    law: Callable[[Any], Any]
    _: KW_ONLY
    name: str = ""
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or f"{self.joint.name} driven")
        if self.joint.speeds == 0:
            raise ModelError(
                f"joint {self.joint.name!r} cannot be driven.",
                "It lets no motion through.",
                "Prescribe a joint with coordinates.",
            )

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """None: it reads the joint only."""
        return ()

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The one that is driven."""
        return (self.joint,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None: the law holds its own numbers."""
        return ()

    @property
    def rows(self) -> tuple[str, ...]:
        """One a speed of the joint."""
        return self.joint.speed_names

    def position(self, placed: Placed, t: Any = 0.0, table: Table = NOMINAL) -> Any:
        """How far the joint is from where it should be (speeds,)."""
        wanted, q = self._law(t), placed.coordinates[0]
        if self.joint.coordinates == self.joint.speeds:
            return q - wanted
        return self._away(q, self.joint.normalised(wanted), table)

    def _away(self, q: Any, wanted: Any, table: Table) -> Any:
        """The displacement from the wanted pose, along the joint's own freedoms."""
        R_FN, p_FoNo_F = self.joint.pose(wanted, table)
        R_FM, p_FoMo_F = self.joint.pose(q, table)
        turn = so3.log(R_FN.T @ R_FM)
        shift = R_FM.T @ (p_FoMo_F - p_FoNo_F)
        S = freedoms(self.joint, self.joint.neutral(), table)
        return np.linalg.pinv(S) @ namespace(turn, shift).concatenate([turn, shift])

    @cached_property
    def _law(self) -> Callable[[Any], Any]:
        def law(t: Any) -> Any:
            return shaped(
                self.name, called(self.name, self.law, t), (self.joint.coordinates,)
            )

        return doubled(law)
