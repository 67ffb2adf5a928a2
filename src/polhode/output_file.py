"""Files are written aside, synced to the disk, and moved into place whole.

    open a new file beside the path     O_CREAT | O_EXCL | O_NOFOLLOW, a random name
    write it, fsync it                  an error here leaves the older file as it was
    os.replace it over the path         a reader finds the old file or the new one
    fsync the folder                    the new name survives a loss of power

Every file of the package goes through here but the cache of compiled programs and the
rows of a run under way, which have a journal. Errors are the system's; each room says
them in its own words.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# What a disk without hard links answers to os.link.
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS)
# Leaves room for the random part of the name: most disks allow 255 bytes.
LONGEST_STEM = 120
LONGEST_HOST = 24


def write_file(path: Path, content: str | bytes) -> None:
    """Replace a file by new content, whole or not at all; text goes out as UTF-8."""
    data = content.encode() if isinstance(content, str) else content
    with replacing(path) as aside:
        aside.write_bytes(data)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name of a new, empty file beside `path`, which takes its place at the end.

    Where the block raises, the older file stays as it was. What a link leads to is
    replaced, and the link stays. A device or a pipe is written to directly, as nothing
    can take its place.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        yield target  # a folder is refused by the system where it is opened
        return
    if target.is_file() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    with temporary(target) as aside:
        yield aside
        if target.exists():
            os.chmod(aside, stat.S_IMODE(target.stat().st_mode))
        replace_synced(aside, target)


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """The name of a new, empty file beside `path`, removed at the end if still there.

    The random name cannot be prepared by others, and is never that of an older file or
    of a link. It has the host and the process, so that two hosts on one network folder
    do not meet and a person sees whose it is. It ends as `path` does, for tools that
    look at the suffix.
    """
    stem, who = path.stem[:LONGEST_STEM], f"{host_word()}-{os.getpid()}"
    name = f".{stem}.{who}-{secrets.token_hex(8)}.part{path.suffix}"
    aside = path.with_name(name)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(aside, flags, 0o666))
    try:
        yield aside
    finally:
        with contextlib.suppress(FileNotFoundError):
            aside.unlink()


def host_word() -> str:
    """The name of this machine as part of a file name."""
    return re.sub(r"[^A-Za-z0-9]+", "", socket.gethostname())[:LONGEST_HOST] or "host"


def replace_synced(aside: Path, path: Path) -> None:
    """Move a file over another, once its bytes are on the disk."""
    sync(aside)
    os.replace(aside, path)
    sync(path.parent)


def move_new(aside: Path, path: Path) -> None:
    """Move a file to a place where there is none; FileExistsError where there is one.

    A hard link fails if the name is taken, which os.replace does not. Nothing is
    synced: no older file is lost, and what is written to the new one later is not
    synced either.
    """
    try:
        os.link(aside, path)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        os.replace(aside, path)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return  # not every system opens folders
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise  # a full disk may say so only here
    finally:
        os.close(file)
