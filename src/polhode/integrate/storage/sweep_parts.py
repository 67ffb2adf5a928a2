"""A sweep on disk: a folder of parts, each written aside and moved into place.

    sweep.json          what was swept, in words and numbers, with its hash
    part-00000000.nc    the runs from number 0 on; arrays over run and sample

A part is there whole or not at all. A sweep that was killed and is asked again finds
its parts and makes those that are missing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import h5netcdf
import h5py
import numpy as np

from polhode.errors import FileError
from polhode.integrate.fleet import Given
from polhode.integrate.outcome import Outcome
from polhode.integrate.storage.header import digest, header_of, text_of
from polhode.integrate.storage.place import file_errors
from polhode.integrate.sweep_result import Sweep, SweepLedger, joined

if TYPE_CHECKING:
    from polhode.integrate.states import States
    from polhode.system.system import System

COLUMNS = ("t", "q", "z", "status", "accepted", "rejected", "stiff", "tried")
PLACES = {"t": ("run", "sample"), "q": ("run", "sample", "coordinate")}
PLACES |= {"z": ("run", "sample", "speed")}


def sweep_parts(
    to: Any, given: Given, runs: States, table: dict[str, Any], slab: int
) -> SweepParts:
    """The folder of a sweep: a new one, or that of the same sweep, to go on with."""
    folder = Path(to)
    text = text_of(_header(given, runs, table, slab))
    note = folder / "sweep.json"
    if folder.exists() and not note.exists() and any(folder.iterdir()):
        raise FileError(
            f"{str(folder)!r} cannot take a sweep.",
            "It has other files in it.",
            "Give a folder that is new or empty.",
        )
    if note.exists() and digest(note.read_text("utf-8")) != digest(text):
        raise FileError(
            f"{str(folder)!r} has another sweep in it.",
            "Model, method, states, parameters or goals differ.",
            "Give another folder, or the same sweep to go on with it.",
        )
    with file_errors(folder):
        folder.mkdir(exist_ok=True)
        _moved_in(note, lambda aside: aside.write_text(text, "utf-8"))
    return SweepParts(folder, given.equations.system, float(given.goals[-1]), len(runs))


@final
@dataclass(frozen=True, eq=False, repr=False)
class SweepParts:
    """A sweep in a folder: `for part in parts` gives one `Sweep` after the other."""

    folder: Path
    system: System
    until: float
    runs: int

    def __len__(self) -> int:
        return self.runs

    def __iter__(self) -> Iterator[Sweep]:
        for path in sorted(self.folder.glob("part-*.nc")):
            yield self._read(path)

    def has(self, first: int) -> bool:
        """Whether the part that begins with a run is there."""
        return self._place(first).exists()

    def put(self, first: int, part: Sweep) -> None:
        """Write a part, whole or not at all."""
        with file_errors(self.folder):
            _moved_in(self._place(first), lambda aside: _write(aside, part))

    def whole(self) -> Sweep:
        """All parts as one sweep, in memory."""
        return joined(list(self))

    @property
    def failed(self) -> np.ndarray:
        """The numbers of the runs that did not reach their end."""
        found = [
            int(path.stem.split("-")[1]) + self._read(path).failed
            for path in sorted(self.folder.glob("part-*.nc"))
        ]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def outcome(self, k: int) -> Outcome:
        """How run k ended, in words."""
        for path in sorted(self.folder.glob("part-*.nc"), reverse=True):
            first = int(path.stem.split("-")[1])
            if first <= k:
                return self._read(path).outcome(k - first)
        raise IndexError(k)

    def _place(self, first: int) -> Path:
        return self.folder / f"part-{first:08d}.nc"

    def _read(self, path: Path) -> Sweep:
        try:
            with h5py.File(path, "r") as file:
                found = {name: file[name][()] for name in COLUMNS}
                inner = {n: file[n][()] for n in file if n.startswith("parameter ")}
                work = {n: file[n][()] for n in file if n.startswith("work of ")}
                ledger = [file[n][()] for n in SweepLedger._fields if n in file]
                if _hash({**found, **inner, **work}) != file.attrs["sha256"]:
                    raise ValueError("it does not have its hash")
        except Exception as error:
            raise FileError(
                f"{str(path)!r} is damaged.",
                f"{error}",
                "Remove it, and sweep again: only this part is made anew.",
            ) from error
        parameters = {n.removeprefix("parameter "): v for n, v in inner.items()}
        audit = None
        if ledger:
            works = {n.removeprefix("work of "): v for n, v in work.items()}
            audit = SweepLedger(ledger[0], ledger[1], works, *ledger[2:])
        return Sweep(
            self.system, self.until, **found, parameters=parameters, ledger=audit
        )

    def __repr__(self) -> str:
        parts = len(list(self.folder.glob("part-*.nc")))
        return f"SweepParts({self.system.name!r}: {self.runs} runs, {parts} parts)"


def _header(given: Given, runs: States, table: Any, slab: int) -> dict[str, Any]:
    state = hashlib.sha256()
    for column in (runs.t, runs.q, runs.z, *(table[name] for name in sorted(table))):
        state.update(np.ascontiguousarray(column).tobytes())
    facts = {
        "runs": len(runs),
        "slab": slab,
        "varied": sorted(table),
        "goals": [float(t) for t in given.goals],
        "limit": given.limit,
        "audited": given.audited,
        "states_sha256": state.hexdigest(),
    }
    return header_of(given.equations, given.method, facts)


def _write(path: Path, part: Sweep) -> None:
    columns = {name: np.asarray(getattr(part, name)) for name in COLUMNS}
    columns |= {f"parameter {name}": v for name, v in part.parameters.items()}
    if part.ledger is not None:
        columns |= {f"work of {name}": v for name, v in part.ledger.work.items()}
    ledger = part.ledger._asdict() if part.ledger is not None else {}
    ledger.pop("work", None)
    with h5netcdf.File(path, "w") as file:
        file.dimensions = {
            "run": len(part),
            "sample": part.t.shape[1],
            "coordinate": part.q.shape[2],
            "speed": part.z.shape[2],
        }
        if ledger:
            file.dimensions["end"], file.dimensions["axis"] = 2, 3
        for name, values in {**columns, **ledger}.items():
            place = PLACES.get(name, ("run", "end", "axis")[: values.ndim])
            file.create_variable(name, place, values.dtype, data=values)
        file.attrs["title"] = f"sweep of {part.system.name}"
        file.attrs["sha256"] = _hash(columns)


def _hash(columns: dict[str, np.ndarray]) -> str:
    found = hashlib.sha256()
    for name in sorted(columns):
        found.update(np.ascontiguousarray(columns[name]).tobytes())
    return found.hexdigest()


def _moved_in(path: Path, write: Any) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(aside)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
