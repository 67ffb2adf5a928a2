"""A sweep by the workers of an executor: each task makes one part of its folder.

    task = (model as text or function, runs of a slab, folder)

Its only result is a part, moved into place whole. What is still to be made is a listing
of the folder, so whatever dies (a worker, the scheduler, the process that hands out the
work, or all of them), the same call again makes what is missing. A part that is made
twice has the same bytes. Any `concurrent.futures.Executor` will do: the standard
library's, that of dask.distributed, of MPI, of Parsl.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter, deque
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    wait,
)
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.errors import IntegrationError, IntegrationWarning, PolhodeError
from polhode.integrate.contact_start import with_contacts
from polhode.integrate.host.batch_loop import Given, Place
from polhode.integrate.host.event_request import run_context
from polhode.integrate.host.progress import Progress, Watch
from polhode.integrate.host.sweep_runs import Carried, Runs, Swept, Times
from polhode.integrate.model_source import CarriedModel, ModelSource, require_carried
from polhode.integrate.storage.sweep_parts import SweepParts, sweep_parts
from polhode.integrate.sweep_start import slab_result
from polhode.lowering.backends.thread_limit import VARIABLE, at_most_threads
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.methods.method import Method

# Tasks that are handed out and not yet done: each holds the states of its slab, and a
# scheduler with a million of them is slow.
WINDOW = 2048
TRIES = 3  # of one part, where it is lost for reasons that are not the model's
LOOK = 1.0  # seconds between two looks for Ctrl-C and for progress


class Driven(NamedTuple):
    """What runs are watched for and driven by, and the threads of a worker."""

    events: Any
    inputs: Any
    threads: int | None


@final
@dataclass(frozen=True)
class SweepJob:
    """All that a worker needs beside the runs of its slab; `identity` is the sweep's.

    It is checked where it arrives: with another version of Polhode, JAX, NumPy or
    Python, or with other laws, a worker has another header, and refuses.
    """

    model: CarriedModel
    method: Method
    folder: str
    identity: str
    form: str
    swept: Swept
    times: tuple[float, float, tuple[float, ...] | None]
    options: tuple[int, bool]
    driven: Driven
    place: Place

    @classmethod
    def of(
        cls,
        given: Given,
        parts: SweepParts,
        source: ModelSource,
        driven: Driven,
        start: float,
    ) -> SweepJob:
        """The job of a sweep whose folder is there, and whose runs begin at `start`."""
        samples = tuple(given.output_times.tolist()) if given.sampled else None
        job = cls(
            source.carried(),
            given.method,
            os.path.abspath(parts.folder),
            parts.files.identity,
            parts.files.form,
            parts.files.swept,
            (start, parts.until, samples),
            (given.limit, given.audited),
            driven,
            given.place,
        )
        require_carried(driven, "a law of an event or an input")
        require_carried(job, "the method of the sweep")
        return job

    def __hash__(self) -> int:
        return hash((self.identity, self.folder))

    def __eq__(self, other: object) -> bool:
        """The identity is a hash of all the rest, and it is checked."""
        if not isinstance(other, SweepJob):
            return NotImplemented
        own = (self.identity, self.folder, self.form)
        return own == (other.identity, other.folder, other.form)


def make_part(job: SweepJob, first: int, runs: Carried) -> int:
    """Make one part, unless it is there: what a worker does. Steps that it took."""
    threads = job.driven.threads or (None if os.environ.get(VARIABLE) else 1)
    with warnings.catch_warnings(), at_most_threads(threads):
        # What is to be said of states and failures is said once, by who called.
        warnings.simplefilter("ignore")
        given, parts = _prepared(job)
        if parts.files.place(first).exists():
            return 0
        _, until, samples = job.times
        times = Times(until, None if samples is None else np.array(samples))
        part = slab_result(given, runs.slab(given.equations, times), None)
        if part.is_interrupted:
            raise KeyboardInterrupt
        parts.files.put(first, part)
        return int(np.sum(part.accepted))


@lru_cache(maxsize=4)
def _prepared(job: SweepJob) -> tuple[Given, SweepParts]:
    """The sweep as this process builds it, held against the folder's own words."""
    equations = job.model.equations()
    context = run_context(
        equations, job.method, job.driven.events, job.driven.inputs, job.swept.runs
    )
    start, until, samples = job.times
    if job.model.impacts:
        context = with_contacts(context, np.array([start]), until, job.model.impacts)
    given = Given(
        context.equations,  # with the states of controllers, if there are any
        job.method,
        np.array([until] if samples is None else samples),
        *job.options,
        samples is not None,
        context if context.watched.is_needed else None,
        context.inputs.drive,
        job.place,
        context if context.inputs.drive.samplers else None,
    )
    parts = sweep_parts(job.folder, given, job.swept, job.form, job.model.text)
    return given, parts


def make_on_workers(
    executor: Any, job: SweepJob, runs: Runs, parts: SweepParts, watch: Watch | None
) -> None:
    """Have the missing parts made; Ctrl-C leaves those that are not begun."""
    work = _Work(executor, job, runs, parts, watch)
    try:
        for _ in range(TRIES):
            # Of a network folder a listing may be old for some seconds; what is made
            # again then has the same bytes.
            missing = parts.missing
            if not missing:
                return
            work.make(missing)
        _warn_of_missing(parts)
    except KeyboardInterrupt:
        work.cancel()
        left, count = len(parts.missing), len(parts.files.firsts)
        warn(
            f"the sweep was interrupted: {left} of its {count} parts are missing."
            " The same call makes them.",
            IntegrationWarning,
        )
    except BaseException:
        work.cancel()
        raise


def _warn_of_missing(parts: SweepParts) -> None:
    """Say so where workers report parts as made and the folder still has none."""
    left = parts.missing
    if left:
        first = parts.files.place(left[0]).name
        warn(
            f"{len(left)} of the {len(parts.files.firsts)} parts of the sweep are"
            f" missing after {TRIES} rounds, {first} the first: workers say that they"
            f" made them, and {str(parts.folder)!r} does not list them. See that all"
            " of them reach this folder; the same call makes what is missing.",
            IntegrationWarning,
        )


@final
class _Work:
    """Tasks that are handed out, a window of them at a time."""

    def __init__(
        self,
        executor: Any,
        job: SweepJob,
        runs: Runs,
        parts: SweepParts,
        watch: Watch | None,
    ):
        self._executor, self._job, self._runs = executor, job, runs
        self._parts, self._watch = parts, watch
        self._began, self._steps, self._done = time.perf_counter(), 0, 0
        self._tries: Counter[int] = Counter()
        self._under_way: dict[Future[int], int] = {}

    def make(self, missing: list[int]) -> None:
        """These parts, by whichever worker is free."""
        waiting = deque(missing)
        self._done = len(self._parts.files.firsts) - len(missing)
        while waiting or self._under_way:
            while waiting and len(self._under_way) < WINDOW:
                self._submit(waiting.popleft())
            done, _ = wait(self._under_way, LOOK, FIRST_COMPLETED)
            for task in done:
                first = self._under_way.pop(task)
                if not self._is_made(task, first):
                    waiting.append(first)
            self._tell()

    def cancel(self) -> None:
        """Take back what no worker has begun."""
        for task in self._under_way:
            with suppress(NotImplementedError):  # tasks of Parsl cannot be taken back
                task.cancel()

    def _submit(self, first: int) -> None:
        stop = min(first + self._parts.files.swept.slab, self._runs.count)
        runs = self._runs.carried(first, stop)
        try:
            task = self._executor.submit(make_part, self._job, first, runs)
        except Exception as reason:  # each engine has its own way to be gone
            raise self._workers_lost(reason) from reason
        self._under_way[task] = first

    def _is_made(self, task: Future[int], first: int) -> bool:
        """Whether a task is done; what the model is to blame for is raised."""
        try:
            reason = task.exception()
        except CancelledError as cancelled:
            # Nobody here has: the engine lost its scheduler. What is submitted to it
            # meanwhile may wait for ever.
            raise self._workers_lost(cancelled) from cancelled
        if isinstance(reason, PolhodeError):
            raise reason
        if isinstance(reason, BrokenExecutor):
            raise self._workers_lost(reason) from reason
        # Engines tell of single workers that died by errors of their own.
        if reason is not None:
            self._tries[first] += 1
            if self._tries[first] >= TRIES:
                raise self._workers_lost(reason) from reason
            return False
        self._steps += int(task.result() or 0)
        self._done += 1
        return True

    def _tell(self) -> None:
        if self._watch is not None:
            seconds = time.perf_counter() - self._began
            self._watch(
                Progress(
                    self._done / len(self._parts.files.firsts), self._steps, seconds
                )
            )

    def _workers_lost(self, reason: BaseException) -> IntegrationError:
        left, count = len(self._parts.missing), len(self._parts.files.firsts)
        return IntegrationError(
            f"the workers of the sweep were lost: {left} of its {count} parts are"
            " missing.",
            f"The executor said {type(reason).__name__}: {str(reason)[:300]}",
            "Give the same call with an executor that works: only what is missing is"
            " made.",
        )
