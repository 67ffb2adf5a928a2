"""The file of a run that is under way: parts are appended, each with its cursor."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.integrate.dense import Steps, joined
from polhode.integrate.outcome import Outcome
from polhode.integrate.storage.appender import Appender
from polhode.integrate.storage.columns import Columns, columns_of
from polhode.integrate.storage.diary import Diary, written
from polhode.integrate.storage.layout import Shape
from polhode.integrate.storage.place import file_errors
from polhode.integrate.storage.reading import content_of

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
        self,
        path: Path,
        shape: Shape,
        settle: Callable[[Steps], Steps],
        rows: int,
        names: Sequence[str] = (),
    ):
        self.path, self._shape = path, shape
        # Samples lie between steps, and are put back on their manifold.
        self._is_dense = shape.terms is not None
        self._settle = (lambda rows: rows) if self._is_dense else settle
        self._names = list(names)
        self.failure = ""
        self._waiting: list[Steps] = []
        self._leaving: list[Steps] = []
        self._bytes = 0
        # Of a run that goes on, older rows are in the file alone.
        self._memory = _Memory(None if rows else [])
        self._cursor: Any = None
        self.escort: Any = None
        self.past: tuple[list, list] = ([], [])
        self._told = (0, 0)
        self._desk: list[np.ndarray] = []
        self._since = time.perf_counter()
        self._writer = ThreadPoolExecutor(1, "polhode-recorder")
        self._task: Future[None] | None = None
        self._file = Appender(path, shape, rows)

    @property
    def count(self) -> int:
        """How many rows are in the file."""
        return self._file.count

    # ----------------------------------------------------------- a store of rows

    def append(self, rows: Steps) -> None:
        """More rows; they wait for a mark."""
        self._waiting.append(rows)
        self._bytes += sum(part.nbytes for part in rows)
        if self._is_dense:
            self._memory.keep(rows)

    def mark(self, cursor: Any) -> None:
        """Where the run is after the rows so far."""
        self._cursor = cursor
        old = time.perf_counter() - self._since > SECONDS
        if (old or self._bytes > BYTES) and not self.failure:
            self._send()

    def rows(self, memory: float) -> Steps:
        """All rows; or the last ones, if all need more than `memory`."""
        if self._is_dense and self._memory.rows:
            if self._waiting and not self.failure:
                self._send()
            found = joined(self._memory.rows)  # while the last part goes to the disk
            self.close()
            return found
        self.close()
        unwritten = [self._settle(r) for r in (*self._leaving, *self._waiting)]
        kept = self._memory.rows
        if kept is not None and kept + unwritten:
            return joined(kept + unwritten)
        width, terms = self._shape.width, self._shape.terms or 0
        most = int(memory / (8 * (1 + width * (2 + terms))))
        found = content_of(self.path, most=max(most, 1)).steps
        return joined([found, *unwritten])

    def close(self) -> None:
        """Send what waits and let go of the file; what the disk refuses stays here."""
        if self._file.is_closed:
            return
        if self._waiting and not self.failure:
            self._send()
        self._settle_task()
        self._writer.shutdown()
        self._file.close(whole=not self.failure)

    def seal(self, outcome: Outcome) -> None:
        """How the run ended, into the closed file; not where the disk had failed."""
        if self.failure:
            return
        again = Appender(self.path, self._shape, self.count)
        with file_errors(self.path):
            again.put_ending(json.dumps(asdict(outcome)))
            again.close(whole=True)

    # ------------------------------------------------------------------ writing

    def _send(self) -> None:
        """Waiting rows leave as one part, once the part before has arrived."""
        self._settle_task()
        if self.failure:
            return
        self._leaving, self._waiting, self._bytes = self._waiting, [], 0
        columns, diary = columns_of(self._cursor), self._diary()
        self._task = self._writer.submit(self._put, self._leaving, columns, diary)
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

    def accompany(self, escort: Any, past: tuple[list, list]) -> None:
        """Write down what happens to a run; the escort knows of what is past."""
        self.escort = escort
        escort.met[:0], escort.fed[:0] = past
        self._told = (len(past[0]), len(past[1]))

    def _diary(self) -> Diary | None:
        """What happened since the last part."""
        empty = self._shape.diary
        if empty is None or self.escort is None:
            return empty
        events, feeds = self._told
        met, fed = self.escort.met[events:], self.escort.fed[feeds:]
        self._told = (events + len(met), feeds + len(fed))
        return written(self._names, met, fed, empty)

    def _put(self, leaving: list[Steps], cursor: Columns, diary: Diary | None) -> None:
        """One part, beside the run."""
        if not leaving:
            self._file.put(None, cursor, diary)
            return
        if self._is_dense:
            self._file.put(_together(self._desk, leaving), cursor, diary)
            return
        settled = self._settle(joined(leaving))
        self._file.put(settled, cursor, diary)
        self._memory.keep(settled)


@dataclass
class _Memory:
    """All rows of a run, while they are few: they need not be read back."""

    rows: list[Steps] | None
    bytes: int = 0

    def keep(self, rows: Steps) -> None:
        self.bytes += sum(part.nbytes for part in rows)
        if self.bytes > KEPT:
            self.rows = None
        elif self.rows is not None:
            self.rows.append(rows)


def _together(desk: list[np.ndarray], leaving: list[Steps]) -> Steps:
    """Rows as one, on a desk that all parts use: new memory would take longer."""
    found = []
    for k, column in enumerate(zip(*leaving, strict=True)):
        rows, shape = sum(map(len, column)), column[0].shape[1:]
        if k == len(desk) or len(desk[k]) < rows:
            desk[k : k + 1] = [np.empty((rows, *shape))]
        found.append(np.concatenate(column, out=desk[k][:rows]))
    return Steps(*found)
