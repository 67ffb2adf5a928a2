"""The loop on the host: chunk after chunk, keeping what was asked for.

Between chunks there is room for progress, for Ctrl-C and for limits. Many runs go in
slabs whose rows fit in memory; those that are done leave the slab.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.integrate.events.context import Case, Guide
from polhode.integrate.events.restart import Turn
from polhode.integrate.events.tracker import Escort
from polhode.integrate.field.dense_output import Steps, bare, evaluate, joined
from polhode.integrate.host.row_buffer import Shelf
from polhode.integrate.kernel.chunk import ATTEMPTS, Cursor, LoneChunk, Plan, Rows
from polhode.integrate.kernel.status import (
    ENDS,
    FULL,
    INTERRUPTED,
    RUNNING,
    UNWRITTEN,
    WORK_LIMIT,
)

SLAB_BYTES = 64e6


class Progress(NamedTuple):
    """How far a call has come: the share of all time asked, steps, seconds."""

    share: float
    steps: int
    seconds: float


Watch = Callable[[Progress], Any]


class Wish(NamedTuple):
    """What is to be kept and when to give up.

    samples   times (s,), or None for every step
    limit     attempts that one run may make
    watch     is told of progress between chunks; may be None
    bends     terms of the method's dense output
    store     takes the rows of one run in place of memory, such as its file
    memory    bytes of rows that may be kept, or are given back from the store
    guide     events and inputs, where there are any
    """

    samples: np.ndarray | None
    limit: int
    watch: Watch | None
    bends: int
    store: Any = None
    memory: float = np.inf
    guide: Guide | None = None


class Kept(NamedTuple):
    """What is kept of one run: its rows, all or samples; its end; where it halted."""

    steps: Steps
    is_dense: bool
    cursor: Cursor
    status: int
    plan: Plan
    escort: Escort | None = None


def run(
    program: Any, cursors: Cursor, plans: Plan, table: Any, wish: Wish
) -> list[Kept]:
    """All runs, each from its cursor to its end; leading axes are runs."""
    count, width = cursors.x.shape
    slab = max(1, int(SLAB_BYTES / (8 * ATTEMPTS * ((2 + wish.bends) * width + 2))))
    clock = _Clock(wish.watch, count, time.perf_counter())
    found: list[Kept] = []
    try:
        for first in range(0, count, slab):
            pick = slice(first, min(first + slab, count))
            starts, ways = _part(cursors, pick), _part(plans, pick)
            halts = [k.status for k in found if k.status in (INTERRUPTED, FULL)]
            before = (first, first / count, halts[0] if halts else RUNNING)
            call = _Call(program, ways, _part(table, pick), *before)
            try:
                found += _run_slab(call, starts, wish, clock)
            except KeyboardInterrupt:
                if not found:
                    raise
                # What the slabs before have is not lost: this one is not begun.
                halted = call._replace(halted=INTERRUPTED)
                found += _run_slab(halted, starts, wish, clock)
            rows = (part for kept in found[first:] for part in kept.steps)
            wish = wish._replace(memory=wish.memory - sum(r.nbytes for r in rows))
    finally:
        if wish.store is not None:
            _close(wish.store)
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
    plans: Plan
    table: Any
    first: int
    before: float
    halted: int


class _Clock(NamedTuple):
    """Tells how far all runs have come."""

    watch: Watch | None
    runs: int
    began: float

    def tell(self, call: _Call, cursors: Cursor) -> None:
        if self.watch is None:
            return
        start, stop = call.plans.start, call.plans.stop
        span = np.where(stop == start, 1.0, stop - start)
        share = call.before + np.sum((cursors.t - start) / span) / self.runs
        seconds = time.perf_counter() - self.began
        self.watch(Progress(float(share), int(np.sum(cursors.accepted)), seconds))


def _run_slab(call: _Call, cursors: Cursor, wish: Wish, clock: _Clock) -> list[Kept]:
    count = len(cursors.t)
    escorts = _escorts(call, wish, count)
    keepers = [
        _Keeper(cursor, wish, escorts[k] if escorts else None)
        for k, cursor in enumerate(_each(cursors))
    ]
    begun = np.zeros(count, bool)
    try:
        # A run that is gone on with has been fed already.
        if escorts and not escorts[0].fed:
            turns = [e.begin(_part(cursors, k)) for k, e in enumerate(escorts)]
            cursors = _taken(keepers, turns)
        status = np.where(cursors.status == RUNNING, call.halted, cursors.status)
        begun = status == RUNNING
        while np.any(status == RUNNING):
            alive = np.flatnonzero(status == RUNNING)
            after, rows = _called(call, _part(cursors, alive), alive, wish.limit)
            if escorts:
                those = [escorts[i] for i in alive]
                turns = _turns(those, _part(cursors, alive), after, rows)
                after = _taken([keepers[i] for i in alive], turns)
                call.plans.room[alive] = [escort.room for escort in those]
            else:
                _kept([keepers[i] for i in alive], after, rows)
            cursors = _replaced(cursors, alive, after)
            status[alive] = _with_work(after, wish)
            status = _with_room(status, keepers, wish)
            clock.tell(call, cursors)
    except KeyboardInterrupt:
        # Rows and cursor of a run change together, but not of all runs at once.
        cursors = _stacked([keeper.restore() for keeper in keepers])
        status = _with_work(cursors, wish)
        status[status == RUNNING] = INTERRUPTED
    ends = np.flatnonzero(begun & np.isin(status, ENDS))

    def finished() -> list[Kept]:
        for k in ends:
            keepers[k].end(_part(cursors, k))
        every = [keeper.rows() for keeper in keepers]
        after = _with_room(status, keepers, wish)  # the last rows may not be written
        return [
            Kept(
                every[k],
                wish.samples is None,
                _part(cursors, k),
                int(after[k]),
                _part(call.plans, k),
                escorts[k] if escorts else None,
            )
            for k in range(count)
        ]

    try:
        return finished()
    except KeyboardInterrupt:
        if not np.any(status == INTERRUPTED):
            raise
        return finished()  # who presses twice still gets what is done


def _with_work(after: Cursor, wish: Wish) -> np.ndarray:
    """How runs are, some of which may have made all the attempts that they may."""
    spent = after.accepted + after.rejected >= wish.limit
    return np.where(spent & (after.status == RUNNING), WORK_LIMIT, after.status)


def _with_room(status: np.ndarray, keepers: list[_Keeper], wish: Wish) -> np.ndarray:
    """How runs are, some of which may have no more room for their rows."""
    if wish.store is not None:
        return np.full_like(status, UNWRITTEN) if wish.store.failure else status
    is_full = sum(keeper.bytes for keeper in keepers) > wish.memory
    return np.where(is_full & (status == RUNNING), FULL, status)


class _Note(NamedTuple):
    """What belongs to the rows of a run after a chunk: its cursor, what samples need,
    and how much its escort has collected."""

    cursor: Cursor
    last: Steps
    next: int
    sampled: Any
    escort: Any


class _Keeper:
    """Collects the rows of one run, or its values at the sample times.

    Each chunk ends with a mark, by one assignment; what Ctrl-C leaves without one is
    forgotten by `restore`.
    """

    def __init__(self, cursor: Cursor, wish: Wish, escort: Escort | None = None):
        straight = np.zeros((wish.bends, len(cursor.x)))
        first = Steps(cursor.t, cursor.x, cursor.slope, straight)
        self._last = Steps(*(np.asarray(part)[None] for part in first))
        self._samples, self._store = wish.samples, wish.store
        self._kept: Any = Shelf() if wish.store is None else wish.store
        self._memory, self._sampled, self._escort = wish.memory, np.nan, escort
        before = 0 if wish.store is None else wish.store.count
        self._next = 0 if wish.samples is None else before
        if wish.samples is None and not before:
            self._kept.append(self._last)
        self._mark(cursor)

    def _mark(self, cursor: Cursor) -> None:
        """All that was collected so far belongs to this cursor."""
        collected = self._escort and self._escort.mark()
        samples = (self._last, self._next, self._sampled)
        self._kept.mark(cursor, _Note(cursor, *samples, collected))

    def restore(self) -> Cursor:
        """Back to the last mark; the cursor there."""
        self._kept.restore()
        note: _Note = self._kept.note
        self._last, self._next, self._sampled = note.last, note.next, note.sampled
        if self._escort is not None:
            self._escort.restore(note.escort)
        return note.cursor

    def choose(self, rows: Steps, chosen: np.ndarray, after: Cursor) -> None:
        """The rows of one chunk at the places `chosen`, and the cursor that it left."""
        if self._samples is None:
            self._kept.append(rows, chosen)
        elif len(chosen):
            self._add(Steps(*(part[chosen] for part in rows)))
        self._mark(after)

    def take(self, rows: list[Steps], after: Cursor) -> None:
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

    def end(self, last: Cursor) -> None:
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
            cursor = self.restore()
            self._sample(self._last)
            self._mark(cursor)
        if self._store is not None:
            return self._store.rows(self._memory)
        if not self._kept.count:
            return bare(self._last.t[:0], self._last.x[:0])
        return self._kept.rows()


def _escorts(call: _Call, wish: Wish, count: int) -> list[Escort]:
    if wish.guide is None:
        return []
    cases = [
        Case(call.first + k, _part(call.plans, k), _part(call.table, k))
        for k in range(count)
    ]
    escorts = [Escort(wish.guide, case) for case in cases]
    call.plans.room[:] = [escort.room for escort in escorts]
    if wish.store is not None:
        wish.store.accompany(escorts[0], wish.store.past)
    return escorts


def _kept(keepers: list[_Keeper], after: Cursor, rows: Rows) -> None:
    """Accepted rows to their keepers."""
    for k, keeper in enumerate(keepers):
        chosen = np.flatnonzero(rows.accepted[k])
        keeper.choose(Steps(*(part[k] for part in rows[1:])), chosen, _part(after, k))


def _turns(escorts: list[Escort], before: Cursor, after: Cursor, rows: Rows) -> Any:
    each = zip(escorts, _each(before), _each(after), _each(rows), strict=True)
    return [escort.follow(*chunk) for escort, *chunk in each]


def _taken(keepers: list[_Keeper], turns: list[Turn]) -> Cursor:
    """Rows to their keepers; the cursors of all turns."""
    for keeper, turn in zip(keepers, turns, strict=True):
        keeper.take(turn.rows, turn.cursor)
    return _stacked([turn.cursor for turn in turns])


def _stacked(cursors: list[Cursor]) -> Cursor:
    return Cursor(*map(np.stack, zip(*cursors, strict=True)))


def _each(tree: Any) -> list[Any]:
    return [_part(tree, k) for k in range(len(tree[1]))]


def _called(
    call: _Call, cursors: Cursor, alive: np.ndarray, limit: int
) -> tuple[Cursor, Rows]:
    """One run goes in the form for one, which is quicker; the bits are the same."""
    plans = _part(call.plans, alive)
    left = np.maximum(limit - cursors.accepted - cursors.rejected, 0)
    plans = plans._replace(room=np.minimum(plans.room, left))
    trees = cursors, plans, _part(call.table, alive)
    if len(alive) > 1 or isinstance(call.program, LoneChunk):
        return call.program(*trees)
    # Arrays, not NumPy's numbers: a program takes them as they are.
    after, rows = call.program(*(_part(tree, (0, ...)) for tree in trees))
    lifted = [[np.asarray(leaf)[None] for leaf in tree] for tree in (after, rows)]
    return Cursor(*lifted[0]), Rows(*lifted[1])


def _part(tree: Any, pick: Any) -> Any:
    if isinstance(tree, dict):
        return {name: value[pick] for name, value in tree.items()}
    return type(tree)(*(leaf[pick] for leaf in tree))


def _replaced(cursors: Cursor, pick: np.ndarray, after: Cursor) -> Cursor:
    leaves = []
    for old, new in zip(cursors, after, strict=True):
        leaf = np.array(old)
        leaf[pick] = new
        leaves.append(leaf)
    return Cursor(*leaves)
