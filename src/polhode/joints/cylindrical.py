"""The sleeve on a shaft."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.joints import flat
from polhode.joints.joint import Frames, Joint, construct
from polhode.joints.seat import admit_triad
from polhode.joints.turning import angle_about, offset, tilt, turn_about, wrenches
from polhode.matter.parameter import NOMINAL, Table


@final
@dataclass(frozen=True, eq=False, repr=False)
class Cylindrical(Joint):
    """Sleeve on a shaft: M turns about one axis of F and slides along it.

    q  2  the angle θ about `axis`, and the distance d along it
    z  2  their rates

    R = turn about n by θ,  p = n d,  V = [n z₁; n z₂]. It carries couples and forces
    square to n. What the papers call cylindrical does not slide: that is `Revolute`.
    """

    axis: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 2
    speeds: ClassVar[int] = 2
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".slide")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".angle", ".slide")
    units: ClassVar[tuple[str, ...]] = ("rad", "m")
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s", "m/s")
    angles: ClassVar[tuple[bool, ...]] = (True, False)

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
        """A turn by θ about the axis, the origin d along it."""
        return turn_about(self.axis, q[0]), self.axis * q[1]

    def twist(self, q: Any, z: Any, table: Table = NOMINAL) -> Any:
        """V = [n z₁; n z₂]"""
        return namespace(z, self.axis).concatenate([self.axis * z[0], self.axis * z[1]])

    def reaction(self, q: Any, table: Table = NOMINAL) -> Any:
        """Couples along u and v, and forces along them."""
        return wrenches(self.triad[:, :2], self.triad[:, :2])

    def residual(self, R_FM: Any, p_FoMo_F: Any, table: Table = NOMINAL) -> Any:
        """The tilt of the axis (2) and the way off it (2)."""
        off = offset(self.triad, R_FM, p_FoMo_F)
        return namespace(R_FM, off).concatenate([tilt(self.triad, R_FM), off])

    def coordinates_from(self, R_FM: Any, p_FoMo_F: Any, table: Table = NOMINAL) -> Any:
        """The angle in (-π, π], and the distance along the axis."""
        angle = angle_about(self.triad, R_FM)
        return namespace(R_FM, p_FoMo_F).stack([angle, self.axis @ p_FoMo_F])
