"""The straight guide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.rotations import so3
from polhode.joints import flat
from polhode.joints.joint import Frames, Joint, construct
from polhode.joints.seat import STILL, UNTURNED, admit_triad
from polhode.joints.turning import wrenches
from polhode.matter.parameter import NOMINAL, Table


@final
@dataclass(frozen=True, eq=False, repr=False)
class Prismatic(Joint):
    """Straight guide: M slides in F along one axis and does not turn.

    q  1  the distance d along `axis`
    z  1  its rate

    R = 1,  p = n d,  V = [0; n] z. It carries any couple and the forces square to n.
    The papers' slider keeps one direction more: see `Slider`.
    """

    axis: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 1
    speeds: ClassVar[int] = 1
    coordinate_suffixes: ClassVar[tuple[str, ...]] = ("",)
    speed_suffixes: ClassVar[tuple[str, ...]] = ("",)
    units: ClassVar[tuple[str, ...]] = ("m",)
    speed_units: ClassVar[tuple[str, ...]] = ("m/s",)
    angles: ClassVar[tuple[bool, ...]] = (False,)

    neutral = flat.neutral
    normalised = flat.normalised
    rates = flat.rates
    speeds_from = flat.speeds_from
    local = flat.local

    def __post_init__(self) -> None:
        construct(self)
        triad = admit_triad(self.name, "axis", self.axis)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "axis", triad[:, 2])

    def pose(self, q: Any, table: Table = NOMINAL) -> Frames:
        """Axes parallel, the origin d along the axis."""
        return UNTURNED, self.axis * q[0]

    def twist(self, q: Any, z: Any, table: Table = NOMINAL) -> Any:
        """V = [0; n z]"""
        return namespace(z).concatenate([STILL, self.axis * z[0]])

    def reaction(self, q: Any, table: Table = NOMINAL) -> Any:
        """Any couple, and forces along u and v."""
        return wrenches(np.eye(3), self.triad[:, :2])

    def residual(self, R_FM: Any, p_FoMo_F: Any, table: Table = NOMINAL) -> Any:
        """The rotation vector (3) and the way off the axis, along u and v (2)."""
        xp = namespace(R_FM, p_FoMo_F)
        return xp.concatenate([so3.log(R_FM), self.triad[:, :2].T @ p_FoMo_F])

    def coordinates_from(self, R_FM: Any, p_FoMo_F: Any, table: Table = NOMINAL) -> Any:
        """The distance along the axis."""
        return namespace(p_FoMo_F).stack([self.axis @ p_FoMo_F])
