"""Runs of a sweep on a GPU: their state stays there, chunk after chunk.

The kernel is that of native code and so are its bits. Between two chunks the device
makes the index of those that still go; the host reads how many they are. Of runs with
events it fetches those alone to which something has happened.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.arrays import Array
from polhode.errors import IntegrationError
from polhode.integrate.events.event_chunk import step_of
from polhode.integrate.events.event_step import Watched
from polhode.integrate.events.occurrence_buffer import FACTS, ROWS
from polhode.integrate.host.batch_kernel import Goal, batch_program, first_run_states
from polhode.integrate.host.batch_loop import (
    Batch,
    BatchResult,
    FinalState,
    Given,
    attended,
    extent,
    host_samples,
    kept_terms,
    sample_times,
    sampling_faults,
    with_tracker,
)
from polhode.integrate.host.batch_samples import (
    Due,
    SampledStep,
    capacity,
    first_step,
)
from polhode.integrate.host.progress import Clock, Watch
from polhode.integrate.kernel.status import (
    EVENT,
    INTERRUPTED,
    NEEDS_HOST,
    RUNNING,
    SWITCHING,
    WORK_LIMIT,
    ZENO,
)
from polhode.integrate.kernel.stepper_state import StepperState
from polhode.lowering.backends.cuda.device import Device, current_device

if TYPE_CHECKING:
    from polhode.integrate.events.batch_tracker import BatchEventTracker
    from polhode.integrate.host.batch_kernel import BatchState

# Attempts of a chunk: a launch costs little, but those that are done wait for its end.
ROOM = 128
ENDS = ("t", "x", "tried", "accepted", "rejected", "stiff", "status")
COPIES = 3  # of the state of all runs: as it was, those that go, and what they leave


class _Way(NamedTuple):
    """Runs on the device: their state, how many samples each has, its kept step."""

    run_states: BatchState
    count: Any
    step: SampledStep | None


def run_on_device(
    given: Given, batch: Batch, watch: Watch | None, *, is_whole: bool = False
) -> BatchResult:
    """All runs of a batch, to their ends; with all that each ends with, if asked."""
    # What ends runs that sample inputs is told from all of their state.
    is_whole = is_whole or given.sampling is not None
    device = current_device()
    begins = batch
    batch, tracker = with_tracker(given, batch)
    runs, width = batch.stepper_states.x.shape
    samples = len(given.output_times) if given.sampled else 0
    run_states = first_run_states(batch.stepper_states, *extent(given))
    step = None
    if given.sampled:
        step = first_step(batch.stepper_states, kept_terms(given))
    trees = (run_states, batch.bounds, step)
    _require_room(device, given, trees, (runs, samples, width))
    x = device.empty((max(1, runs * samples), width), "float64")
    run_states, bounds, table, step = _sent(
        device, (run_states, batch.bounds, batch.table, step)
    )
    way = _Way(run_states, device.send(np.zeros(runs, np.int64)), step)
    stop = float(batch.bounds.stop[0])
    sign = float(np.sign(stop - batch.bounds.start[0])) or 1.0
    start, share = batch.bounds.start, batch.share
    clock = Clock(watch, start, batch.bounds.stop, share, time.perf_counter())
    report = _Report(clock, device)
    chunk = _Chunk(given, device, bounds, table, stop, sign, tracker)
    # Of resets at the very start what was before them.
    for place, value in (tracker.early if tracker and samples else {}).items():
        chunk.put_samples(way, x, place, value[None])
    times = _times(given, batch, width)
    found = (given, device, begins, way, x)
    try:
        while len(pick := chunk.alive(way, times)):  # the number that comes to the host
            chunk.make(way, pick, times, x)
            report.tell(way)
        return _result(*found, tracker=tracker, is_whole=is_whole)
    except KeyboardInterrupt:
        if not len(chunk.alive(way, times)):
            raise  # all were at their ends
    # What the last chunk left; of kept steps those samples that it had no room for.
    while len(pick := chunk.full(way, times)):
        chunk.make(way, pick, times, x, most=0)
    return _result(*found, tracker=tracker, is_whole=is_whole)


class _Chunk(NamedTuple):
    """What all chunks share."""

    given: Given
    device: Device
    bounds: Any
    table: Any
    stop: float
    sign: float
    tracker: BatchEventTracker | None

    def alive(self, way: _Way, times: Array) -> Any:
        """The numbers of the runs that go on, on the device."""
        there = way.run_states.stepper_state
        spent = there.accepted + there.rejected
        goes = (there.status == RUNNING) | (there.status == SWITCHING)
        goes = goes & (spent < self.given.limit)
        if way.step is not None:
            goes = goes | _is_full(way, times, self.sign)
        return self.device.cupy.flatnonzero(goes)

    def full(self, way: _Way, times: Array) -> Any:
        """The numbers of the runs whose kept step has samples that are not taken."""
        if way.step is None:
            return ()
        return self.device.cupy.flatnonzero(_is_full(way, times, self.sign))

    def make(
        self, way: _Way, pick: Any, times: Array, x: Array, *, most: int = ROOM
    ) -> None:
        """A chunk of the runs that go; after Ctrl-C they are as they were before."""
        own, step = self._those(way, pick), _mapped(lambda a: a[pick], way.step)
        before = _Way(own[0], way.count[pick], step)
        mark = None if self.tracker is None else self.tracker.mark()
        try:
            found = self._called(own, before, times, most)
            self._put_found(way, pick, found, x)
        except KeyboardInterrupt:
            while not _restored(way, pick, before, (self.tracker, mark)):
                pass  # who presses twice still gets what is done
            raise

    def _called(self, own: Any, before: _Way, times: Array, most: int) -> Any:
        """What the kernel makes of some runs: states, and what else there is."""
        room = self._room(own[0].stepper_state, most)
        goal: tuple[Any, ...] = (float(self.stop), room)
        if self.tracker is not None:  # changes may be due at the very end
            goal = (Goal(np.inf * self.sign, room, step_of(self.given.method)),)
        due: tuple[Any, ...] = ()
        if before.step is not None:
            window = self.device.cupy.arange(len(times) - self.samples)
            due = (Due(times[before.count[:, None] + window], before.step),)
        found = self._program(own, goal, due)(*own, *goal, *due)
        return found if self.tracker is not None or due else (found,)

    def _put_found(self, way: _Way, pick: Any, found: Any, x: Array) -> None:
        """States and samples to where they belong."""
        run_states, *rest = found
        if way.step is not None:
            taken = rest.pop()
            self._store(way, pick, taken, x)
            _put(way.step, pick, taken.step)
            way.count[pick] += taken.count
        _put(way.run_states, pick, run_states)
        if self.tracker is not None:
            self._attend(way, pick, run_states, rest[0], x)

    def _attend(self, way: _Way, pick: Any, found: Any, buffer: Any, x: Array) -> None:
        """Runs to which something happened come to the host, and those that wait for
        it go back; all others stay where they are."""
        device, tracker = self.device, self.tracker
        assert tracker is not None
        status = found.stepper_state.status
        few = (buffer.count > 0) | (status == NEEDS_HOST)
        few = device.cupy.flatnonzero(few | (status == EVENT) | (status == ZENO))
        if not len(few):
            return
        run_states, rows = _mapped(lambda a: device.fetch(a[few]), (found, buffer))
        runs = device.fetch(pick[few])
        after = attended(self.given, run_states, runs, tracker, [rows])
        waits = np.flatnonzero(run_states.stepper_state.status == NEEDS_HOST)
        if not len(waits):
            return
        _put(way.run_states, pick[few], _mapped(device.send, after))
        if way.step is None:
            return
        counts = device.fetch(way.count[pick[few]])
        for j in waits.tolist():
            place = (int(runs[j]), int(counts[j]))
            own = _mapped(lambda a, j=j: a[j : j + 1], after)
            self.put_samples(way, x, place, host_samples(tracker, *place, own))

    def put_samples(
        self, way: _Way, x: Array, place: tuple[int, int], new: np.ndarray
    ) -> None:
        """Samples of one run that the host has made, from its place on."""
        (run, number), count = place, len(new)
        if count:
            first = run * self.samples + number
            x[first : first + count] = self.device.send(new)
            way.count[run] = number + count

    def _those(self, way: _Way, pick: Any) -> Any:
        """Some runs with their bounds and parameters."""
        return _mapped(lambda a: a[pick], (way.run_states, self.bounds, self.table))

    @property
    def samples(self) -> int:
        return len(self.given.output_times)

    def _room(self, there: Any, most: int) -> np.int64:
        left = self.given.limit - int((there.accepted + there.rejected).max())
        return np.int64(min(max(1, left), most))

    def _store(self, way: _Way, pick: Any, taken: Any, x: Array) -> None:
        cupy = self.device.cupy
        c, width = taken.x.shape[1:]
        each = cupy.flatnonzero((cupy.arange(c) < taken.count[:, None]).reshape(-1))
        run = pick[each // c]
        x[run * self.samples + way.count[run] + each % c] = taken.x.reshape(-1, width)[
            each
        ]

    def _program(self, own: Any, goal: Any, due: Any) -> Any:
        def first(a: Array) -> Any:
            return self.device.fetch(a[:1])[0]

        run_state, bounds, table = _mapped(first, own)
        example = (run_state, bounds, {n: float(v) for n, v in table.items()}, *goal)
        example = (*example, *_mapped(first, due))
        context, drive = self.given.context, self.given.drive
        watched = context.watched if context else Watched((), drive)
        return batch_program(
            self.given.equations, self.given.method, example, watched, backend="cuda"
        )


def _is_full(way: _Way, times: Array, sign: float) -> Any:
    """Runs whose kept step has samples that are not taken."""
    assert way.step is not None
    return (times[way.count] - way.step.end_t) * sign <= 0


def _restored(way: _Way, pick: Any, before: _Way, collected: tuple[Any, Any]) -> bool:
    """Put some runs back as they were, unless Ctrl-C comes meanwhile.

    So is what their tracker had collected up to its mark.
    """
    tracker, mark = collected
    try:
        for now, old in zip(way, before, strict=True):
            if now is not None:
                _put(now, pick, old)
        if tracker is not None:
            tracker.restore(mark)
    except KeyboardInterrupt:
        return False
    return True


def _times(given: Given, batch: Batch, width: int) -> Any:
    """Times of samples, and as many that no run reaches; on the device."""
    sign = float(np.sign(batch.bounds.stop[0] - batch.bounds.start[0])) or 1.0
    never = np.full(capacity(width) + 1, np.inf * sign)
    return current_device().send(np.concatenate([given.output_times, never]))


def _require_room(
    device: Device, given: Given, trees: Any, shape: tuple[int, int, int]
) -> None:
    """Refuse what will not fit, before anything runs."""
    runs, samples, width = shape
    state = sum(leaf.nbytes for leaf in _leaves(trees))
    own = capacity(width) * (width + 1) * 8 * runs if samples else 0
    if given.context is not None:
        # How many numbers the events of one run take in a chunk.
        watched, system = given.context.watched, given.equations.system
        held = watched.drive.width if watched.has_modes else 0
        row = FACTS + 2 * (system.coordinates + system.speeds) + held + watched.records
        own += 8 * runs * max(ROWS, 4 * watched.guards) * row
    needed = COPIES * state + own + 8 * runs * samples * width
    free = device.free_bytes
    if needed > free:
        each = needed / runs
        raise IntegrationError(
            f"{runs} runs with {samples} samples need {needed / 2**30:.1f} GiB on the"
            f" GPU, which has {free / 2**30:.1f} GiB free.",
            f"A run takes {each:.0f} bytes: three copies of its state, samples, and"
            " what happens to it.",
            f"Make at most {max(1, int(0.8 * free / each))} at once (slab=... of"
            " ph.sweep), or ask for fewer samples.",
        )


def _result(
    given: Given,
    device: Device,
    batch: Batch,
    way: _Way,
    x: Array,
    *,
    tracker: BatchEventTracker | None,
    is_whole: bool,
) -> BatchResult:
    """What came of the runs, in the machine's memory; states stay where that is asked.

    `x` are samples. Only of `is_whole` runs all is fetched that they end with: that
    takes as long as a fifth of a sweep.
    """
    own = way.run_states.stepper_state
    there = _fetched(device, own, *(own._fields if is_whole else ENDS))
    work = device.fetch(way.run_states.work)
    counts = (there.accepted, there.rejected, there.stiff)
    final_state = FinalState(there.t, there.x, there.tried, *counts, work)
    going = (there.status == RUNNING) | (there.status == SWITCHING)
    spent = going & (there.accepted + there.rejected >= given.limit)
    # Those that go on when all is over were ended by Ctrl-C.
    going = np.where(going, INTERRUPTED, there.status)
    status = np.where(spent, WORK_LIMIT, going)
    runs, width = there.x.shape
    if not given.sampled:
        first = own if given.on_device else there
        t, found = first.t[:, None], first.x[:, None]
    else:
        found = x.reshape(runs, -1, width)
        missed = device.cupy.arange(found.shape[1]) >= way.count[:, None]
        if (way.count < found.shape[1]).any():
            found = device.cupy.where(missed[..., None], own.x[:, None], found)
        if given.on_device:
            asked = device.send(given.output_times)
            t = device.cupy.where(missed, own.t[:, None], asked)
        else:
            t = sample_times(given, there.t, device.fetch(way.count))
            found = device.fetch(found)
    begins = (batch.bounds.start, batch.stepper_states.x)
    told = sampling_faults(given, batch, there) if is_whole else {}
    ends = there if is_whole else None
    return BatchResult(t, found, final_state, status, *begins, tracker, told, ends)


class _Report(NamedTuple):
    """Reports how far all runs have come, where anybody watches."""

    clock: Clock
    device: Device

    def tell(self, way: _Way) -> None:
        """After a chunk."""
        if self.clock.watch is not None:
            there, fetch = way.run_states.stepper_state, self.device.fetch
            self.clock.tell(fetch(there.t), fetch(there.accepted))


def _leaves(tree: Any) -> list[Any]:
    if tree is None:
        return []
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in _leaves(part)]
    return [*tree.values()] if isinstance(tree, dict) else [tree]


def _mapped(function: Any, tree: Any) -> Any:
    if tree is None:
        return None
    if isinstance(tree, dict):
        return {name: function(leaf) for name, leaf in tree.items()}
    if not isinstance(tree, tuple):
        return function(tree)
    parts = [_mapped(function, part) for part in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)


def _sent(device: Device, tree: Any) -> Any:
    """Arrays on the device; one that is there twice is sent once, and copied there."""
    sent: dict[int, Any] = {}

    def send(array: np.ndarray) -> Any:
        if id(array) in sent:
            return sent[id(array)].copy()
        sent[id(array)] = device.send(array)
        return sent[id(array)]

    return _mapped(send, tree)


def _fetched(device: Device, tree: StepperState, *names: str) -> StepperState:
    """Some of the columns in the machine's memory; the others stay where they are."""
    own = {name: device.fetch(getattr(tree, name)) for name in names}
    return tree._replace(**own)


def _put(tree: Any, pick: Any, new: Any) -> None:
    """Write what a chunk has left to the places of its runs."""
    if isinstance(tree, tuple):
        for old, part in zip(tree, new, strict=True):
            _put(old, pick, part)
    else:
        tree[pick] = new
