"""What `simulate` keeps of a run: every row, or values at sample times.

Rows go to memory or to a file; both take a mark after each chunk, so that Ctrl-C and a
limit find the run as the last whole chunk left it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.integrate.field.dense_output import Steps, bare, evaluate, joined
from polhode.integrate.host.row_buffer import RowBuffer
from polhode.integrate.kernel.stepper_state import StepperState

if TYPE_CHECKING:
    from polhode.integrate.events.tracker import EventTracker
    from polhode.integrate.host.loop import RunOptions


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
        straight = np.zeros((options.dense_terms, len(stepper_state.x)))
        first = Steps(stepper_state.t, stepper_state.x, stepper_state.x_dot, straight)
        self._last = Steps(*(np.asarray(part)[None] for part in first))
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
            self._add(Steps(*(part[chosen] for part in rows)))
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
        here = joined([self._last, new])
        self._last = Steps(*(part[-1:] for part in new))
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
