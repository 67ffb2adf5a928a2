"""Runs under way together: chunk after chunk, those that are done leave their lanes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from polhode.formulation.contact.mode_forces import knows_modes
from polhode.integrate.events.context import Case
from polhode.integrate.events.event_chunk import step_of
from polhode.integrate.events.event_step import Watched
from polhode.integrate.field.dense_output import Steps, between
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.host.batch_kernel import (
    BatchState,
    Goal,
    batch_program,
    first_run_states,
    sampled_method,
    work_function,
)
from polhode.integrate.host.batch_samples import (
    Due,
    SampledStep,
    Samples,
    capacity,
    first_step,
)
from polhode.integrate.host.loop import advance, is_going, with_work_limit
from polhode.integrate.host.progress import Clock, Watch
from polhode.integrate.kernel.chunk import picked, replaced, stacked
from polhode.integrate.kernel.status import FAULT, INTERRUPTED, NEEDS_HOST
from polhode.integrate.kernel.stepper_state import (
    RunBounds,
    StepperState,
    row_of_attempt,
)
from polhode.matter.parameter import Table
from polhode.system.contacts import friction_label

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.events.batch_tracker import BatchEventTracker
    from polhode.integrate.events.context import RunContext
    from polhode.integrate.events.occurrence_buffer import OccurrenceBuffer
    from polhode.integrate.methods.method import Method

# Attempts between two looks of the host: finished lanes wait no longer.
ROOM = 192


class Place(NamedTuple):
    """Where runs are made: "llvm", or "cuda" for a GPU, on which results may stay."""

    backend: str = "llvm"
    stays: bool = False


class Given(NamedTuple):
    """What all runs of a sweep share.

    output_times  (s,) at which states are kept, in the order of the run
    limit         attempts that one run may make
    audited       whether work is computed on the way
    sampled       whether output times were given, so that they lie between steps
    context       of the events that are watched for, if there are any
    drive         laws of time and state, where they drive the runs
    place         where runs are made, and whether what is kept stays there
    sampling      the context of inputs that the loop samples, where there are any
    """

    equations: Equations
    method: Method
    output_times: np.ndarray
    limit: int
    audited: bool
    sampled: bool
    context: RunContext | None = None
    drive: Drive = UNDRIVEN
    place: Place = Place()
    sampling: RunContext | None = None

    @property
    def backend(self) -> str:
        """What makes the runs."""
        return self.place.backend

    @property
    def on_device(self) -> bool:
        """Whether states that are kept stay on the GPU."""
        return self.place.stays


class Batch(NamedTuple):
    """Runs at their start; `share` is of all runs: before these, and of these.

    begun   what has happened at the very start: number of the run, row of a buffer
    """

    stepper_states: StepperState
    bounds: RunBounds
    table: dict[str, np.ndarray]
    share: tuple[float, float]
    begun: list[tuple[int, np.ndarray]] | None = None


class FinalState(NamedTuple):
    """Where runs ended, and what they took: t, x, the last step tried, counts, work."""

    t: np.ndarray
    x: np.ndarray
    tried: np.ndarray
    accepted: np.ndarray
    rejected: np.ndarray
    stiff: np.ndarray
    work: np.ndarray


class BatchResult(NamedTuple):
    """Runs at their end.

    t (runs, s), x (runs, s, width)   at the output times; of a run that stopped early
                                      the last state that it reached, at its time
    start (runs,), first (runs, width)   time and state at the start
    tracker                              what happened, where events were watched for
    told                                 why samples ended runs inside the loop
    ends                                 all of the runs at their ends, from a GPU
    """

    t: np.ndarray
    x: np.ndarray
    final_state: FinalState
    status: np.ndarray
    start: np.ndarray
    first: np.ndarray
    tracker: BatchEventTracker | None = None
    told: Mapping[int, str] = MappingProxyType({})
    ends: StepperState | None = None


def loose_actions(equations: Equations) -> list[str]:
    """What does work that is not stored: actions, constraints, friction of supports."""
    system = equations.system
    names = [action.name for action in system.actions if not action.is_conservative]
    names += ["constraints"] if system.constraints else []
    if not knows_modes(equations):
        return names
    return [*names, *(friction_label(support) for support in system.supports)]


def run_batch(given: Given, batch: Batch, watch: Watch | None) -> BatchResult:
    """All runs of a batch, to their output times."""
    begins = batch.stepper_states.x  # before resets that are due at once
    batch, tracker = with_tracker(given, batch)
    run_states = first_run_states(batch.stepper_states, *extent(given))
    taken = _first_taken(given, batch, tracker)
    start, stop = batch.bounds.start, batch.bounds.stop
    clock = Clock(watch, start, stop, batch.share, time.perf_counter())
    status = np.array(batch.stepper_states.status)
    # With events a run goes on to its end, where changes may still be due.
    last = float(stop[0])
    end = np.inf * np.sign(last - start[0]) if given.context else last
    own = (end, run_states, status, _mark(tracker), taken)
    way = advance(_UnderWay(given, batch, tracker, clock, *own))
    there = way.run_states.stepper_state
    t, x = there.t[:, None], there.x[:, None]
    if way.taken is not None:
        x = way.taken.found(len(given.output_times))
        t = _beyond(given, way, x)
    counts = (there.accepted, there.rejected, there.stiff)
    final_state = FinalState(
        there.t, there.x, there.tried, *counts, way.run_states.work
    )
    first = (batch.bounds.start, begins)
    told = sampling_faults(given, batch, there)
    return BatchResult(t, x, final_state, way.status, *first, tracker, told)


def sampling_faults(given: Given, batch: Batch, ends: StepperState) -> dict[int, str]:
    """Why samples ended runs inside the loop, in words."""
    found: dict[int, str] = {}
    if given.sampling is None:
        return found
    from polhode.integrate.events.handle import loop_fault

    for k in np.flatnonzero(ends.status == FAULT).tolist():
        own = {name: float(values[k]) for name, values in batch.table.items()}
        case = Case(k, picked(batch.bounds, k), own)
        told = loop_fault(given.sampling, case, picked(ends, k))
        found |= {} if told is None else {k: told.sentence}
    return found


class _UnderWay(NamedTuple):
    """Runs of a sweep under way; each chunk replaces them as a whole.

    t_end       to or just past which they go
    collected   how much their tracker had collected after the last chunk
    taken       samples, where the loop itself takes them
    """

    given: Given
    batch: Batch
    tracker: BatchEventTracker | None
    clock: Clock
    t_end: float
    run_states: BatchState
    status: np.ndarray
    collected: Any
    taken: Taken | None = None

    def advanced(self) -> _UnderWay | None:
        """After a chunk of the runs that still go."""
        given, batch, tracker, taken = self.given, self.batch, self.tracker, self.taken
        sign = np.sign(batch.bounds.stop - batch.bounds.start)
        ahead = (self.t_end - self.run_states.stepper_state.t) * sign > 0
        goes = is_going(self.status) & ahead
        alive = np.flatnonzero(goes if taken is None else goes | taken.is_full)
        if not len(alive):
            return None
        after, *buffers = called(
            given, batch, self.run_states, alive, self.t_end, taken=taken
        )
        if taken is not None:
            taken = taken.after(alive, buffers.pop())
        waits = after.stepper_state.status == NEEDS_HOST
        after = attended(given, after, alive, tracker, buffers)
        if taken is not None and tracker is not None and np.any(waits):
            taken = taken.by_host(tracker, alive[waits], picked(after, waits))
        now = with_work_limit(after.stepper_state, given.limit)
        return self._replace(
            run_states=replaced(self.run_states, alive, after),
            status=replaced(self.status, alive, now),
            collected=_mark(tracker),
            taken=taken,
        )

    def report(self) -> None:
        """Report how far they have come."""
        there = self.run_states.stepper_state
        self.clock.tell(there.t, there.accepted)

    def interrupted(self) -> _UnderWay:
        """As the last chunk left them."""
        if self.tracker is not None:
            self.tracker.restore(self.collected)
        ended = np.where(is_going(self.status), INTERRUPTED, self.status)
        return self._replace(status=ended)


class Taken(NamedTuple):
    """Samples of runs on their way: how many each has (runs,), and its kept step.

    times   (s + c + 1,) of all samples, and then as many that no run reaches
    x       (runs, s + c, width) where samples go; a chunk writes as many rows of each
            run as one has taken, and the next writes those again that another has not
    """

    number: np.ndarray
    step: SampledStep
    times: np.ndarray
    x: np.ndarray

    def due(self, pick: np.ndarray | slice) -> Due:
        """What a chunk of some runs begins with."""
        # Rows of a view: an index for each time would take twenty times as long.
        windows = sliding_window_view(self.times, capacity(self.x.shape[2]) + 1)
        return Due(windows[self.number[pick]], picked(self.step, pick))

    def after(self, alive: np.ndarray, found: Samples) -> Taken:
        """With what a chunk has left."""
        runs, _, width = self.x.shape
        # As many rows as the run with most has taken, and one where none has any.
        most = max(1, int(found.count.max()))
        rows = found.x.reshape(len(alive), -1)[:, : most * width]
        windows = sliding_window_view(
            self.x.reshape(runs, -1), rows.shape[1], axis=1, writeable=True
        )
        windows[alive, self.number[alive] * width] = rows
        number = np.array(self.number)
        number[alive] += found.count
        return self._replace(number=number, step=replaced(self.step, alive, found.step))

    def by_host(
        self, tracker: BatchEventTracker, runs: np.ndarray, after: BatchState
    ) -> Taken:
        """With the samples of steps that the host has looked at, and perhaps cut."""
        number = np.array(self.number)
        for j, run in enumerate(runs.tolist()):
            k = int(number[run])
            new = host_samples(tracker, run, k, picked(after, slice(j, j + 1)))
            self.x[run, k : k + len(new)] = new
            number[run] += len(new)
        return self._replace(number=number)

    def found(self, samples: int) -> np.ndarray:
        """The samples (runs, s, width)."""
        own = self.x[:, :samples]
        # Where the rest is most of it, it is not kept in memory.
        return own if 2 * samples > self.x.shape[1] else own.copy()

    @property
    def is_full(self) -> np.ndarray:
        """Runs whose kept step may have more samples than a chunk took."""
        sign = np.sign(self.times[-1])
        return (self.times[self.number] - self.step.end_t) * sign <= 0


def _first_taken(
    given: Given, batch: Batch, tracker: BatchEventTracker | None
) -> Taken | None:
    """Before the first chunk; None where no samples are asked for."""
    if not given.sampled:
        return None
    runs, width = batch.stepper_states.x.shape
    step = first_step(batch.stepper_states, kept_terms(given))
    sign = float(np.sign(batch.bounds.stop[0] - batch.bounds.start[0])) or 1.0
    never = np.full(capacity(width) + 1, np.inf * sign)
    times = np.concatenate([given.output_times, never])
    # Not set to zero: what no run reaches is filled in at the end.
    number, x = np.zeros(runs, np.int64), np.empty((runs, len(times) - 1, width))
    # Of resets at the very start what was before them.
    for (run, k), value in ({} if tracker is None else tracker.early).items():
        x[run, k], number[run] = value, max(number[run], k + 1)
    return Taken(number, step, times, x)


def _beyond(given: Given, way: _UnderWay, x: np.ndarray) -> np.ndarray:
    """Times of samples (runs, s); those not reached are where the runs ended."""
    assert way.taken is not None
    there, number = way.run_states.stepper_state, way.taken.number
    for run in np.flatnonzero(number < x.shape[1]):
        x[run, number[run] :] = there.x[run]
    return sample_times(given, there.t, number)


def sample_times(given: Given, ended: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Times of samples (runs, s) of runs that have so many, and ended when they did."""
    goals, shape = given.output_times, (len(number), len(given.output_times))
    if np.all(number >= len(goals)):
        return np.broadcast_to(goals, shape)  # not written out for each run
    missed = np.arange(len(goals)) >= number[:, None]
    return np.where(missed, ended[:, None], goals)


def _mark(tracker: BatchEventTracker | None) -> Any:
    return None if tracker is None else tracker.mark()


def kept_terms(given: Given) -> int:
    """How many rows of dense output a step keeps, from which samples are taken.

    Events are looked for along the dense output of all steps.
    """
    if given.context is not None:
        return given.method.dense_terms
    _, works = extent(given)
    return sampled_method(given.method, given.drive, works > 0).dense_terms


def extent(given: Given, is_alone: bool = False) -> tuple[int, int]:
    """How many terms of dense output, and how many works, are computed on the way.

    A run alone halts at its samples; events are looked for along dense output.
    """
    works = len(loose_actions(given.equations)) if given.audited else 0
    halts = given.sampled and is_alone
    terms = given.method.dense_terms if halts or given.context else 0
    return terms, works


def with_tracker(given: Given, batch: Batch) -> tuple[Batch, BatchEventTracker | None]:
    """The batch with the sides of its events, and their tracker."""
    if given.context is None:
        return batch, None
    from polhode.integrate.events.batch_tracker import BatchEventTracker

    tracker = BatchEventTracker(
        given.context, batch.bounds, batch.table, given.output_times
    )
    for run, row in batch.begun or ():
        tracker.met.append((np.array([run]), row[None]))
    return batch._replace(stepper_states=tracker.begin(batch.stepper_states)), tracker


def called(
    given: Given,
    batch: Batch,
    run_states: BatchState,
    alive: np.ndarray,
    t_end: float,
    *,
    room: int = ROOM,
    taken: Taken | None = None,
) -> tuple[Any, ...]:
    """One chunk of the runs that go; the last of many takes another beside it."""
    # The program is for many runs, and a batch of one would be another program.
    pick: Any = np.repeat(alive, 2) if len(alive) == 1 else alive
    if len(alive) == len(batch.bounds.start) > 1:
        pick = slice(None)  # all of them, and no copy
    trees = (picked(run_states, pick), picked(batch.bounds, pick))
    table = {name: values[pick] for name, values in batch.table.items()}
    first = (picked(trees[0], 0), picked(trees[1], 0))
    watched = given.context.watched if given.context else Watched((), given.drive)
    stepper_state = trees[0].stepper_state
    left = given.limit - int(np.max(stepper_state.accepted + stepper_state.rejected))
    far, most = float(t_end), np.int64(min(room, left))
    goal: tuple[Any, ...] = (far, most)
    if watched.is_needed:
        goal = (Goal(far, most, step_of(given.method)),)
    due = () if taken is None else (taken.due(pick),)
    own = tuple(picked(each, 0) for each in due)
    example = (*first, {n: float(v[0]) for n, v in table.items()}, *goal, *own)
    program = batch_program(given.equations, given.method, example, watched)
    after = program(*trees, table, *goal, *due)
    parts = after if watched.is_needed or due else (after,)
    return tuple(picked(part, slice(0, len(alive))) for part in parts)


def attended(
    given: Given,
    after: BatchState,
    alive: np.ndarray,
    tracker: BatchEventTracker | None,
    buffers: list[OccurrenceBuffer],
) -> BatchState:
    """The runs, after the host has looked at those that wait for it."""
    if tracker is None:
        return after
    tracker.collect(alive, after.stepper_state, buffers[0])
    waiting = np.flatnonzero(after.stepper_state.status == NEEDS_HOST)
    if not len(waiting):
        return after
    new = []
    for k in waiting.tolist():
        own = picked(after, k)
        run_state, kept = tracker.attend(int(alive[k]), own)
        if own.work.size and kept is not None:
            table = tracker.table_of(int(alive[k]))
            work = run_state.work + _work_of_cut(given, own, kept, table)
            run_state = run_state._replace(work=work)
        new.append(run_state)
    return replaced(after, waiting, stacked(new))


def _work_of_cut(given: Given, run_state: BatchState, kept: Steps, table: Table) -> Any:
    """What a step does less, of which the host has kept a part."""
    end, drive = run_state.stepper_state, given.drive
    start = end._replace(t=run_state.t, x=run_state.x, x_dot=run_state.x_dot)
    whole = row_of_attempt(end, np.array(True), run_state.dense)
    program = given.equations.program(
        ("work of a step", tuple(sorted(table)), len(run_state.dense), drive.key),
        work_function(given.equations, drive),
        (start, whole, table),
    )
    part = 0.0
    if len(kept.t):
        last = kept.part(-1)
        row = row_of_attempt(last, np.array(True), last.dense)
        part = program(start, row, table)
    return part - program(start, whole, table)


def at_goal(
    run_states: BatchState, sign: Any, t_end: float
) -> tuple[np.ndarray, np.ndarray]:
    """Times and states at a goal, or the last that were reached; `sign` is of time."""
    stepper_state = run_states.stepper_state
    past = (stepper_state.t - t_end) * sign > 0
    h = stepper_state.t - run_states.t
    s = np.where(past, (t_end - run_states.t) / np.where(h == 0, 1.0, h), 1.0)[:, None]
    start, end = (
        (run_states.x, run_states.x_dot),
        (stepper_state.x, stepper_state.x_dot),
    )
    found = between(s, h[:, None], start, end, np.moveaxis(run_states.dense, 1, 0))
    found = np.where(s == 0, run_states.x, found)
    found = np.where(s == 1, stepper_state.x, found)
    return np.where(past, t_end, stepper_state.t), found


def host_samples(
    tracker: BatchEventTracker, run: int, number: int, run_state: BatchState
) -> np.ndarray:
    """States (m, width) at goals from `number` on in a step that the host looked at.

    `run_state` is the run's after that, with an axis of one.
    """
    goals, here, sign = tracker.goals, run_state.stepper_state, tracker.sign_of(run)
    found = []
    for k in range(number, int(np.count_nonzero(sign * (goals - here.t[0]) <= 0))):
        value = tracker.early.get((run, k))
        found.append(
            at_goal(run_state, sign, goals[k])[1][0] if value is None else value
        )
    return np.reshape(found, (-1, here.x.shape[1]))
