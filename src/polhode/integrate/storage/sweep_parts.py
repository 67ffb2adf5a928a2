"""A sweep on disk: a folder of parts, each written aside and moved into place.

    sweep.json          what was swept, in words and numbers, with its hash
    part-00000000.nc    the runs from number 0 on; arrays over run and sample

A part is there whole or not at all, and has a hash of its columns, of the sweep that
it is of and of its place in it. A sweep that was killed and is asked again finds its
parts and makes those that are missing. Several processes may write to one folder: each
change is made under the lock of `sweep.json`, and only where that is of the same sweep.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import h5netcdf
import h5py
import numpy as np

from polhode.errors import FileError
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.host.batch_loop import Given
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.results.sweep_events import ARRAYS, SweepEvents
from polhode.integrate.results.sweep_result import Sweep, SweepLedger, joined
from polhode.integrate.storage.datasets import open_datasets, require_stored
from polhode.integrate.storage.header import digest, header_of, text_of
from polhode.integrate.storage.laws import PYTHON, sweep_laws
from polhode.integrate.storage.layout import LIBRARY, SUPERBLOCK, columns_digest
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.paths import admit_path, file_errors
from polhode.output_file import write_file

if TYPE_CHECKING:
    from polhode.integrate.field.states import States
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
TEXTS = {"told": ("letter",), "event_names": ("event_letter",)}
NOTE = "sweep.json"
LONGEST_NOTE = 1_000_000  # bytes that are looked at of a note of another sweep
# A part of thousands of runs is written in less: for so long others wait for the lock.
WAIT = 12_000  # tries, 60 s
SIDES = {f"event {word}": ("event", "state") for word in ("before", "after")}
SIDES["event told"] = ("event", "number_told")


def sweep_parts(
    to: Any, given: Given, begun: tuple[States, dict[str, Any], float], slab: int
) -> SweepParts:
    """The folder of a sweep: a new one, or that of the same sweep, to go on with."""
    folder, (runs, _, until) = admit_path(to), begun
    laws, reason = sweep_laws(given)
    text = text_of({**_header(given, begun, slab), "laws_sha256": laws})
    if folder.exists() and not folder.is_dir():
        raise FileError(
            f"{str(folder)!r} cannot take a sweep.",
            "It is a file; a sweep is a folder of parts.",
            "Give a folder that is new or empty.",
        )
    note = folder / NOTE
    with file_errors(folder):
        folder.mkdir(exist_ok=True)
        with WriterLock(note, WAIT) as held:
            held.sign()
            if note.exists():
                _require_same(folder, note, text)
                _require_told_apart(folder, reason)
            else:
                _require_empty(folder)
                write_file(note, text)
    places = (given.equations.system, until, len(runs), slab, digest(text))
    return SweepParts(folder, *places, given.drive)


def _require_empty(folder: Path) -> None:
    """Refuse a folder with files of others; what a killed sweep left aside is ours."""
    own = re.compile(rf"{re.escape(NOTE)}\.journal|\.sweep\.\d+-[0-9a-f]+\.part\.json")
    if any(not own.fullmatch(path.name) for path in folder.iterdir()):
        raise FileError(
            f"{str(folder)!r} cannot take a sweep.",
            "It has other files in it.",
            "Give a folder that is new or empty.",
        )


def _require_same(folder: Path, note: Path, text: str) -> None:
    """Refuse a folder of another sweep, or one that does not say of which it is."""
    with file_errors(note), note.open("rb") as file:
        # What is longer is another's; to say more of it a beginning is enough.
        found = file.read(max(len(text.encode()) + 1, LONGEST_NOTE))
    if digest(text) == hashlib.sha256(found).hexdigest():
        return
    try:
        kept = json.loads(found)
    except (ValueError, RecursionError) as error:
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
    slab: int
    identity: str
    drive: Drive = UNDRIVEN

    def __len__(self) -> int:
        return self.runs

    def __iter__(self) -> Iterator[Sweep]:
        for first in self._firsts():
            yield self._read(first)

    def has(self, first: int) -> bool:
        """Whether the part that begins with a run is there."""
        return self._place(first).exists()

    def put(self, first: int, part: Sweep) -> None:
        """Write a part, whole or not at all."""
        content, note = _content(part, self._facts(first)), self.folder / NOTE
        with file_errors(self.folder), WriterLock(note, WAIT) as held:
            held.sign()
            if hashlib.sha256(note.read_bytes()).hexdigest() != self.identity:
                raise FileError(
                    f"{str(note)!r} was replaced while its sweep ran.",
                    f"Part {first} is not of the sweep that it tells of.",
                    "Give another folder, and sweep anew.",
                )
            write_file(self._place(first), content)

    def whole(self) -> Sweep:
        """All parts as one sweep, in memory."""
        parts = list(self)
        if not parts:
            raise FileError(
                f"{str(self.folder)!r} has no part of its sweep yet.",
                "The sweep was interrupted before its first part was done.",
                "Sweep again into the same folder: it goes on.",
            )
        return joined(parts)

    @property
    def failed(self) -> np.ndarray:
        """The numbers of the runs that did not reach their end."""
        found = [first + self._read(first).failed for first in self._firsts()]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def outcome(self, k: int) -> Outcome:
        """How run k ended, in words."""
        if not 0 <= k < self.runs:
            raise IndexError(f"run {k}: there are {self.runs} runs, from 0 on")
        first = k - k % self.slab
        return self._read(first).outcome(k - first)

    def _place(self, first: int) -> Path:
        return self.folder / f"part-{first:08d}.nc"

    def _firsts(self) -> list[int]:
        """With which runs the parts begin that are there: all, or the first ones.

        A part that is missing before others would give wrong numbers to their runs.
        """
        known = {self._place(first): first for first in range(0, self.runs, self.slab)}
        there = sorted(self.folder.glob("part-*"))
        for path in there:
            if path not in known:
                raise FileError(
                    f"{str(path)!r} is no part of the sweep of its folder.",
                    f"That has {self.runs} runs, and its parts begin with every"
                    f" {self.slab}th of them.",
                    "Move it away.",
                )
        firsts = [known[path] for path in there]
        for first, own in zip(firsts, known.values(), strict=False):
            if first != own:
                raise self._missing(own)
        return firsts

    def _missing(self, first: int) -> FileError:
        return FileError(
            f"{str(self._place(first))!r} is missing.",
            f"It has the runs from {first} on.",
            "Sweep again into the same folder: only what is missing is made.",
        )

    def _facts(self, first: int) -> tuple[str, str, str]:
        """What the hash of a part has beside its columns: whose it is, and where."""
        return self.identity, str(first), str(self.runs)

    def _read(self, first: int) -> Sweep:
        path = self._place(first)
        if not path.exists():
            raise self._missing(first)
        try:
            return self._part(_columns(path, self._facts(first)))
        # Whatever a damaged file makes of its reader, it is the file's fault.
        except Exception as error:
            raise FileError(
                f"{str(path)!r} is damaged.",
                f"{error}"[:300],
                "Remove it, and sweep again: only this part is made anew.",
            ) from error

    def _part(self, columns: dict[str, np.ndarray]) -> Sweep:
        """The part of a sweep that has these columns."""

        def named(word: str) -> dict[str, np.ndarray]:
            own = {n: v for n, v in columns.items() if n.startswith(word)}
            return {n.removeprefix(word): v for n, v in own.items()}

        audit = None
        if SweepLedger._fields[0] in columns:
            ends = {n: columns[n] for n in SweepLedger._fields if n != "work"}
            audit = SweepLedger(**ends, work=named("work of "))
        return Sweep(
            self.system,
            self.until,
            **{name: columns[name] for name in COLUMNS},
            parameters=named("parameter "),
            ledger=audit,
            events=_events(self.system, columns),
            told=_told(columns),
            drive=self.drive,
        )

    def __repr__(self) -> str:
        parts = len(list(self.folder.glob("part-*.nc")))
        return f"SweepParts({self.system.name!r}: {self.runs} runs, {parts} parts)"


def _columns(path: Path, facts: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The columns of a part, which must have their hash."""
    with path.open("rb") as file:
        if file.read(9)[8:] != bytes([SUPERBLOCK]):
            raise ValueError("It is no file that this version wrote.")
    with h5py.File(path, "r", locking=False) as file:
        own = open_datasets(path, file)
        words = ("parameter ", "work of ", "event ")
        names = {*COLUMNS, *SweepLedger._fields, "told", "event_names"} & own.keys()
        names |= {name for name in own if name.startswith(words)}
        found = {name: require_stored(name, own[name])[()] for name in sorted(names)}
        known = bytes(file.attrs["sha256"])
    if columns_digest(found, *facts).encode() != known:
        raise ValueError("It does not have the hash of this part of this sweep.")
    return found


def _events(system: System, columns: dict[str, Any]) -> SweepEvents | None:
    if "event_names" not in columns:
        return None
    own = {name: columns[f"event {name}"] for name in ARRAYS}
    if "event told" in columns:
        own["told"] = columns["event told"]
    names = json.loads(columns["event_names"].tobytes())
    return SweepEvents(system, tuple(names), **own)


def _told(columns: dict[str, Any]) -> dict[int, str]:
    text = columns["told"].tobytes().decode("utf-8") if "told" in columns else "{}"
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
        "goals": [float(t) for t in given.output_times],
        "until": until,
        "limit": given.limit,
        "audited": given.audited,
        "states_sha256": state.hexdigest(),
        "python": PYTHON,
    }
    if given.context is not None:
        facts["events"] = [
            [e.name, e.direction, e.terminal, e.reset is not None]
            for e in given.context.events
        ]
    if given.drive.laws:
        facts["inputs"] = sorted(given.drive.laws)
    return header_of(given.equations, given.method, facts)


def _content(part: Sweep, facts: tuple[str, ...]) -> bytes:
    """The bytes of the file of a part.

    HDF5 does not live through a disk that fills: it writes to memory.
    """
    columns = {name: np.asarray(getattr(part, name)) for name in COLUMNS}
    columns |= {f"parameter {name}": v for name, v in part.parameters.items()}
    if part.ledger is not None:
        columns |= {f"work of {name}": v for name, v in part.ledger.work.items()}
        columns |= {n: v for n, v in part.ledger._asdict().items() if n != "work"}
    columns |= _happened(part)
    columns = {name: np.asarray(columns[name]) for name in sorted(columns)}
    content = io.BytesIO()
    with h5netcdf.File(content, "w", libver=LIBRARY) as file:
        file.dimensions = {
            "run": len(part),
            "sample": part.t.shape[1],
            "coordinate": part.q.shape[2],
            "speed": part.z.shape[2],
        }
        if part.ledger is not None:
            file.dimensions["end"], file.dimensions["axis"] = 2, 3
        if "told" in columns:
            file.dimensions["letter"] = len(columns["told"])
        if part.events is not None:
            file.dimensions["event"] = len(part.events)
            file.dimensions["state"] = part.q.shape[2] + part.z.shape[2]
            file.dimensions["event_letter"] = len(columns["event_names"])
            if part.events.told is not None:
                file.dimensions["number_told"] = part.events.told.shape[1]
        for name, values in columns.items():
            place = _place(name, values)
            file.create_variable(name, place, values.dtype, data=values)
    with h5py.File(content, "r+", libver=LIBRARY) as file:
        # Of fixed length, and so within the object that has them.
        file.attrs["title"] = np.bytes_(f"sweep of {part.system.name}".encode())
        file.attrs["sha256"] = np.bytes_(columns_digest(columns, *facts))
    return content.getvalue()


def _happened(part: Sweep) -> dict[str, np.ndarray]:
    """Events as columns, and what was told as the letters of a text."""
    found: dict[str, np.ndarray] = {}
    texts = {}
    if part.events is not None or part.told:
        texts["told"] = json.dumps({str(run): word for run, word in part.told.items()})
    if part.events is not None:
        found |= {f"event {name}": getattr(part.events, name) for name in ARRAYS}
        if part.events.told is not None:
            found["event told"] = part.events.told
        texts["event_names"] = json.dumps(part.events.names)
    return found | {n: np.frombuffer(t.encode(), np.uint8) for n, t in texts.items()}


def _place(name: str, values: np.ndarray) -> tuple[str, ...]:
    if name in TEXTS:
        return TEXTS[name]
    if name.startswith("event "):
        return SIDES.get(name, ("event",))
    return PLACES.get(name, ("run", "end", "axis")[: values.ndim])
