"""A folder that nobody but its owner can write, and files in it that are the owner's.

What is read here may be run. All is decided on open descriptors, so that nothing can be
exchanged between the check and the use:

    folder    real path; it belongs to the user, and others cannot write it
    parents   belong to the user or to root; others cannot write them, or they are
              sticky, so that nobody can put another folder in this one's place
    file      regular, the user's, not to be written by others, and under one name only

Systems without user numbers (Windows) keep others out by access lists; there only the
kinds of files are checked.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
ASIDE = ".new-"  # how files begin that are not yet in their place
BASE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# A fifo in the place of a file must not make the reader wait: hence O_NONBLOCK.
READ = BASE | os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
CREATE = BASE | os.O_WRONLY | os.O_CREAT | os.O_EXCL
ENDS = ("src", "dst")
HAS_USERS = hasattr(os, "geteuid")
HAS_DESCRIPTORS = os.open in os.supports_dir_fd


class Untrusted(Exception):
    """A folder or file that somebody else owns or could have written."""


class OpenToOthers(Untrusted):
    """A folder of the user that others can write."""

    def __init__(self, path: str):
        self.path = path
        super().__init__(
            f"{path} can be written by others; `polhode doctor --empty-cache` empties"
            " and closes it"
        )


class PrivateFolder:
    """An open folder that passed the checks; names are of files directly in it."""

    def __init__(self, path: Path, descriptor: int | None):
        self.path, self._descriptor = path, descriptor
        self._beside: dict[str, Any] = (
            {} if descriptor is None else {"dir_fd": descriptor}
        )

    def read(self, name: str, allowed: int = OTHERS_READ) -> bytes:
        """The bytes of a file; `allowed` is what others may do with it."""
        try:
            descriptor = os.open(self._at(name), READ, **self._beside)
        except FileNotFoundError:
            raise
        except OSError as error:  # a link (ELOOP), or not to be opened at all
            raise Untrusted(f"{self.path / name}: {error.strerror}") from error
        with os.fdopen(descriptor, "rb") as file:
            _require_own_file(self.path / name, os.fstat(descriptor), allowed)
            return file.read()

    def write(self, name: str, content: bytes) -> None:
        """A file whole or not at all: written aside and moved into its place."""
        aside = f"{ASIDE}{os.getpid()}-{secrets.token_hex(8)}"
        both = {
            f"{end}_{word}": fd for word, fd in self._beside.items() for end in ENDS
        }
        try:
            self.create(aside, content)
            os.replace(self._at(aside), self._at(name), **both)
        except BaseException:  # a full disk is not filled further, nor by Ctrl-C
            self.remove(aside)
            raise

    def create(self, name: str, content: bytes) -> None:
        """A new file; fails where there is a file or link of this name."""
        descriptor = os.open(self._at(name), CREATE, 0o600, **self._beside)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)

    def remove(self, name: str) -> None:
        """Remove a file or a link, not what the link points to."""
        with contextlib.suppress(OSError):
            os.unlink(self._at(name), **self._beside)

    def has(self, name: str) -> bool:
        """Whether there is anything of this name."""
        try:
            self.facts(name)
        except FileNotFoundError:
            return False
        return True

    def names(self) -> list[str]:
        """What is in the folder."""
        return os.listdir(self.path if self._descriptor is None else self._descriptor)

    def facts(self, name: str) -> os.stat_result:
        """Size and times of a file, or of the link itself."""
        return os.stat(self._at(name), follow_symlinks=False, **self._beside)

    def remove_foreign(self) -> None:
        """Remove links, and files that others own or can write."""
        for name in self.names():
            try:
                _require_own_file(self.path / name, self.facts(name), OTHERS_READ)
            except (Untrusted, OSError):
                self.remove(name)

    def close_to_others(self) -> None:
        """Let nobody else read or write the folder."""
        os.chmod(self.path if self._descriptor is None else self._descriptor, 0o700)

    def _at(self, name: str) -> str:
        return name if self._beside else str(self.path / name)


@contextlib.contextmanager
def private_folder(path: Path) -> Iterator[PrivateFolder]:
    """The folder, made if it is not there; refused where it cannot be trusted."""
    with own_folder(path) as folder:
        _require_closed(folder)
        yield folder


@contextlib.contextmanager
def own_folder(path: Path) -> Iterator[PrivateFolder]:
    """A folder of the user, which others may be able to write: for repairs alone."""
    try:
        # The folder itself, or those above it, may be links that the user made.
        real = os.path.realpath(path)
        if not os.path.isdir(real):
            _make(Path(real))
        descriptor = None
        if HAS_DESCRIPTORS:
            descriptor = os.open(real, BASE | os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Untrusted(f"{path} cannot be used: {error.strerror}") from error
    try:
        facts = os.stat(real if descriptor is None else descriptor)
        if HAS_USERS and facts.st_uid != os.geteuid():
            raise Untrusted(f"{path} belongs to another user")
        yield PrivateFolder(Path(real), descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _make(path: Path) -> None:
    """Make the folder and those above it, closed to others whatever the umask is."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def _require_closed(folder: PrivateFolder) -> None:
    if not HAS_USERS:
        return
    path = str(folder.path)
    if folder.facts(".").st_mode & OTHERS_WRITE:
        raise OpenToOthers(path)
    parent, below = os.path.dirname(path), path
    while parent != below:
        _require_guarded(parent, path)
        parent, below = os.path.dirname(parent), parent


def _require_guarded(parent: str, path: str) -> None:
    """Refuse a folder above in which others could exchange what is below."""
    facts = os.stat(parent)
    if facts.st_uid not in (0, os.geteuid()):
        raise Untrusted(f"{parent}, above {path}, belongs to another user")
    writers = facts.st_mode & OTHERS_WRITE
    if writers == stat.S_IWGRP and _is_group_of_one(facts):
        return
    if writers and not facts.st_mode & stat.S_ISVTX:
        raise Untrusted(
            f"{parent}, above {path}, can be written by others, who could put"
            f" another folder in its place; `chmod go-w {parent}` closes it"
        )


def _is_group_of_one(facts: os.stat_result) -> bool:
    """Whether a folder's group is its owner alone.

    Many systems give each user a group of the same name, and a umask that lets it
    write.
    """
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(facts.st_uid), grp.getgrgid(facts.st_gid)
    except KeyError:
        return False
    own = user.pw_gid == facts.st_gid and group.gr_name == user.pw_name
    return own and set(group.gr_mem) <= {user.pw_name}


def _require_own_file(path: Path, facts: os.stat_result, allowed: int) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise Untrusted(f"{path} is not a regular file")
    if not HAS_USERS:
        return
    if facts.st_uid != os.geteuid():
        raise Untrusted(f"{path} belongs to another user")
    if facts.st_mode & 0o077 & ~allowed:
        raise Untrusted(f"{path} is open to others")
    # A second name of a file is a way to it that this folder does not guard.
    if facts.st_nlink != 1:
        raise Untrusted(f"{path} has {facts.st_nlink} names")
