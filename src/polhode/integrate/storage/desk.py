"""Rows on their way to a file."""

from __future__ import annotations

from typing import final

import numpy as np

from polhode.integrate.dense import Steps
from polhode.integrate.shelf import Shelf


@final
class Desk:
    """Rows that wait for the writer; `all_stay` while all that ever came are here.

    Up to `kept` bytes all rows stay where they were put. Beyond, two shelves are used
    by turns: one fills while the rows of the other are written.
    """

    def __init__(self, kept: float):
        self.waiting = 0  # bytes
        self.all_stay = kept > 0
        self._kept = kept
        self._shelf, self._second = Shelf(), Shelf()
        self._left = 0  # rows of the shelf that have left

    def append(self, rows: Steps, chosen: np.ndarray | None = None) -> None:
        """More rows: all, or those at the places `chosen`."""
        before = self._shelf.bytes
        self._shelf.append(rows, chosen)
        self.waiting += self._shelf.bytes - before

    def unsent(self) -> Steps | None:
        """The rows that wait; None where there are none."""
        return self._shelf.rows(self._left) if self._left < self._shelf.count else None

    def all_rows(self) -> Steps | None:
        """All rows that ever came, if they are here, and there are any."""
        return self._shelf.rows() if self.all_stay and self._shelf.count else None

    def clear(self) -> None:
        """What waited has left; it stays as it is until this is said again."""
        self.waiting = 0
        if self.all_stay and self._shelf.bytes <= self._kept:
            self._left = self._shelf.count
            return
        used = Shelf() if self.all_stay else self._shelf
        self._shelf, self._second, self._left = self._second, used, 0
        self._shelf.clear()
        self.all_stay = False
