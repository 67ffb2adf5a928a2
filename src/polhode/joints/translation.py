"""Free motion without turning: what a particle has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.geometry.rotations import so3
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import Frames, construct
from polhode.joints.seat import UNTURNED
from polhode.matter.parameter import NOMINAL, Table


@final
@dataclass(frozen=True, eq=False, repr=False)
class Translation(FlatJoint):
    """Three freedoms: M moves in F in all directions, and keeps its axes along F's.

    q  3  p_FoMo_F
    z  3  its rate

    R = 1, V = [0; z]. It carries any couple and no force.
    """

    coordinates: ClassVar[int] = 3
    speeds: ClassVar[int] = 3
    coordinate_suffixes: ClassVar[tuple[str, ...]] = (".x", ".y", ".z")
    speed_suffixes: ClassVar[tuple[str, ...]] = (".vx", ".vy", ".vz")
    units: ClassVar[tuple[str, ...]] = ("m",) * 3
    speed_units: ClassVar[tuple[str, ...]] = ("m/s",) * 3
    angles: ClassVar[tuple[bool, ...]] = (False,) * 3

    def __post_init__(self) -> None:
        construct(self)

    def pose(self, q: Array, table: Table = NOMINAL) -> Frames:
        """No turn, and the place."""
        return UNTURNED, q

    def twist(self, q: Array, z: Array, table: Table = NOMINAL) -> Any:
        """V = [0; z]"""
        return namespace(z).concatenate([np.zeros(3), z])

    def reaction(self, q: Array, table: Table = NOMINAL) -> Any:
        """Any couple, no force."""
        return np.eye(6)[:, :3]

    def residual(self, R_FM: Array, p_FoMo_F: Array, table: Table = NOMINAL) -> Any:
        """The rotation vector (3)."""
        return so3.misalignment(R_FM)

    def coordinates_from(
        self, R_FM: Array, p_FoMo_F: Array, table: Table = NOMINAL
    ) -> Any:
        """The place."""
        return p_FoMo_F
