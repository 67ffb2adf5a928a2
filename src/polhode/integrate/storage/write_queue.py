"""Rows on their way to a file."""

from __future__ import annotations

from typing import NamedTuple

from polhode.integrate.field.dense_output import Steps
from polhode.integrate.host.row_buffer import RowBuffer


class WriteQueue(NamedTuple):
    """Shelves with rows that wait for the writer, and how many have left.

    Up to `kept` bytes all rows stay where they were put, and `all_stay`. Beyond, two
    shelves are used by turns: one fills while the rows of the other are written.
    """

    shelf: RowBuffer
    second: RowBuffer
    kept: float
    all_stay: bool
    rows_left: int = 0
    bytes_left: int = 0

    @classmethod
    def empty(cls, kept: float) -> WriteQueue:
        """A queue without rows."""
        return cls(RowBuffer(), RowBuffer(), kept, kept > 0)

    @property
    def waiting(self) -> int:
        """How many bytes wait."""
        return self.shelf.bytes - self.bytes_left

    def unsent(self) -> Steps | None:
        """The rows that wait; None where there are none."""
        if self.rows_left >= self.shelf.count:
            return None
        return self.shelf.rows(self.rows_left)

    def all_rows(self) -> Steps | None:
        """All rows that ever came, if they are here, and there are any."""
        return self.shelf.rows() if self.all_stay and self.shelf.count else None

    def after_sending(self) -> WriteQueue:
        """The queue after its rows were sent; they stay in it until the next time."""
        if self.all_stay and self.shelf.bytes <= self.kept:
            rows, size = self.shelf.count, self.shelf.bytes
            return self._replace(rows_left=rows, bytes_left=size)
        used = RowBuffer() if self.all_stay else self.shelf
        self.second.clear()
        return WriteQueue(self.second, used, self.kept, False)
