"""What happened in the runs of a sweep: one row an event, in few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.integrate.events.event import Events, Occurrence
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
    system: System, names: tuple[str, ...], met: list[tuple[int, Occurrence]]
) -> SweepEvents:
    """The events that runs have met, run by run."""
    ordered = sorted(met, key=lambda pair: pair[0])
    each = [event for _, event in ordered]
    width = system.coordinates + system.speeds
    before, after = (
        np.array([_column(getattr(event, side)) for event in each]).reshape(-1, width)
        for side in ("before", "after")
    )
    return SweepEvents(
        system,
        names,
        np.array([run for run, _ in ordered], np.int64),
        np.array([names.index(event.name) for event in each], np.int64),
        np.array([event.t for event in each], float),
        np.array([event.direction for event in each], np.int64),
        np.array([event.is_grazing for event in each], np.int64),
        before,
        after,
    )


def joined_events(parts: list[SweepEvents], firsts: list[int]) -> SweepEvents:
    """Events of several parts; `firsts` are the numbers of their first runs."""
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS
    }
    pairs = zip(parts, firsts, strict=True)
    columns["run"] = np.concatenate([part.run + first for part, first in pairs])
    return SweepEvents(parts[0].system, parts[0].names, **columns)


def _column(state: State) -> np.ndarray:
    return np.concatenate([state.q, state.z])
