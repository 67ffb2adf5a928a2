"""A sweep on disk: a folder of parts, each written aside and moved into place.

    sweep.json          what was swept, in words and numbers, with its hash
    part-00000000.nc    the runs from number 0 on; arrays over run and sample

A part is there whole or not at all. A sweep that was killed and is asked again finds
its parts and makes those that are missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import h5netcdf
import h5py
import numpy as np

from polhode.errors import FileError
from polhode.integrate.drive import UNDRIVEN, Drive
from polhode.integrate.fleet import Given
from polhode.integrate.outcome import Outcome
from polhode.integrate.storage.header import digest, header_of, text_of
from polhode.integrate.storage.laws import PYTHON, sweep_laws
from polhode.integrate.storage.place import admit_path, file_errors
from polhode.integrate.sweep_events import ARRAYS, SweepEvents
from polhode.integrate.sweep_result import Sweep, SweepLedger, joined

if TYPE_CHECKING:
    from polhode.integrate.states import States
    from polhode.system.system import System

COLUMNS = ("t", "q", "z", "status", "accepted", "rejected", "stiff", "tried")
PLACES = {"t": ("run", "sample"), "q": ("run", "sample", "coordinate")}
PLACES |= {"z": ("run", "sample", "speed")}
WORDS = {
    "laws_sha256": "laws or values of the model, its events or inputs",
    "states_sha256": "states or parameters",
    "polhode": "versions of Polhode",
    "jax": "versions of JAX",
    "numpy": "versions of NumPy",
    "python": "versions of Python",
}
SIDES = {f"event {word}": ("event", "state") for word in ("before", "after")}


def sweep_parts(
    to: Any, given: Given, begun: tuple[States, dict[str, Any], float], slab: int
) -> SweepParts:
    """The folder of a sweep: a new one, or that of the same sweep, to go on with."""
    folder, (runs, _, until) = admit_path(to), begun
    laws, reason = sweep_laws(given)
    text = text_of({**_header(given, begun, slab), "laws_sha256": laws})
    note = folder / "sweep.json"
    if folder.exists() and not folder.is_dir():
        raise FileError(
            f"{str(folder)!r} cannot take a sweep.",
            "It is a file; a sweep is a folder of parts.",
            "Give a folder that is new or empty.",
        )
    if folder.exists() and not note.exists() and any(folder.iterdir()):
        raise FileError(
            f"{str(folder)!r} cannot take a sweep.",
            "It has other files in it.",
            "Give a folder that is new or empty.",
        )
    if note.exists():
        _require_same(folder, note, text)
        _require_told_apart(folder, reason)
    with file_errors(folder):
        folder.mkdir(exist_ok=True)
        _moved_in(note, lambda aside: aside.write_text(text, "utf-8"))
    whole = (given.equations.system, until, len(runs), given.drive)
    return SweepParts(folder, *whole)


def _require_same(folder: Path, note: Path, text: str) -> None:
    """Refuse a folder of another sweep, or one that does not say of which it is."""
    with file_errors(note):
        found = note.read_bytes()
    if digest(text) == hashlib.sha256(found).hexdigest():
        return
    try:
        kept = json.loads(found)
    except ValueError as error:
        raise FileError(
            f"{str(note)!r} is damaged.",
            f"It says of which sweep the parts beside it are, and {error}.",
            "Give another folder, and sweep anew.",
        ) from error
    raise FileError(
        f"{str(folder)!r} has another sweep in it.",
        f"{_differing(kept, json.loads(text))} differ.",
        "Give another folder, or the same sweep to go on with it.",
    )


def _differing(kept: Any, wanted: dict[str, Any]) -> str:
    """What of two headers is not the same, in words."""
    held = kept if isinstance(kept, dict) else {}
    words = [w for w in sorted(wanted | held) if held.get(w) != wanted.get(w)]
    return ", ".join(dict.fromkeys(WORDS.get(word, word) for word in words))


def _require_told_apart(folder: Path, reason: str) -> None:
    """Refuse to go on with laws that may be others than those of the parts."""
    if reason:
        raise FileError(
            f"{str(folder)!r} may have another sweep in it.",
            f"The laws of this one cannot be told from others of the same names:"
            f" {reason}.",
            "Give a new folder. A class with a method __fingerprint__(self), which"
            " returns text that changes whenever its objects do, can be told.",
        )


@final
@dataclass(frozen=True, eq=False, repr=False)
class SweepParts:
    """A sweep in a folder: `for part in parts` gives one `Sweep` after the other."""

    folder: Path
    system: System
    until: float
    runs: int
    drive: Drive = UNDRIVEN

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
                happened = {n: file[n][()] for n in file if n.startswith("event ")}
                ends = {n: file[n][()] for n in SweepLedger._fields if n in file}
                words = {n: file[n][()] for n in ("told",) if n in file}
                all_of_it = {**found, **inner, **work, **happened, **ends, **words}
                if _hash(all_of_it) != file.attrs["sha256"]:
                    raise ValueError("it does not have its hash")
                names = json.loads(file.attrs.get("events", "[]"))
        except Exception as error:
            raise FileError(
                f"{str(path)!r} is damaged.",
                f"{error}",
                "Remove it, and sweep again: only this part is made anew.",
            ) from error
        parameters = {n.removeprefix("parameter "): v for n, v in inner.items()}
        audit, ledger = None, list(ends.values())
        if ledger:
            works = {n.removeprefix("work of "): v for n, v in work.items()}
            audit = SweepLedger(ledger[0], ledger[1], works, *ledger[2:])
        return Sweep(
            self.system,
            self.until,
            **found,
            parameters=parameters,
            ledger=audit,
            events=_events(self.system, names, happened),
            told=_told(words),
            drive=self.drive,
        )

    def __repr__(self) -> str:
        parts = len(list(self.folder.glob("part-*.nc")))
        return f"SweepParts({self.system.name!r}: {self.runs} runs, {parts} parts)"


def _events(
    system: System, names: list[str], columns: dict[str, Any]
) -> SweepEvents | None:
    if not columns:
        return None
    own = {name: columns[f"event {name}"] for name in ARRAYS}
    return SweepEvents(system, tuple(names), **own)


def _told(words: dict[str, Any]) -> dict[int, str]:
    text = words["told"].tobytes().decode("utf-8") if words else "{}"
    return {int(run): word for run, word in json.loads(text).items()}


def _header(
    given: Given, begun: tuple[States, dict[str, Any], float], slab: int
) -> dict[str, Any]:
    (runs, table, until), state = begun, hashlib.sha256()
    for column in (runs.t, runs.q, runs.z, *(table[name] for name in sorted(table))):
        state.update(np.ascontiguousarray(column).tobytes())
    facts = {
        "runs": len(runs),
        "slab": slab,
        "varied": sorted(table),
        "goals": [float(t) for t in given.goals],
        "until": until,
        "limit": given.limit,
        "audited": given.audited,
        "states_sha256": state.hexdigest(),
        "python": PYTHON,
    }
    if given.guide is not None:
        facts["events"] = [
            [e.name, e.direction, e.terminal, e.reset is not None]
            for e in given.guide.events
        ]
    if given.drive.laws:
        facts["inputs"] = sorted(given.drive.laws)
    return header_of(given.equations, given.method, facts)


def _write(path: Path, part: Sweep) -> None:
    columns = {name: np.asarray(getattr(part, name)) for name in COLUMNS}
    columns |= {f"parameter {name}": v for name, v in part.parameters.items()}
    if part.ledger is not None:
        columns |= {f"work of {name}": v for name, v in part.ledger.work.items()}
    ledger = part.ledger._asdict() if part.ledger is not None else {}
    ledger.pop("work", None)
    happened, content = _happened(part), io.BytesIO()
    # HDF5 does not live through a disk that fills: it writes to memory.
    with h5netcdf.File(content, "w") as file:
        file.dimensions = {
            "run": len(part),
            "sample": part.t.shape[1],
            "coordinate": part.q.shape[2],
            "speed": part.z.shape[2],
        }
        if ledger:
            file.dimensions["end"], file.dimensions["axis"] = 2, 3
        if happened:
            file.dimensions["letter"] = len(happened["told"])
        if part.events is not None:
            file.dimensions["event"] = len(part.events)
            file.dimensions["state"] = part.q.shape[2] + part.z.shape[2]
            file.attrs["events"] = json.dumps(part.events.names)
        for name, values in {**columns, **ledger, **happened}.items():
            place = _place(name, values)
            file.create_variable(name, place, values.dtype, data=values)
        file.attrs["title"] = f"sweep of {part.system.name}"
        file.attrs["sha256"] = _hash({**columns, **ledger, **happened})
    path.write_bytes(content.getbuffer())


def _happened(part: Sweep) -> dict[str, np.ndarray]:
    """Events as columns, and what was told as the letters of a text."""
    if part.events is None and not part.told:
        return {}
    each = ARRAYS if part.events is not None else ()
    found = {f"event {name}": getattr(part.events, name) for name in each}
    text = json.dumps({str(run): word for run, word in part.told.items()})
    return {**found, "told": np.frombuffer(text.encode("utf-8"), np.uint8)}


def _place(name: str, values: np.ndarray) -> tuple[str, ...]:
    if name == "told":
        return ("letter",)
    if name.startswith("event "):
        return SIDES.get(name, ("event",))
    return PLACES.get(name, ("run", "end", "axis")[: values.ndim])


def _hash(columns: dict[str, np.ndarray]) -> str:
    found = hashlib.sha256()
    for name in sorted(columns):
        found.update(np.ascontiguousarray(columns[name]).tobytes())
    return found.hexdigest()


def _moved_in(path: Path, write: Any) -> None:
    # Processes of two machines may have one number.
    aside = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(8)}")
    try:
        write(aside)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
