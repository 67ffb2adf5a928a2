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

    buffer: RowBuffer
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
        return self.buffer.bytes - self.bytes_left

    def unsent(self) -> Steps | None:
        """The rows that wait; None where there are none."""
        if self.rows_left >= self.buffer.count:
            return None
        return self.buffer.rows(self.rows_left)

    def all_rows(self) -> Steps | None:
        """All rows that ever came, if they are here, and there are any."""
        return self.buffer.rows() if self.all_stay and self.buffer.count else None

    def after_sending(self) -> WriteQueue:
        """The queue after its rows were sent; they stay in it until the next time."""
        if self.all_stay and self.buffer.bytes <= self.kept:
            rows, size = self.buffer.count, self.buffer.bytes
            return self._replace(rows_left=rows, bytes_left=size)
        used = RowBuffer() if self.all_stay else self.buffer
        self.second.clear()
        return WriteQueue(self.second, used, self.kept, False)
