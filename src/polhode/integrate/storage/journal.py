"""The journal of a transaction: what is to be written over which bytes of which file.

    first HOLDER_BYTES     magic, and who holds the lock (see `lock`)
    head                   size of the file before and after, checksum of its frame
    where, size, old, new  for each range that is overwritten
    checksum               of all that goes before, from the head on

A journal is applied only to the file that it was made for: outside the ranges the frame
of the file (its first and last bytes before the transaction, with the identity of the
run among them) must have its checksum, and within them every byte must be the old one
or the new one.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polhode.errors import FileError
from polhode.integrate.storage.lock import (
    HOLDER_BYTES,
    MAGIC,
    NOFOLLOW,
    WriterLock,
    journal_of,
    lock,
)

_HEAD = struct.Struct("<QQI")  # size before, size after, checksum of the frame
_RANGE = struct.Struct("<QQ")  # where, how many bytes
_TAIL = struct.Struct("<I")
# Bytes at each end of the file that say which file it is.
FRAME = 2**16


class Change(NamedTuple):
    """A range of a file: where it begins, its bytes before and after."""

    where: int
    old: bytes
    new: bytes


class Record(NamedTuple):
    """A transaction: sizes of the file before and after, its frame, the changes."""

    before: int
    after: int
    frame: int
    changes: list[Change]


def encode(record: Record) -> bytes:
    """The bytes of a record, with their checksum."""
    parts = [_HEAD.pack(record.before, record.after, record.frame)]
    for where, old, new in record.changes:
        parts += [_RANGE.pack(where, len(new)), old, new]
    body = b"".join(parts)
    return body + _TAIL.pack(zlib.crc32(body))


def decode(content: bytes) -> Record | None:
    """The record in a journal; None where it is not complete."""
    body, tail = content[HOLDER_BYTES : -_TAIL.size], content[-_TAIL.size :]
    if len(content) < HOLDER_BYTES + _HEAD.size + _TAIL.size:
        return None
    if not content.startswith(MAGIC) or _TAIL.pack(zlib.crc32(body)) != tail:
        return None
    before, after, frame = _HEAD.unpack_from(body)
    changes, at = [], _HEAD.size
    while at < len(body):
        if len(body) - at < _RANGE.size:
            return None
        where, size = _RANGE.unpack_from(body, at)
        at += _RANGE.size
        if size > (len(body) - at) // 2 or where + size > before:
            return None
        changes.append(Change(where, body[at : at + size], body[at + size :][:size]))
        at += 2 * size
    return Record(before, after, frame, changes)


def frame_of(file: int, before: int, changes: list[Change]) -> int:
    """The checksum of the first and last bytes of a file that do not change."""
    found = 0
    for first in dict.fromkeys((0, max(0, before - FRAME))):
        part = bytearray(os.pread(file, min(FRAME, before - first), first))
        for where, old, _ in changes:
            begin = max(where - first, 0)
            end = min(where + len(old) - first, len(part))
            if begin < end:
                part[begin:end] = bytes(end - begin)
        found = zlib.crc32(part, found)
    return found


def belongs(record: Record, file: int) -> bool:
    """Whether a record is of this file, as it was before the record or in between."""
    if os.fstat(file).st_size < record.after:
        return False
    if frame_of(file, record.before, record.changes) != record.frame:
        return False
    for where, old, new in record.changes:
        now, *known = (
            np.frombuffer(part, np.uint8)
            for part in (os.pread(file, len(new), where), old, new)
        )
        if not np.all((now == known[0]) | (now == known[1])):
            return False
    return True


def apply(record: Record, file: int) -> None:
    """Write the new bytes."""
    for where, _, new in record.changes:
        write_at(file, new, where)


def mend(held: WriterLock, file: int) -> bool:
    """Finish what the journal of a held file tells; whether there was anything.

    An incomplete record is of a transaction that never began to change the file. The
    record of another file is refused, and left where it is.
    """
    record = decode(_content(held.file))
    if record is None:
        return False
    if not belongs(record, file):
        raise foreign(held.path)
    apply(record, file)
    return True


def repair(path: Path) -> bool:
    """Finish a transaction that was cut short; whether there was one.

    A journal that a run holds is left to it; so is what is no journal of ours.
    """
    place = journal_of(path)
    try:
        journal = os.open(place, os.O_RDONLY | NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False  # none, or a link: not ours
    try:
        if not lock(journal, shared=True):
            return False
        content = _content(journal)
    finally:
        os.close(journal)
    if content and not content.startswith(MAGIC):
        return False
    if decode(content) is None:
        _remove_idle(path)
        return False
    try:
        held = WriterLock(path)
    except FileError:
        return False  # another finishes it, or a run has begun
    is_done = False
    try:
        file = os.open(path, os.O_RDWR)
        try:
            is_done = mend(held, file)
        finally:
            os.close(file)
    finally:
        # What could not be finished is kept for another try.
        held.release(remove=is_done)
    return is_done


def finished(path: Path) -> bytes | None:
    """The bytes of a file as its journal would leave it; None where it has none.

    For readers where nothing can be written: a full disk, a folder of somebody else.
    """
    try:
        journal = os.open(journal_of(path), os.O_RDONLY | NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        record = decode(_content(journal))
    finally:
        os.close(journal)
    if record is None:
        return None
    file = os.open(path, os.O_RDONLY)
    try:
        if not belongs(record, file):
            raise foreign(path)
        content = bytearray(os.pread(file, os.fstat(file).st_size, 0))
    finally:
        os.close(file)
    for where, _, new in record.changes:
        content[where : where + len(new)] = new
    return bytes(content)


def _remove_idle(path: Path) -> None:
    """Remove the journal of a killed run that has nothing to finish, if one may."""
    with contextlib.suppress(OSError):
        held = WriterLock(path, tries=1)
        held.release(remove=decode(_content(held.file)) is None)


def foreign(path: Path) -> FileError:
    """What is said of a file beside which the journal of another lies."""
    return FileError(
        f"{str(journal_of(path))!r} does not belong to {str(path)!r}.",
        "It finishes a transaction of another file, or of another state of this one,"
        " and would spoil it.",
        "Put it back beside the file it came with, or remove it.",
    )


def _content(journal: int) -> bytes:
    size = os.fstat(journal).st_size
    return os.pread(journal, size, 0)


def write_at(file: int, data: Any, where: int) -> None:
    """All the bytes of a buffer, from a place on."""
    view = memoryview(data)
    while view:
        done = os.pwrite(file, view, where)
        view, where = view[done:], where + done
