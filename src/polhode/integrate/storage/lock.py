"""Who writes to a file: the holder of its journal, as long as it lives.

The lock is an flock of the journal, `NAME.journal` beside the file `NAME`. It is taken
before anything is created, renamed or removed, and the system gives it back when the
process ends, however it ends. The first bytes of the journal say who has it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import time
from pathlib import Path
from typing import final

from polhode.errors import FileError

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

MAGIC = b"polhode-journal\n"
# Bytes at the start of a journal: the magic, then the holder, padded.
HOLDER_BYTES = 96
# Others look at a lock for a moment only: it is tried so often, with pauses between.
TRIES, PAUSE = 40, 0.005
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


def journal_of(path: Path) -> Path:
    """Where the journal of a file lies: beside it."""
    return path.with_name(path.name + ".journal")


@final
class WriterLock:
    """The journal of a file, open and held by this process alone."""

    def __init__(self, path: Path, tries: int = TRIES):
        self.path, self.place = path, journal_of(path)
        found = _locked_journal(path, self.place, tries)
        if found is None:
            raise in_use(path)
        self.file = found

    def sign(self) -> None:
        """Empty the journal, and write into it who holds it."""
        who = f"process {os.getpid()} on {socket.gethostname()}"
        text = who.encode("ascii", "replace")[: HOLDER_BYTES - len(MAGIC) - 1]
        os.ftruncate(self.file, 0)
        os.pwrite(self.file, (MAGIC + text).ljust(HOLDER_BYTES - 1) + b"\n", 0)

    def release(self, *, remove: bool = True) -> None:
        """Let go; the journal is removed before, as later it may be another's."""
        if self.file < 0:
            return
        file, self.file = self.file, -1
        if fcntl is None:  # where there are no locks, what is open cannot be removed
            os.close(file)
        if remove:
            # A folder that has become read-only keeps an empty journal: no harm.
            with contextlib.suppress(OSError):
                self.place.unlink(missing_ok=True)
        if fcntl is not None:
            os.close(file)

    def __enter__(self) -> WriterLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_in_use(path: Path) -> bool:
    """Whether a run is writing to a file."""
    try:
        journal = os.open(journal_of(path), os.O_RDONLY | NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return not lock(journal, shared=True)
    finally:
        os.close(journal)


def require_free(path: Path) -> None:
    """Refuse a file to which a run is writing."""
    if is_in_use(path):
        raise in_use(path)


def in_use(path: Path) -> FileError:
    """What is said of a file that has a writer."""
    who = _holder(journal_of(path))
    return FileError(
        f"{str(path)!r} is being written{f' by {who}' if who else ''}.",
        "A run, here or in another process, has it open, and two would spoil it.",
        "Wait until that run has ended, or give another path.",
    )


def _holder(place: Path) -> str:
    """Who holds a journal, by its first bytes; empty where they do not say."""
    try:
        with place.open("rb") as file:
            head = file.read(HOLDER_BYTES)
    except OSError:
        return ""
    if not head.startswith(MAGIC):
        return ""
    who = head[len(MAGIC) :].decode("ascii", "replace").strip()
    return f"this process ({who})" if who.startswith(_self()) else who


def _self() -> str:
    return f"process {os.getpid()} on "


def _locked_journal(path: Path, place: Path, tries: int) -> int | None:
    """The journal, locked; None where another has it.

    One that was removed between opening and locking is none: nobody would find it.
    """
    for _ in range(tries):
        flags = os.O_RDWR | os.O_CREAT | NOFOLLOW | os.O_NONBLOCK
        journal = os.open(place, flags, 0o644)
        if not stat.S_ISREG(os.fstat(journal).st_mode):
            os.close(journal)
            raise not_ours(path)
        if lock(journal, shared=False) and _is_at(journal, place):
            head = os.pread(journal, len(MAGIC), 0)
            if head and head != MAGIC:  # neither empty nor ours
                os.close(journal)
                raise not_ours(path)
            return journal
        os.close(journal)
        time.sleep(PAUSE)
    return None


def not_ours(path: Path) -> FileError:
    """What is said of a file beside which something else has the journal's name."""
    return FileError(
        f"{str(journal_of(path))!r} is not a journal of Polhode.",
        f"A run that writes {str(path)!r} keeps its journal under that name, and what"
        " lies there is not overwritten.",
        "Move it away, or give another path.",
    )


def _is_at(file: int, place: Path) -> bool:
    """Whether an open file is the one that lies at a place now."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(place, follow_symlinks=False))
    except FileNotFoundError:
        return False


def lock(file: int, *, shared: bool) -> bool:
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
