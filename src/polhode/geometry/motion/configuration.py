"""Configuration and state of particles and rigid bodies before one observer.

    configuration   where everything is: places of particles, poses of bodies
    state           configuration and velocities; accelerations follow from dynamics

Flattened, a particle has 3 coordinates and 3 speeds; a body has 7 coordinates (origin,
then unit quaternion w, x, y, z) and 6 speeds (its twist about its origin, angular
first, in the axes in which it is written).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError, StateError
from polhode.geometry.admission import admit
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.twist import Twist

__all__ = ["Configuration", "State", "degrees_of_freedom"]


@final
@dataclass(frozen=True, eq=False)
class Configuration:
    """The places (n, 3) of n particles and the poses of some bodies, seen from one
    frame."""

    observer: Frame
    places: Any = ()
    poses: tuple[Pose, ...] = ()

    def __post_init__(self) -> None:
        places = (
            np.reshape(self.places, (-1, 3)) if len(self.places) == 0 else self.places
        )
        column = admit(places, (len(places), 3), "the places of the particles")
        object.__setattr__(self, "places", column)
        object.__setattr__(self, "poses", tuple(self.poses))
        for pose in self.poses:
            require_same_frame("collect", self.observer, pose.seen_from)

    @property
    def speed_count(self) -> int:
        """Independent velocities without constraints: 3 a particle, 6 a body."""
        return 3 * len(self.places) + 6 * len(self.poses)

    def flatten(self) -> np.ndarray:
        """All coordinates in one column: particles first, then bodies."""
        bodies = [
            np.concatenate([pose.origin, pose.rotation.to_quaternion_wxyz()])
            for pose in self.poses
        ]
        return np.concatenate([np.ravel(self.places), *bodies])

    def unflatten(self, column: Array) -> Configuration:
        """The configuration of the same things with these coordinates."""
        count = 3 * len(self.places)
        layout = f"3 a particle ({len(self.places)}), then 7 a body ({len(self.poses)})"
        size = count + 7 * len(self.poses)
        q = _column(column, size, "coordinates", layout)
        bodies = q[count:].reshape(-1, 7)
        poses = [_pose(row, pose) for row, pose in zip(bodies, self.poses, strict=True)]
        return replace(self, places=q[:count].reshape(-1, 3), poses=tuple(poses))


@final
@dataclass(frozen=True, eq=False)
class State:
    """A configuration with the velocities (n, 3) of its particles and the twists of its
    bodies."""

    configuration: Configuration
    velocities: Any = ()
    twists: tuple[Twist, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.configuration.places)
        given = np.reshape(self.velocities, (-1, 3)) if not count else self.velocities
        column = admit(given, (count, 3), "the velocities of the particles")
        object.__setattr__(self, "velocities", column)
        object.__setattr__(self, "twists", tuple(self.twists))
        moved = tuple(twist.of for twist in self.twists)
        placed = tuple(pose.of for pose in self.configuration.poses)
        if moved != placed:
            raise StateError(
                f"the twists are of {_names(moved)}, the poses of {_names(placed)}.",
                "A state has one velocity for everything that has a place.",
                "Give one twist for each pose, in the same order.",
            )

    def flatten(self) -> np.ndarray:
        """Coordinates, then speeds, in one column."""
        twists = [np.asarray(twist) for twist in self.twists]
        speeds = [np.ravel(self.velocities), *twists]
        return np.concatenate([self.configuration.flatten(), *speeds])

    def unflatten(self, column: Array) -> State:
        """The state of the same things with these coordinates and speeds."""
        speeds = self.configuration.speed_count
        size = len(self.configuration.flatten()) + speeds
        x = _column(column, size, "numbers", f"coordinates, then {speeds} speeds")
        configuration = self.configuration.unflatten(x[: size - speeds])
        z, count = x[size - speeds :], 3 * len(configuration.places)
        bodies = zip(z[count:].reshape(-1, 6), self.twists, strict=True)
        twists = [replace(old, angular=v[:3], linear=v[3:]) for v, old in bodies]
        return State(configuration, z[:count].reshape(-1, 3), tuple(twists))


def degrees_of_freedom(configuration: Configuration, constraint_rows: Any = ()) -> int:
    """How many speeds are left free: 3 a particle, 6 a body, minus rank of constraints.

    `constraint_rows` (m, speeds) are the coefficients of m equations rows @ z = ...;
    equations that follow from others count once.
    """
    total = configuration.speed_count
    if len(constraint_rows) == 0:
        return total
    shape = (len(constraint_rows), total)
    rows = admit(constraint_rows, shape, "the matrix of the constraint rows")
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    if np.any(sizes == 0):
        raise ModelError(
            f"constraint row {int(np.argmin(sizes))} is zero.",
            "An equation without any velocity in it constrains nothing.",
            "Leave the row out.",
        )
    return total - int(np.linalg.matrix_rank(rows / sizes, tol=1e-9))


def _pose(row: np.ndarray, like: Pose) -> Pose:
    frames = {"of": like.of, "seen_from": like.seen_from}
    return Pose(Rotation.from_quaternion_wxyz(row[3:], **frames), row[:3])


def _column(column: Array, size: int, what: str, layout: str) -> np.ndarray:
    given = np.shape(column)
    if given != (size,):
        raise StateError(
            f"expected {size} {what}, got an array of shape {given}.",
            f"The layout is: {layout}.",
            "Use flatten() of such a state as the pattern.",
        )
    return admit(column, (size,), f"the column of {what}")


def _names(frames: tuple[Frame, ...]) -> str:
    return "(" + ", ".join(repr(frame.name) for frame in frames) + ")"
