"""Dry friction along a joint under a load that is given: a brake that slides."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.contact.friction import FrictionLaw
from polhode.actions.defaults import JointAction
from polhode.arrays import Scalar, namespace
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    parameters_in,
)


@final
@dataclass(frozen=True, eq=False)
class BrakeFriction(JointAction):
    """tau = a law(a z, L): pads at arms a, one a speed, pressed by a load L."""

    joint: Joint
    law: FrictionLaw
    _: KW_ONLY
    load: Quantity
    arms: tuple[Quantity, ...]
    name: str

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the law, the load and the arms."""
        return (*self.law.parameters, *parameters_in([self.load, *self.arms]))

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """Of the slip of the pads."""
        each = [at(arm, table) for arm in self.arms]
        xp = namespace(z, *each)
        arms = xp.stack([1.0 * xp.asarray(arm) for arm in each])
        slip = xp.concatenate([arms * z, np.zeros(3 - self.joint.speeds)])
        push = xp.asarray(at(self.load, table), dtype=float)
        return arms * self.law.force(slip, push, table)[: self.joint.speeds]
