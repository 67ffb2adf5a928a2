"""Many motions of one system, from one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.tables import dataset_of
from polhode.integrate.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False, repr=False)
class Motions:
    """Motions in the order of their states: `motions[k]` is one `Trajectory`.

    t (runs, n), q (runs, n, nq) and z (runs, n, nz) of all, where all have as many
    rows: with sample times they do, if none stopped early.
    """

    each: tuple[Trajectory, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, k: int) -> Trajectory:
        return self.each[k]

    def __iter__(self) -> Iterator[Trajectory]:
        return iter(self.each)

    @property
    def t(self) -> np.ndarray:
        """Times (runs, n)."""
        return self._stacked([motion.t for motion in self.each])

    @property
    def q(self) -> np.ndarray:
        """Coordinates (runs, n, nq)."""
        return self._stacked([motion.q for motion in self.each])

    @property
    def z(self) -> np.ndarray:
        """Speeds (runs, n, nz)."""
        return self._stacked([motion.z for motion in self.each])

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

    def _stacked(self, parts: list[np.ndarray]) -> np.ndarray:
        lengths = {len(part) for part in parts}
        if len(lengths) > 1:
            raise IntegrationError(
                f"{len(parts)} motions have between {min(lengths)} and"
                f" {max(lengths)} rows.",
                "Each chose its own steps, or one stopped early: no array holds all.",
                "Simulate with samples=..., or ask each motion by itself.",
            )
        return np.stack(parts)

    def __repr__(self) -> str:
        done = sum(motion.outcome.is_complete for motion in self.each)
        name = self.each[0].system.name if self.each else ""
        return f"Motions({name!r}: {len(self)} runs, {done} complete)"
