"""A tree of frames that move before each other, under one clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, final

from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.motion.frame_motion import FrameMotion
from polhode.geometry.motion.moving_frame import MovingPoint
from polhode.geometry.motion.relative_motion import (
    AccelerationTerms,
    VelocityTerms,
    acceleration_terms,
    velocity_terms,
)
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose


@final
@dataclass(frozen=True, eq=False)
class FrameTree:
    """Frames joined by their relative motions at one instant.

    Each motion hangs a frame on the one that sees it. Any frame can then look at any
    other, or at any point, through the frames between them:

              room
             /    \\            tree.motion(of=hand, seen_from=lamp)
          table   lamp          = lamp <- room <- table <- hand
           /
         hand
    """

    motions: tuple[FrameMotion, ...]

    def __init__(self, motions: Iterable[FrameMotion]) -> None:
        object.__setattr__(self, "motions", tuple(motions))
        _refuse_bad_tree(self.motions)

    def motion(self, *, of: Frame, seen_from: Frame) -> FrameMotion:
        """The motion of any frame seen from any other of the tree."""
        self._require(of)
        self._require(seen_from)
        outward, inward = self._up(seen_from), self._up(of)
        while outward and inward and outward[-1] is inward[-1]:
            outward.pop()
            inward.pop()
        links = [link.inverse() for link in outward] + inward[::-1]
        return reduce(FrameMotion.__matmul__, links) if links else _still(of)

    def position(self, point: Point, *, seen_from: Frame) -> Point:
        """The place of a point of any frame, as a point of another."""
        return self.motion(of=point.frame, seen_from=seen_from).pose.place(point)

    def point_motion(self, point: Point, *, seen_from: Frame) -> MovingPoint:
        """The motion of a point fixed in any frame, seen from another."""
        return self.motion(of=point.frame, seen_from=seen_from).see(point)

    def velocity_terms(
        self, point: Point, *, seen_from: Frame, through: Frame
    ) -> VelocityTerms:
        """The velocity seen from one frame, split by the motion of another."""
        carrier, local = self._split(point, seen_from, through)
        return velocity_terms(carrier, local)

    def acceleration_terms(
        self, point: Point, *, seen_from: Frame, through: Frame
    ) -> AccelerationTerms:
        """The acceleration seen from one frame, split by the motion of another."""
        carrier, local = self._split(point, seen_from, through)
        return acceleration_terms(carrier, local)

    def _split(self, point: Point, seen_from: Frame, through: Frame) -> Any:
        carrier = self.motion(of=through, seen_from=seen_from).arrays
        return carrier, self.point_motion(point, seen_from=through)

    def _up(self, frame: Frame) -> list[FrameMotion]:
        """The motions from a frame to the root."""
        above = {motion.of: motion for motion in self.motions}
        chain = []
        while frame in above:
            chain.append(above[frame])
            frame = above[frame].seen_from
        return chain

    def _require(self, frame: Frame) -> None:
        known = {f for m in self.motions for f in (m.of, m.seen_from)}
        if frame in known:
            return
        names = ", ".join(sorted(repr(other.name) for other in known))
        raise ModelError(
            f"frame {frame.name!r} is not in this tree.",
            "Nothing says how it moves before the others.",
            f"Hang it on one of them: {names}.",
        )


def _still(frame: Frame) -> FrameMotion:
    """A frame seen from itself."""
    return FrameMotion(Pose.identity(of=frame, seen_from=frame))


def _refuse_bad_tree(motions: tuple[FrameMotion, ...]) -> None:
    above: dict[Frame, Frame] = {}
    for motion in motions:
        if motion.of in above:
            raise ModelError(
                f"frame {motion.of.name!r} hangs on both {above[motion.of].name!r} and"
                f" {motion.seen_from.name!r}.",
                "Two motions of one frame may contradict each other.",
                "Give one of them; the tree finds the other.",
            )
        above[motion.of] = motion.seen_from
    _refuse_ring(above)
    roots = {parent for parent in above.values() if parent not in above}
    if len(roots) > 1:
        names = ", ".join(sorted(repr(root.name) for root in roots))
        raise ModelError(
            f"the frames fall into {len(roots)} trees, with the roots {names}.",
            "Frames of different trees cannot see each other.",
            "Give the motion of one root seen from a frame of the other tree.",
        )


def _refuse_ring(above: dict[Frame, Frame]) -> None:
    for start in above:
        frame, passed = start, [start]
        while frame in above:
            frame = above[frame]
            if frame is start:
                ring = " <- ".join(repr(f.name) for f in [*passed, start])
                raise ModelError(
                    f"the frames hang on each other in a ring: {ring}.",
                    "The motions around a ring may contradict each other.",
                    "Leave out one of them.",
                )
            if frame in passed:
                break
            passed.append(frame)
