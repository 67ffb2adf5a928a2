"""Switches of contacts as a motion tells them: touches, opens, slides, sticks, settles.

One row of a buffer is one switch, at which several points may change what they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, final, overload

import numpy as np

from polhode.formulation.contact.decide import OPEN, STATUSES
from polhode.formulation.contact.mode_forces import MODES
from polhode.integrate.contact.contact_limits import SwitchRecord
from polhode.integrate.events.event import Events, Occurrence
from polhode.integrate.events.occurrence_buffer import GUARD
from polhode.integrate.events.occurrence_rows import (
    Met,
    OccurrenceRows,
    occurrence_of,
    tail_of,
)
from polhode.system.contacts import names, owners

if TYPE_CHECKING:
    from polhode.integrate.inputs.inputs import Inputs
    from polhode.system.system import System


def events_met(
    system: System, words: tuple[str, ...], met: Sequence[Met], inputs: Inputs
) -> Events:
    """The events of a motion: those that were watched for, and what contacts did."""
    held = inputs.drive.width if inputs.modes else 0
    if MODES not in inputs.modes:
        return Events(OccurrenceRows(system, words, met, held), words)
    own = tuple(support.name for support in system.supports)
    rows = SwitchRows(system, words, met, held)
    return Events(rows, (*own, *words))


def is_switch(met: Met, words: Sequence[str]) -> bool:
    """Whether something that was met is a switch of contacts."""
    return isinstance(met, np.ndarray) and int(met[GUARD]) == len(words)


def record_of(system: System, met: np.ndarray, held: int) -> SwitchRecord:
    """What is told of a switch."""
    return SwitchRecord.of(tail_of(system, met)[held:], len(names(system)))


def changes_of(record: SwitchRecord) -> list[tuple[int, str]]:
    """The points that a switch changed, each with what it does from there on."""
    struck = np.any(record.impulse != 0, axis=1) & bool(record.is_struck)
    # A chatter may end on its way out, without a blow.
    closes = (record.was == OPEN) & (record.status != OPEN) & bool(record.settles)
    word = "settles" if record.settles else "touches"
    # A closed one that is struck without an approach: an impact without collision.
    closed = np.all(record.was[struck] != OPEN)
    rate, speed = record.before[struck, 0], np.max(np.abs(record.before), initial=0.0)
    is_still = np.any(struck) and closed and np.all(rate > -1e-9 * speed)
    if is_still and not record.settles:
        word = "jams"
    found = [(k, word) for k in np.flatnonzero(struck | closes).tolist()]
    for k in np.flatnonzero(record.status != record.was).tolist():
        status = int(record.status[k])
        found.append((k, "opens" if status == OPEN else STATUSES[status]))
    return found


@final
class SwitchRows(Sequence[Occurrence]):
    """Occurrences in their order, switches among them; made when one is asked for."""

    def __init__(
        self, system: System, words: Sequence[str], met: Sequence[Met], held: int
    ):
        self._given = (system, words, met, held)
        self.words, self.met = words, met
        self._made: tuple[Occurrence, ...] | None = None

    @property
    def told(self) -> int:
        """How many numbers a switch tells."""
        return SwitchRecord.width(len(names(self._given[0])))

    def _all(self) -> tuple[Occurrence, ...]:
        if self._made is None:
            system, words, met, held = self._given
            self._made = tuple(
                one for each in met for one in _occurrences(system, words, each, held)
            )
        return self._made

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, key: int) -> Occurrence: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Occurrence, ...]: ...
    def __getitem__(self, key: Any) -> Any:
        return self._all()[key]

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._all())


def _occurrences(
    system: System, words: Sequence[str], met: Met, held: int
) -> list[Occurrence]:
    if not is_switch(met, words):
        return [occurrence_of(system, words, met)]
    labels, support = names(system), owners(system)
    one = occurrence_of(system, [*words, ""], met)
    return [
        Occurrence(
            system.supports[support[k]].name, one.t, one.before, one.after, -1, False,
            kind, labels[k],
        )
        for k, kind in changes_of(record_of(system, met, held))  # type: ignore[arg-type]
    ]  # fmt: skip
