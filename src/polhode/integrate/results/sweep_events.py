"""What happened in the runs of a sweep: one row an event, in few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.integrate.contact.contact_limits import SwitchRecord
from polhode.integrate.contact.contact_rows import SwitchRows
from polhode.integrate.events.event import Events, Occurrence
from polhode.integrate.events.occurrence_buffer import (
    DIRECTION,
    FACTS,
    GRAZING,
    GUARD,
    T,
)
from polhode.system.contacts import names as contact_names
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
    told                (m, r) what switches of contacts tell; their number is that
                        of all `names`. None where nothing has contacts
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
    told: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.t)

    def of(self, run: int) -> Events:
        """What happened in one run, in its order."""
        rows = np.flatnonzero(self.run == run)
        if self.told is None:
            return Events(tuple(self._one(int(k)) for k in rows), self.names)
        own = tuple(support.name for support in self.system.supports)
        each = [self._row(int(k)) for k in rows]
        return Events(SwitchRows(self.system, self.names, each, 0), (*own, *self.names))

    def impacts(self, run: int) -> list[SwitchRecord]:
        """The switches of contacts in one run at which something struck."""
        if self.told is None:
            return []
        n = len(contact_names(self.system))
        rows = np.flatnonzero((self.run == run) & (self.number == len(self.names)))
        each = [SwitchRecord.of(self.told[k], n) for k in rows]
        return [record for record in each if record.is_struck]

    def columns(self) -> dict[str, Any]:
        """A table: 'run', 'event', 't', 'direction', 'grazing'."""
        return {
            "run": self.run,
            "event": [[*self.names, "contacts"][k] for k in self.number],
            "t": self.t,
            "direction": self.direction,
            "grazing": self.grazing.astype(bool),
        }

    def _row(self, k: int) -> np.ndarray:
        """An event as a row of a buffer."""
        assert self.told is not None
        facts = [self.t[k], self.number[k], self.direction[k], self.grazing[k], 1.0]
        return np.concatenate([facts, self.before[k], self.after[k], self.told[k]])

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
        if self.told is not None:
            switches = int(np.sum(self.number == len(self.names)))
            counts.append(f"{switches} switches of contacts")
        runs = len(np.unique(self.run))
        return f"SweepEvents({', '.join(counts)} in {runs} runs)"


ARRAYS = ("run", "number", "t", "direction", "grazing", "before", "after")


def events_of(
    system: System,
    names: tuple[str, ...],
    met: list[tuple[np.ndarray, np.ndarray]],
    held: int | None = None,
) -> SweepEvents:
    """The events of runs, run by run: numbers of runs, rows of buffers.

    `held` are the values between states and what contacts tell; None without contacts.
    """
    width = system.coordinates + system.speeds
    kept = np.arange(FACTS + 2 * width)
    if held is not None:
        more = np.arange(SwitchRecord.width(len(contact_names(system))))
        kept = np.append(kept, FACTS + 2 * width + held + more)
    none = (np.zeros(0, np.int64), np.zeros((0, len(kept))))
    runs, rows = (
        np.concatenate([part, *parts]) if parts else part
        for part, parts in zip(none, _columns(met, kept), strict=True)
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
        after=rows[:, FACTS + width : FACTS + 2 * width].copy(),
        told=None if held is None else rows[:, FACTS + 2 * width :].copy(),
    )


def _columns(met: list[tuple[np.ndarray, np.ndarray]], kept: Any) -> Any:
    """Pieces of runs and of rows, without what else is recorded beside the states."""
    return [runs for runs, _ in met], [rows[:, kept] for _, rows in met]


def join_events(parts: list[SweepEvents], firsts: list[int]) -> SweepEvents:
    """Events of several parts; `firsts` are the numbers of their first runs."""
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS
    }
    pairs = zip(parts, firsts, strict=True)
    columns["run"] = np.concatenate([part.run + first for part, first in pairs])
    if parts[0].told is not None:
        columns["told"] = np.concatenate([part.told for part in parts])
    return SweepEvents(parts[0].system, parts[0].names, **columns)
