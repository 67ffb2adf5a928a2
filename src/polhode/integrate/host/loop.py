"""The loop on the host: chunk after chunk, keeping what was asked for.

Between chunks there is room for progress, for Ctrl-C and for limits. Many runs go in
slabs whose rows fit in memory; those that are done leave the slab.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.integrate.events.context import Case, RunContext
from polhode.integrate.events.event_chunk import EventChunk
from polhode.integrate.events.restart import SegmentResult
from polhode.integrate.events.tracker import EventTracker
from polhode.integrate.field.dense_output import Steps, bare, evaluate, joined
from polhode.integrate.host.row_buffer import RowBuffer
from polhode.integrate.kernel.chunk import PackedChunk, attempts_of
from polhode.integrate.kernel.status import (
    ENDS,
    FULL,
    INTERRUPTED,
    RUNNING,
    SWITCHING,
    UNWRITTEN,
    WORK_LIMIT,
)
from polhode.integrate.kernel.stepper_state import Rows, RunBounds, StepperState

SLAB_BYTES = 64e6


class Progress(NamedTuple):
    """How far a call has come: the share of all time asked, steps, seconds."""

    share: float
    steps: int
    seconds: float


Watch = Callable[[Progress], Any]


class RunOptions(NamedTuple):
    """What is to be kept and when to give up.

    samples   times (s,), or None for every step
    limit     attempts that one run may make
    watch     is told of progress between chunks; may be None
    bends     terms of the method's dense output
    store     takes the rows of one run in place of memory, such as its file
    memory    bytes of rows that may be kept, or are given back from the store
    guide     events and inputs, where there are any
    begun     of each run, what happened at its very start
    """

    samples: np.ndarray | None
    limit: int
    watch: Watch | None
    dense_terms: int
    store: Any = None
    memory: float = np.inf
    context: RunContext | None = None
    begun: list[list[Any]] | None = None


class RunRecord(NamedTuple):
    """What is kept of one run: its rows, all or samples; its end; where it halted."""

    steps: Steps
    is_dense: bool
    stepper_state: StepperState
    status: int
    bounds: RunBounds
    tracker: EventTracker | None = None


def run(
    program: Any,
    stepper_states: StepperState,
    bounds: RunBounds,
    table: Any,
    options: RunOptions,
) -> list[RunRecord]:
    """All runs, each from its cursor to its end; leading axes are runs."""
    count, width = stepper_states.x.shape
    terms = options.dense_terms
    row = 8 * ((2 + terms) * width + 2)
    slab = max(1, int(SLAB_BYTES / (row * attempts_of(width, terms))))
    clock = _Clock(options.watch, count, time.perf_counter())
    found: list[RunRecord] = []
    try:
        for first in range(0, count, slab):
            pick = slice(first, min(first + slab, count))
            starts, ways = stepper_states, bounds
            if count > slab:
                starts, ways = _part(stepper_states, pick), _part(bounds, pick)
            halts = [k.status for k in found if k.status in (INTERRUPTED, FULL)]
            before = (first, first / count, halts[0] if halts else RUNNING)
            call = _Call(program, ways, _part(table, pick), *before)
            try:
                found += _run_slab(call, starts, options, clock)
            except KeyboardInterrupt:
                if not found:
                    raise
                # What the slabs before have is not lost: this one is not begun.
                halted = call._replace(halted=INTERRUPTED)
                found += _run_slab(halted, starts, options, clock)
            rows = (part for kept in found[first:] for part in kept.steps)
            options = options._replace(
                memory=options.memory - sum(r.nbytes for r in rows)
            )
    finally:
        if options.store is not None:
            _close(options.store)
    return found


def _close(store: Any) -> None:
    """Let go of a file; Ctrl-C on the way does not leave it open."""
    try:
        store.close()
    except KeyboardInterrupt:
        store.close()
        raise


class _Call(NamedTuple):
    """What a slab is called with.

    first, before   how many runs, and what share of all, went before it
    halted          RUNNING, or why none of these runs begins
    """

    program: Any
    bounds: RunBounds
    table: Any
    first: int
    before: float
    halted: int


class _Clock(NamedTuple):
    """Tells how far all runs have come."""

    watch: Watch | None
    runs: int
    began: float

    def tell(self, call: _Call, stepper_states: StepperState) -> None:
        if self.watch is None:
            return
        start, stop = call.bounds.start, call.bounds.stop
        span = np.where(stop == start, 1.0, stop - start)
        share = call.before + np.sum((stepper_states.t - start) / span) / self.runs
        seconds = time.perf_counter() - self.began
        self.watch(
            Progress(float(share), int(np.sum(stepper_states.accepted)), seconds)
        )


def _run_slab(
    call: _Call, stepper_states: StepperState, options: RunOptions, clock: _Clock
) -> list[RunRecord]:
    count = len(stepper_states.t)
    trackers = _escorts(call, options, count)
    keepers = [
        _Keeper(stepper_state, options, trackers[k] if trackers else None)
        for k, stepper_state in enumerate(_each(stepper_states))
    ]
    begun = np.zeros(count, bool)
    try:
        # A run that is gone on with has been fed already.
        if trackers and not trackers[0].input_log:
            turns = [e.begin(_part(stepper_states, k)) for k, e in enumerate(trackers)]
            stepper_states = _taken(keepers, turns)
        status = _going(stepper_states.status)
        status = np.where(status == RUNNING, call.halted, status)
        begun = status == RUNNING
        while np.any(status == RUNNING):
            alive = np.flatnonzero(status == RUNNING)
            now = _alive(stepper_states, alive)
            after, *made = _called(call, now, alive, options.limit)
            if trackers:
                those = [trackers[i] for i in alive]
                turns = _turns(those, now, after, made)
                after = _taken([keepers[i] for i in alive], turns)
                call.bounds.room[alive] = [tracker.room for tracker in those]
            else:
                _kept([keepers[i] for i in alive], after, made[0])
            stepper_states = _replaced(stepper_states, alive, after)
            status[alive] = _with_work(after, options)
            status = _with_room(status, keepers, options)
            clock.tell(call, stepper_states)
    except KeyboardInterrupt:
        # Rows and cursor of a run change together, but not of all runs at once.
        stepper_states = _stacked([keeper.restore() for keeper in keepers])
        status = _with_work(stepper_states, options)
        status[status == RUNNING] = INTERRUPTED
    # One by one: NumPy's search in a list takes as long as a short run.
    ends = [k for k in np.flatnonzero(begun) if status[k] in ENDS]

    def finished() -> list[RunRecord]:
        for k in ends:
            keepers[k].end(_part(stepper_states, k))
        every = [keeper.rows() for keeper in keepers]
        after = _with_room(status, keepers, options)  # the last rows may not be written
        return [
            RunRecord(
                every[k],
                options.samples is None,
                _part(stepper_states, k),
                int(after[k]),
                _part(call.bounds, k),
                trackers[k] if trackers else None,
            )
            for k in range(count)
        ]

    try:
        return finished()
    except KeyboardInterrupt:
        if not np.any(status == INTERRUPTED):
            raise
        return finished()  # who presses twice still gets what is done


def _with_work(after: StepperState, options: RunOptions) -> np.ndarray:
    """How runs are, some of which may have made all the attempts that they may."""
    spent = after.accepted + after.rejected >= options.limit
    status = _going(after.status)
    return np.where(spent & (status == RUNNING), WORK_LIMIT, status)


def _going(status: np.ndarray) -> np.ndarray:
    """How runs are; one whose changes are due at an event goes on."""
    return np.where(status == SWITCHING, RUNNING, status)


def _with_room(
    status: np.ndarray, keepers: list[_Keeper], options: RunOptions
) -> np.ndarray:
    """How runs are, some of which may have no more room for their rows."""
    if options.store is not None:
        return np.full_like(status, UNWRITTEN) if options.store.failure else status
    is_full = sum(keeper.bytes for keeper in keepers) > options.memory
    return np.where(is_full & (status == RUNNING), FULL, status)


class _Note(NamedTuple):
    """What belongs to the rows of a run after a chunk: its cursor, what samples need,
    and how much its escort has collected."""

    stepper_state: StepperState
    last: Steps
    next: int
    sampled: Any
    tracker: Any


class _Keeper:
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
        self._memory, self._sampled, self._escort = options.memory, np.nan, tracker
        before = 0 if options.store is None else options.store.count
        self._next = 0 if options.samples is None else before
        if options.samples is None and not before:
            self._kept.append(self._last)
        self._mark(stepper_state)

    def _mark(self, stepper_state: StepperState) -> None:
        """All that was collected so far belongs to this cursor."""
        collected = self._escort and self._escort.mark()
        samples = (self._last, self._next, self._sampled)
        self._kept.mark(stepper_state, _Note(stepper_state, *samples, collected))

    def restore(self) -> StepperState:
        """Back to the last mark; the cursor there."""
        self._kept.restore()
        note: _Note = self._kept.note
        self._last, self._next, self._sampled = note.last, note.next, note.sampled
        if self._escort is not None:
            self._escort.restore(note.tracker)
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


def _escorts(call: _Call, options: RunOptions, count: int) -> list[EventTracker]:
    if options.context is None:
        return []
    cases = [
        Case(call.first + k, _part(call.bounds, k), _part(call.table, k))
        for k in range(count)
    ]
    trackers = [EventTracker(options.context, case) for case in cases]
    call.bounds.room[:] = [tracker.room for tracker in trackers]
    for k, tracker in enumerate(trackers):
        tracker.met += options.begun[call.first + k] if options.begun else []
    if options.store is not None:
        options.store.accompany(trackers[0], options.store.past)
    return trackers


def _kept(keepers: list[_Keeper], after: StepperState, rows: Rows) -> None:
    """Accepted rows to their keepers."""
    for k, keeper in enumerate(keepers):
        chosen = np.flatnonzero(rows.accepted[k])
        keeper.choose(Steps(*(part[k] for part in rows[1:])), chosen, _part(after, k))


def _turns(
    trackers: list[EventTracker],
    before: StepperState,
    after: StepperState,
    made: list[Any],
) -> Any:
    parts = [_each(part) for part in (before, after, *made)]
    each = zip(trackers, *parts, strict=True)
    return [tracker.follow(*chunk) for tracker, *chunk in each]


def _taken(keepers: list[_Keeper], turns: list[SegmentResult]) -> StepperState:
    """Rows to their keepers; the cursors of all turns."""
    for keeper, turn in zip(keepers, turns, strict=True):
        keeper.take(turn.rows, turn.stepper_state)
    return _stacked([turn.stepper_state for turn in turns])


def _stacked(stepper_states: list[StepperState]) -> StepperState:
    if len(stepper_states) == 1:  # stacking one of twenty leaves takes 0.2 ms
        return StepperState(*(np.asarray(leaf)[None] for leaf in stepper_states[0]))
    return StepperState(*map(np.stack, zip(*stepper_states, strict=True)))


def _each(tree: Any) -> list[Any]:
    return [_part(tree, k) for k in range(len(tree[1]))]


def _called(
    call: _Call, stepper_states: StepperState, alive: np.ndarray, limit: int
) -> tuple[Any, ...]:
    """One run goes in the form for one, which is quicker; the bits are the same."""
    bounds = _alive(call.bounds, alive)
    left = np.maximum(limit - stepper_states.accepted - stepper_states.rejected, 0)
    bounds = bounds._replace(room=np.minimum(bounds.room, left))
    trees = stepper_states, bounds, _part(call.table, alive) if call.table else {}
    if len(alive) > 1 or isinstance(call.program, PackedChunk | EventChunk):
        return call.program(*trees)
    # Arrays, not NumPy's numbers: a program takes them as they are.
    after, rows = call.program(*(_part(tree, (0, ...)) for tree in trees))
    lifted = [[np.asarray(leaf)[None] for leaf in tree] for tree in (after, rows)]
    return StepperState(*lifted[0]), Rows(*lifted[1])


def _alive(tree: Any, alive: np.ndarray) -> Any:
    """The runs that go on; all of them as they are, as for most chunks."""
    return tree if len(alive) == len(tree[0]) else _part(tree, alive)


def _part(tree: Any, pick: Any) -> Any:
    if isinstance(tree, dict):
        return {name: value[pick] for name, value in tree.items()}
    return type(tree)(*(leaf[pick] for leaf in tree))


def _replaced(
    stepper_states: StepperState, pick: np.ndarray, after: StepperState
) -> StepperState:
    if len(pick) == len(stepper_states.t):
        return after
    leaves = []
    for old, new in zip(stepper_states, after, strict=True):
        leaf = np.array(old)
        leaf[pick] = new
        leaves.append(leaf)
    return StepperState(*leaves)
