"""What `simulate` keeps of a run: every row, or values at sample times.

Rows lie side by side as they come, in memory that grows with them, or go to a file.
Both take a mark after each chunk, so that Ctrl-C and a limit find the run as the last
whole chunk left it.

Few rows lie loose, and are put together when they are asked for; so do rows that come
all at once. Many are written where they will stay: room that is reserved takes no
memory before it is written to, so much is reserved, and rows are hardly ever moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.integrate.field.dense_output import (
    Steps,
    bare,
    evaluate,
    first_row,
    join_steps,
)
from polhode.integrate.kernel.stepper_state import StepperState

if TYPE_CHECKING:
    from polhode.integrate.events.tracker import EventTracker
    from polhode.integrate.host.loop import RunOptions

LARGE = 4e6  # bytes that may lie loose
AHEAD = 8  # room is made so many times as large as the rows that need it


class Held(NamedTuple):
    """The rows of a buffer at one moment; rows that come later do not touch them.

    number, bytes   how many rows there are, and what they take
    loose, pieces   pieces that lie loose, of which the first so many are meant
    columns         where rows lie side by side, if they do
    """

    number: int
    bytes: int
    loose: list[Steps]
    pieces: int
    columns: list[np.ndarray]


@final
class RowBuffer:
    """Rows of one run in the order in which they came; `count` of them.

    `mark` says that the rows so far are complete, and what belongs to them: `note`.
    `restore` forgets those that came after. Rows and what belongs to them
    change by one assignment each, so that Ctrl-C never comes between.
    """

    def __init__(self) -> None:
        self.held = Held(0, 0, [], 0, [])
        self._mark: tuple[Held, Any] = (self.held, None)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.held.number

    @property
    def bytes(self) -> int:
        """How many bytes they take."""
        return self.held.bytes

    @property
    def note(self) -> Any:
        """What was noted at the last mark."""
        return self._mark[1]

    def mark(self, stepper_state: StepperState, note: Any) -> None:
        """The rows so far are complete; the cursor is for those who write to a file."""
        self._mark = (self.held, note)

    def restore(self) -> None:
        """The rows of the last mark."""
        self.held = self._mark[0]

    def append(self, rows: Steps, chosen: np.ndarray | None = None) -> None:
        """More rows: all, or copies of those at the places `chosen`."""
        held = self.held
        if chosen is not None and not held.columns:
            rows, chosen = rows.part(chosen), None
        more = len(rows.t) if chosen is None else len(chosen)
        size = more * sum(part[:1].nbytes for part in rows)
        count, total = held.number + more, held.bytes + size
        if not held.columns and (total <= LARGE or not held.number):
            del held.loose[held.pieces :]
            held.loose.append(rows)
            self.held = held._replace(number=count, bytes=total, pieces=held.pieces + 1)
        else:
            columns = self._put(rows, chosen, count)
            self.held = Held(count, total, [], 0, columns)

    def rows(self, first: int = 0) -> Steps:
        """The rows from one on; they stay as they are while more come."""
        held = self.held
        if held.columns:
            return Steps(*(column[first : held.number] for column in held.columns))
        if held.pieces > 1:
            whole = [join_steps(held.loose[: held.pieces])]
            self.held = held = held._replace(loose=whole, pieces=1)
        found = held.loose[0]
        return found.part(slice(first, None)) if first else found

    def clear(self) -> None:
        """Forget the rows, and keep room for more; those given out are overwritten."""
        self.held = Held(0, 0, [], 0, self.held.columns)

    def _put(
        self, rows: Steps, chosen: np.ndarray | None, last: int
    ) -> list[np.ndarray]:
        """The columns with more rows in them, perhaps others than before."""
        columns = self.held.columns
        if not columns or last > len(columns[0]):
            columns = self._larger_columns(rows, last)
        for column, part in zip(columns, rows, strict=True):
            place = column[self.count : last]
            if chosen is None or len(chosen) == len(part):
                place[:] = part
            else:  # any mode but "raise" writes without a copy between
                np.take(part, chosen, axis=0, out=place, mode="clip")
        return columns

    def _larger_columns(self, like: Steps, need: int) -> list[np.ndarray]:
        """Larger columns with the rows so far; as large as there is memory for."""
        held = self.rows() if self.count else like.part(slice(0))
        for room in (AHEAD * need, 2 * need, need):
            try:
                found = [np.empty((room, *p.shape[1:]), p.dtype) for p in held]
                break
            except MemoryError:
                if room == need:
                    raise
        for column, part in zip(found, held, strict=True):
            column[: self.count] = part
        return found


class _Note(NamedTuple):
    """What belongs to the rows of a run after a chunk: its cursor, what samples need,
    and how much its tracker has collected."""

    stepper_state: StepperState
    last: Steps
    next: int
    sampled: Any
    tracker: Any


@final
class RowKeeper:
    """Collects the rows of one run, or its values at the sample times.

    Each chunk ends with a mark, by one assignment; what Ctrl-C leaves without one is
    forgotten by `restore`.
    """

    def __init__(
        self,
        stepper_state: StepperState,
        options: RunOptions,
        tracker: EventTracker | None = None,
    ):
        self._last = first_row(stepper_state, options.dense_terms)
        self._samples, self._store = options.samples, options.store
        self._kept: Any = RowBuffer() if options.store is None else options.store
        self._memory, self._sampled, self._tracker = options.memory, np.nan, tracker
        before = 0 if options.store is None else options.store.count
        self._next = 0 if options.samples is None else before
        if options.samples is None and not before:
            self._kept.append(self._last)
        self._mark(stepper_state)

    def _mark(self, stepper_state: StepperState) -> None:
        """All that was collected so far belongs to this cursor."""
        collected = self._tracker and self._tracker.mark()
        samples = (self._last, self._next, self._sampled)
        self._kept.mark(stepper_state, _Note(stepper_state, *samples, collected))

    def restore(self) -> StepperState:
        """Back to the last mark; the cursor there."""
        self._kept.restore()
        note: _Note = self._kept.note
        self._last, self._next, self._sampled = note.last, note.next, note.sampled
        if self._tracker is not None:
            self._tracker.restore(note.tracker)
        return note.stepper_state

    def choose(self, rows: Steps, chosen: np.ndarray, after: StepperState) -> None:
        """The rows of one chunk at the places `chosen`, and the cursor that it left."""
        if self._samples is None:
            self._kept.append(rows, chosen)
        elif len(chosen):
            self._add(rows.part(chosen))
        self._mark(after)

    def take(self, rows: list[Steps], after: StepperState) -> None:
        """The accepted rows of one chunk, and the cursor that it left."""
        for new in rows:
            if len(new.t):
                self._add(new)
        self._mark(after)

    def _add(self, new: Steps) -> None:
        if self._samples is None:
            self._kept.append(new)
            return
        here = join_steps([self._last, new])
        self._last = new.part(slice(-1, None))
        self._sample(here)

    def _sample(self, here: Steps) -> None:
        assert self._samples is not None
        ahead = self._samples[self._next :]
        sign = 1.0 if here.t[-1] >= here.t[0] else -1.0
        times = ahead[sign * ahead <= sign * here.t[-1]]
        if len(times):
            x = evaluate(here, times)
            self._kept.append(bare(times, x))
            self._sampled = times[-1]
            self._next += len(times)

    def end(self, last: StepperState) -> None:
        """Where a run ended before its time is kept, though no sample was asked."""
        self.restore()
        row = bare(np.asarray(last.t)[None], np.asarray(last.x)[None])
        if self._samples is None or np.array_equal(self._sampled, last.t):
            return
        self._kept.append(row)
        self._next += 1
        self._sampled = last.t
        self._mark(last)

    @property
    def bytes(self) -> int:
        """How many the rows in memory take."""
        return self._kept.bytes

    def rows(self) -> Steps:
        """All that was kept; of a sampled run at least nothing, in the right shape."""
        if self._samples is not None and self._next == 0:
            stepper_state = self.restore()
            self._sample(self._last)
            self._mark(stepper_state)
        if self._store is not None:
            return self._store.rows(self._memory)
        if not self._kept.count:
            return bare(self._last.t[:0], self._last.x[:0])
        return self._kept.rows()
