"""What happened in the runs of a sweep: one row an event, in few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.integrate.events.event import Events, Occurrence
from polhode.integrate.events.occurrence_buffer import (
    DIRECTION,
    FACTS,
    GRAZING,
    GUARD,
    T,
)
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class SweepEvents:
    """All events of all runs: `sweep.events.of(k)` are those of run k.

    run, number         (m,) of the run, and of the event among `names`
    t, direction        (m,) s, and which way g went
    grazing             (m,) whether g touched zero and turned back
    before, after       (m, nq + nz) coordinates and speeds
    """

    system: System
    names: tuple[str, ...]
    run: np.ndarray
    number: np.ndarray
    t: np.ndarray
    direction: np.ndarray
    grazing: np.ndarray
    before: np.ndarray
    after: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def of(self, run: int) -> Events:
        """What happened in one run, in its order."""
        rows = np.flatnonzero(self.run == run)
        return Events(tuple(self._one(int(k)) for k in rows), self.names)

    def columns(self) -> dict[str, Any]:
        """A table: 'run', 'event', 't', 'direction', 'grazing'."""
        return {
            "run": self.run,
            "event": [self.names[k] for k in self.number],
            "t": self.t,
            "direction": self.direction,
            "grazing": self.grazing.astype(bool),
        }

    def _one(self, k: int) -> Occurrence:
        t, n = float(self.t[k]), self.system.coordinates
        before, after = (
            State(self.system, t, x[:n], x[n:]) for x in (self.before[k], self.after[k])
        )
        name = self.names[self.number[k]]
        return Occurrence(
            name, t, before, after, int(self.direction[k]), bool(self.grazing[k])
        )

    def __repr__(self) -> str:
        counts = [
            f"{int(np.sum(self.number == k))} {name!r}"
            for k, name in enumerate(self.names)
        ]
        runs = len(np.unique(self.run))
        return f"SweepEvents({', '.join(counts)} in {runs} runs)"


ARRAYS = ("run", "number", "t", "direction", "grazing", "before", "after")


def events_of(
    system: System, names: tuple[str, ...], met: list[tuple[np.ndarray, np.ndarray]]
) -> SweepEvents:
    """The events that runs have met, run by run: numbers of runs, rows of buffers."""
    width = system.coordinates + system.speeds
    none = (np.zeros(0, np.int64), np.zeros((0, FACTS + 2 * width)))
    runs, rows = (
        np.concatenate([part, *parts]) if parts else part
        for part, parts in zip(none, _columns(met, FACTS + 2 * width), strict=True)
    )
    order = np.argsort(runs, kind="stable")
    rows = rows[order]
    return SweepEvents(
        system,
        names,
        run=runs[order],
        number=rows[:, GUARD].astype(np.int64),
        t=rows[:, T].copy(),
        direction=rows[:, DIRECTION].astype(np.int64),
        grazing=rows[:, GRAZING].astype(np.int64),
        before=rows[:, FACTS : FACTS + width].copy(),
        after=rows[:, FACTS + width :].copy(),
    )


def _columns(met: list[tuple[np.ndarray, np.ndarray]], width: int) -> Any:
    """Pieces of runs and of rows, without what is recorded beside the states."""
    return [runs for runs, _ in met], [rows[:, :width] for _, rows in met]


def joined_events(parts: list[SweepEvents], firsts: list[int]) -> SweepEvents:
    """Events of several parts; `firsts` are the numbers of their first runs."""
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS
    }
    pairs = zip(parts, firsts, strict=True)
    columns["run"] = np.concatenate([part.run + first for part, first in pairs])
    return SweepEvents(parts[0].system, parts[0].names, **columns)
