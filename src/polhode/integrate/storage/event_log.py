"""What happened to a run on its way, as columns of its file: events and held inputs.

event_numbers (event, 1 + 2 n)   time, then q and z before and after; of a run with
                                 contacts also held values and what a switch tells
event_counts (event, 3)          which event, which way, whether it only grazed
fed_numbers (fed, 1 + m)         time, then the inputs that are held from it on
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polhode.integrate.events.event import Occurrence
from polhode.integrate.events.occurrence_buffer import (
    DIRECTION,
    FACTS,
    GRAZING,
    GUARD,
    T,
)
from polhode.integrate.events.occurrence_rows import Met
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

InputLog = list[tuple[float, np.ndarray]]


class EventLog(NamedTuple):
    """The columns; see the module."""

    event_numbers: np.ndarray
    event_counts: np.ndarray
    fed_numbers: np.ndarray


def sizes(system: System, inputs: int, told: int = 0) -> EventLog:
    """An event log without entries, of the right widths.

    `told` are numbers that switches of contacts tell, behind the held values.
    """
    state = system.coordinates + system.speeds
    more = inputs + told if told else 0
    return EventLog(
        np.zeros((0, 1 + 2 * state + more)),
        np.zeros((0, 3), np.int64),
        np.zeros((0, 1 + inputs)),
    )


def log_columns(
    names: list[str], met: Sequence[Met], input_log: InputLog, empty: EventLog
) -> EventLog:
    """Events and inputs as columns."""
    width = empty.event_numbers.shape[1]
    numbers = [_numbers(e, width) for e in met]
    counts = [_counts(e, names) for e in met]
    held = [np.concatenate([[t], values]) for t, values in input_log]
    columns = (numbers, np.array(counts, np.int64), held)
    pairs = zip(columns, empty, strict=True)
    return EventLog(*(np.array(c).reshape(-1, e.shape[1]) for c, e in pairs))


def _numbers(met: Met, width: int) -> np.ndarray:
    if isinstance(met, np.ndarray):
        return np.concatenate([met[[T]], met[FACTS : FACTS + width - 1]])
    before, after = met.before, met.after
    found = np.concatenate([[met.t], before.q, before.z, after.q, after.z])
    return np.concatenate([found, np.zeros(width - len(found))])


def _counts(met: Met, names: list[str]) -> list[int]:
    if isinstance(met, np.ndarray):
        return [int(met[k]) for k in (GUARD, DIRECTION, GRAZING)]
    return [names.index(met.name), met.direction, int(met.is_grazing)]


def read(system: System, names: list[str], log: EventLog) -> tuple[list[Met], InputLog]:
    """Events and inputs from columns; switches of contacts stay rows of a buffer."""
    n, m = system.coordinates, system.speeds
    met: list[Met] = []
    for row, (which, way, grazing) in zip(
        log.event_numbers, log.event_counts, strict=True
    ):
        if which == len(names):
            facts = (row[0], which, way, grazing, 1.0)
            met.append(np.concatenate([facts, row[1:]]))
            continue
        before, after = row[1 : 1 + n + m], row[1 + n + m : 1 + 2 * (n + m)]
        t = row[0]
        one, other = (State(system, t, p[:n], p[n:]) for p in (before, after))
        ways = (int(way), bool(grazing))
        met.append(Occurrence(names[which], float(t), one, other, *ways))
    return met, [(float(row[0]), row[1:].copy()) for row in log.fed_numbers]
