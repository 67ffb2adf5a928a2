"""The file of a motion, open for more parts; each is in it whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any, final

import h5py
import numpy as np

from polhode.errors import FileError
from polhode.integrate.field.dense_output import Steps
from polhode.integrate.kernel.packing import Columns
from polhode.integrate.storage import layout
from polhode.integrate.storage.create import put_text
from polhode.integrate.storage.event_log import EventLog
from polhode.integrate.storage.layout import LIBRARY, Chain, Shape
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.paths import file_errors
from polhode.integrate.storage.transaction import TransactionFile

# Bytes of its own indices that HDF5 keeps at hand: those of the last rows are enough.
INDICES = 2**18


@final
class Appender:
    """Appends parts to a file after those of `chain`. Errors are the system's.

    held   the lock of the file, where the caller has taken it; it is given back here
    """

    def __init__(
        self, path: Path, shape: Shape, chain: Chain, held: WriterLock | None = None
    ):
        self.chain, self._shape, self._path = chain, shape, path
        with file_errors(path):
            self._raw = TransactionFile(path, fresh=False, held=held)
        try:
            with file_errors(path):
                # The file by HDF5, which keeps little of it in memory, however long
                # it grows. Rows go straight through: no block is held to be filled up
                # later.
                found = h5py.File(self._raw, "r+", rdcc_nbytes=0, libver=LIBRARY)
                cache = found.id.get_mdc_config()
                cache.set_initial_size = True
                cache.initial_size = cache.min_size = cache.max_size = INDICES
                found.id.set_mdc_config(cache)
                self._h5 = found
                self._require_chain()
        except BaseException:
            self._raw.close()
            raise
        self._variables: dict[str, Any] = {}  # those in use, found once

    def _require_chain(self) -> None:
        """Refuse a file that is not as it was when the chain was read.

        Between a look at a file and the lock on it another may have gone on with it, or
        put another in its place.
        """
        for name, entry in self._h5.items():
            if name in self._growing() and (not entry.maxshape or entry.maxshape[0]):
                self._h5.close()
                raise FileError(
                    f"{str(self._path)!r} is damaged.",
                    f"{name!r} cannot grow, so that no part can be appended.",
                    "Take it from where it was copied, or run again.",
                )
        now = self._h5["part_checksum"][-1], len(self._h5["part_checksum"])
        if now != (self.chain.checksum, self.chain.number):
            self._h5.close()
            raise FileError(
                f"{str(self._path)!r} was changed by another process.",
                f"It has {now[1]} parts; {self.chain.number} were expected, the last"
                " with another checksum.",
                "Load it again to see what it holds now, or give another path.",
            )

    def _growing(self) -> set[str]:
        """The datasets that become longer."""
        words = [f"cursor_{word}" for word in Columns._fields]
        found = {*layout.row_variables(self._shape), *words, "ending", "ending_letter"}
        found |= {"part", "part_rows", "part_checksum"}
        for name in EventLog._fields if self._shape.log is not None else ():
            kind = name.split("_")[0]
            found |= {name, kind, f"part_{kind}s"}
        return found

    @property
    def is_closed(self) -> bool:
        """Whether the file was let go."""
        return self._raw.closed

    def put(
        self, steps: Steps | None, stepper_state: Columns, log: EventLog | None
    ) -> None:
        """One part: rows, where the run is after them, what happened on the way."""
        values = {} if steps is None else layout.row_values(steps, self._shape)
        after = self.chain.link(values, stepper_state, log)
        for name, value in values.items():
            self._put_rows(self._lengthened(name, after.rows), value)
        mark: dict[str, Any] = {"part_rows": after.rows}
        mark["part_checksum"] = after.checksum
        mark |= self._put_log(log) if log else {}
        for word, column in zip(stepper_state._fields, stepper_state, strict=True):
            mark[f"cursor_{word}"] = column
        self._lengthened("part", after.number)
        for name, entry in mark.items():
            self._lengthened(name, after.number)[after.number - 1] = entry
        self._commit()
        self.chain = after

    def put_ending(self, outcome: dict[str, Any]) -> None:
        """How the run ended."""
        put_text(self._h5, "ending", layout.ending_text(self.chain, outcome))
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
        head = min(-self.chain.rows % block, count)
        tail = count - (count - head) % block
        zeros = (0,) * (value.ndim - 1)
        for first in range(head, tail, block):
            place = (self.chain.rows + first, *zeros)
            variable.id.write_direct_chunk(place, value[first : first + block])
        for part in (slice(0, head), slice(tail, count)):
            if part.stop > part.start:
                at = slice(self.chain.rows + part.start, self.chain.rows + part.stop)
                variable[at] = value[part]

    def _put_log(self, log: EventLog) -> dict[str, int]:
        """Append to the event log; how many entries there are then, of each kind."""
        totals = {}
        for name, entries in log._asdict().items():
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
