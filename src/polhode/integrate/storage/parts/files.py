"""The part files of a sweep's folder: which are there, and how each is put and read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.errors import FileError
from polhode.integrate.host.sweep_runs import Swept
from polhode.integrate.results.sweep_result import Sweep
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.parts import netcdf, parquet
from polhode.integrate.storage.paths import file_errors
from polhode.output_file import write_file

FORMS: dict[str, Any] = {"netcdf": netcdf, "parquet": parquet}
NOTE = "sweep.json"
# A part of thousands of runs is written in less: for so long others wait for the lock.
WAIT = 12_000  # tries, 60 s
# What lies aside for longer was left by a process that died.
STALE = 3600.0  # seconds
ASIDE = re.compile(r"\.(sweep|part-\d+)\.[A-Za-z0-9]+-\d+-[0-9a-f]+\.part\.\w+")


@final
@dataclass(frozen=True)
class PartFiles:
    """Files by the run that each begins with; `identity` is the hash of their sweep."""

    folder: Path
    swept: Swept
    identity: str
    form: str

    @property
    def firsts(self) -> range:
        """With which runs parts begin when all are there."""
        return range(0, self.swept.runs, self.swept.slab)

    @property
    def missing(self) -> list[int]:
        """With which runs the parts begin that are not there, by one listing."""
        there = set(self._listing())
        return [first for first in self.firsts if self._name(first) not in there]

    @property
    def present(self) -> list[int]:
        """With which runs the parts begin that are there."""
        known = {self._name(first): first for first in self.firsts}
        there = sorted(self._listing(), key=lambda name: (len(name), name))
        for name in there:
            if name not in known:
                raise FileError(
                    f"{str(self.folder / name)!r} is no part of the sweep of its"
                    " folder.",
                    f"That has {self.swept.runs} runs, and its parts begin with every"
                    f" {self.swept.slab}th of them.",
                    "Move it away.",
                )
        return [known[name] for name in there]

    @property
    def leading(self) -> list[int]:
        """The parts that are there: all, or the first ones.

        A part that is missing before others would give wrong numbers to their runs.
        """
        found = self.present
        for first, own in zip(found, self.firsts, strict=False):
            if first != own:
                raise self._missing_part(own)
        return found

    def place(self, first: int) -> Path:
        """Where a part is, or will be."""
        return self.folder / self._name(first)

    def put(self, first: int, part: Sweep) -> None:
        """Write a part, whole or not at all."""
        facts = (self.identity, str(first), str(self.swept.runs))
        content = FORMS[self.form].content(part, first, facts)
        with file_errors(self.folder), self.locked():
            note = self.folder / NOTE
            if hashlib.sha256(note.read_bytes()).hexdigest() != self.identity:
                raise FileError(
                    f"{str(note)!r} was replaced while its sweep ran.",
                    f"Part {first} is not of the sweep that it tells of.",
                    "Give another folder, and sweep anew.",
                )
            write_file(self.place(first), content)

    def columns(self, first: int) -> dict[str, np.ndarray]:
        """The columns of a part, which must have the hash of its sweep and place."""
        path = self.place(first)
        if not path.exists():
            raise self._missing_part(first)
        facts = (self.identity, str(first), str(self.swept.runs))
        with _damage_told(path):
            return FORMS[self.form].columns(path, first, facts)

    def status(self, first: int) -> np.ndarray:
        """How the runs of a part ended, read alone and not held against its hash."""
        with _damage_told(self.place(first)):
            return FORMS[self.form].status(self.place(first))

    def locked(self) -> contextlib.ExitStack:
        """The folder, to which nobody else writes meanwhile."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(WriterLock(self.folder / NOTE, WAIT)).sign()
            return stack.pop_all()

    def _name(self, first: int) -> str:
        return f"part-{first:08d}{FORMS[self.form].SUFFIX}"

    def _listing(self) -> list[str]:
        with file_errors(self.folder), contextlib.suppress(FileNotFoundError):
            return [n for n in os.listdir(self.folder) if n.startswith("part-")]
        return []

    def _missing_part(self, first: int) -> FileError:
        return FileError(
            f"{str(self.place(first))!r} is missing.",
            f"It has the runs from {first} on.",
            "Sweep again into the same folder: only what is missing is made.",
        )


@contextlib.contextmanager
def _damage_told(path: Path) -> Any:
    """Whatever a damaged file makes of its reader, it is the file's fault."""
    try:
        yield
    except Exception as error:
        raise FileError(
            f"{str(path)!r} is damaged.",
            f"{error}"[:300],
            "Remove it, and sweep again: only this part is made anew.",
        ) from error


def remove_stale(folder: Path) -> None:
    """Remove what dead processes left; what is young may be another's under way."""
    for name in os.listdir(folder):
        path = folder / name
        with contextlib.suppress(FileNotFoundError):
            if ASIDE.fullmatch(name) and time.time() - path.stat().st_mtime > STALE:
                path.unlink()
