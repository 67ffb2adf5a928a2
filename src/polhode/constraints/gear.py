"""Gears and belts: two joints that turn or slide in a constant ratio."""

from __future__ import annotations

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
    parameters_in,
)
from polhode.matter.quantities.scalar import NOT_ZERO, scalar


@final
@dataclass(frozen=True, eq=False)
class Gear(JointCoupling):
    """The coordinate of one joint is a constant times that of another.

        q_driven = ratio q_driver + offset

    Both joints have one coordinate. Two wheels in mesh turn in opposite directions: a
    negative ratio; a belt turns them alike. A rack has metres a radian.
    """

    driven: Joint
    driver: Joint
    ratio: Quantity
    offset: Quantity = 0.0
    _: KW_ONLY
    name: str = "gear"

    def __post_init__(self) -> None:
        require_single(self.name, self.driven)
        require_single(self.name, self.driver)
        if self.driven is self.driver:
            raise ModelError(
                f"{self.name!r} gears joint {self.driven.name!r} with itself.",
                "A joint that is a multiple of itself stands still.",
                "Give two joints; ph.lock(system, joint) stops one.",
            )
        ratio = scalar(
            *(self.name, "ratio", self.ratio, NOT_ZERO),
            why="The driven joint would stand still whatever the driver does.",
            repair="Give a ratio that is not zero, or lock the joint.",
        )
        object.__setattr__(self, "ratio", ratio)
        object.__setattr__(self, "offset", scalar(self.name, "offset", self.offset))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The driven one and the driver."""
        return (self.driven, self.driver)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Ratio and offset."""
        return parameters_in([self.ratio, self.offset])

    @property
    def rows(self) -> tuple[str, ...]:
        """One: the ratio."""
        return ("ratio",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """q_driven - ratio q_driver - offset"""
        driven, driver = placed.coordinates
        ratio, offset = at(self.ratio, table), at(self.offset, table)
        return namespace(driven, driver).stack([driven[0] - ratio * driver[0] - offset])
