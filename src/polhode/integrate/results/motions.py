"""Many motions of one system, from one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import itself
from polhode.errors import IntegrationError
from polhode.integrate.results.body_motion import Reaction
from polhode.integrate.results.export import dataset_of
from polhode.integrate.results.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False, repr=False)
class Motions:
    """Motions in the order of their states: `motions[k]` is one `Trajectory`.

    `motions["hinge"].speeds` (runs, n, 1) is a joint or a body along all of them.
    t (runs, n), q (runs, n, nq) and z (runs, n, nz) of all, where all have as many
    rows: with sample times they do, if none stopped early.
    """

    each: tuple[Trajectory, ...]

    __copy__ = __deepcopy__ = itself

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return PartOfMotions(tuple(motion[key] for motion in self.each))
        if isinstance(key, slice):
            return Motions(self.each[key])
        if not isinstance(key, int | np.integer) or not -len(self) <= key < len(self):
            raise IntegrationError(
                f"there is no motion {key!r} among {len(self)}.",
                "They are numbered from 0, in the order of their states.",
                'Ask motions[0], motions[2:5], or by name motions["hinge"].',
            )
        return self.each[key]

    def __iter__(self) -> Iterator[Trajectory]:
        return iter(self.each)

    @property
    def t(self) -> np.ndarray:
        """Times (runs, n)."""
        return stack_runs([motion.t for motion in self.each])

    @property
    def q(self) -> np.ndarray:
        """Coordinates (runs, n, nq)."""
        return stack_runs([motion.q for motion in self.each])

    @property
    def z(self) -> np.ndarray:
        """Speeds (runs, n, nz)."""
        return stack_runs([motion.z for motion in self.each])

    @property
    def final_q(self) -> np.ndarray:
        """The last coordinates of each (runs, nq), however many rows it has."""
        return np.stack([motion.q[-1] for motion in self.each])

    @property
    def final_z(self) -> np.ndarray:
        """The last speeds of each (runs, nz)."""
        return np.stack([motion.z[-1] for motion in self.each])

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` with a dimension `run`, where all share their times."""
        return dataset_of(self)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` of all rows, their columns after one called 'run'."""
        import pandas

        frames = [motion.to_pandas() for motion in self.each]
        keys = list(range(len(frames)))
        return pandas.concat(frames, keys=keys, names=["run"]).reset_index(level="run")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All rows as a table of Arrow, their columns after one called 'run'."""
        from polhode.integrate.results.arrow import motion_table, stream_of

        tables = (motion_table(motion, k) for k, motion in enumerate(self.each))
        return stream_of(tables, requested_schema)

    def resampled(self, times: Any) -> Motions:
        """All at the same times, so that they share their arrays."""
        return Motions(tuple(motion.resampled(times) for motion in self.each))

    def __repr__(self) -> str:
        done = sum(motion.outcome.is_complete for motion in self.each)
        name = self.each[0].system.name if self.each else ""
        return f"Motions({name!r}: {len(self)} runs, {done} complete)"


@final
@dataclass(frozen=True, eq=False, repr=False)
class PartOfMotions:
    """A body or a joint along many motions; leading axes are runs, then rows."""

    each: tuple[Any, ...]

    @property
    def position(self) -> np.ndarray:
        """Where the body's origin is (runs, n, 3)."""
        return stack_runs([part.position for part in self.each])

    @property
    def orientation(self) -> np.ndarray:
        """R_WB (runs, n, 3, 3)."""
        return stack_runs([part.orientation for part in self.each])

    @property
    def velocity(self) -> np.ndarray:
        """The velocity of the body's origin (runs, n, 3)."""
        return stack_runs([part.velocity for part in self.each])

    @property
    def angular_velocity(self) -> np.ndarray:
        """The angular velocity of the body (runs, n, 3)."""
        return stack_runs([part.angular_velocity for part in self.each])

    @property
    def coordinates(self) -> np.ndarray:
        """Of the joint (runs, n, k)."""
        return stack_runs([part.coordinates for part in self.each])

    @property
    def speeds(self) -> np.ndarray:
        """Of the joint (runs, n, m)."""
        return stack_runs([part.speeds for part in self.each])

    def seen_from(self, observer: Any) -> PartOfMotions:
        """The body as another observer sees it; see `BodyMotion.seen_from`."""
        return PartOfMotions(tuple(part.seen_from(observer) for part in self.each))

    @property
    def reaction(self) -> Reaction:
        """What the joint exerts on its second body: (runs, n, 3) each."""
        each = [part.reaction for part in self.each]
        return Reaction(
            *(stack_runs(list(column)) for column in zip(*each, strict=True))
        )

    def __repr__(self) -> str:
        return f"PartOfMotions({self.each[0]!r} and {len(self.each) - 1} more)"


def stack_runs(parts: list[np.ndarray]) -> np.ndarray:
    """Arrays of all runs as one, where they have as many rows."""
    lengths = {len(part) for part in parts}
    if len(lengths) > 1:
        raise IntegrationError(
            f"{len(parts)} motions have between {min(lengths)} and"
            f" {max(lengths)} rows.",
            "Each chose its own steps, or one stopped early: no array holds all.",
            "Simulate with samples=..., take motions.resampled(times), or ask each"
            " motion by itself.",
        )
    return np.stack(parts)
