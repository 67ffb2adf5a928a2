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
import struct
import time
import zlib
from pathlib import Path
from typing import Any, final

from polhode.errors import FileError

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

MOMENTS = 40  # for which a writer waits
MAGIC = b"polhode-journal\n"
_HEAD = struct.Struct("<QQ")  # where, how many bytes
_TAIL = struct.Struct("<I")  # checksum of all that goes before


def journal_of(path: Path) -> Path:
    """Where the journal of a file lies: beside it."""
    return path.with_name(path.name + ".journal")


@final
class TransactionFile(io.RawIOBase):
    """A binary file open for reading and writing, changed only by `commit`."""

    def __init__(self, path: Path, *, fresh: bool):
        super().__init__()
        require_free(path)
        flags = os.O_RDWR | (os.O_CREAT | os.O_TRUNC if fresh else 0)
        self._file = os.open(path, flags, 0o644)
        journal = _taken(path)
        if journal is None:
            os.close(self._file)
            raise in_use(path)
        self._journal = journal
        if not fresh:
            _mend(self._file, path)
        os.ftruncate(self._journal, 0)
        self._path, self._place = path, 0
        self._safe = self._end = os.fstat(self._file).st_size
        self._held: list[tuple[int, bytes]] = []  # the later over the earlier
        self._failure: OSError | None = None

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
        got = os.pread(self._file, want, self._place)
        view[:want] = got + bytes(want - len(got))
        for where, data in self._held:
            first, last = max(where, self._place), self._place + want
            last = min(where + len(data), last)
            if first < last:
                view[first - self._place : last - self._place] = data[
                    first - where : last - where
                ]
        self._place += want
        return want

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        old = max(0, min(len(view), self._safe - self._place))
        if old:
            self._hold(self._place, bytes(view[:old]))
        try:
            _write(self._file, view[old:], self._place + old)
        except OSError as error:
            # HDF5 reads again what it wrote, and must find it; the frames of the error
            # must not hold its memory.
            self._failure = error.with_traceback(None)
            self._hold(self._place + old, bytes(view[old:]))
        self._place += len(view)
        self._end = max(self._end, self._place)
        return len(view)

    # ---------------------------------------------------------------- transactions

    def _hold(self, where: int, data: bytes) -> None:
        end = where + len(data)
        left = [
            held
            for held in self._held
            if held[0] < where or held[0] + len(held[1]) > end
        ]
        self._held = [*left, (where, data)]

    def commit(self) -> None:
        """All that was written since the last commit becomes the file, or none."""
        if self._failure:
            raise self._failure
        if self._held:
            parts = [_HEAD.pack(w, len(d)) + d for w, d in self._held]
            whole = MAGIC + b"".join(parts)
            _write(self._journal, whole + _TAIL.pack(zlib.crc32(whole)), 0)
            for where, data in self._held:
                _write(self._file, data, where)
            os.ftruncate(self._journal, 0)
        self._held.clear()
        self._safe = self._end = max(self._end, os.fstat(self._file).st_size)

    def close(self) -> None:
        if self.closed:
            return
        os.close(self._file)
        _remove(self._journal, journal_of(self._path))
        super().close()


def is_in_use(path: Path) -> bool:
    """Whether a run is writing to a file: it holds the journal as long as it lives."""
    try:
        journal = os.open(journal_of(path), os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _lock(journal, shared=True)
    finally:
        os.close(journal)


def require_free(path: Path) -> None:
    """Refuse a file to which a run is writing."""
    if is_in_use(path):
        raise in_use(path)


def in_use(path: Path) -> FileError:
    """What is said of a file that has a writer."""
    return FileError(
        f"{str(path)!r} is being written.",
        "A run, here or in another process, has it open, and two would spoil it.",
        "Wait until that run has ended, or give another path.",
    )


def _taken(path: Path) -> int | None:
    """The journal of a file for oneself; others look at it for no more than a moment.

    One that was removed meanwhile is none: nobody would find it.
    """
    place = journal_of(path)
    for _ in range(MOMENTS):
        journal = os.open(place, os.O_RDWR | os.O_CREAT, 0o644)
        if _lock(journal, shared=False) and _is_at(journal, place):
            return journal
        os.close(journal)
        time.sleep(0.005)
    return None


def _is_at(file: int, place: Path) -> bool:
    """Whether an open file is the one that lies at a place now."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(place))
    except FileNotFoundError:
        return False


def _lock(file: int, *, shared: bool) -> bool:
    """Hold a file alone or with others, until it is closed or the process dies."""
    if fcntl is None:  # not every system has such locks
        return True
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # nor every disk
        return True
    return True


def repair(path: Path) -> bool:
    """Finish a transaction that was cut short; whether there was one.

    An incomplete journal is of a transaction that never began to change the file. One
    that a run holds is left to it.
    """
    place = journal_of(path)
    if not place.exists():
        return False
    journal = os.open(place, os.O_RDONLY)
    if not (_lock(journal, shared=False) and _is_at(journal, place)):
        os.close(journal)
        return False
    is_whole = bool(_pieces(place.read_bytes()))
    try:
        if is_whole:
            file = os.open(path, os.O_RDWR)
            try:
                _mend(file, path)
            finally:
                os.close(file)
    except OSError:
        os.close(journal)
        raise
    _remove(journal, place)
    return is_whole


def _remove(journal: int, place: Path) -> None:
    """Remove a journal while it is held, as else it may be another's by then."""
    if fcntl is None:  # where there are no locks, what is open cannot be removed
        os.close(journal)
        place.unlink(missing_ok=True)
        return
    try:
        place.unlink(missing_ok=True)
    finally:
        os.close(journal)


def _mend(file: int, path: Path) -> None:
    """Write what a complete journal has over a file."""
    for where, data in _pieces(journal_of(path).read_bytes()):
        _write(file, data, where)


def _pieces(content: bytes) -> list[tuple[int, bytes]]:
    """The bytes of a complete journal and their places; none of any other."""
    body, tail = content[: -_TAIL.size], content[-_TAIL.size :]
    if len(content) < len(MAGIC) + _TAIL.size or not body.startswith(MAGIC):
        return []
    if _TAIL.pack(zlib.crc32(body)) != tail:
        return []
    found, at = [], len(MAGIC)
    while at < len(body):
        where, size = _HEAD.unpack_from(body, at)
        at += _HEAD.size + size
        found.append((where, body[at - size : at]))
    return found


def _write(file: int, data: Any, where: int) -> None:
    view = memoryview(data)
    while view:
        done = os.pwrite(file, view, where)
        view, where = view[done:], where + done
