"""The file of a run that is under way: parts are appended, each with its cursor."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, final

import h5py
import numpy as np

from polhode.integrate.dense import Steps, joined
from polhode.integrate.outcome import Outcome
from polhode.integrate.storage import layout
from polhode.integrate.storage.columns import Columns, columns_of
from polhode.integrate.storage.layout import Shape
from polhode.integrate.storage.place import file_errors
from polhode.integrate.storage.reading import content_of
from polhode.integrate.storage.transaction import TransactionFile

# A part goes to the disk when it is this old or this large.
SECONDS, BYTES = 0.25, 16e6
# So many bytes of rows also stay in memory, and need not be read back.
KEPT = 256e6


@final
class Recorder:
    """A motion's file, open for more rows.

    `append` rows, `mark` where the run is after them: from time to time all rows up to
    the last mark become a part of the file, whole or not at all, while the run goes
    on. If the disk fails, the rows stay here, and `failure` says why.
    """

    def __init__(
        self, path: Path, shape: Shape, settle: Callable[[Steps], Steps], rows: int
    ):
        self.path, self._shape, self._settle = path, shape, settle
        self.failure = ""
        self.count = rows
        self._waiting: list[Steps] = []
        self._leaving: list[Steps] = []
        self._bytes = self._held = 0
        # Of a run that goes on, older rows are in the file alone.
        self._whole: list[Steps] | None = None if rows else []
        self._cursor: Any = None
        self._since = time.perf_counter()
        self._writer = ThreadPoolExecutor(1, "polhode-recorder")
        self._task: Future[None] | None = None
        with file_errors(path):
            self._raw = TransactionFile(path, fresh=False)
            self._h5 = h5py.File(self._raw, "r+")

    # ----------------------------------------------------------- a store of rows

    def append(self, rows: Steps) -> None:
        """More rows; they wait for a mark."""
        self._waiting.append(rows)
        self._bytes += sum(part.nbytes for part in rows)

    def mark(self, cursor: Any) -> None:
        """Where the run is after the rows so far."""
        self._cursor = cursor
        old = time.perf_counter() - self._since > SECONDS
        if (old or self._bytes > BYTES) and not self.failure:
            self._send()

    def rows(self, memory: float) -> Steps:
        """All rows; or the last ones, if all need more than `memory`."""
        self.close()
        unwritten = [self._settled(r) for r in (*self._leaving, *self._waiting)]
        if self._whole is not None and self._whole + unwritten:
            return joined(self._whole + unwritten)
        width, terms = self._shape.width, self._shape.terms or 0
        most = int(memory / (8 * (1 + width * (2 + terms))))
        found = content_of(self.path, most=max(most, 1)).steps
        return joined([found, *unwritten])

    def close(self) -> None:
        """Send what waits and let go of the file; what the disk refuses stays here."""
        if self._raw.closed:
            return
        if self._waiting and not self.failure:
            self._send()
        self._settle_task()
        self._writer.shutdown()
        self._h5.close()
        if not self.failure:
            self._raw.commit()
        self._raw.close()

    def seal(self, outcome: Outcome) -> None:
        """How the run ended, into the closed file; not where the disk had failed."""
        if self.failure:
            return
        again = Recorder(self.path, self._shape, self._settle, self.count)
        with file_errors(self.path):
            again._h5["ending"][()] = json.dumps(asdict(outcome))
            again._commit()
            again.close()

    # ------------------------------------------------------------------ writing

    def _send(self) -> None:
        """Waiting rows leave as one part, once the part before has arrived."""
        self._settle_task()
        if self.failure:
            return
        self._leaving, self._waiting, self._bytes = self._waiting, [], 0
        columns = columns_of(self._cursor)
        self._task = self._writer.submit(self._put_part, self._leaving, columns)
        self._since = time.perf_counter()

    def _settle_task(self) -> None:
        """Wait for the part that is under way."""
        task, self._task = self._task, None
        if task is None:
            return
        error = task.exception()
        if isinstance(error, OSError):
            self.failure = f"{error.strerror or error}"
        elif error is not None:
            raise error
        else:
            self._leaving = []

    def _put_part(self, leaving: list[Steps], cursor: Columns) -> None:
        values: dict[str, np.ndarray] = {}
        rows = self.count
        parts = len(self._h5["part_rows"])
        if leaving:
            steps = self._settled(joined(leaving))
            values = layout.row_values(steps, self._shape)
            rows = self.count + len(steps.t)
        for name, value in values.items():
            self._lengthened(name, rows)[self.count :] = value
        mark: dict[str, Any] = {"part_rows": rows}
        mark["part_checksum"] = layout.checksum(values, cursor)
        for word, column in zip(cursor._fields, cursor, strict=True):
            mark[f"cursor_{word}"] = column
        self._lengthened("part", parts + 1)
        for name, entry in mark.items():
            self._lengthened(name, parts + 1)[parts] = entry
        self._commit()
        self.count = rows
        if leaving:
            self._keep(steps)

    def _keep(self, steps: Steps) -> None:
        self._held += sum(part.nbytes for part in steps)
        if self._held > KEPT:
            self._whole = None
        elif self._whole is not None:
            self._whole.append(steps)

    def _settled(self, rows: Steps) -> Steps:
        """Samples between steps, put back on their manifold."""
        return rows if self._shape.terms is not None else self._settle(rows)

    def _lengthened(self, name: str, length: int) -> Any:
        """A variable with room for more."""
        found = self._h5[name]
        found.resize(length, axis=0)
        return found

    def _commit(self) -> None:
        self._h5.flush()
        self._raw.commit()
