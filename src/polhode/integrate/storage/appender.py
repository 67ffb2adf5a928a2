"""The file of a motion, open for more parts; each is in it whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any, final

import h5py
import numpy as np

from polhode.integrate.dense import Steps
from polhode.integrate.storage import layout
from polhode.integrate.storage.columns import Columns
from polhode.integrate.storage.diary import Diary
from polhode.integrate.storage.layout import Shape
from polhode.integrate.storage.place import file_errors
from polhode.integrate.storage.transaction import TransactionFile

# Bytes of its own indices that HDF5 keeps at hand: those of the last rows are enough.
INDICES = 2**18


@final
class Appender:
    """Appends parts to a file; `count` rows are in it. Errors are the system's."""

    def __init__(self, path: Path, shape: Shape, count: int):
        self.count, self._shape = count, shape
        with file_errors(path):
            self._raw = TransactionFile(path, fresh=False)
            self._h5 = _opened(self._raw)
        self._variables: dict[str, Any] = {}  # those in use, found once

    @property
    def is_closed(self) -> bool:
        """Whether the file was let go."""
        return self._raw.closed

    def put(self, steps: Steps | None, cursor: Columns, diary: Diary | None) -> None:
        """One part: rows, where the run is after them, what happened on the way."""
        values: dict[str, np.ndarray] = {}
        rows, parts = self.count, len(self._h5["part_rows"])
        if steps is not None:
            values = layout.row_values(steps, self._shape)
            rows += len(steps.t)
        for name, value in values.items():
            self._put_rows(self._lengthened(name, rows), value)
        mark: dict[str, Any] = {"part_rows": rows}
        mark["part_checksum"] = layout.checksum(values, cursor, diary)
        mark |= self._put_diary(diary) if diary else {}
        for word, column in zip(cursor._fields, cursor, strict=True):
            mark[f"cursor_{word}"] = column
        self._lengthened("part", parts + 1)
        for name, entry in mark.items():
            self._lengthened(name, parts + 1)[parts] = entry
        self._commit()
        self.count = rows

    def put_ending(self, text: str) -> None:
        """How the run ended."""
        self._h5["ending"][()] = text
        self._commit()

    def close(self, *, whole: bool) -> None:
        """Let go of the file; what a failed part left is dropped where not `whole`."""
        self._variables.clear()
        self._h5.close()
        if whole:
            self._raw.commit()
        self._raw.close()

    def _put_rows(self, variable: Any, value: np.ndarray) -> None:
        """Rows at the end; whole blocks go to the file as they are, without a copy."""
        block, count = variable.chunks[0], len(value)
        value = np.ascontiguousarray(value, variable.dtype)
        head = min(-self.count % block, count)
        tail = count - (count - head) % block
        zeros = (0,) * (value.ndim - 1)
        for first in range(head, tail, block):
            place = (self.count + first, *zeros)
            variable.id.write_direct_chunk(place, value[first : first + block])
        for part in (slice(0, head), slice(tail, count)):
            if part.stop > part.start:
                at = slice(self.count + part.start, self.count + part.stop)
                variable[at] = value[part]

    def _put_diary(self, diary: Diary) -> dict[str, int]:
        """Append to the diary; how many entries there are then, of each kind."""
        totals = {}
        for name, entries in diary._asdict().items():
            kind, known = name.split("_")[0], len(self._h5[name])
            totals[f"part_{kind}s"] = known + len(entries)
            self._lengthened(kind, known + len(entries))
            self._lengthened(name, known + len(entries))[known:] = entries
        return totals

    def _lengthened(self, name: str, length: int) -> Any:
        """A variable with room for more."""
        if name not in self._variables:
            self._variables[name] = self._h5[name]
        found = self._variables[name]
        found.resize(length, axis=0)
        return found

    def _commit(self) -> None:
        self._h5.flush()
        self._raw.commit()


def _opened(raw: TransactionFile) -> Any:
    """The file by HDF5, which keeps little of it in memory, however long it grows.

    Rows go straight through: no block is held to be filled up later.
    """
    found = h5py.File(raw, "r+", rdcc_nbytes=0)
    cache = found.id.get_mdc_config()
    cache.set_initial_size = True
    cache.initial_size = cache.min_size = cache.max_size = INDICES
    found.id.set_mdc_config(cache)
    return found
