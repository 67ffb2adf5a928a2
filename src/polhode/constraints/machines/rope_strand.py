"""One strand of a rope, kept taut: what one that may go slack is while it pulls."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, final

from polhode.arrays import Scalar
from polhode.constraints.constraint import Placed
from polhode.constraints.machines.rope import Rope
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table


@final
@dataclass(frozen=True, eq=False)
class RopeStrand:
    """The spare length of a strand is zero; its multiplier is the tension.

    rope     whose strand it is
    number   of the strand, from 0
    """

    rope: Rope
    number: int
    _: KW_ONLY
    name: str = "strand"
    is_holonomic: ClassVar[bool] = True
    rows: ClassVar[tuple[str, ...]] = ("length",)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those along the rope."""
        return self.rope.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The axles of pulleys that turn."""
        return self.rope.joints

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the rope."""
        return self.rope.parameters

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """What it should be, less its length."""
        return -self.rope.position(placed, t, table)[self.number : self.number + 1]
