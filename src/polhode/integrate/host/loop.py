"""The loop on the host: chunk after chunk until no run goes on.

Between chunks there is room for progress, for Ctrl-C and for limits. What is kept is
the policy of the runs: `simulate` keeps rows or samples (`_Slab` here, with a
`RowKeeper` a run), `sweep` the last step of many (`batch_loop`) or of one
(`single_run`). Many runs of `simulate` go in slabs whose rows fit in memory; those that
are done leave the slab.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from polhode.integrate.events.context import Case, RunContext
from polhode.integrate.events.event_chunk import EventChunk
from polhode.integrate.events.restart import SegmentResult
from polhode.integrate.events.tracker import EventTracker
from polhode.integrate.field.dense_output import Steps
from polhode.integrate.host.progress import Clock, Watch
from polhode.integrate.host.row_buffer import RowKeeper
from polhode.integrate.kernel.chunk import (
    PackedChunk,
    attempts_of,
    each,
    picked,
    replaced,
    stacked,
)
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
from polhode.matter.parameter import Table

SLAB_BYTES = 64e6


class Advancing(Protocol):
    """Runs on their way: a value that each chunk of steps replaces as a whole.

    Ctrl-C therefore finds them as they were before a chunk, or after it.
    """

    def advanced(self) -> Self | None:
        """The runs after one more chunk; None where none goes on."""

    def report(self) -> None:
        """Report how far they have come."""

    def interrupted(self) -> Self:
        """The runs as they are, of which those that went on were ended by Ctrl-C."""


AnyRuns = TypeVar("AnyRuns", bound=Advancing)


def advance(runs: AnyRuns) -> AnyRuns:
    """All runs to where none goes on, chunk after chunk, or to Ctrl-C."""
    try:
        while (after := runs.advanced()) is not None:
            runs = after
            runs.report()
    except KeyboardInterrupt:
        return runs.interrupted()
    return runs


def is_going(status: np.ndarray) -> np.ndarray:
    """Which runs go on; those at an event whose changes are due are among them."""
    return (status == RUNNING) | (status == SWITCHING)


def with_work_limit(after: StepperState, limit: int) -> np.ndarray:
    """The status of runs, some of which may have made all attempts that they may."""
    spent = after.accepted + after.rejected >= limit
    return np.where(spent & is_going(after.status), WORK_LIMIT, after.status)


class RunOptions(NamedTuple):
    """Output times, limits and callbacks of a run.

    samples       times (s,), or None for every step
    limit         attempts that one run may make
    watch         is told of progress between chunks; may be None
    dense_terms   terms of the method's dense output
    store         takes the rows of one run in place of memory, such as its file
    memory        bytes of rows that may be kept, or are given back from the store
    context       events and inputs, where there are any
    begun         of each run, what happened at its very start
    slab          bytes that one chunk of all runs under way may leave, if not as usual
    """

    samples: np.ndarray | None
    limit: int
    watch: Watch | None
    dense_terms: int
    store: Any = None
    memory: float = np.inf
    context: RunContext | None = None
    begun: list[list[Any]] | None = None
    slab: float | None = None


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
    table: Table,
    options: RunOptions,
) -> list[RunRecord]:
    """All runs, each from its cursor to its end; leading axes are runs."""
    count, width = stepper_states.x.shape
    terms = options.dense_terms
    row = 8 * ((2 + terms) * width + 2)
    most = SLAB_BYTES if options.slab is None else options.slab
    slab = max(1, int(most / (row * attempts_of(width, terms))))
    began = time.perf_counter()
    found: list[RunRecord] = []
    for first in range(0, count, slab):
        pick = slice(first, min(first + slab, count))
        starts, ways = stepper_states, bounds
        if count > slab:
            starts, ways = picked(stepper_states, pick), picked(bounds, pick)
        halts = [k.status for k in found if k.status in (INTERRUPTED, FULL)]
        share = (first / count, len(starts.t) / count)
        clock = Clock(options.watch, ways.start, ways.stop, share, began)
        halted = halts[0] if halts else RUNNING
        call = _Call(program, ways, picked(table, pick), first, clock, halted)
        try:
            found += _run_slab(call, starts, options)
        except KeyboardInterrupt:
            if not found:
                raise
            # What the slabs before have is not lost: this one is not begun.
            halted_call = call._replace(halted=INTERRUPTED)
            found += _run_slab(halted_call, starts, options)
        rows = (part for kept in found[first:] for part in kept.steps)
        options = options._replace(memory=options.memory - sum(r.nbytes for r in rows))
    return found


class _Call(NamedTuple):
    """What a slab is called with.

    first    how many runs went before it
    halted   RUNNING, or why none of these runs begins
    """

    program: Any
    bounds: RunBounds
    table: Any
    first: int
    clock: Clock
    halted: int


def _run_slab(
    call: _Call, stepper_states: StepperState, options: RunOptions
) -> list[RunRecord]:
    slab = _slab(call, stepper_states, options)
    try:
        slab = slab.started()
        slab = advance(slab)
    except KeyboardInterrupt:
        slab = slab.interrupted()  # what its keepers have is right at any moment
    try:
        return slab.records()
    except KeyboardInterrupt:
        if not np.any(slab.status == INTERRUPTED):
            raise
        return slab.records()  # who presses twice still gets what is done


class _Slab(NamedTuple):
    """Runs of `simulate` that go together; their rows are kept run by run.

    keepers, trackers   collect rows, and events and inputs where there are any
    has_begun           which runs made a step, or could have
    """

    call: _Call
    options: RunOptions
    keepers: list[RowKeeper]
    trackers: list[EventTracker]
    stepper_states: StepperState
    status: np.ndarray
    has_begun: np.ndarray

    def started(self) -> _Slab:
        """At the first leg of each run."""
        states = self.stepper_states
        # A resumed run has its inputs already.
        if self.trackers and not self.trackers[0].input_log:
            pairs = enumerate(self.trackers)
            turns = [tracker.begin(picked(states, k)) for k, tracker in pairs]
            states = _keep_turns(self.keepers, turns)
        status = _running(states.status)
        status = np.where(status == RUNNING, self.call.halted, status)
        return self._replace(
            stepper_states=states, status=status, has_begun=status == RUNNING
        )

    def advanced(self) -> _Slab | None:
        """After a chunk of the runs that go on."""
        alive = np.flatnonzero(self.status == RUNNING)
        if not len(alive):
            return None
        now = _those(self.stepper_states, alive)
        after, *made = _call_kernel(self.call, now, alive, self.options.limit)
        keepers = [self.keepers[i] for i in alive]
        if self.trackers:
            own = [self.trackers[i] for i in alive]
            after = _keep_turns(keepers, _turns(own, now, after, made))
            self.call.bounds.room[alive] = [tracker.room for tracker in own]
        else:
            # Accepted rows to their keepers.
            rows = made[0]
            for k, keeper in enumerate(keepers):
                chosen = np.flatnonzero(rows.accepted[k])
                keeper.choose(rows.steps(k), chosen, picked(after, k))
        status = np.array(self.status)
        status[alive] = _running(with_work_limit(after, self.options.limit))
        return self._replace(
            stepper_states=replaced(self.stepper_states, alive, after),
            status=self._with_room(status),
        )

    def report(self) -> None:
        """Report how far the slab has come."""
        self.call.clock.tell(self.stepper_states.t, self.stepper_states.accepted)

    def interrupted(self) -> _Slab:
        """As the last mark of each run has it.

        Rows and cursor of a run change together, but not of all runs at once.
        """
        states = stacked([keeper.restore() for keeper in self.keepers])
        status = _running(with_work_limit(states, self.options.limit))
        status[status == RUNNING] = INTERRUPTED
        return self._replace(stepper_states=states, status=status)

    def records(self) -> list[RunRecord]:
        """What was kept of each run."""
        states, status, trackers = self.stepper_states, self.status, self.trackers
        for k in np.flatnonzero(self.has_begun):
            # One by one: NumPy's search in a list takes as long as a short run.
            if status[k] in ENDS:
                self.keepers[k].end(picked(states, k))
        rows = [keeper.rows() for keeper in self.keepers]
        status = self._with_room(status)  # the last rows may not be written
        return [
            RunRecord(
                rows[k],
                self.options.samples is None,
                picked(states, k),
                int(status[k]),
                picked(self.call.bounds, k),
                trackers[k] if trackers else None,
            )
            for k in range(len(rows))
        ]

    def _with_room(self, status: np.ndarray) -> np.ndarray:
        """The status of runs, some of which may have no more room for their rows."""
        store = self.options.store
        if store is not None:
            return np.full_like(status, UNWRITTEN) if store.failure else status
        taken = sum(keeper.bytes for keeper in self.keepers)
        is_full = taken > self.options.memory
        return np.where(is_full & (status == RUNNING), FULL, status)


def _slab(call: _Call, stepper_states: StepperState, options: RunOptions) -> _Slab:
    """Runs before they begin."""
    count = len(stepper_states.t)
    trackers = _trackers(call, options, count)
    keepers = [
        RowKeeper(stepper_state, options, trackers[k] if trackers else None)
        for k, stepper_state in enumerate(each(stepper_states))
    ]
    status = stepper_states.status
    own = (keepers, trackers, stepper_states, status, np.zeros(count, bool))
    return _Slab(call, options, *own)


def _running(status: np.ndarray) -> np.ndarray:
    """Statuses in which a run whose changes are due at an event just goes on."""
    return np.where(status == SWITCHING, RUNNING, status)


def _trackers(call: _Call, options: RunOptions, count: int) -> list[EventTracker]:
    if options.context is None:
        return []
    cases = [
        Case(call.first + k, picked(call.bounds, k), picked(call.table, k))
        for k in range(count)
    ]
    trackers = [EventTracker(options.context, case) for case in cases]
    call.bounds.room[:] = [tracker.room for tracker in trackers]
    for k, tracker in enumerate(trackers):
        tracker.met += options.begun[call.first + k] if options.begun else []
    if options.store is not None:
        options.store.accompany(trackers[0], options.store.past)
    return trackers


def _turns(
    trackers: list[EventTracker],
    before: StepperState,
    after: StepperState,
    made: list[Any],
) -> list[SegmentResult]:
    """What chunks of runs with events and inputs come to."""
    parts = [each(part) for part in (before, after, *made)]
    chunks = zip(trackers, *parts, strict=True)
    return [tracker.follow(*chunk) for tracker, *chunk in chunks]


def _keep_turns(keepers: list[RowKeeper], turns: list[SegmentResult]) -> StepperState:
    """Rows to their keepers; the cursors of all turns."""
    for keeper, turn in zip(keepers, turns, strict=True):
        keeper.take(turn.rows, turn.stepper_state)
    return stacked([turn.stepper_state for turn in turns])


def _call_kernel(
    call: _Call, stepper_states: StepperState, alive: np.ndarray, limit: int
) -> tuple[Any, ...]:
    """One run goes in the form for one, which is quicker; the bits are the same."""
    bounds = _those(call.bounds, alive)
    left = np.maximum(limit - stepper_states.accepted - stepper_states.rejected, 0)
    bounds = bounds._replace(room=np.minimum(bounds.room, left))
    trees = stepper_states, bounds, picked(call.table, alive) if call.table else {}
    if len(alive) > 1 or isinstance(call.program, PackedChunk | EventChunk):
        return call.program(*trees)
    # Arrays, not NumPy's numbers: a program takes them as they are.
    after, rows = call.program(*(picked(tree, (0, ...)) for tree in trees))
    lifted = [[np.asarray(leaf)[None] for leaf in tree] for tree in (after, rows)]
    return StepperState(*lifted[0]), Rows(*lifted[1])


def _those(tree: Any, alive: np.ndarray) -> Any:
    """The runs that go on; all of them as they are, as for most chunks."""
    return tree if len(alive) == len(tree[0]) else picked(tree, alive)
