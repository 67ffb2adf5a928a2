"""One run on its way through chunks: what it met, what it was fed, why it ended."""

from __future__ import annotations

from typing import final

import numpy as np

from polhode.integrate.events.context import Case, Guide
from polhode.integrate.events.event import Occurrence
from polhode.integrate.events.handle import begun, followed
from polhode.integrate.events.messages import Told
from polhode.integrate.events.restart import Turn
from polhode.integrate.kernel.chunk import ATTEMPTS, Cursor, Rows

# After an event that stops a run few attempts are made at first: what is attempted
# beyond the next one is thrown away.
CAREFUL = 16


@final
class Escort:
    """Goes with one run: turns chunks into legs and collects what happens."""

    def __init__(self, guide: Guide, case: Case):
        self._guide, self._case = guide, case
        self.met: list[Occurrence] = []
        self.fed: list[tuple[float, np.ndarray]] = []
        self.told: Told | None = None
        self.room = CAREFUL if guide.has_stops else ATTEMPTS

    def begin(self, cursor: Cursor) -> Turn:
        """The first leg."""
        self.fed.append((float(cursor.t), np.array(cursor.held)))
        return self._noted(begun(self._guide, self._case, cursor))

    def follow(self, before: Cursor, after: Cursor, rows: Rows) -> Turn:
        """What a chunk comes to."""
        turn = self._noted(followed(self._guide, self._case, before, after, rows))
        if not np.array_equal(turn.cursor.ticks, before.ticks):
            self.fed.append((float(turn.cursor.t), np.array(turn.cursor.held)))
        has_stopped = not np.array_equal(turn.cursor.recent, before.recent)
        if self._guide.has_stops:
            self.room = CAREFUL if has_stopped else min(2 * self.room, ATTEMPTS)
        return turn

    def mark(self) -> tuple[int, int, Told | None]:
        """How much has been collected so far."""
        return len(self.met), len(self.fed), self.told

    def restore(self, mark: tuple[int, int, Told | None]) -> None:
        """Forget what was collected after a mark."""
        met, fed, self.told = mark
        del self.met[met:], self.fed[fed:]

    def _noted(self, turn: Turn) -> Turn:
        self.met += turn.met
        self.told = turn.told
        return turn
