"""A file changed in transactions is whole wherever they are cut."""

from __future__ import annotations

import contextlib
import os

import h5py
import numpy as np
import pytest

from polhode.errors import FileError
from polhode.integrate.storage import transaction
from polhode.integrate.storage.journal import Change, Record, encode, frame_of, repair
from polhode.integrate.storage.lock import HOLDER_BYTES, MAGIC, journal_of
from polhode.integrate.storage.transaction import TransactionFile


def written(file: h5py.File, raw: TransactionFile, rows: int) -> None:
    """Append rows so that HDF5 rewrites its indices, and commit."""
    data = file["x"]
    before = len(data)
    data.resize(before + rows, axis=0)
    data[before:] = np.arange(before, before + rows)
    file.flush()
    raw.commit()


def fresh(path, blocks=4):
    """A file of small blocks, whose index splits often; 40 rows are committed."""
    raw = TransactionFile(path, fresh=True)
    file = h5py.File(raw, "w")
    file.create_dataset("x", (0,), "f8", maxshape=(None,), chunks=(blocks,))
    written(file, raw, 40)
    return file, raw


class Disk:
    """Notes every change that reaches the disk, to be made again in part."""

    def __init__(self, monkeypatch):
        self.changes: list[tuple[int, int, bytes | None]] = []
        write, cut = os.pwrite, os.ftruncate

        def noting_write(file, data, offset):
            self.changes.append((file, offset, bytes(data)))
            return write(file, data, offset)

        def noting_cut(file, size):
            self.changes.append((file, size, None))
            return cut(file, size)

        monkeypatch.setattr(transaction.os, "pwrite", noting_write)
        monkeypatch.setattr(transaction.os, "ftruncate", noting_cut)


def made(content: bytes, changes) -> bytes:
    """A file after some changes."""
    found = bytearray(content)
    for offset, data in changes:
        if data is None:
            found = found[:offset]
            continue
        found.extend(bytes(max(0, offset + len(data) - len(found))))
        found[offset : offset + len(data)] = data
    return bytes(found)


def test_a_transaction_is_whole_wherever_it_is_cut(tmp_path, monkeypatch):
    """A kill before, in or after any write of a commit leaves the old rows or the new.

    Every change of the disk is noted, and the file made again from each beginning of
    the list, the last write cut in two.
    """
    path = tmp_path / "a.h5"
    file, raw = fresh(path)
    before, holder = path.read_bytes(), journal_of(path).read_bytes()
    disk = Disk(monkeypatch)
    written(file, raw, 500)
    changes = list(disk.changes)
    monkeypatch.undo()
    own = raw._file
    file.close()
    raw.close()
    seen = set()
    for cut in range(len(changes) + 1):
        held = changes[:cut]
        if cut < len(changes) and changes[cut][2]:
            which, offset, data = changes[cut]
            held = [*held, (which, offset, data[: len(data) // 2])]
        path.write_bytes(made(before, [c[1:] for c in held if c[0] == own]))
        journal = made(holder, [c[1:] for c in held if c[0] != own])
        journal_of(path).write_bytes(journal)
        repair(path)
        assert not journal_of(path).exists()
        with h5py.File(path, "r") as again:
            rows = len(again["x"])
            assert np.array_equal(again["x"][:], np.arange(rows))
        seen.add(rows)
    assert seen == {40, 540}
    assert len(changes) > 50


def test_a_journal_that_is_not_whole_changes_nothing(tmp_path):
    """Half a journal, or one with a flipped bit, is thrown away."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    raw = TransactionFile(path, fresh=False)
    raw.seek(3)
    raw.write(b"abc")
    assert path.read_bytes() == b"0123456789"
    raw.seek(2)
    assert raw.read(5) == b"2abc6"
    raw.commit()
    raw.close()
    assert path.read_bytes() == b"012abc6789"
    good = journal_for(path, [Change(0, b"01", b"zz")])
    wrongs = (good[:-1], good[:120], b"", MAGIC, good.replace(b"zz", b"zy"))
    for wrong in wrongs:
        journal_of(path).write_bytes(wrong)
        assert not repair(path)
        assert path.read_bytes() == b"012abc6789"
        assert not journal_of(path).exists()
    journal_of(path).write_bytes(good)
    assert repair(path)
    assert path.read_bytes() == b"zz2abc6789"


def journal_for(path, changes) -> bytes:
    """A complete journal of changes to a file as it is."""
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size
    record = Record(size, size, frame_of(file, size, changes), changes)
    os.close(file)
    return MAGIC.ljust(HOLDER_BYTES) + encode(record)


def test_a_journal_is_applied_to_its_own_file_alone(tmp_path):
    """Another file, another state of it, or a shorter one: refused, nothing changed."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    journal = journal_for(path, [Change(2, b"23", b"xy")])
    for half in (b"0123456789", b"01x3456789", b"012y456789", b"01xy456789"):
        path.write_bytes(half)
        journal_of(path).write_bytes(journal)
        assert repair(path)
        assert path.read_bytes() == b"01xy456789"
    for other in (b"0123456780", b"01z3456789", b"012345678", b"", b"1123456789"):
        path.write_bytes(other)
        journal_of(path).write_bytes(journal)
        with pytest.raises(FileError, match=r"a\.bin\.journal' does not belong to"):
            repair(path)
        with pytest.raises(FileError, match=r"does not belong to"):
            TransactionFile(path, fresh=False)
        assert path.read_bytes() == other
        assert journal_of(path).read_bytes() == journal


def test_what_is_no_journal_is_left_alone(tmp_path):
    """A letter under the name of a journal, or a link there, is not written over."""
    path, letter = tmp_path / "a.bin", tmp_path / "letter"
    path.write_bytes(b"0123456789")
    journal_of(path).write_text("Dear all")
    assert not repair(path)
    with pytest.raises(FileError, match="is not a journal of Polhode"):
        TransactionFile(path, fresh=False)
    assert journal_of(path).read_text() == "Dear all"
    journal_of(path).unlink()
    letter.write_text("Dear all")
    journal_of(path).symlink_to(letter)
    assert not repair(path)
    with pytest.raises(OSError, match="symbolic link"):
        TransactionFile(path, fresh=False)
    assert letter.read_text() == "Dear all"


@pytest.mark.parametrize("seed", range(40))
def test_a_crafted_journal_raises_no_raw_error(tmp_path, seed):
    """Any bytes with a right checksum are a transaction, or are none."""
    import random
    import zlib

    chance, path = random.Random(seed), tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    body = bytes(chance.choices(b"\0\1\2\xff", k=chance.randrange(120)))
    whole = MAGIC.ljust(HOLDER_BYTES) + body + zlib.crc32(body).to_bytes(4, "little")
    journal_of(path).write_bytes(whole)
    with contextlib.suppress(FileError):
        repair(path)
    assert path.read_bytes() == b"0123456789"


def test_a_disk_that_fails_within_a_commit_leaves_the_journal(tmp_path, monkeypatch):
    """The bytes that are still to be written are in it, and are written later."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    raw, real = TransactionFile(path, fresh=False), os.pwrite
    raw.write(b"ab")

    def failing(file, data, offset):
        if file == raw._file:
            raise OSError(5, "Input/output error")
        return real(file, data, offset)

    monkeypatch.setattr(transaction.os, "pwrite", failing)
    raw._held = [(0, b"ab")]
    with pytest.raises(OSError, match="Input/output"):
        raw.commit()
    raw.close()
    monkeypatch.undo()
    assert path.read_bytes() == b"0123456789"
    assert repair(path)
    assert path.read_bytes() == b"ab23456789"


def test_a_full_disk_is_told_at_the_commit(tmp_path, monkeypatch):
    """HDF5 meets no error; the whole transaction fails and the file is as before."""
    path = tmp_path / "a.h5"
    file, raw = fresh(path)
    real = os.pwrite

    def full(where, data, offset):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(transaction.os, "pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        written(file, raw, 500)
    monkeypatch.setattr(transaction.os, "pwrite", real)
    file.close()
    raw.close()
    with h5py.File(path, "r") as again:
        assert np.array_equal(again["x"][:], np.arange(40))


def test_writes_that_overlap_are_read_as_they_came(tmp_path):
    """The later lies over the earlier, whatever their lengths, before and after."""
    path, chance = tmp_path / "a", np.random.default_rng(0)
    path.write_bytes(bytes(100))
    raw, known = TransactionFile(path, fresh=False), bytearray(100)
    for k in range(1, 60):
        first, last = np.sort(chance.integers(0, 101, 2))
        raw.seek(int(first))
        raw.write(bytes([k]) * int(last - first))
        known[first:last] = bytes([k]) * int(last - first)
        raw.seek(0)
        assert raw.read(100) == bytes(known)
    raw.commit()
    raw.close()
    assert path.read_bytes() == bytes(known)
