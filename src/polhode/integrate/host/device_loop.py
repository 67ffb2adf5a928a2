"""Runs of a sweep on a GPU: their state stays there, chunk after chunk.

The kernel is that of native code and so are its bits. Between two chunks the device
makes the index of those that still go; the host reads how many they are.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.events.event_step import Watched
from polhode.integrate.host.batch_kernel import first_gliders, glide_program
from polhode.integrate.host.batch_loop import (
    Batch,
    BatchResult,
    FinalState,
    Given,
    extent,
    sampling_faults,
)
from polhode.integrate.host.batch_samples import (
    Due,
    SampledStep,
    capacity,
    first_step,
)
from polhode.integrate.host.loop import Progress, Watch
from polhode.integrate.kernel.status import RUNNING, WORK_LIMIT
from polhode.lowering.backends.cuda.device import Device, current_device

if TYPE_CHECKING:
    from polhode.integrate.host.batch_kernel import BatchState

# Attempts of a chunk: a launch costs little, but those that are done wait for its end.
ROOM = 128
COPIES = 3  # of the state of all runs: as it was, those that go, and what they leave


class _Way(NamedTuple):
    """Runs on the device: their state, how many samples each has, its kept step."""

    gliders: BatchState
    count: Any
    step: SampledStep | None


def run_on_device(given: Given, fleet: Batch, watch: Watch | None) -> BatchResult:
    """All runs of a fleet, to their ends."""
    device = current_device()
    runs, width = fleet.stepper_states.x.shape
    samples = len(given.output_times) if given.sampled else 0
    gliders = first_gliders(fleet.stepper_states, *extent(given))
    step = None
    if given.sampled:
        terms = given.method.dense_terms
        step = first_step(fleet.stepper_states, terms)
    _require_room(device, (gliders, fleet.bounds, step), (runs, samples, width))
    x = device.empty((max(1, runs * samples), width), "float64")
    gliders, bounds, table, step = _mapped(
        device.send, (gliders, fleet.bounds, fleet.table, step)
    )
    way = _Way(gliders, device.send(np.zeros(runs, np.int64)), step)
    times = _times(given, fleet, width)
    stop = float(fleet.bounds.stop[0])
    sign = float(np.sign(stop - fleet.bounds.start[0])) or 1.0
    began, chunk = time.perf_counter(), _Chunk(given, device, bounds, table, stop, sign)
    while True:
        pick = chunk.alive(way, times)
        if not len(pick):  # the one number that comes to the host
            break
        way = chunk.after(way, pick, times, x)
        if watch is not None:
            _tell(watch, device, fleet, way, began)
    return _result(given, device, fleet, way, x)


class _Chunk(NamedTuple):
    """What all chunks share."""

    given: Given
    device: Device
    bounds: Any
    table: Any
    stop: float
    sign: float

    def alive(self, way: _Way, times: Any) -> Any:
        """The numbers of the runs that go on, on the device."""
        there = way.gliders.stepper_state
        spent = there.accepted + there.rejected
        goes = (there.status == RUNNING) & (spent < self.given.limit)
        if way.step is not None:
            left = (times[way.count] - way.step.end_t) * self.sign
            goes = goes | (left <= 0)
        return self.device.cupy.flatnonzero(goes)

    def after(self, way: _Way, pick: Any, times: Any, x: Any) -> _Way:
        """After a chunk of the runs that go."""
        own = _mapped(lambda a: a[pick], (way.gliders, self.bounds, self.table))
        there = own[0].stepper_state
        left = self.given.limit - int((there.accepted + there.rejected).max())
        goal = (float(self.stop), np.int64(max(1, min(ROOM, left))))
        due: tuple[Any, ...] = ()
        if way.step is not None:
            window = self.device.cupy.arange(len(times) - self.samples)
            when = times[way.count[pick][:, None] + window]
            due = (Due(when, _mapped(lambda a: a[pick], way.step)),)
        found = self._program(own, goal, due)(*own, *goal, *due)
        if way.step is None:
            _put(way.gliders, pick, found)
            return way
        gliders, taken = found
        self._store(way, pick, taken, x)
        _put(way.gliders, pick, gliders)
        _put(way.step, pick, taken.step)
        way.count[pick] += taken.count
        return way

    @property
    def samples(self) -> int:
        return len(self.given.output_times)

    def _store(self, way: _Way, pick: Any, taken: Any, x: Any) -> None:
        cupy = self.device.cupy
        c, width = taken.x.shape[1:]
        each = cupy.flatnonzero((cupy.arange(c) < taken.count[:, None]).reshape(-1))
        run = pick[each // c]
        x[run * self.samples + way.count[run] + each % c] = taken.x.reshape(-1, width)[
            each
        ]

    def _program(self, own: Any, goal: Any, due: Any) -> Any:
        def first(a: Any) -> Any:
            return self.device.fetch(a[:1])[0]

        glider, bounds, table = _mapped(first, own)
        example = (glider, bounds, {n: float(v) for n, v in table.items()}, *goal)
        example = (*example, *_mapped(first, due))
        watched = Watched((), self.given.drive)
        return glide_program(
            self.given.equations, self.given.method, example, watched, backend="cuda"
        )


def _times(given: Given, fleet: Batch, width: int) -> Any:
    """Times of samples, and as many that no run reaches; on the device."""
    sign = float(np.sign(fleet.bounds.stop[0] - fleet.bounds.start[0])) or 1.0
    never = np.full(capacity(width), np.inf * sign)
    return current_device().send(np.concatenate([given.output_times, never]))


def _require_room(device: Device, trees: Any, shape: tuple[int, int, int]) -> None:
    """Refuse what will not fit, before anything runs."""
    runs, samples, width = shape
    state = sum(leaf.nbytes for leaf in _leaves(trees))
    own = capacity(width) * (width + 1) * 8 * runs if samples else 0
    needed = COPIES * state + own + 8 * runs * samples * width
    free = device.free_bytes
    if needed > free:
        each = needed / runs
        raise IntegrationError(
            f"{runs} runs with {samples} samples need {needed / 2**30:.1f} GiB on the"
            f" GPU, which has {free / 2**30:.1f} GiB free.",
            f"A run takes {each:.0f} bytes: three copies of its state, and samples.",
            f"Give slab={max(1, int(0.8 * free / each))}, so that fewer are under way"
            " at once, or ask for fewer samples.",
        )


def _result(
    given: Given, device: Device, fleet: Batch, way: _Way, x: Any
) -> BatchResult:
    """What came of the runs, in the machine's memory."""
    there = _mapped(device.fetch, way.gliders.stepper_state)
    work = device.fetch(way.gliders.work)
    counts = (there.accepted, there.rejected, there.stiff)
    landing = FinalState(there.t, there.x, there.tried, *counts, work)
    spent = (there.status == RUNNING) & (there.accepted + there.rejected >= given.limit)
    status = np.where(spent, WORK_LIMIT, there.status)
    runs, width = there.x.shape
    if way.step is None:
        t, found = there.t[:, None], there.x[:, None]
    else:
        found = device.fetch(x).reshape(runs, -1, width)
        missed = np.arange(found.shape[1]) >= device.fetch(way.count)[:, None]
        found[missed] = np.repeat(there.x, missed.sum(axis=1), axis=0)
        t = np.where(missed, there.t[:, None], given.output_times)
    first = (fleet.bounds.start, fleet.stepper_states.x)
    told = sampling_faults(given, fleet, there)
    return BatchResult(t, found, landing, status, *first, None, told)


def _tell(watch: Watch, device: Device, fleet: Batch, way: _Way, began: float) -> None:
    start, stop = fleet.bounds.start, fleet.bounds.stop
    there = way.gliders.stepper_state
    span = np.where(stop == start, 1.0, stop - start)
    before, own = fleet.share
    share = before + own * float(np.mean((device.fetch(there.t) - start) / span))
    steps = int(device.fetch(there.accepted).sum())
    watch(Progress(share, steps, time.perf_counter() - began))


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


def _put(tree: Any, pick: Any, new: Any) -> None:
    """Write what a chunk has left to the places of its runs."""
    if isinstance(tree, tuple):
        for old, part in zip(tree, new, strict=True):
            _put(old, pick, part)
    else:
        tree[pick] = new
