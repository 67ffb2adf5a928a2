"""A sweep on disk: a folder of parts, each written aside and moved into place.

    sweep.json          what was swept, in words and numbers, with the model where text
                        can say it, the versions of what makes the bits, and hashes
    part-00000000.nc    the runs from number 0 on; arrays over run and sample
    sweep.nc            one file over all parts, once they are there

A part is there whole or not at all, and has a hash of its columns, of the sweep that
it is of and of its place in it. A sweep that was killed and is asked again finds its
parts and makes those that are missing. Several processes may write to one folder, on
several machines: each change is made under the lock of `sweep.json`, and only where
that is of the same sweep. Where a disk has no locks, a part that two make has the same
bytes from both.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import FileError, IntegrationError
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.host.batch_loop import Given
from polhode.integrate.host.sweep_runs import Swept
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.kernel.status import DONE, EVENT
from polhode.integrate.results.arrow import stream_of, sweep_table, write_parquet
from polhode.integrate.results.failures import Failures, failures_of
from polhode.integrate.results.sweep_columns import sweep_from
from polhode.integrate.results.sweep_result import Sweep, join_parts, require_run
from polhode.integrate.storage.header import digest, header_of, text_of
from polhode.integrate.storage.laws import PYTHON, sweep_laws
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.parts import parquet, virtual
from polhode.integrate.storage.parts.files import (
    ASIDE,
    FORMS,
    NOTE,
    WAIT,
    PartFiles,
    remove_stale,
)
from polhode.integrate.storage.paths import admit_path, file_errors
from polhode.output_file import write_file

if TYPE_CHECKING:
    from polhode.system.system import System

WORDS = {
    "laws_sha256": "laws or values of the model, its events or inputs",
    "model_text": "values of the model",
    "states_sha256": "states or parameters",
    "goals": "times of samples",
    "polhode": "versions of Polhode",
    "jax": "versions of JAX",
    "numpy": "versions of NumPy",
    "python": "versions of Python",
    "pyarrow": "versions of pyarrow",
    "form": "forms of the parts",
}
LONGEST_NOTE = 1_000_000  # bytes that are looked at of a note of another sweep
LARGEST_NOTE = 64_000_000  # bytes of a note that is read to get the model


def sweep_parts(
    to: Any, given: Given, swept: Swept, form: str, model_text: str
) -> SweepParts:
    """The folder of a sweep: a new one, or that of the same sweep, to go on with."""
    folder = admit_path(to)
    _require_form(form, given)
    laws, reason = sweep_laws(given, model_text)
    header = {**_header(given, swept), "laws_sha256": laws, "form": form}
    header["model_text"] = model_text
    if form == "parquet":
        header["pyarrow"] = parquet.version()
    text = text_of(header)
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
    system = given.equations.system
    files = PartFiles(folder, swept, digest(text), form)
    return SweepParts(system, files, given.drive)


def share_of(parts: SweepParts, part: str | None) -> list[int]:
    """The parts that are missing, or a share of them: "17/200", or "missing"."""
    missing = parts.missing
    if part is None:
        return missing
    if part == "missing":
        random.SystemRandom().shuffle(missing)
        return missing
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", str(part))
    which, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= which <= count:
        raise IntegrationError(
            f"a sweep has no part {part!r}.",
            "A part is one of some number of shares, counted from 1.",
            'Give part="17/200", or part="missing" for all that are not there yet.',
        )
    # By the number of a part and not by its place among the missing: others look at
    # the folder at other times.
    return [
        first
        for first in missing
        if first // parts.files.swept.slab % count == which - 1
    ]


def load_sweep(path: Any, system: System | None = None) -> SweepParts:
    """A sweep from its folder, complete or not: nothing is run.

    Where the model has laws of Python, no file holds it, and the system is given again.

    >>> import polhode as ph, tempfile
    >>> start = ph.models.start("pendulum")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = ph.sweep(start.system, start, until=1.0, to=f"{folder}/one")
    ...     again = ph.load_sweep(f"{folder}/one").whole()
    >>> again.final_q.shape
    (1, 1)
    """
    folder = admit_path(path)
    note = folder / NOTE
    with file_errors(note), note.open("rb") as file:
        found = file.read(LARGEST_NOTE)
    try:
        header = json.loads(found)
        facts = (header["runs"], header["slab"], header["until"], header["varied"])
        swept = Swept(*facts, header["states_sha256"], header.get("ensemble"))
        form = header["form"]
        if form not in FORMS or not swept.slab > 0 or not swept.runs > 0:
            raise ValueError(f"its form is {str(form)[:60]!r}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damage_error(note, error) from error
    if system is None:
        from polhode.integrate.storage import model_text

        # A sweep keeps states in the coordinates of its system, whatever the form.
        system = model_text.read(note, {**header, "formulation": model_text.USUAL})
    identity = hashlib.sha256(found).hexdigest()
    return SweepParts(system, PartFiles(folder, swept, identity, form))


def _require_form(form: str, given: Given) -> None:
    if form not in FORMS:
        raise FileError(
            f"parts of a sweep cannot have the form {form!r}.",
            f"Known are {', '.join(FORMS)}.",
            "Give form='netcdf' or form='parquet'.",
        )
    if form == "parquet" and given.context is not None:
        raise FileError(
            "a sweep with events cannot be kept in Parquet.",
            "Events are a table of their own, with as many rows as there are events.",
            "Leave form='parquet' out, and take parts.to_parquet(folder) of the states"
            " and sweep.events.columns() of the events.",
        )


def _damage_error(note: Path, error: Exception) -> FileError:
    return FileError(
        f"{str(note)!r} is damaged.",
        f"It says of which sweep the parts beside it are, and {error}.",
        "Give another folder, and sweep anew.",
    )


def _require_empty(folder: Path) -> None:
    """Refuse a folder with files of others; what a killed sweep left aside is ours."""
    names = {path.name for path in folder.iterdir()} - {f"{NOTE}.journal"}
    if any(not ASIDE.fullmatch(name) for name in names):
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
        raise _damage_error(note, error) from error
    words = _differing(kept, json.loads(text))
    why = f"{words} differ." if words else f"{note.name} is not as it was written."
    raise FileError(
        f"{str(folder)!r} has another sweep in it.",
        why,
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
            f"The laws of this one may not be those of that one: {reason}.",
            "Give a new folder. A class with a method __fingerprint__(self), which"
            " returns text that changes whenever its objects do, can be told.",
        )


@final
@dataclass(frozen=True, eq=False, repr=False)
class SweepParts:
    """A sweep in a folder: `for part in parts` gives one `Sweep` after the other.

    Tools that take tables of Arrow (pandas, polars, duckdb) read it as it is, a part
    at a time. `files` are its parts as files.
    """

    system: System
    files: PartFiles
    drive: Drive = UNDRIVEN

    def __len__(self) -> int:
        return self.files.swept.runs

    def __iter__(self) -> Iterator[Sweep]:
        for first in self.files.leading:
            yield self._read(first)

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.files.folder

    @property
    def until(self) -> float:
        """The time to which its runs go, s."""
        return self.files.swept.until

    @property
    def missing(self) -> list[int]:
        """With which runs the parts begin that are not there, by one listing."""
        return self.files.missing

    def whole(self) -> Sweep:
        """All parts as one sweep, in memory."""
        parts = list(self)
        if not parts:
            raise _empty(self.folder)
        return join_parts(parts)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` over all parts, read when values are requested.

        Runs of parts that are missing are NaN, and their status is -1. Hashes are not
        checked: `whole()`, and going through the parts, check them.
        """
        import xarray

        _require_netcdf(self.files)
        path = self.folder / virtual.NAME
        with file_errors(self.folder):
            if not path.exists() and self.folder.is_dir():
                with self.files.locked():
                    _write_index(self)
            return xarray.open_dataset(path, engine="h5netcdf")

    def to_parquet(self, folder: Any) -> Path:
        """Write the parts as Parquet files, one by one; the folder of these."""
        firsts = self.files.leading
        tables = ((first, sweep_table(self._read(first), first)) for first in firsts)
        return write_parquet(folder, tables)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The runs as tables of Arrow, a part at a time."""
        firsts = self.files.leading
        if not firsts:
            raise _empty(self.folder)
        tables = (sweep_table(self._read(first), first) for first in firsts)
        return stream_of(tables, requested_schema)

    @property
    def failed(self) -> np.ndarray:
        """The numbers of the runs that did not reach their end; hashes are checked."""
        return failed_runs(self.files, lambda first: self._read(first).status)[0]

    @property
    def failures(self) -> Failures:
        """The runs that did not reach their end, by why they did not."""
        found = failed_runs(self.files, lambda first: self._read(first).status)
        return failures_of(self, *found)

    def outcome(self, k: int) -> Outcome:
        """How run k ended, in words."""
        require_run(k, len(self))
        k %= len(self)
        first = k - k % self.files.swept.slab
        return self._read(first).outcome(k - first)

    def plot(self, *names: str, against: str | None = None) -> Any:
        """Histograms, bands over time or a scatter of the runs: see `Sweep.plot`."""
        return self.whole().plot(*names, against=against)

    def page(self, path: Any, *, outcomes: Sequence[str] | None = None) -> Path:
        """Write all runs as one HTML page: see `Sweep.page`."""
        return self.whole().page(path, outcomes=outcomes)

    def _read(self, first: int) -> Sweep:
        columns = self.files.columns(first)
        return sweep_from(columns, self.system, self.until, self.drive)

    def __repr__(self) -> str:
        there = len(self.files.firsts) - len(self.missing)
        return f"SweepParts({self.system.name!r}: {len(self)} runs, {there} parts)"


def failed_runs(
    files: PartFiles, status_of: Callable[[int], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the runs that failed in the parts that are there; their status."""
    numbers, kinds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for first in files.present:
        status = status_of(first)
        own = np.flatnonzero((status != DONE) & (status != EVENT))
        numbers.append(first + own)
        kinds.append(status[own])
    return np.concatenate(numbers), np.concatenate(kinds)


def complete(parts: SweepParts) -> None:
    """Write `sweep.nc` over all parts, and clear away what dead processes left."""
    with file_errors(parts.folder), parts.files.locked():
        remove_stale(parts.folder)
        is_there = (parts.folder / virtual.NAME).exists()
        if parts.files.form == "netcdf" and not is_there:
            _write_index(parts)


def _write_index(parts: SweepParts) -> None:
    """One file over all parts, present or not; it needs one to know their types."""
    files, system = parts.files, parts.system
    if not files.present:
        raise _empty(files.folder)
    about = {
        "title": f"sweep of {system.name}",
        "identity": files.identity,
        "coordinate": system.coordinate_names,
        "speed": system.speed_names,
    }
    places = {first: files.place(first) for first in files.firsts}
    made = virtual.content(places, files.swept.runs, files.swept.slab, about)
    write_file(files.folder / virtual.NAME, made)


def _require_netcdf(files: PartFiles) -> None:
    if files.form != "netcdf":
        raise FileError(
            f"{str(files.folder)!r} has parts of the form {files.form!r}.",
            "Only those of netCDF are arrays that can be read lazily as one.",
            "Read them as a table: polars.scan_parquet(folder / '*.parquet').",
        )


def _empty(folder: Path) -> FileError:
    return FileError(
        f"{str(folder)!r} has no part of its sweep yet.",
        "The sweep was interrupted before its first part was done.",
        "Sweep again into the same folder: it goes on.",
    )


def _header(given: Given, swept: Swept) -> dict[str, Any]:
    facts = {
        "runs": swept.runs,
        "slab": swept.slab,
        "varied": swept.varied,
        "goals": [float(t) for t in given.output_times],
        "until": swept.until,
        "limit": given.limit,
        "audited": given.audited,
        "states_sha256": swept.states_sha256,
        "python": PYTHON,
    }
    if swept.ensemble is not None:
        facts["ensemble"] = swept.ensemble
    if given.context is not None:
        facts["events"] = [
            [e.name, e.direction, e.terminal, e.reset is not None]
            for e in given.context.events
        ]
        if given.context.limits is not None:
            facts["impacts"] = str(given.context.limits.key[-1])
    if given.drive.laws:
        facts["inputs"] = sorted(given.drive.laws)
    if given.sampling is not None:
        facts["samples"] = given.sampling.inputs.words
    return header_of(given.equations, given.method, facts)
