"""A tendon that keeps its length over several joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import JointCoupling, Placed, require_single
from polhode.errors import ModelError
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class TendonLength(JointCoupling):
    """A sum over the coordinates of joints, each by its arm, is constant.

        a_1 q_1 + a_2 q_2 + ... = length

    All joints have one coordinate. Two joints of opposite arms move as one; three with
    arms (1, -1/2, -1/2) are a differential.

    >>> import polhode as ph
    >>> TendonLength([], [], 0.0)
    Traceback (most recent call last):
    polhode.errors.ModelError: 'tendon' has 0 joints and 0 arms.
    ...
    """

    joints: Sequence[Joint]
    arms: Sequence[Quantity]
    length: Quantity = 0.0
    _: KW_ONLY
    name: str = "tendon"

    def __post_init__(self) -> None:
        joints = tuple(self.joints)
        arms = tuple(quantity(a, f"an arm of {self.name!r}") for a in self.arms)
        if not joints or len(joints) != len(arms):
            raise ModelError(
                f"{self.name!r} has {len(joints)} joints and {len(arms)} arms.",
                "Its length is a sum over joints, each by its own finite arm.",
                "Give one arm a joint.",
            )
        for joint in joints:
            require_single(self.name, joint)
        given = quantity(self.length, f"the length of {self.name!r}", "m")
        for word, value in (("joints", joints), ("arms", arms)):
            object.__setattr__(self, word, value)
        object.__setattr__(self, "length", named(given, f"{self.name}.length"))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The length, and arms that are parameters."""
        return parameters_in([self.length, *self.arms])

    @property
    def rows(self) -> tuple[str, ...]:
        """One: the length."""
        return ("length",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """sum a_i q_i - length"""
        pairs = zip(self.arms, placed.coordinates, strict=True)
        total = sum(at(arm, table) * q[0] for arm, q in pairs)
        return namespace(*placed.coordinates).stack([total - at(self.length, table)])
