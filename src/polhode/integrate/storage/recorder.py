"""The file of a run that is under way: parts are appended, each with its cursor."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.errors import FileError, IntegrationWarning
from polhode.integrate.dense import Steps, joined
from polhode.integrate.outcome import Outcome
from polhode.integrate.shelf import Shelf
from polhode.integrate.storage.appender import Appender
from polhode.integrate.storage.columns import Columns, columns_of
from polhode.integrate.storage.desk import Desk
from polhode.integrate.storage.diary import Diary, written
from polhode.integrate.storage.layout import Chain, Shape
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.place import file_errors
from polhode.integrate.storage.reading import content_of
from polhode.integrate.telling import Told

# A part goes to the disk when it is this old or this large.
SECONDS, BYTES = 0.25, 32e6
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
        chain: Chain,
        *,
        names: Sequence[str] = (),
        held: WriterLock | None = None,
    ):
        rows = chain.rows
        self.path, self._shape = path, shape
        # Samples lie between steps, and are put back on their manifold.
        self._is_dense = shape.terms is not None
        self._settle = (lambda rows: rows) if self._is_dense else settle
        self._names = list(names)
        self.failure = ""
        # Of a run that goes on, older rows are in the file alone.
        self._desk = Desk(KEPT if self._is_dense and not rows else 0.0)
        self._settled = None if rows or self._is_dense else Shelf()
        self._leaving: Steps | None = None
        self._cursor: Any = None
        self.escort: Any = None
        self.past: tuple[list, list] = ([], [])
        self.told = ""  # why a run that goes on had ended, where the host ended it
        self._told = (0, 0)
        self._since = time.perf_counter()
        self._writer = ThreadPoolExecutor(1, "polhode-recorder")
        self._task: Future[None] | None = None
        self._file = Appender(path, shape, chain, held)

    @property
    def count(self) -> int:
        """How many rows are in the file."""
        return self._file.chain.rows

    # ----------------------------------------------------------- a store of rows

    def append(self, rows: Steps, chosen: np.ndarray | None = None) -> None:
        """More rows, all or those at the places `chosen`; they wait for a mark."""
        self._desk.append(rows, chosen)

    def mark(self, cursor: Any) -> None:
        """Where the run is after the rows so far."""
        self._cursor = cursor
        old = time.perf_counter() - self._since > SECONDS
        if (old or self._desk.waiting > BYTES) and not self.failure:
            self._send()

    def rows(self, memory: float) -> Steps:
        """All rows; or the last ones, if all need more than `memory`."""
        self.close()
        found = self._desk.all_rows()
        if found is not None:
            return found
        waiting = (self._leaving, self._desk.unsent())
        unwritten = [self._settle(rows) for rows in waiting if rows is not None]
        if self._settled is not None and self._settled.count:
            unwritten.insert(0, self._settled.rows())
        if self._settled is not None and unwritten:
            return joined(unwritten)
        width, terms = self._shape.width, self._shape.terms or 0
        most = int(memory / (8 * (1 + width * (2 + terms))))
        found = content_of(self.path, most=max(most, 1)).steps
        return joined([found, *unwritten])

    def close(self) -> None:
        """Send what waits and let go of the file; what the disk refuses stays here."""
        if self._file.is_closed:
            return
        if self._desk.waiting and not self.failure:
            self._send()
        self._settle_task()
        self._writer.shutdown()
        self._file.close(whole=not self.failure)

    def seal(self, outcome: Outcome) -> None:
        """How the run ended, into the closed file; not where the disk had failed.

        The run is whole without it: what hinders the last words is a warning.
        """
        if self.failure:
            return
        try:
            self.put_ending(outcome)
        except FileError as error:
            words = f"how the run ended is not in its file: {error.what} {error.why}"
            warnings.warn(IntegrationWarning(words), stacklevel=3)

    def put_ending(self, outcome: Outcome) -> None:
        """How the run ended, into the closed file."""
        again = Appender(self.path, self._shape, self._file.chain)
        with file_errors(self.path):
            again.put_ending(asdict(outcome))
            again.close(whole=True)

    # ------------------------------------------------------------------ writing

    def _send(self) -> None:
        """Waiting rows leave as one part, once the part before has arrived."""
        self._settle_task()
        if self.failure:
            return
        self._leaving = self._desk.unsent()
        columns, diary = columns_of(self._cursor), self._diary()
        self._task = self._writer.submit(self._put, self._leaving, columns, diary)
        self._desk.clear()
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
            self._leaving = None

    def accompany(self, escort: Any, past: tuple[list, list]) -> None:
        """Write down what happens to a run; the escort knows of what is past."""
        self.escort = escort
        escort.met[:0], escort.fed[:0] = past
        if self.told:
            escort.told = Told(self.told)
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

    def _put(self, leaving: Steps | None, cursor: Columns, diary: Diary | None) -> None:
        """One part, beside the run."""
        settled = None if leaving is None else self._settle(leaving)
        self._file.put(settled, cursor, diary)
        if settled is None or self._settled is None:
            return
        self._settled.append(settled)
        if self._settled.bytes > KEPT:
            self._settled = None
