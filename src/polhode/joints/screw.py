"""The thread: what turns advances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import namespace
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import construct
from polhode.joints.seat import admit_axis, admit_triad, admitted
from polhode.joints.turning import angle_about, offset, tilt, turn_about, wrenches
from polhode.matter.parameter import NOMINAL, Table, at
from polhode.matter.quantities.scalar import NOT_ZERO, scalar

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
class Screw(FlatJoint):
    """Thread: M turns about one axis of F and advances in proportion.

    q  1  the angle θ about `axis`; turns are counted, for each is another place
    z  1  its rate
    pitch h  metres of advance a radian, right-handed if positive; a thread of 1.25 mm
             a turn has h = 1.25e-3/(2π)

    R = turn about n by θ,  p = n h θ,  V = [n; h n] z. It carries what does no work
    on that: couples and forces square to n, and a force along n with the couple -h.
    """

    axis: Any
    pitch: Any
    triad: np.ndarray = field(init=False)

    coordinates: ClassVar[int] = 1
    speeds: ClassVar[int] = 1
    coordinate_suffixes: ClassVar[tuple[str, ...]] = ("",)
    speed_suffixes: ClassVar[tuple[str, ...]] = ("",)
    units: ClassVar[tuple[str, ...]] = ("rad",)
    speed_units: ClassVar[tuple[str, ...]] = ("rad/s",)
    angles: ClassVar[tuple[bool, ...]] = (False,)

    def __post_init__(self) -> None:
        pitch = _admit_pitch(self.name, self.pitch)
        axis = admit_axis(self.name, "axis", self.axis)
        construct(self, pitch, axis=axis)
        triad = admit_triad(self.name, "axis", axis)
        object.__setattr__(self, "triad", triad)
        object.__setattr__(self, "axis", admitted(axis, triad))
        object.__setattr__(self, "pitch", pitch)

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """A turn by θ about the axis, the origin h θ along it."""
        advance = at(self.pitch, table) * q[0]
        n = self.axis_at(table)
        return turn_about(n, q[0]), n * advance

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = [n z; n h z]"""
        advance = at(self.pitch, table) * z[0]
        n = self.axis_at(table)
        return namespace(z, advance, n).concatenate([n * z[0], n * advance])

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """Couples and forces along u and v, and the wrench [-h n; n]."""
        triad, h = self.triad_at(table), at(self.pitch, table)
        across, along = triad[:, :2], triad[:, 2:]
        xp = namespace(h, triad)
        thread = xp.concatenate([-h * along, along])
        return xp.concatenate([wrenches(across, across), thread], axis=1)

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """Tilt (2), way off the axis (2), and advance less h θ, to the nearest turn."""
        triad, h = self.triad_at(table), at(self.pitch, table)
        off = offset(triad, R_FM, p_FoMo_F)
        xp = namespace(off, h)
        ahead = (self.axis_at(table) @ p_FoMo_F) / h - angle_about(triad, R_FM)
        nearest = h * xp.arctan2(xp.sin(ahead), xp.cos(ahead))
        return xp.concatenate([tilt(triad, R_FM), off, xp.stack([nearest])])

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The angle, whole turns included, from the advance."""
        angle = (self.axis_at(table) @ p_FoMo_F) / at(self.pitch, table)
        return namespace(angle).stack([angle])


def _admit_pitch(name: str, pitch: Any) -> Any:
    """A pitch that is a number and not zero, as the parameter `name.pitch`."""
    return scalar(
        *(name, "pitch", pitch, NOT_ZERO),
        kind="screw",
        unit="m",
        why="A screw that does not advance is a hinge.",
        repair="Use Revolute, or give the advance in metres a radian.",
    )
