"""A file that is changed in whole transactions, whatever kills the program.

HDF5 rewrites its own indices in place, block by block; a program killed between two
blocks leaves a file that nobody can open. Here all that would overwrite older bytes is
held back, until `commit`:

    new bytes go past the old end          nothing refers to them yet
    the held-back bytes go to a journal    with a checksum at its end
    they are written over the old ones     a kill here is repaired from the journal
    the journal is emptied

A reader finds either no complete journal, and the file before the transaction, or a
complete one, and writes its bytes again. HDF5 must not meet an error while it writes:
a full disk is remembered, and told at the next `commit`, which then changes nothing.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, final

from polhode.integrate.storage.journal import (
    Change,
    Record,
    apply,
    encode,
    frame_of,
    mend,
    write_at,
)
from polhode.integrate.storage.lock import HOLDER_BYTES, WriterLock


@final
class TransactionFile(io.RawIOBase):
    """A binary file open for reading and writing, changed only by `commit`."""

    def __init__(self, path: Path, *, fresh: bool, held: WriterLock | None = None):
        super().__init__()
        # The lock first: nothing is created or cut while another has the file.
        self._lock = WriterLock(path) if held is None else held
        self._file = -1
        try:
            flags = os.O_RDWR | (os.O_CREAT | os.O_TRUNC if fresh else 0)
            self._file = os.open(path, flags, 0o644)
            if not fresh:
                mend(self._lock, self._file)
            self._lock.sign()
        except BaseException:
            _let_go(self._file, self._lock, remove=False)
            raise
        self._path, self._place = path, 0
        self._safe = self._end = os.fstat(self._file).st_size
        self._held: list[tuple[int, bytes]] = []  # the later over the earlier
        self._failure: OSError | None = None
        self._is_between = (
            False  # whether a commit has begun to overwrite, and not ended
        )

    # ---------------------------------------------------- what HDF5 asks of a file

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._end}
        self._place = base[whence] + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def truncate(self, size: int | None = None) -> int:
        # The end only moves forward: what lies past it is not referred to.
        self._end = max(self._end, self._place if size is None else size)
        return self._end

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        want = max(0, min(len(view), self._end - self._place))
        self._read_at(view[:want], self._place)
        self._place += want
        return want

    def _read_at(self, view: memoryview, place: int) -> None:
        """The bytes of the file as they will be, held-back ones included."""
        got = os.pread(self._file, len(view), place)
        view[:] = got + bytes(len(view) - len(got))
        for where, data in self._held:
            first = max(where, place)
            last = min(where + len(data), place + len(view))
            if first < last:
                view[first - place : last - place] = data[first - where : last - where]

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        old = max(0, min(len(view), self._safe - self._place))
        if old:
            self._held = _over(self._held, self._place, bytes(view[:old]))
        try:
            write_at(self._file, view[old:], self._place + old)
        except OSError as error:
            # HDF5 reads again what it wrote, and must find it; the frames of the error
            # must not hold its memory.
            self._failure = error.with_traceback(None)
            self._held = _over(self._held, self._place + old, bytes(view[old:]))
        self._place += len(view)
        self._end = max(self._end, self._place)
        return len(view)

    # ---------------------------------------------------------------- transactions

    def commit(self) -> None:
        """All that was written since the last commit becomes the file, or none."""
        if self._failure:
            raise self._failure
        if self._held:
            # Bytes past the old end that HDF5 reserved and did not write are there too:
            # other readers refuse a file that is shorter than it says.
            if os.fstat(self._file).st_size < self._end:
                os.ftruncate(self._file, self._end)
            record = self._record()
            write_at(self._lock.file, encode(record), HOLDER_BYTES)
            self._is_between = True
            apply(record, self._file)
            os.ftruncate(self._lock.file, HOLDER_BYTES)
            self._is_between = False
        self._held.clear()
        self._safe = self._end = max(self._end, os.fstat(self._file).st_size)

    def _record(self) -> Record:
        """What is held back as ranges that do not overlap, old bytes and new."""
        changes = []
        for where, last in _union([(w, w + len(d)) for w, d in self._held]):
            new = bytearray(last - where)
            self._read_at(memoryview(new), where)
            old = os.pread(self._file, last - where, where)
            if old != new:
                changes.append(Change(where, old, bytes(new)))
        frame = frame_of(self._file, self._safe, changes)
        return Record(self._safe, self._end, frame, changes)

    def close(self) -> None:
        if self.closed:
            return
        # Where the disk failed within a commit, the journal finishes it later.
        _let_go(self._file, self._lock, remove=not self._is_between)
        super().close()


def _let_go(file: int, held: WriterLock, *, remove: bool) -> None:
    """Close a file, where it was opened, and give its lock back."""
    if file >= 0:
        os.close(file)
    held.release(remove=remove)


def _over(
    held: list[tuple[int, bytes]], where: int, data: bytes
) -> list[tuple[int, bytes]]:
    """Bytes laid over those held back; what they cover as a whole is dropped."""
    end = where + len(data)
    left = [h for h in held if h[0] < where or h[0] + len(h[1]) > end]
    return [*left, (where, data)]


def _union(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges (first, last) in order, those that touch or overlap made one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found
