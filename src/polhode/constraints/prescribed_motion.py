"""Prescribed motion: a joint that a driver moves as a given function of time.

The joint keeps its coordinates. The constraint's reaction is what the driver exerts
along them, and its power what the driver gives:

    coordinates of the joint = law(t)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.constraints.constraint import Placed, called, shaped
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.rotations import so3
from polhode.joints.joint import Joint, freedoms
from polhode.matter.parameter import NOMINAL, Parameter, Table, parameters_in
from polhode.matter.quantities.constants import admit_constants, values_of


@final
@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """The coordinates of a joint are a function of time, q = law(t).

    `law(t, **constants)` gives one number, or as many as the joint has coordinates;
    traceable, with two derivatives. For a quaternion the turn from the prescribed
    orientation counts. `constants` are numbers or parameters that it takes by name.
    """

    joint: Joint
    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or f"{self.joint.name} driven")
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)
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
        """The constants of the law."""
        return parameters_in(self.constants.values())

    @property
    def rows(self) -> tuple[str, ...]:
        """One a speed of the joint."""
        return self.joint.speed_names

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """How far the joint is from where it should be (speeds,)."""
        wanted, q = self.wanted(t, table), placed.coordinates[0]
        if self.joint.coordinates == self.joint.speeds:
            return q - wanted
        return self._away(q, self.joint.normalised(wanted), table)

    def wanted(self, t: Scalar, table: Table = NOMINAL) -> Any:
        """The coordinates (coordinates,) that the law asks for at a time."""
        return self._law(t, values_of(self.constants, table))

    def _away(self, q: Array, wanted: Array, table: Table) -> Any:
        """The displacement from the wanted pose, along the joint's own freedoms."""
        R_FN, p_FoNo_F = self.joint.pose(wanted, table)
        R_FM, p_FoMo_F = self.joint.pose(q, table)
        turn = so3.misalignment(R_FN.T @ R_FM)
        shift = R_FM.T @ (p_FoMo_F - p_FoNo_F)
        S = freedoms(self.joint, self.joint.neutral(), table)
        return np.linalg.pinv(S) @ namespace(turn, shift).concatenate([turn, shift])

    @cached_property
    def _law(self) -> Callable[..., Any]:
        def law(t: Scalar, constants: Mapping[str, Any]) -> Any:
            wanted = called(self.name, self.law, {"t": t}, **constants)
            return shaped(self.name, wanted, (self.joint.coordinates,))

        return doubled(law)
