"""`ph.simulate`: the motion of a system from a state to a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from polhode.errors import IntegrationWarning
from polhode.formulation.contact.mode_forces import knows_modes
from polhode.formulation.contact.questions import require_order
from polhode.formulation.equations import Equations
from polhode.integrate import contact_start
from polhode.integrate.events.context import RunContext
from polhode.integrate.events.event import Event
from polhode.integrate.events.event_chunk import EventChunk
from polhode.integrate.field.dense_output import bare
from polhode.integrate.field.states import States
from polhode.integrate.host.admission import (
    Admitted,
    admit_backend,
    admit_limit,
    admit_memory,
    admit_runs,
    admit_watch,
)
from polhode.integrate.host.checks import require_memory, require_sound_start
from polhode.integrate.host.event_request import (
    event_report,
    initial_inputs,
    run_context,
)
from polhode.integrate.host.loop import SLAB_BYTES, RunOptions, RunRecord, run
from polhode.integrate.host.method_choice import (
    ChosenMethod,
    MadeBy,
    Start,
    choose_method,
    decay_of,
    suit_decay,
)
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.host.progress import Watch, progress_report
from polhode.integrate.kernel.chunk import Runs, chunk_program, lengthening
from polhode.integrate.kernel.outcome import (
    Ending,
    Outcome,
    outcome_of,
    warn_of_growth,
    warn_of_loose_runs,
)
from polhode.integrate.kernel.start import (
    InitialStep,
    initialise,
    require_feasible,
    step_settings,
    with_first_carried,
)
from polhode.integrate.kernel.status import DONE
from polhode.integrate.methods.method import Method
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.results.contact_log import with_contact_log
from polhode.integrate.results.motions import Motions
from polhode.integrate.results.trajectory import Trajectory, project_rows
from polhode.system.state import State
from polhode.system.system import System
from polhode.tracebacks import warn

LIMIT = 10**9


class Choices(TypedDict, total=False):
    """What a caller may choose of a run; `simulate` says what each is."""

    method: Method | None
    rtol: float | None
    atol: float | None
    samples: int | Sequence[float] | np.ndarray | None
    parameters: Mapping[str, Any] | None
    limit: int
    memory: float
    watch: Watch | None
    to: Any
    events: Event | Sequence[Event]
    inputs: Mapping[Any, Any] | None
    impacts: str
    backend: str


class Output(NamedTuple):
    """Where runs are made and what comes of them: bytes, a path or None, a backend."""

    memory: float
    to: Any
    backend: str


class Tolerances(NamedTuple):
    """What the caller of a run without a method allows it to err."""

    rtol: float | None
    atol: float | None


@overload
def simulate(
    model: System | Equations, state: State, *, until: float, **choices: Unpack[Choices]
) -> Trajectory: ...


@overload
def simulate(
    model: System | Equations,
    state: States | Sequence[State],
    *,
    until: float,
    **choices: Unpack[Choices],
) -> Motions: ...


def simulate(
    model: System | Equations,
    state: State | States | Sequence[State],
    *,
    until: float,
    method: Method | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    samples: int | Sequence[float] | np.ndarray | None = None,
    parameters: Mapping[str, Any] | None = None,
    limit: int = LIMIT,
    memory: float = 4e9,
    watch: Watch | None = None,
    to: Any = None,
    events: Event | Sequence[Event] = (),
    inputs: Mapping[Any, Any] | None = None,
    impacts: str = "at once",
    backend: str = "llvm",
) -> Any:
    """The motion from a state until a time, every step kept or at samples only.

    A `System` moves by the recursive form; `Equations` of it by their own. Without a
    method one is picked: order 5, or a stiff method where the first run begins stiff;
    `motion.note` says which. Several states give `Motions`, by one method the same bits
    as one by one. `until` before the state's time runs backwards. `limit` is
    of attempted steps, `memory` of kept bytes; `watch` is told of progress, or a bar
    shows it after two seconds in a terminal. Ctrl-C gives what is done. A run that
    cannot go on keeps what it has: `motion.outcome` says why, and a warning is given.
    `to` is a path: the rows of one run go there as it runs, a few times a second, and
    `ph.resume` goes on with what a killed run has left. `events` are watched for, and
    found in `motion.events`. `inputs` drive motors and other actions by name, several
    by a tuple of names: functions of time, laws of time and state, `ph.Controller`s
    with constants and states, `ph.Sampled` controllers, `ph.Noise`. `parameters`
    are values for this call alone: go on with `system.with_(...)` of the same values.
    Supports of a system open, slip, stick and strike where they must; several contacts
    that strike do so "at once" or "in sequence", by `impacts`. `backend="cuda"` makes
    many runs on a GPU, with the same bits: samples stay there until the end, rows come
    here chunk by chunk.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 0.1)
    >>> thrown = ph.System([ball], actions=[ph.Weight(9.81)], name="thrown")
    >>> motion = simulate(thrown, thrown.state(speeds={"ball": (3, 0, 4)}), until=0.5)
    >>> [round(float(x), 6) for x in motion["ball"].position[-1]]
    [1.5, 0.0, 0.77375]
    """
    require_order(impacts)
    admit_backend(backend)
    equations = equations_of(model, method, impacts)
    chosen = choose_method(equations, method, rtol, atol)
    memory, watch, limit = admit_memory(memory), admit_watch(watch), admit_limit(limit)
    given = admit_runs(
        equations,
        state,
        until=until,
        samples=samples,
        parameters=parameters,
        memory=memory,
        inputs=inputs,
    )
    given.require_all()
    context = run_context(equations, chosen.method, events, inputs, len(given.runs))
    wanted = Tolerances(rtol, atol) if method is None else None
    room = memory if to is None else np.inf
    output = Output(room, to, backend)
    start = _start(context, chosen, given, wanted, impacts=impacts, output=output)
    options = start.options(given, limit, memory)
    with (
        progress_report(watch, equations.system.name) as report,
        _output(to, start, given.runs, options) as (runs, options),
    ):
        records = start.records(runs, options._replace(watch=report))
    motions = _motions(start, given, records, options)
    _tell(motions, start, records, options)
    alone = isinstance(state, State) and len(motions) == 1
    return motions[0] if alone else Motions(tuple(motions))


class RunStart(NamedTuple):
    """Runs before their first chunk, and what makes it.

    context   events and inputs, with the method that was chosen
    note      in words which method it is
    kernel    what advances the runs by a chunk of steps; None: all at once on a GPU
    backend   where it does
    begun     of each run what its contacts did at its very start, where it has any
    """

    context: RunContext
    note: str
    runs: Runs
    kernel: Any
    backend: str
    begun: list[list[Any]] | None = None

    @property
    def made_by(self) -> MadeBy:
        """What makes the motions."""
        return MadeBy(self.context.equations, self.context.method, self.note)

    def options(self, given: Admitted, limit: int, memory: float) -> RunOptions:
        """What the loop keeps of these runs, and when it gives up."""
        longer = lengthening(self.context.equations)
        slab = None if longer == 1 else SLAB_BYTES / longer
        if self.backend == "cuda":
            from polhode.integrate.host.device_samples import device_slab

            slab = device_slab()
        return RunOptions(
            given.times,
            limit,
            watch=None,
            dense_terms=self.context.method.dense_terms,
            memory=memory,
            context=self.context if self.context.is_needed else None,
            begun=self.begun,
            slab=slab,
        )

    def records(self, runs: Runs, options: RunOptions) -> list[RunRecord]:
        """What is kept of each run, from where it is to its end."""
        if self.kernel is None:
            from polhode.integrate.host.device_samples import sampled_records

            return sampled_records(self.context, runs, options)
        return run(self.kernel, *runs, options)


def _start(
    context: RunContext,
    chosen: ChosenMethod,
    given: Admitted,
    wanted: Tolerances | None,
    *,
    impacts: str,
    output: Output,
) -> RunStart:
    """The runs before their first chunk; contacts decided where they begin."""
    has_contacts = knows_modes(context.equations)
    begins = has_contacts and not contact_start.is_continuation(output.to)
    if begins:
        contact_start.require_apart(given)
    if has_contacts:
        span = (given.runs.t, given.until)
        context = contact_start.with_contacts(context, *span, impacts)
        wanted = None  # contacts are located between steps of an explicit method
    inputs = initial_inputs(context, given.runs, given.until, given.table)
    chosen, start = _initial_step(
        context, chosen, given, held=inputs.held, wanted=wanted
    )
    context = context._replace(method=chosen.method)
    system = context.equations.system
    first = with_first_carried(start.stepper_state, chosen.method, system)
    stepper_states = first._replace(**inputs._asdict())
    runs = Runs(stepper_states, start.bounds, given.table)
    width = stepper_states.x.shape[1]
    require_memory(chosen.method, runs.bounds, given.times, width, output.memory)
    backend = output.backend
    is_light = given.times is not None and output.to is None
    if backend == "cuda" and is_light and not context.is_needed:
        # Nothing but samples is asked, which need no rows: no chunk is built.
        return RunStart(context, chosen.note, runs, None, backend)
    kernel = _kernel(context, runs, backend)
    if not begins:
        return RunStart(context, chosen.note, runs, kernel, backend)
    begun = contact_start.contact_start(context, given.runs, runs, kernel)
    own = {**inputs._asdict(), "held": begun.held}
    stepper_states = begun.go.stepper_state._replace(**own)
    runs = Runs(stepper_states, begun.go.bounds, given.table)
    return RunStart(context, chosen.note, runs, kernel, backend, begun.met)


def _initial_step(
    context: RunContext,
    chosen: ChosenMethod,
    given: Admitted,
    *,
    held: np.ndarray,
    wanted: Tolerances | None,
) -> tuple[ChosenMethod, InitialStep]:
    """The runs before their first step.

    With tolerances in place of a method, the method suits how something decays there.
    """
    runs, table, until = given.runs, given.table, given.until
    equations, drive = context.equations, context.inputs.drive

    def first_step(method: Method) -> InitialStep:
        settings = step_settings(method, until)
        return initialise(equations, runs, table, settings, drive=drive, held=held)

    start = first_step(chosen.method)
    slopes = start.initial_derivative
    require_sound_start(drive, runs, slopes, table=table, held=held)
    if wanted is not None:
        decay = decay_of(equations, Start(runs, table, drive, held, slopes), until)
        suits = suit_decay(equations, chosen, *wanted, decay)
        if suits is not chosen:
            chosen, start = suits, first_step(suits.method)
    require_feasible(equations, start, chosen.method)
    return chosen, start


def _kernel(context: RunContext, runs: Runs, backend: str) -> Any:
    """What advances the runs by a chunk of steps; it watches for events, if any."""
    equations, method = context.equations, context.method
    if context.has_switches:
        return EventChunk(equations, method, context.watched, runs, backend=backend)
    drive = context.inputs.drive
    return chunk_program(equations, method, runs, drive, backend=backend)


@contextmanager
def _output(
    to: Any, start: RunStart, states: States, options: RunOptions
) -> Iterator[tuple[Runs, RunOptions]]:
    """The run from where its file has it, and options with the file as its store."""
    if to is None:
        yield start.runs, options
        return
    from polhode.integrate.storage.run_file import open_run_file

    runs, options = open_run_file(to, start.made_by, states, start.runs, options)
    try:
        yield runs, options
    finally:
        try:
            options.store.close()
        except KeyboardInterrupt:  # it does not leave the file open
            options.store.close()
            raise


def _motions(
    start: RunStart, given: Admitted, records: Sequence[RunRecord], options: RunOptions
) -> list[Trajectory]:
    """What was kept of each run, as a motion."""
    found = []
    for k, record in enumerate(records):
        table = {name: values[k] for name, values in given.table.items()}
        motion = _trajectory(start.made_by, record, table, options)
        checkpoint = Checkpoint(
            record.stepper_state,
            record.bounds,
            given.runs.at(k),
            float(record.bounds.stop),
            options.samples,
            options.limit,
        )
        motion = replace(motion, checkpoint=checkpoint)
        is_final = record.is_dense or options.store is not None or not len(motion)
        found.append(motion if is_final else project_rows(motion))
    return found


def _trajectory(
    made_by: MadeBy,
    kept: RunRecord,
    table: dict[str, Any],
    options: RunOptions,
) -> Trajectory:
    """One motion: its rows, its outcome, what happened to it."""
    equations, method, note = made_by
    n, last = equations.system.coordinates, kept.stepper_state
    until = float(kept.bounds.stop)
    at = bare(np.asarray(last.t)[None], np.asarray(last.x)[None])
    facts = (int(last.accepted), int(last.rejected))
    whole = Outcome("DONE", float(last.t), "", *facts)
    end = Trajectory(equations, method, at, whole, table, note, True)
    q, z = at.x[0, :n], (end.z[0] if kept.status != DONE else at.x[0, n:])
    ending = Ending(kept.status, float(last.t), q, z, float(last.tried), *facts)
    ending = replace(ending, stiff=int(last.stiff))
    report = event_report(kept, options.context)
    ending = replace(ending, told=report.sentence)
    outcome = outcome_of(equations.system, ending, until, report.table(table))
    motion = replace(end, steps=kept.steps, outcome=outcome, is_dense=kept.is_dense)
    motion = replace(
        motion, events=report.events, inputs=report.input_log, cause=report.cause
    )
    if options.context is not None and options.context.limits is not None:
        order = options.context.limits.key[-1]
        motion = with_contact_log(motion, report.met, order)
    return motion


def _tell(
    motions: list[Trajectory],
    start: RunStart,
    records: Sequence[RunRecord],
    options: RunOptions,
) -> None:
    """Seal the file of a run, and warn of runs that stopped or are in doubt."""
    if options.store is not None:
        options.store.seal(motions[0].outcome)
    _warn(motions)
    accepted = [motion.outcome.accepted for motion in motions]
    warn_of_loose_runs(start.context.method, np.array(accepted))
    for motion in motions:
        if motion.outcome.is_complete:
            warn_of_growth(motion.system, start.context.method, motion.z[-1:])
    if start.context.limits is not None:
        for record in records:
            met = record.tracker.met if record.tracker else []
            contact_start.warn_of_gains(start.context, met)


def _warn(motions: list[Trajectory]) -> None:
    failed = [k for k, motion in enumerate(motions) if not motion.outcome.is_complete]
    if not failed:
        return
    first = motions[failed[0]].outcome.sentence
    if len(motions) > 1:
        first = (
            f"{len(failed)} of {len(motions)} runs stopped; run {failed[0]}: {first}"
        )
    warning = IntegrationWarning(first)
    warning.__cause__ = motions[failed[0]].cause
    warn(warning)
