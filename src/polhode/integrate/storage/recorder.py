"""The file of a run that is under way: parts are appended, each with its cursor."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, final

import h5netcdf
import h5py
import numpy as np

from polhode.errors import FileError
from polhode.integrate.dense import Steps, joined
from polhode.integrate.outcome import Outcome
from polhode.integrate.storage import layout
from polhode.integrate.storage.columns import Columns, columns_of
from polhode.integrate.storage.header import digest, text_of
from polhode.integrate.storage.layout import BLOCK, Shape
from polhode.integrate.storage.reading import content_of
from polhode.integrate.storage.transaction import TransactionFile

# A part goes to the disk when it is this old or this large.
SECONDS, BYTES = 0.25, 16e6
# Less than this is no room for a run.
LEAST_FREE = 4e6


@final
class Recorder:
    """A motion's file, open for more rows.

    `append` rows, `mark` where the run is after them: from time to time all rows up to
    the last mark become a part of the file, whole or not at all. If the disk fails, the
    rows stay here, and `failure` says why.
    """

    def __init__(
        self,
        path: Path,
        shape: Shape,
        settle: Callable[[Steps], Steps],
        *,
        fresh: bool,
        rows: int = 0,
    ):
        self.path, self._shape, self._settle = path, shape, settle
        self.failure = ""
        self.count = rows
        self._waiting: list[Steps] = []
        self._cursor: Any = None
        self._since = time.perf_counter()
        with file_errors(path):
            self._raw = TransactionFile(path, fresh=fresh)
            self._h5 = h5py.File(self._raw, "w" if fresh else "r+")
            self._file = h5netcdf.File(self._h5, "r+" if not fresh else "a")

    def begin(self, header: dict[str, Any], plan: Any, cursor: Any) -> None:
        """Lay out a new file, without rows."""
        names, units = layout.names_and_units(header)
        file, shape = self._file, self._shape
        file.dimensions = {"time": None, "part": None, "entry": shape.width}
        if shape.terms:
            file.dimensions["term"] = shape.terms
        for name, dimensions in layout.row_variables(shape).items():
            sizes = [file.dimensions[d].size for d in dimensions[1:]]
            file.create_variable(name, dimensions, "f8", chunks=(BLOCK, *sizes))
        file.variables["time"].attrs["units"] = "s"
        self._put_texts("entry", names)
        self._put_texts("unit", units)
        if header["samples"] is not None:
            self._put_column("sample_times", "sample", np.array(header["samples"]))
        self._begin_parts(plan, cursor)
        text = text_of({**header, "samples": None})
        file.attrs["title"] = f"motion of {header['model']['name']}"
        file.attrs["header_sha256"] = digest(text)
        self._put_text("header", text)
        self._put_text("ending", "{}")
        self.put(cursor)

    # ----------------------------------------------------------- a store of rows

    def append(self, rows: Steps) -> None:
        """More rows; they wait for a mark."""
        self._waiting.append(rows)

    def mark(self, cursor: Any) -> None:
        """Where the run is after the rows so far."""
        self._cursor = cursor
        old = time.perf_counter() - self._since > SECONDS
        waiting = sum(part.nbytes for rows in self._waiting for part in rows)
        if (old or waiting > BYTES) and not self.failure:
            self._put()

    def close(self) -> None:
        """Let go of the file; what was not put stays here."""
        if self._raw.closed:
            return
        self._file.close()
        self._h5.close()
        if not self.failure:
            self._raw.commit()
        self._raw.close()

    def rows(self, memory: float) -> Steps:
        """All rows, read back; or the last ones, if all need more than `memory`."""
        if not self.failure and self._waiting:
            self._put()
        self.close()
        width, terms = self._shape.width, self._shape.terms or 0
        most = int(memory / (8 * (1 + width * (2 + terms))))
        found = content_of(self.path, most=max(most, 1)).steps
        return joined([found, self._joined()]) if self._waiting else found

    def _joined(self) -> Steps:
        """The waiting rows; samples between steps put back on their manifold."""
        rows = joined(self._waiting)
        return rows if self._shape.terms is not None else self._settle(rows)

    # ------------------------------------------------------------------ writing

    def put(self, cursor: Any) -> None:
        """All waiting rows as one part, now; errors are the caller's."""
        self._put_part(columns_of(cursor))
        self._waiting.clear()

    def seal(self, outcome: Outcome) -> None:
        """How the run ended, into the closed file; not where the disk had failed."""
        if self.failure:
            return
        known = (self.path, self._shape, self._settle)
        again = Recorder(*known, fresh=False, rows=self.count)
        with file_errors(self.path):
            again._file.variables["ending"][...] = json.dumps(asdict(outcome))
            again._commit()
            again.close()

    def _put(self) -> None:
        """The same from time to time; on failure the rows wait on."""
        try:
            self.put(self._cursor)
        except OSError as error:
            self.failure = f"{error.strerror or error}"
            return
        self._since = time.perf_counter()

    def _put_part(self, cursor: Columns) -> None:
        file = self._file
        parts, before = file.dimensions["part"].size, self.count
        values: dict[str, np.ndarray] = {}
        if self._waiting:
            values = layout.row_values(self._joined(), self._shape)
        rows = before + len(values.get("time", ()))
        file.resize_dimension("time", rows)
        file.resize_dimension("part", parts + 1)
        for name, value in values.items():
            file.variables[name][before:rows] = value
        own = file.variables
        own["part_rows"][parts] = rows
        own["part_checksum"][parts] = layout.checksum(values, cursor)
        for word, column in zip(cursor._fields, cursor, strict=True):
            own[f"cursor_{word}"][parts] = column
        self._commit()
        self.count = rows

    def _begin_parts(self, plan: Any, cursor: Any) -> None:
        file = self._file
        for name in ("part_rows", "part_checksum"):
            file.create_variable(name, ("part",), "i8", chunks=(BLOCK,))
        for word, column in zip(Columns._fields, columns_of(plan), strict=True):
            self._put_column(f"plan_{word}", f"plan_{word}_entry", column)
        for word, column in zip(Columns._fields, columns_of(cursor), strict=True):
            file.dimensions[f"cursor_{word}_entry"] = len(column)
            place, kind = ("part", f"cursor_{word}_entry"), column.dtype
            chunks = (BLOCK // 16, len(column))
            file.create_variable(f"cursor_{word}", place, kind, chunks=chunks)

    def _put_column(self, name: str, dimension: str, column: np.ndarray) -> None:
        self._file.dimensions[dimension] = len(column)
        self._file.create_variable(name, (dimension,), column.dtype, data=column)

    def _put_texts(self, name: str, texts: list[str]) -> None:
        kind = h5py.string_dtype()
        found = self._file.create_variable(name, ("entry",), kind)
        found[...] = np.array(texts, dtype=object)

    def _put_text(self, name: str, text: str) -> None:
        found = self._file.create_variable(name, (), h5py.string_dtype())
        found[...] = text

    def _commit(self) -> None:
        self._h5.flush()
        self._raw.commit()


class file_errors:
    """Errors of the system become ours: which file, why, what to do."""

    def __init__(self, path: Path):
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise FileError(
                f"{str(self._path)!r} cannot be written.",
                f"The system says: {error.strerror or error}.",
                "Give a path in a folder that exists and that you may write in.",
            ) from error


def require_writable(path: Path) -> None:
    """Refuse a place that cannot take a run, before the run begins."""
    folder = path.parent
    if path.exists():
        why, repair = (
            "A run never writes over an older one.",
            f"ph.resume({str(path)!r}, system) goes on with it; or give another path.",
        )
    elif not folder.is_dir():
        why = f"There is no folder {str(folder)!r}."
        repair = "Make the folder, or give another path."
    elif not os.access(folder, os.W_OK | os.X_OK):
        why = f"The folder {str(folder)!r} is read-only for you."
        repair = "Give a path in a folder of yours."
    elif shutil.disk_usage(folder).free < LEAST_FREE:
        free = shutil.disk_usage(folder).free
        why = f"Its disk has {free / 1e6:.3g} MB left."
        repair = "Make room, or give a path on another disk."
    else:
        return
    raise FileError(f"{str(path)!r} cannot take a motion.", why, repair)
