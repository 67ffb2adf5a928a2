"""What happened to a run on its way, as columns of its file: events and held inputs.

event_numbers (event, 1 + 2 n)   time, then q and z before and after
event_counts (event, 3)          which event, which way, whether it only grazed
fed_numbers (fed, 1 + m)         time, then the inputs that are held from it on
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polhode.integrate.events.event import Occurrence
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

InputLog = list[tuple[float, np.ndarray]]


class EventLog(NamedTuple):
    """The columns; see the module."""

    event_numbers: np.ndarray
    event_counts: np.ndarray
    fed_numbers: np.ndarray


def sizes(system: System, inputs: int) -> EventLog:
    """A diary without entries, of the right widths."""
    state = system.coordinates + system.speeds
    return EventLog(
        np.zeros((0, 1 + 2 * state)),
        np.zeros((0, 3), np.int64),
        np.zeros((0, 1 + inputs)),
    )


def written(
    names: list[str], met: list[Occurrence], input_log: InputLog, empty: EventLog
) -> EventLog:
    """Events and inputs as columns."""
    numbers = [
        np.concatenate([[e.t], e.before.q, e.before.z, e.after.q, e.after.z])
        for e in met
    ]
    counts = [[names.index(e.name), e.direction, int(e.is_grazing)] for e in met]
    held = [np.concatenate([[t], values]) for t, values in input_log]
    columns = (numbers, np.array(counts, np.int64), held)
    pairs = zip(columns, empty, strict=True)
    return EventLog(*(np.array(c).reshape(-1, e.shape[1]) for c, e in pairs))


def read(
    system: System, names: list[str], diary: EventLog
) -> tuple[list[Occurrence], InputLog]:
    """Events and inputs from columns."""
    n, m = system.coordinates, system.speeds
    met = []
    for row, (which, way, grazing) in zip(
        diary.event_numbers, diary.event_counts, strict=True
    ):
        t, before, after = row[0], row[1 : 1 + n + m], row[1 + n + m :]
        one, other = (State(system, t, p[:n], p[n:]) for p in (before, after))
        facts = (int(way), bool(grazing))
        met.append(Occurrence(names[which], float(t), one, other, *facts))
    return met, [(float(row[0]), row[1:].copy()) for row in diary.fed_numbers]
