"""A file read back: whole parts only, checked, and nothing in it run."""

from __future__ import annotations

import io
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import h5py
import numpy as np

from polhode.errors import FileError, IntegrationWarning
from polhode.integrate.field.dense_output import Steps
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.kernel.packing import Columns
from polhode.integrate.storage import layout
from polhode.integrate.storage.datasets import dataset, open_datasets, read
from polhode.integrate.storage.event_log import EventLog
from polhode.integrate.storage.header import (
    FORMAT,
    FORMAT_VERSION,
    digest,
    require_fields,
)
from polhode.integrate.storage.journal import finished, repair
from polhode.integrate.storage.layout import (
    SUPERBLOCK,
    Chain,
    Shape,
    row_variables,
    steps_from,
)
from polhode.integrate.storage.lock import is_in_use
from polhode.tracebacks import warn

# Looks at a file that a run is writing, before it is called damaged.
LOOKS = 8
# The types of the columns of a stepper state or of bounds.
KINDS = ("f8", "i8")
SIGNATURE = b"\x89HDF\r\n\x1a\n"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Content:
    """What a file holds.

    header   see `header`; with `samples`, the times that were asked for
    steps    its rows
    stepper_state   where the run was after them, as columns; `bounds`, likewise
    ending   how it ended; empty while it runs, or if it was killed
    chain    all parts that there are, for more

    `shape.log` has the events and inputs.
    """

    path: Path
    header: dict[str, Any]
    shape: Shape
    steps: Steps
    stepper_state: Columns
    bounds: Columns
    ending: dict[str, Any]
    chain: Chain


def content_of(
    path: Path, *, span: tuple[float, float] | None = None, most: int | None = None
) -> Content:
    """What a file holds, or of its rows only some.

    span   times: the parts that cover them
    most   a number of rows: the last parts that have no more, or the last one
    """
    _require_ours(path)
    for wait in (*np.geomspace(0.01, 1.0, LOOKS), 0.0):
        is_written, before = is_in_use(path), _state_of(path)
        try:
            with h5py.File(_readable(path), "r", locking=False) as file:
                return _content(path, file, span, most)
        # Whatever a damaged file makes of its reader, it is the file's fault; one that
        # changes under its reader is whole a moment later.
        except Exception as error:
            is_written = is_written or is_in_use(path)
            if is_written or _state_of(path) != before:
                if wait:
                    time.sleep(wait)
                    continue
                raise FileError(
                    f"{str(path)!r} is being written, and could not be read meanwhile.",
                    "It changed each time it was looked at; it may well be whole.",
                    "Load it again in a moment, or when its run has ended.",
                ) from error
            if isinstance(error, FileError):
                raise
            raise _damage_error(path, f"{error}"[:300]) from error
    raise AssertionError(path)


def _state_of(path: Path) -> tuple[int, ...]:
    """What differs once a file was written to, or another took its place."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _readable(path: Path) -> Any:
    """What HDF5 is to read: the file, its last part finished from its journal.

    Where the file cannot be changed, that is done in memory.
    """
    try:
        repair(path)
    except FileError as error:  # a journal of another file: left alone
        warn(IntegrationWarning(f"{error.what} The file is read without it."))
    except OSError:
        content = finished(path)
        return path if content is None else io.BytesIO(content)
    return path


def _content(path: Path, file: Any, span: Any, most: int | None) -> Content:
    own = open_datasets(path, file)
    header, identity = _header(path, file, own)
    log, shape = _shape(own)
    ends = read(own, "part_rows", "i8", 1)
    sums = read(own, "part_checksum", "i8", 1)
    stepper_states = [
        read(own, f"cursor_{word}", kind, 2)
        for word, kind in zip(Columns._fields, KINDS, strict=True)
    ]
    if any(len(column) != len(ends) for column in (sums, *stepper_states)):
        raise ValueError("'part_rows' and what goes with it differ in length")
    if not len(ends) or np.any(np.diff(ends, prepend=0) < 0):
        raise ValueError("'part_rows': its parts do not follow each other")
    rows = {n: dataset(own, n, "f8", len(d)) for n, d in row_variables(shape).items()}
    if any(len(column) < ends[-1] for column in rows.values()):
        raise ValueError(f"'part_rows' counts {ends[-1]} rows, and there are fewer")
    pasts = _pasts(own, log, len(ends))
    first, last = _parts(rows["time"], ends, span)
    if most is not None:
        fit = np.searchsorted(np.concatenate([[0], ends]), ends[-1] - most)
        first = min(max(first, int(fit)), last - 1)
    begin = int(ends[first - 1]) if first else 0
    picked = {name: column[begin : ends[last - 1]] for name, column in rows.items()}
    chain = Chain(identity)
    for part in range(len(ends)):
        start, end = int(ends[part - 1]) if part else 0, int(ends[part])
        chain = Chain(
            identity, part, start, int(sums[part - 1]) if part else 0, chain.log
        )
        inside = first <= part < last
        here = slice(start - begin, end - begin) if inside else slice(0, 0)
        values = {name: column[here] for name, column in picked.items()}
        stepper_state = Columns(*(column[part] for column in stepper_states))
        chain = chain.link(values if end > start else {}, stepper_state, pasts[part])
        if inside and chain.checksum != sums[part]:
            raise ValueError(
                f"part {part}, rows {start} to {end}, does not have its checksum"
                " ('part_checksum'): its rows, its cursor or its events changed"
            )
    chain = chain._replace(rows=int(ends[-1]), checksum=int(sums[-1]))
    bounds = _plan(own, header)
    ending = _outcome(layout.ending_from(chain, _text(own, "ending")))
    steps = steps_from(picked, shape)
    stepper_state = Columns(*(column[last - 1] for column in stepper_states))
    return Content(path, header, shape, steps, stepper_state, bounds, ending, chain)


def _shape(own: dict[str, Any]) -> tuple[EventLog | None, Shape]:
    """The sizes of a file, and what happened on the way."""
    log = _log(own)
    dense_terms = dataset(own, "bend", "f8", 3).shape[1] if "bend" in own else 0
    width = dataset(own, "x", "f8", 2).shape[1]
    return log, Shape(width, dense_terms if "slope" in own else None, log)


def _plan(own: dict[str, Any], header: dict[str, Any]) -> Columns:
    """The plan, which must have its hash; sample times go into the header."""
    bounds = Columns(
        *(
            read(own, f"plan_{word}", kind, 1)
            for word, kind in zip(Columns._fields, KINDS, strict=True)
        )
    )
    times = read(own, "sample_times", "f8", 1) if "sample_times" in own else None
    found = layout.plan_digests(bounds, times)
    for name in sorted({*found, *header["digests"]}):
        if found.get(name) != header["digests"].get(name):
            raise ValueError(f"{name!r} does not have its hash")
    header["samples"] = None if times is None else [float(t) for t in times]
    return bounds


def _outcome(ending: dict[str, Any]) -> dict[str, Any]:
    """An ending whose fields are those of an outcome."""
    if ending:
        Outcome(**ending)
    return ending


def _header(path: Path, file: Any, own: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The header and its hash, which is the identity of the run."""
    if "header" not in own or "header_sha256" not in file.attrs:
        raise _foreign(path, "it is a netCDF file, but has no header of ours")
    text = _text(own, "header")
    identity = digest(text)
    if identity.encode() != bytes(file.attrs["header_sha256"]):
        raise ValueError("'header' does not have its hash")
    header = json.loads(text)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        told = header.get("format") if isinstance(header, dict) else header
        raise _foreign(path, f"it calls itself {str(told)[:60]!r}")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise FileError(
            f"{str(path)!r} has version {version} of the format; this Polhode reads"
            f" {FORMAT_VERSION}.",
            f"It was written by Polhode {header.get('polhode')}.",
            "Read it with that version or a later one.",
        )
    require_fields(header)
    return header, identity


def _parts(time: Any, ends: np.ndarray, span: Any) -> tuple[int, int]:
    """The parts that cover a span of time."""
    if span is None or ends[-1] == 0:
        return 0, len(ends)
    t = np.asarray(time[: ends[-1]])
    sign = 1.0 if t[-1] >= t[0] else -1.0
    low, high = np.sort(sign * np.array(span, dtype=float))
    if np.any(np.diff(sign * t) < 0):
        return 0, len(ends)  # damaged: all parts are read, and tell which
    before = np.searchsorted(sign * t, low, side="right") - 1
    after = np.searchsorted(sign * t, high, side="left")
    first = int(np.searchsorted(ends, max(before, 0), side="right"))
    last = int(np.searchsorted(ends, min(after, ends[-1] - 1), side="right"))
    return min(first, len(ends) - 1), min(last + 1, len(ends))


def _log(own: dict[str, Any]) -> EventLog | None:
    if "event_numbers" not in own:
        return None
    kinds = dict(zip(EventLog._fields, ("f8", "i8", "f8"), strict=True))
    return EventLog(*(read(own, name, kind, 2) for name, kind in kinds.items()))


def _pasts(own: Any, log: EventLog | None, parts: int) -> list[EventLog | None]:
    """The entries of each part, all of which are checked in every reading."""
    if log is None:
        return [None] * parts
    columns = []
    for name, entries in log._asdict().items():
        word = f"part_{name.split('_')[0]}s"
        totals = read(own, word, "i8", 1)
        if len(totals) != parts or totals[-1] > len(entries):
            raise ValueError(f"{word!r} counts what is not there")
        if np.any(np.diff(totals, prepend=0) < 0):
            raise ValueError(f"{word!r} counts backwards")
        columns.append(np.split(entries[: totals[-1]], totals[:-1]))
    return [EventLog(*entries) for entries in zip(*columns, strict=True)]


def _text(own: dict[str, Any], name: str) -> str:
    return read(own, name, "S1", 1).tobytes().decode()


def _require_ours(path: Path) -> None:
    try:
        with path.open("rb") as file:
            begins = file.read(len(SIGNATURE) + 1)
    except OSError as error:
        raise FileError(
            f"{str(path)!r} cannot be read.",
            f"The system says: {error.strerror}.",
            "Look at the path.",
        ) from error
    if not begins:
        raise _damage_error(path, "it is empty")
    if not begins.startswith(SIGNATURE):
        raise _foreign(path, f"it begins with {begins!r}, not as netCDF-4 does")
    # The structures of older files have no checksums, and damage there may make the
    # library loop; none of ours has them.
    if begins[-1] != SUPERBLOCK:
        raise _foreign(
            path, "it is a netCDF file, but has no header of ours that can be checked"
        )


def is_ours(path: Path) -> bool:
    """Whether a file says that it holds a motion, whole or damaged."""
    try:
        _require_ours(path)
        with h5py.File(path, "r", locking=False) as file:
            return "header_sha256" in file.attrs
    except Exception:  # whatever a damaged file makes of its reader
        return False


def _foreign(path: Path, why: str) -> FileError:
    return FileError(
        f"{str(path)!r} is not a motion of Polhode.",
        f"{why[0].upper()}{why[1:]}.",
        "Give a file that motion.save(path) or simulate(..., to=path) made with this"
        " version or a later one.",
    )


def _damage_error(path: Path, why: str) -> FileError:
    return FileError(
        f"{str(path)!r} is damaged.",
        f"{why[0].upper()}{why[1:]}." if why else "It cannot be read to its end.",
        "Take it from where it was copied, or run again.",
    )
