"""Rows side by side as they come, in memory that grows with them.

Few rows lie loose, and are put together when they are asked for; so do rows that come
all at once. Many are written where they will stay: room that is reserved takes no
memory before it is written to, so much is reserved, and rows are hardly ever moved.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from polhode.integrate.field.dense_output import Steps, joined

LARGE = 4e6  # bytes that may lie loose
AHEAD = 8  # room is made so many times as large as the rows that need it


class Held(NamedTuple):
    """The rows of a shelf at one moment; rows that come later do not touch them.

    number, bytes   how many rows there are, and what they take
    loose, pieces   pieces that lie loose, of which the first so many are meant
    columns         where rows lie side by side, if they do
    """

    number: int
    bytes: int
    loose: list[Steps]
    pieces: int
    columns: list[np.ndarray]


@final
class RowBuffer:
    """Rows of one run in the order in which they came; `count` of them.

    `mark` says that the rows so far are complete, and what belongs to them: `note`.
    `restore` forgets those that came after. Rows and what belongs to them
    change by one assignment each, so that Ctrl-C never comes between.
    """

    def __init__(self) -> None:
        self.held = Held(0, 0, [], 0, [])
        self._mark: tuple[Held, Any] = (self.held, None)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.held.number

    @property
    def bytes(self) -> int:
        """How many bytes they take."""
        return self.held.bytes

    @property
    def note(self) -> Any:
        """What was noted at the last mark."""
        return self._mark[1]

    def mark(self, stepper_state: Any, note: Any) -> None:
        """The rows so far are complete; the cursor is for those who write to a file."""
        self._mark = (self.held, note)

    def restore(self) -> None:
        """The rows of the last mark."""
        self.held = self._mark[0]

    def append(self, rows: Steps, chosen: np.ndarray | None = None) -> None:
        """More rows: all, or copies of those at the places `chosen`."""
        held = self.held
        if chosen is not None and not held.columns:
            rows, chosen = Steps(*(part[chosen] for part in rows)), None
        more = len(rows.t) if chosen is None else len(chosen)
        size = more * sum(part[:1].nbytes for part in rows)
        count, total = held.number + more, held.bytes + size
        if not held.columns and (total <= LARGE or not held.number):
            del held.loose[held.pieces :]
            held.loose.append(rows)
            self.held = held._replace(number=count, bytes=total, pieces=held.pieces + 1)
        else:
            columns = self._put(rows, chosen, count)
            self.held = Held(count, total, [], 0, columns)

    def rows(self, first: int = 0) -> Steps:
        """The rows from one on; they stay as they are while more come."""
        held = self.held
        if held.columns:
            return Steps(*(column[first : held.number] for column in held.columns))
        if held.pieces > 1:
            whole = [joined(held.loose[: held.pieces])]
            self.held = held = held._replace(loose=whole, pieces=1)
        found = held.loose[0]
        return Steps(*(part[first:] for part in found)) if first else found

    def clear(self) -> None:
        """Forget the rows, and keep room for more; those given out are overwritten."""
        self.held = Held(0, 0, [], 0, self.held.columns)

    def _put(
        self, rows: Steps, chosen: np.ndarray | None, last: int
    ) -> list[np.ndarray]:
        """The columns with more rows in them, perhaps others than before."""
        columns = self.held.columns
        if not columns or last > len(columns[0]):
            columns = self._moved(rows, last)
        for column, part in zip(columns, rows, strict=True):
            place = column[self.count : last]
            if chosen is None or len(chosen) == len(part):
                place[:] = part
            else:  # any mode but "raise" writes without a copy between
                np.take(part, chosen, axis=0, out=place, mode="clip")
        return columns

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
