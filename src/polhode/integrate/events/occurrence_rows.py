"""Occurrences on the host: rows of a buffer become events when they are read.

A bounce takes a compiled loop a microsecond, and Python a hundred to describe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, final, overload

import numpy as np

from polhode.integrate.events.event import Occurrence
from polhode.integrate.events.occurrence_buffer import (
    CHANGED,
    DIRECTION,
    FACTS,
    GRAZING,
    GUARD,
    T,
)
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

# One that happened: as the host has made it, or a row of a buffer.
Met = Occurrence | np.ndarray


def occurrence_of(system: System, names: Sequence[str], met: Met) -> Occurrence:
    """An event as the motion tells it."""
    if isinstance(met, Occurrence):
        return met
    n, width = system.coordinates, system.coordinates + system.speeds
    t, states = float(met[T]), met[FACTS : FACTS + 2 * width]
    before = State(system, t, states[:n], states[n:width])
    after = before
    if met[CHANGED]:
        after = State(system, t, states[width : width + n], states[width + n :])
    name, way = names[int(met[GUARD])], int(met[DIRECTION])
    return Occurrence(name, t, before, after, way, bool(met[GRAZING]))


def tail_of(system: System, met: np.ndarray) -> np.ndarray:
    """What a row has behind its states: held values, then the record of a change."""
    return met[FACTS + 2 * (system.coordinates + system.speeds) :]


def row_of_occurrence(names: Sequence[str], met: Met, records: int) -> np.ndarray:
    """An occurrence as a row of a buffer; the host's own tells nothing more."""
    if isinstance(met, np.ndarray):
        return met
    before, after = met.before, met.after
    facts = (met.t, names.index(met.name), met.direction, met.is_grazing)
    states = (before.q, before.z, after.q, after.z)
    return np.concatenate([facts, [after is not before], *states, np.zeros(records)])


def guard_name(names: Sequence[str], met: Met) -> str:
    """Which guard it was."""
    return met.name if isinstance(met, Occurrence) else names[int(met[GUARD])]


def time_of(met: Met) -> float:
    """When it happened."""
    return met.t if isinstance(met, Occurrence) else float(met[T])


@final
class OccurrenceRows(Sequence[Occurrence]):
    """Occurrences in their order; each is made when it is read."""

    def __init__(
        self, system: System, names: Sequence[str], met: Sequence[Met], held: int = 0
    ):
        self._system, self._names, self._met, self._held = system, names, met, held
        self._made: tuple[Occurrence, ...] | None = None

    def __len__(self) -> int:
        return len(self._met)

    @property
    def t(self) -> np.ndarray:
        """Times (n,)."""
        return np.array([time_of(met) for met in self._met], dtype=float)

    @property
    def records(self) -> np.ndarray:
        """The records of changes (n, numbers); zeros where the host made the change."""
        tails = [
            tail_of(self._system, met)[self._held :]
            for met in self._met
            if isinstance(met, np.ndarray)
        ]
        found = np.zeros((len(self), len(tails[0]) if tails else 0))
        found[[isinstance(met, np.ndarray) for met in self._met]] = tails or found
        return found

    def _all(self) -> tuple[Occurrence, ...]:
        if self._made is None:
            given = (self._system, self._names)
            self._made = tuple(occurrence_of(*given, met) for met in self._met)
        return self._made

    @overload
    def __getitem__(self, key: int) -> Occurrence: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Occurrence, ...]: ...
    def __getitem__(self, key: Any) -> Any:
        return self._all()[key]

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._all())
