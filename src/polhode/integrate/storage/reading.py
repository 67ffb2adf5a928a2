"""A file read back: whole parts only, checked, and nothing in it run."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import h5py
import numpy as np

from polhode.errors import FileError
from polhode.integrate.dense import Steps
from polhode.integrate.storage import layout
from polhode.integrate.storage.columns import Columns
from polhode.integrate.storage.diary import Diary
from polhode.integrate.storage.header import FORMAT, FORMAT_VERSION, digest
from polhode.integrate.storage.layout import Shape
from polhode.integrate.storage.transaction import is_in_use, repair

# Looks at a file that a run is writing, before it is called damaged.
LOOKS = 8
SIGNATURE = b"\x89HDF\r\n\x1a\n"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Content:
    """What a file holds.

    header   see `header`; with `samples`, the times that were asked for
    steps    its rows
    cursor   where the run was after them, as columns; plan, likewise
    ending   how it ended; empty while it runs, or if it was killed
    rows     how many rows there are in all

    `shape.diary` has the events and inputs.
    """

    path: Path
    header: dict[str, Any]
    shape: Shape
    steps: Steps
    cursor: Columns
    plan: Columns
    ending: dict[str, Any]
    rows: int


def content_of(
    path: Path, *, span: tuple[float, float] | None = None, most: int | None = None
) -> Content:
    """What a file holds, or of its rows only some.

    span   times: the parts that cover them
    most   a number of rows: the last parts that have no more, or the last one
    """
    _require_ours(path)
    _repair(path)
    for wait in (*np.geomspace(0.01, 1.0, LOOKS), 0.0):
        try:
            with h5py.File(path, "r") as file:
                return _content(path, file, span, most)
        # Whatever a damaged file makes of its reader, it is the file's fault; one that
        # a run is just writing is whole a moment later.
        except Exception as error:
            if wait and is_in_use(path):
                time.sleep(wait)
                continue
            if isinstance(error, FileError):
                raise
            raise _damaged(path, f"{error}"[:200]) from error
    raise AssertionError(path)


def _repair(path: Path) -> None:
    """Finish the last part of a run that was killed while it was written."""
    try:
        repair(path)
    except OSError as error:
        raise FileError(
            f"{str(path)!r} cannot be read as it is.",
            "Its run was killed, and its last part is to be finished from the journal"
            f" beside it; but the system says: {error.strerror or error}.",
            "Copy the file and its journal to a folder of yours, and load it there.",
        ) from error


def _content(path: Path, file: Any, span: Any, most: int | None) -> Content:
    header = _header(path, file)
    own = {name: file[name] for name in file}
    dense = own["bend"].shape[1] if "bend" in own else 0
    diary = _diary(own)
    shape = Shape(own["x"].shape[1], dense if "slope" in own else None, diary)
    ends = own["part_rows"][:]
    cursors = [own[f"cursor_{word}"][:] for word in Columns._fields]
    sums = own["part_checksum"][:]
    if not len(ends) or np.any(np.diff(ends, prepend=0) < 0):
        raise _damaged(path, "its parts do not follow each other")
    first, last = _parts(own, ends, span)
    if most is not None:
        fit = np.searchsorted(np.concatenate([[0], ends]), ends[-1] - most)
        first = min(max(first, int(fit)), last - 1)
    begin = int(ends[first - 1]) if first else 0
    names = layout.row_variables(shape)
    picked = {name: own[name][begin : ends[last - 1]] for name in names}
    for part in range(first, last):
        start = int(ends[part - 1]) if part else 0
        rows = slice(start - begin, int(ends[part]) - begin)
        values = {name: column[rows] for name, column in picked.items()}
        cursor = Columns(*(column[part] for column in cursors))
        if any(len(value) != ends[part] - start for value in values.values()):
            raise _damaged(path, f"part {part} has fewer rows than it says")
        values = values if ends[part] > start else {}
        happened = _happened(own, diary, part)
        if layout.checksum(values, cursor, happened) != sums[part]:
            raise _damaged(path, f"part {part} does not have its checksum")
    if "sample_times" in own:
        header["samples"] = [float(t) for t in own["sample_times"][:]]
    plan = Columns(*(own[f"plan_{word}"][:] for word in Columns._fields))
    ending = json.loads(_text(own["ending"]))
    steps = _steps(picked, shape)
    cursor = Columns(*(column[last - 1] for column in cursors))
    return Content(path, header, shape, steps, cursor, plan, ending, int(ends[-1]))


def _header(path: Path, file: Any) -> dict[str, Any]:
    if "header" not in file or "header_sha256" not in file.attrs:
        raise _foreign(path, "it is a netCDF file, but has no header of ours")
    text = _text(file["header"])
    if digest(text) != str(file.attrs["header_sha256"]):
        raise _damaged(path, "its header does not have its hash")
    header = json.loads(text)
    if header.get("format") != FORMAT:
        raise _foreign(path, f"it calls itself {header.get('format')!r}")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise FileError(
            f"{str(path)!r} has version {version} of the format; this Polhode reads"
            f" {FORMAT_VERSION}.",
            f"It was written by Polhode {header.get('polhode')}.",
            "Read it with that version or a later one.",
        )
    return header


def _parts(own: Any, ends: np.ndarray, span: Any) -> tuple[int, int]:
    """The parts that cover a span of time."""
    if span is None or ends[-1] == 0:
        return 0, len(ends)
    t = np.asarray(own["time"][: ends[-1]])
    sign = 1.0 if t[-1] >= t[0] else -1.0
    low, high = np.sort(sign * np.array(span, dtype=float))
    before = np.searchsorted(sign * t, low, side="right") - 1
    after = np.searchsorted(sign * t, high, side="left")
    first = int(np.searchsorted(ends, max(before, 0), side="right"))
    last = int(np.searchsorted(ends, min(after, ends[-1] - 1), side="right"))
    return min(first, len(ends) - 1), min(last + 1, len(ends))


def _diary(own: Any) -> Diary | None:
    if "event_numbers" not in own:
        return None
    return Diary(*(own[name][:] for name in Diary._fields))


def _happened(own: Any, diary: Diary | None, part: int) -> Diary | None:
    """The entries of one part."""
    if diary is None:
        return None
    found = []
    for name, entries in diary._asdict().items():
        totals = own[f"part_{name.split('_')[0]}s"]
        found.append(entries[totals[part - 1] if part else 0 : totals[part]])
    return Diary(*found)


def _steps(picked: dict[str, Any], shape: Shape) -> Steps:
    t, x = picked["time"], picked["x"]
    bend = picked.get("bend", np.zeros((len(t), 0, shape.width)))
    return Steps(t, x, picked.get("slope", np.zeros_like(x)), bend)


def _text(variable: Any) -> str:
    return variable[()].decode()


def _require_ours(path: Path) -> None:
    try:
        with path.open("rb") as file:
            begins = file.read(len(SIGNATURE))
    except OSError as error:
        raise FileError(
            f"{str(path)!r} cannot be read.",
            f"The system says: {error.strerror}.",
            "Look at the path.",
        ) from error
    if not begins:
        raise _damaged(path, "it is empty")
    if begins != SIGNATURE:
        raise _foreign(path, f"it begins with {begins!r}, not as netCDF-4 does")


def is_ours(path: Path) -> bool:
    """Whether a file says that it holds a motion, whole or damaged."""
    try:
        _require_ours(path)
        with h5py.File(path, "r") as file:
            return "header_sha256" in file.attrs
    except (FileError, OSError):
        return False


def _foreign(path: Path, why: str) -> FileError:
    return FileError(
        f"{str(path)!r} is not a motion of Polhode.",
        f"{why[0].upper()}{why[1:]}.",
        "Give a file that motion.save(path) or simulate(..., to=path) made.",
    )


def _damaged(path: Path, why: str) -> FileError:
    return FileError(
        f"{str(path)!r} is damaged.",
        f"{why[0].upper()}{why[1:]}." if why else "It cannot be read to its end.",
        "Take it from where it was copied, or run again.",
    )
