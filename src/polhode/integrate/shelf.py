"""Rows side by side as they come, in memory that grows with them.

Few rows lie loose, and are put together when they are asked for; so do rows that come
all at once. Many are written where they will stay: room that is reserved takes no
memory before it is written to, so much is reserved, and rows are hardly ever moved.
"""

from __future__ import annotations

from typing import final

import numpy as np

from polhode.integrate.dense import Steps, joined

LARGE = 4e6  # bytes that may lie loose
AHEAD = 8  # room is made so many times as large as the rows that need it


@final
class Shelf:
    """Rows of one run in the order in which they came; `count` of them."""

    def __init__(self) -> None:
        self.count, self.bytes = 0, 0
        self._loose: list[Steps] = []
        self._columns: list[np.ndarray] = []

    def append(self, rows: Steps, chosen: np.ndarray | None = None) -> None:
        """More rows: all, or copies of those at the places `chosen`."""
        if chosen is not None and not self._columns:
            rows, chosen = Steps(*(part[chosen] for part in rows)), None
        count = len(rows.t) if chosen is None else len(chosen)
        size = count * sum(part[:1].nbytes for part in rows)
        if not self._columns and (self.bytes + size <= LARGE or not self.count):
            self._loose.append(rows)
        else:
            self._put(rows, chosen, self.count + count)
        self.count, self.bytes = self.count + count, self.bytes + size

    def rows(self, first: int = 0) -> Steps:
        """The rows from one on; they stay as they are while more come."""
        if self._columns:
            return Steps(*(column[first : self.count] for column in self._columns))
        if len(self._loose) > 1:
            self._loose = [joined(self._loose)]
        found = self._loose[0]
        return Steps(*(part[first:] for part in found)) if first else found

    def clear(self) -> None:
        """Forget the rows, and keep room for more; those given out are overwritten."""
        self.count, self.bytes, self._loose = 0, 0, []

    def _put(self, rows: Steps, chosen: np.ndarray | None, last: int) -> None:
        if not self._columns or last > len(self._columns[0]):
            self._columns = self._moved(rows, last)
            self._loose = []
        for column, part in zip(self._columns, rows, strict=True):
            place = column[self.count : last]
            if chosen is None or len(chosen) == len(part):
                place[:] = part
            else:  # any mode but "raise" writes without a copy between
                np.take(part, chosen, axis=0, out=place, mode="clip")

    def _moved(self, like: Steps, need: int) -> list[np.ndarray]:
        """Larger columns with the rows so far; as large as there is memory for."""
        held = self.rows() if self.count else Steps(*(part[:0] for part in like))
        for room in (AHEAD * need, 2 * need, need):
            try:
                found = [np.empty((room, *p.shape[1:]), p.dtype) for p in held]
                break
            except MemoryError:
                if room == need:
                    raise
        for column, part in zip(found, held, strict=True):
            column[: self.count] = part
        return found
