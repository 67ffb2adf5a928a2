"""A sweep as columns by name, and back: what every form of its files holds.

t, q, z, status, accepted, rejected, stiff, tried     as in `Sweep`
parameter NAME, work of NAME                          (runs,)
kinetic, potential, momentum, angular_momentum        where it was audited
event NAME, event_names                               where events were watched for
told                                                  sentences, as letters (JSON)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.results.sweep_events import ARRAYS, SweepEvents
from polhode.integrate.results.sweep_result import Sweep, SweepLedger

if TYPE_CHECKING:
    from polhode.system.system import System

COLUMNS = ("t", "q", "z", "status", "accepted", "rejected", "stiff", "tried")
ENDS = tuple(name for name in SweepLedger._fields if name != "work")
# The beginnings of names that go on with a name of the model's.
PARAMETER, WORK, EVENT = "parameter ", "work of ", "event "
TEXTS = ("told", "event_names")


def columns_of(part: Sweep) -> dict[str, np.ndarray]:
    """All columns, in the order of their names."""
    columns = {name: getattr(part, name) for name in COLUMNS}
    columns |= {f"{PARAMETER}{name}": v for name, v in part.parameters.items()}
    if part.ledger is not None:
        columns |= {f"{WORK}{name}": v for name, v in part.ledger.work.items()}
        columns |= {name: getattr(part.ledger, name) for name in ENDS}
    texts = {}
    if part.events is not None or part.told:
        texts["told"] = json.dumps({str(run): word for run, word in part.told.items()})
    if part.events is not None:
        own = {name: getattr(part.events, name) for name in (*ARRAYS, "told")}
        columns |= {f"{EVENT}{n}": v for n, v in own.items() if v is not None}
        texts["event_names"] = json.dumps(part.events.names)
    columns |= {n: np.frombuffer(t.encode(), np.uint8) for n, t in texts.items()}
    return {name: np.asarray(columns[name]) for name in sorted(columns)}


def is_column(name: str) -> bool:
    """Whether a sweep may have a column of this name."""
    if name in COLUMNS or name in ENDS or name in TEXTS:
        return True
    return name.startswith((PARAMETER, WORK, EVENT))


def sweep_from(
    columns: dict[str, np.ndarray],
    system: System,
    until: float,
    drive: Drive = UNDRIVEN,
) -> Sweep:
    """The sweep that has these columns."""

    def named(word: str) -> dict[str, np.ndarray]:
        own = {n: v for n, v in columns.items() if n.startswith(word)}
        return {n.removeprefix(word): v for n, v in own.items()}

    ledger = None
    if ENDS[0] in columns:
        ledger = SweepLedger(**{n: columns[n] for n in ENDS}, work=named(WORK))
    text = columns["told"].tobytes().decode("utf-8") if "told" in columns else "{}"
    return Sweep(
        system,
        until,
        **{name: columns[name] for name in COLUMNS},
        parameters=named(PARAMETER),
        ledger=ledger,
        events=_events(system, columns),
        told={int(run): word for run, word in json.loads(text).items()},
        drive=drive,
    )


def _events(system: System, columns: dict[str, Any]) -> SweepEvents | None:
    if "event_names" not in columns:
        return None
    own = {name: columns[f"{EVENT}{name}"] for name in ARRAYS}
    own["told"] = columns.get(f"{EVENT}told")  # by contacts
    names = json.loads(columns["event_names"].tobytes())
    return SweepEvents(system, tuple(names), **own)
