"""The file of a run that is under way: parts are appended, each with its state."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np

from polhode.errors import FileError, IntegrationWarning
from polhode.integrate.events.messages import StopReason
from polhode.integrate.field.dense_output import Steps, join_steps
from polhode.integrate.host.row_buffer import Held, RowBuffer
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.kernel.packing import Columns, columns_of
from polhode.integrate.storage.appender import Appender
from polhode.integrate.storage.event_log import EventLog, log_columns
from polhode.integrate.storage.layout import Chain, Shape
from polhode.integrate.storage.lock import WriterLock
from polhode.integrate.storage.paths import file_errors
from polhode.integrate.storage.reading import content_of
from polhode.integrate.storage.uninterrupted import Job, uninterrupted
from polhode.integrate.storage.write_queue import WriteQueue
from polhode.tracebacks import warn

# A part goes to the disk when it is this old or this large.
SECONDS, BYTES = 0.25, 32e6
# So many bytes of rows also stay in memory, and need not be read back.
KEPT = 256e6


class Part(NamedTuple):
    """Rows on their way to the file, and the job that puts them there."""

    rows: Steps | None
    job: Job[None]


class RecorderState(NamedTuple):
    """How far a recording is: all of it changes at once, or Ctrl-C would part it.

    queue          where rows wait
    held           the rows of its buffer up to the last mark
    stepper_state, note   of that mark
    noted          how many events and inputs had been noted by then
    sent           how many of them have left for the file
    part           what is on its way there, or was refused by the disk
    """

    queue: WriteQueue
    held: Held
    stepper_state: Any = None
    note: Any = None
    noted: tuple[int, int] = (0, 0)
    sent: tuple[int, int] = (0, 0)
    part: Part | None = None


@final
class Recorder:  # limit: a store of rows, and the short steps of their writing
    """A motion's file, open for more rows.

    `append` rows, `mark` where the run is after them: from time to time all rows up to
    the last mark become a part of the file, whole or not at all, while the run goes
    on; `restore` forgets rows after the last mark. If the disk fails, the rows stay
    here, and `failure` says why.
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
        queue = WriteQueue.empty(KEPT if self._is_dense and not rows else 0.0)
        self._state = RecorderState(queue, queue.buffer.held)
        self._settled = None if rows or self._is_dense else RowBuffer()
        self.tracker: Any = None
        self.past: tuple[list, list] = ([], [])
        self.told = ""  # why a run that goes on had ended, where the host ended it
        self._since = time.perf_counter()
        self._writer = ThreadPoolExecutor(1, "polhode-recorder")
        # A file that Ctrl-C left open would be locked while anybody has the traceback.
        self._file = uninterrupted(
            lambda: Appender(path, shape, chain, held),
            lambda file: file.close(whole=False),
        )

    @property
    def count(self) -> int:
        """How many rows are in the file."""
        return self._file.chain.rows

    # ----------------------------------------------------------- a store of rows

    @property
    def note(self) -> Any:
        """What was noted at the last mark."""
        return self._state.note

    def append(self, rows: Steps, chosen: np.ndarray | None = None) -> None:
        """More rows, all or those at the places `chosen`; they wait for a mark."""
        self._state.queue.buffer.append(rows, chosen)

    def mark(self, stepper_state: Any, note: Any = None) -> None:
        """Where the run is after the rows so far."""
        noted = (0, 0)
        if self.tracker is not None:
            noted = (len(self.tracker.met), len(self.tracker.input_log))
        state, held = self._state, self._state.queue.buffer.held
        self._state = state._replace(
            held=held, stepper_state=stepper_state, note=note, noted=noted
        )
        old = time.perf_counter() - self._since > SECONDS
        if (old or self._state.queue.waiting > BYTES) and not self.failure:
            self._send()

    def restore(self) -> None:
        """The rows of the last mark."""
        self._state.queue.buffer.held = self._state.held

    def rows(self, memory: float) -> Steps:
        """All rows; or the last ones, if all need more than `memory`."""
        self.close()
        queue, part = self._state.queue, self._state.part
        found = queue.all_rows()
        if found is not None:
            return found
        waiting = (part.rows if part else None, queue.unsent())
        unwritten = [self._settle(rows) for rows in waiting if rows is not None]
        if self._settled is not None and self._settled.count:
            unwritten.insert(0, self._settled.rows())
        if self._settled is not None and unwritten:
            return join_steps(unwritten)
        width, terms = self._shape.width, self._shape.terms or 0
        most = int(memory / (8 * (1 + width * (2 + terms))))
        content = content_of(self.path, most=max(most, 1))
        found = content.steps
        # A part that the disk refused half-way is whole in the journal, and still here.
        excess = content.chain.rows - self.count
        if excess:
            found = found.part(slice(len(found.t) - excess))
        return join_steps([found, *unwritten])

    def close(self) -> None:
        """Send what waits and let go of the file; what the disk refuses stays here.

        It may be called again where Ctrl-C has cut it short.
        """
        if self._file.is_closed:
            return
        self.restore()
        if self._state.queue.waiting and not self.failure:
            self._send()
        self._settle_part()
        self._let_go(whole=not self.failure)

    def discard(self) -> None:
        """Let go of the file, without what waits."""
        if self._file.is_closed:
            return
        part = self._state.part
        if part is not None:
            part.job.cancel()
            uninterrupted(part.job.done.wait)  # a part that was begun is in the file
        self._let_go(whole=False)

    def _let_go(self, *, whole: bool) -> None:
        self._writer.shutdown()
        uninterrupted(lambda: self._file.close(whole=whole))

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
            warn(IntegrationWarning(words))

    def put_ending(self, outcome: Outcome) -> None:
        """How the run ended, into the closed file."""
        uninterrupted(lambda: self._put_ending(outcome))

    def _put_ending(self, outcome: Outcome) -> None:
        again = Appender(self.path, self._shape, self._file.chain)
        with file_errors(self.path):
            again.put_ending(asdict(outcome))
            again.close(whole=True)

    # ------------------------------------------------------------------ writing

    def _send(self) -> None:
        """Waiting rows leave as one part, once the part before has arrived."""
        self._settle_part()
        if self.failure:
            return
        self.restore()
        state = self._state
        rows, columns = state.queue.unsent(), columns_of(state.stepper_state)
        log = self._log(state)
        part = Part(rows, Job(lambda: self._put(rows, columns, log)))
        queue = state.queue.after_sending()
        # Rows leave the queue and become the part at once: they are never in both.
        self._state = state._replace(
            queue=queue, held=queue.buffer.held, sent=state.noted, part=part
        )
        self._writer.submit(part.job.run)
        self._since = time.perf_counter()

    def _settle_part(self) -> None:
        """Wait for the part that is under way."""
        part = self._state.part
        if part is None:
            return
        if not part.job.is_begun:  # Ctrl-C may have come before the writer had it
            self._writer.submit(part.job.run)
        part.job.done.wait()
        error = part.job.error
        if isinstance(error, OSError):
            self.failure = f"{error.strerror or error}"
            return
        self._state = self._state._replace(part=None)
        if error is not None:
            raise error

    def accompany(self, tracker: Any, past: tuple[list, list]) -> None:
        """Write down what happens to a run; the escort knows of what is past."""
        self.tracker = tracker
        tracker.met[:0], tracker.input_log[:0] = past
        if self.told:
            tracker.stop_reason = StopReason(self.told)
        known = (len(past[0]), len(past[1]))
        self._state = self._state._replace(noted=known, sent=known)

    def _log(self, state: RecorderState) -> EventLog | None:
        """What happened since the last part."""
        empty = self._shape.log
        if empty is None or self.tracker is None:
            return empty
        met, input_log = (
            entries[first:last]
            for entries, first, last in zip(
                (self.tracker.met, self.tracker.input_log),
                state.sent,
                state.noted,
                strict=True,
            )
        )
        return log_columns(self._names, met, input_log, empty)

    def _put(
        self, leaving: Steps | None, stepper_state: Columns, log: EventLog | None
    ) -> None:
        """One part, beside the run."""
        settled = None if leaving is None else self._settle(leaving)
        self._file.put(settled, stepper_state, log)
        if settled is None or self._settled is None:
            return
        self._settled.append(settled)
        if self._settled.bytes > KEPT:
            self._settled = None
