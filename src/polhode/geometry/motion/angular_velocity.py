"""Angular velocity: from rates of rotations or of axes, and along a chain of frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from polhode.errors import StateError
from polhode.geometry.frame import (
    Frame,
    require_adjacent,
    require_frame,
    require_same_frame,
)
from polhode.geometry.vector import Vector, alternator, cross, vee

if TYPE_CHECKING:
    from polhode.geometry.rotations.rotation import Rotation
    from polhode.public.shapes import Columns3, Matrices3


def spatial_components(R_AB: Matrices3, R_AB_dot: Matrices3) -> Columns3:
    """w_AB written in A, from the rotation matrix and its rate.

    [w_A] = Rdot R^T,  that is  w_A = 1/2 eps[R Rdot^T]
    """
    return vee(R_AB_dot @ R_AB.swapaxes(-1, -2))


def body_components(R_AB: Matrices3, R_AB_dot: Matrices3) -> Columns3:
    """w_AB written in B, from the rotation matrix and its rate.

    [w_B] = R^T Rdot,  that is  w_B = 1/2 eps[Rdot^T R]
    """
    return alternator(R_AB_dot.swapaxes(-1, -2) @ R_AB) * 0.5


def from_axes(axes: Matrices3, axes_dot: Matrices3) -> Columns3:
    """w from three orthonormal axes e_i and their rates, the rows of (..., 3, 3).

    w = 1/2 sum_i e_i x edot_i
    """
    return cross(axes, axes_dot).sum(-2) * 0.5


@final
@dataclass(frozen=True, eq=False)
class AngularVelocity:
    """How fast one frame turns as another sees it: w_AB with of=B, seen_from=A.

    Adjacent ones add along a chain, w_AC = w_AB + w_BC, once written in one frame.
    """

    vector: Vector
    of: Frame
    seen_from: Frame

    def __post_init__(self) -> None:
        for frame in (self.of, self.seen_from):
            require_frame(frame, "an angular velocity")
        if not isinstance(self.vector, Vector):
            raise StateError(
                f"the angular velocity of {self.of.name!r} seen from"
                f" {self.seen_from.name!r} is not a vector: {self.vector!r}.",
                "Three numbers say nothing without the axes they are along.",
                "Give Vector(components, frame).",
            )

    def reversed(self) -> AngularVelocity:
        """The same turning with the roles exchanged.   w_BA = -w_AB"""
        return AngularVelocity(-self.vector, of=self.seen_from, seen_from=self.of)

    def written_in(self, rotation: Rotation) -> AngularVelocity:
        """The same angular velocity along other axes."""
        vector = self.vector.written_in(rotation)
        return AngularVelocity(vector, of=self.of, seen_from=self.seen_from)

    def is_close(
        self, other: AngularVelocity, rtol: float = 1e-12, atol: float = 0.0
    ) -> bool:
        """The same turning of the same two frames, within `rtol` of it or `atol`."""
        require_same_frame("compare", self.of, other.of)
        require_same_frame("compare", self.seen_from, other.seen_from)
        return self.vector.is_close(other.vector, rtol, atol)

    def __add__(self, other: AngularVelocity) -> AngularVelocity:
        if not isinstance(other, AngularVelocity):
            return NotImplemented
        require_adjacent("add", self, other)
        total = self.vector + other.vector
        return AngularVelocity(total, of=other.of, seen_from=self.seen_from)

    def __repr__(self) -> str:
        who = f"of={self.of.name!r}, seen_from={self.seen_from.name!r}"
        return f"AngularVelocity({self.vector!r}, {who})"
