"""Observers that move with a body: their place and axes at every frame.

world   the observer goes along, and does not turn
body    it turns with the body
rtn     radial, ahead, normal of the body's orbit;  lvlh: ahead, minus normal, down
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.space.frames import LOCAL_FRAMES, LocalFrame
from polhode.errors import ShowError
from polhode.integrate.results.body_motion import at_rows
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

AXES = ("world", "body", *LOCAL_FRAMES)
SPOKEN = {"world": "", "body": ", its axes", "rtn": ", RTN", "lvlh": ", LVLH"}


class Observer(NamedTuple):
    """R_WO (n, 3, 3) and origins (n, 3) along the frames; `word` says from where."""

    word: str
    rotations: np.ndarray
    origins: np.ndarray

    def places(self, points: np.ndarray) -> np.ndarray:
        """Places (n, ..., 3) of the world as the observer has them."""
        lead = (slice(None), *([None] * (points.ndim - 2)))
        return self.vectors(points - self.origins[lead])

    def vectors(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (n, ..., 3) along the world's axes, along the observer's."""
        return np.einsum("nji,n...j->n...i", self.rotations, vectors)

    def turns(self, rotations: np.ndarray) -> np.ndarray:
        """Rotations R_WB (n, k, 3, 3) as R_OB."""
        return np.einsum("nji,nkjl->nkil", self.rotations, rotations)


def observer_of(rows: Trajectory, follow: Any, axes: str = "world") -> Observer | None:
    """The observer that goes along with a body; None where nobody is followed.

    `follow` is a body's name, or a `ph.space.LocalFrame`, which has its own axes.
    """
    if follow is None and axes == "world":
        return None
    by = "world"
    if isinstance(follow, LocalFrame):
        follow, axes, by = follow.body, follow.kind, follow.by
    names = [body.name for body in rows.system.bodies]
    _require(rows, follow, axes, names)
    poses, k = at_rows(rows, "poses"), names.index(follow)
    origins = np.asarray(poses.origins[:, k], float)
    word = f"from {follow}{SPOKEN[axes]}"
    if axes == "world":
        still = np.broadcast_to(np.eye(3), (len(origins), 3, 3))
        return Observer(word, still, origins)
    if axes == "body":
        return Observer(word, np.asarray(poses.rotations[:, k], float), origins)
    r, v = origins, np.asarray(at_rows(rows, "twists").linear[:, k], float)
    if by in names:
        other = names.index(by)
        r = r - np.asarray(poses.origins[:, other], float)
        v = v - np.asarray(at_rows(rows, "twists").linear[:, other], float)
    pairs = zip(r, v, strict=True)
    turns = np.array([LOCAL_FRAMES[axes](a, b) for a, b in pairs], float)
    return Observer(word, turns, origins)


def _require(rows: Trajectory, follow: Any, axes: str, names: list[str]) -> None:
    if axes not in AXES:
        raise ShowError(
            f"an observer has no axes {axes!r}.",
            "They are the world's, the body's, or those of its orbit.",
            f"Give one of {', '.join(map(repr, AXES))}.",
        )
    if follow is None:
        raise ShowError(
            f"axes={axes!r} are those of a body, and none is followed.",
            "The observer goes along with a body.",
            f"Give follow={names[0]!r} too.",
        )
    if follow not in names:
        raise ShowError(
            f"{rows.system.name!r} has no body {follow!r} to follow.",
            "The observer goes along with a body.",
            suggestion(str(follow), names),
        )
