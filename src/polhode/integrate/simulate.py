"""`ph.simulate`: the motion of a system from a state to a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from polhode.errors import IntegrationWarning, ModelError
from polhode.formulation.contact.questions import require_order
from polhode.formulation.equations import Equations
from polhode.formulation.recursive.recursive import recursive
from polhode.integrate.audit.drift import warn_of_loose_runs
from polhode.integrate.contact_start import (
    contact_start,
    exact_equations,
    is_continuation,
    is_exact,
    require_apart,
    warn_of_gains,
    with_contacts,
)
from polhode.integrate.events.context import RunContext
from polhode.integrate.events.event import Event
from polhode.integrate.events.event_chunk import EventChunk
from polhode.integrate.field.dense_output import Steps, bare
from polhode.integrate.field.input_table import Drive
from polhode.integrate.field.states import States
from polhode.integrate.host.admission import (
    Admitted,
    admit_limit,
    admit_memory,
    admit_watch,
    admitted,
)
from polhode.integrate.host.checks import require_memory, require_sound_start
from polhode.integrate.host.event_request import guided, initial_inputs, run_context
from polhode.integrate.host.loop import RunOptions, RunRecord, Watch, run
from polhode.integrate.host.method_choice import ChosenMethod, picked, suited
from polhode.integrate.host.progress import watched
from polhode.integrate.kernel.chunk import Runs, chunk_program
from polhode.integrate.kernel.outcome import Ending, Outcome, outcome_of
from polhode.integrate.kernel.start import (
    InitialStep,
    initialise,
    require_feasible,
    step_settings,
    told_first,
)
from polhode.integrate.kernel.status import DONE
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.integrate.kernel.stiffness import Start, decay_of
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.method import Method
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.results.contact_log import with_contact_log
from polhode.integrate.results.motions import Motions
from polhode.integrate.results.trajectory import Trajectory, settled_rows
from polhode.matter.parameter import at
from polhode.supports.restitution import Poisson, Stronge
from polhode.system.contacts import names, pads, refuse_supports
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


class Tolerances(NamedTuple):
    """What the caller of a run without a method allows it to err."""

    rtol: float | None
    atol: float | None


class MadeBy(NamedTuple):
    """What makes a motion, and in words which method it is."""

    equations: Equations
    method: Method
    note: str


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
    that strike do so "at once" or "in sequence", by `impacts`.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 0.1)
    >>> thrown = ph.System([ball], actions=[ph.Weight(9.81)], name="thrown")
    >>> motion = simulate(thrown, thrown.state(speeds={"ball": (3, 0, 4)}), until=0.5)
    >>> [round(float(x), 6) for x in motion["ball"].position[-1]]
    [1.5, 0.0, 0.77375]
    """
    require_order(impacts)
    has_contacts = is_exact(model, method)
    if has_contacts:
        equations = exact_equations(model, method, impacts)
    else:
        equations = equations_of(model, method)
    chosen = picked(equations, method, rtol, atol)
    memory, watch, limit = admit_memory(memory), admit_watch(watch), admit_limit(limit)
    given = admitted(
        equations,
        state,
        until=until,
        samples=samples,
        parameters=parameters,
        memory=memory,
        inputs=inputs,
    )
    given.require_all()
    begins = has_contacts and not is_continuation(to)
    if begins:
        require_apart(given)
    context = run_context(equations, chosen.method, events, inputs, len(given.runs))
    context = with_contacts(context, given.runs.t, given.until, impacts)
    equations = context.equations
    first_inputs = initial_inputs(context, given.runs, given.until, given.table)
    # Contacts are located between steps of an explicit method.
    is_free = method is None and not has_contacts
    chosen, start = _started(
        equations,
        chosen,
        given,
        drive=context.inputs.drive,
        held=first_inputs.held,
        wanted=Tolerances(rtol, atol) if is_free else None,
    )
    made_by = MadeBy(equations, *chosen)
    first = told_first(start.stepper_state, chosen.method, equations.system)
    stepper_states = first._replace(**first_inputs._asdict())
    runs = Runs(stepper_states, start.bounds, given.table)
    context = context._replace(method=chosen.method)
    options = RunOptions(
        given.times,
        limit,
        watch=None,
        dense_terms=chosen.method.dense_terms,
        memory=memory,
        context=context if context.is_needed else None,
    )
    if to is None:
        width = stepper_states.x.shape[1]
        require_memory(chosen.method, runs.bounds, given.times, width, memory)
    kernel = _kernel(made_by, runs, context)
    if begins:
        begun = contact_start(context, given.runs, runs, kernel)
        own = {**first_inputs._asdict(), "held": begun.held}
        stepper_states = begun.go.stepper_state._replace(**own)
        runs = Runs(stepper_states, begun.go.bounds, given.table)
        options = options._replace(begun=begun.met)
    if to is not None:
        runs, options = _stored(to, made_by, given.runs, runs, options)
    try:
        with watched(watch, equations.system.name) as report:
            records = run(kernel, *runs, options._replace(watch=report))
    finally:
        if options.store is not None:
            options.store.close()  # Ctrl-C may have come before the run began
    motions = _motions(made_by, given, records, options)
    if options.store is not None:
        options.store.seal(motions[0].outcome)
    _warn(motions)
    accepted = [motion.outcome.accepted for motion in motions]
    warn_of_loose_runs(chosen.method, np.array(accepted))
    if has_contacts:
        for record in records:
            warn_of_gains(context, record.tracker.met if record.tracker else [])
    alone = isinstance(state, State) and len(motions) == 1
    return motions[0] if alone else Motions(tuple(motions))


def _started(
    equations: Equations,
    chosen: ChosenMethod,
    given: Admitted,
    *,
    drive: Drive,
    held: Any,
    wanted: Tolerances | None,
) -> tuple[ChosenMethod, InitialStep]:
    """The runs before their first step.

    With tolerances in place of a method, the method suits how something decays there.
    """
    runs, table, until = given.runs, given.table, given.until

    def first_step(method: Method) -> InitialStep:
        settings = step_settings(method, until)
        return initialise(equations, runs, table, settings, drive=drive, held=held)

    start = first_step(chosen.method)
    slopes = start.initial_derivative
    require_sound_start(drive, runs, slopes, table=table, held=held)
    if wanted is not None:
        decay = decay_of(equations, Start(runs, table, drive, held, slopes), until)
        suits = suited(equations, chosen, *wanted, decay)
        if suits is not chosen:
            chosen, start = suits, first_step(suits.method)
    require_feasible(equations, start, chosen.method)
    return chosen, start


def _kernel(made_by: MadeBy, runs: Runs, context: RunContext) -> Any:
    """What advances the runs by a chunk of steps; it watches for events, if any."""
    equations, method, _ = made_by
    if context.watched.is_needed:
        return EventChunk(equations, method, context.watched, runs)
    return chunk_program(equations, method, runs, context.inputs.drive)


def equations_of(model: System | Equations, method: Method | None = None) -> Equations:
    """Equations as they are, or those by which a system moves, made once.

    Of a system with supports a method must answer for the contacts.
    """
    if isinstance(model, Equations):
        return model
    if not isinstance(model, System):
        raise ModelError(
            f"{model!r} cannot be simulated.",
            "Only a system, or equations of one, has a motion.",
            "Give a ph.System, or what ph.kane(system) and its kin return.",
        )
    if model.supports:
        return _stepped(model, method)
    return model.remembered("motion", lambda: recursive(model))


def _stepped(model: System, method: Method | None) -> Equations:
    """Those of a system without its supports, for which the method answers."""
    if not isinstance(method, Moreau):
        refuse_supports(model, "A method for smooth motion")
    _refuse_dry_joints(model)
    _refuse_phases(model)

    def known() -> Equations:
        smooth = recursive(model.without_supports)
        return replace(smooth, system=model, knows_contacts=True)

    return model.remembered("stepped motion", known)


def _refuse_phases(model: System) -> None:
    """Refuse laws of restitution by the halves of an impact, which steps do not have.

    A plain number, or a law without friction, is Newton's as well.
    """
    for support in model.supports:
        given = support.restitution
        by_phases = isinstance(given, Stronge | Poisson)
        if by_phases and support.friction is not None and at(given.restitution) != 0:
            raise ModelError(
                f"Moreau's scheme cannot take {given!r} of {support.name!r}.",
                "That law compares the compression of an impact with its restitution;"
                " a step has one impulse for both, and with friction the number alone"
                " would be another law.",
                f"Give ph.contact.Newton({at(given.restitution):g}), or leave the"
                " method out: contacts are then located, and impacts have two halves.",
            )


def _refuse_dry_joints(model: System) -> None:
    dry = [names(model)[p.candidate] for p in pads(model) if p.edge is not None]
    if dry:
        raise ModelError(
            f"a method that steps over contacts does not know {dry[0]!r}, a dry joint.",
            "It is pressed by what its joint carries, which follows from accelerations;"
            " a step over contacts has none.",
            "Leave the method out, give ph.Brake with the load that it has, or"
            " ph.JointFriction with ph.contact.Regularised among the actions.",
        )


def _stored(
    to: Any,
    made_by: MadeBy,
    states: States,
    runs: Runs,
    options: RunOptions,
) -> tuple[Runs, RunOptions]:
    """The run from where its file has it, and options with the file as its store."""
    from polhode.integrate.storage import session

    stepper_states, bounds, table = runs
    path = session.require_one(to, len(stepper_states.t))
    own = {name: values[0] for name, values in table.items()}
    made = session.Made(*made_by, own)
    if options.context is not None:
        made = made._replace(**session.guided_by(options.context))
    until = float(bounds.stop[0])
    stepper_state, bounds = (
        StepperState(*(v[0] for v in stepper_states)),
        RunBounds(*(v[0] for v in bounds)),
    )
    checkpoint = Checkpoint(
        stepper_state, bounds, states.at(0), until, options.samples, options.limit
    )

    def settle(steps: Steps) -> Steps:
        whole = Outcome("DONE", until, "", 0, 0)
        return settled_rows(
            Trajectory(*made_by[:2], steps, whole, own, "", False)
        ).steps

    store, checkpoint = session.opened(path, made, checkpoint, settle)
    try:
        stepper_states = StepperState(
            *(np.asarray(leaf)[None] for leaf in checkpoint.stepper_state)
        )
        bounds = RunBounds(*(np.asarray(leaf)[None] for leaf in checkpoint.bounds))
        store.past = session.past_of(to, states.system)
        store.told = session.told_of(to, checkpoint.stepper_state)
        runs = Runs(stepper_states, bounds, table)
        return runs, options._replace(store=store)
    except BaseException:
        store.discard()
        raise


def _motions(
    made_by: MadeBy, given: Admitted, records: Sequence[RunRecord], options: RunOptions
) -> list[Trajectory]:
    """What was kept of each run, as a motion."""
    found = []
    for k, record in enumerate(records):
        table = {name: values[k] for name, values in given.table.items()}
        motion = _trajectory(made_by, record, table, options, start=given.runs.at(k))
        found.append(motion)
    return found


def _trajectory(
    made_by: MadeBy,
    kept: RunRecord,
    table: dict[str, Any],
    options: RunOptions,
    *,
    start: tuple[float, np.ndarray, np.ndarray],
) -> Trajectory:
    """One motion: its rows, its outcome, and where it can be gone on from."""
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
    told = guided(kept, options.context)
    ending = replace(ending, told=told.sentence)
    outcome = outcome_of(equations.system, ending, until, told.table(table))
    motion = replace(end, steps=kept.steps, outcome=outcome, is_dense=kept.is_dense)
    motion = replace(
        motion, events=told.events, inputs=told.input_log, cause=told.cause
    )
    if options.context is not None and options.context.limits is not None:
        order = options.context.limits.key[-1]
        motion = with_contact_log(motion, told.met, order)
    checkpoint = Checkpoint(
        last, kept.bounds, start, until, options.samples, options.limit
    )
    motion = replace(motion, checkpoint=checkpoint)
    if kept.is_dense or options.store is not None or not len(motion):
        return motion
    return settled_rows(motion)


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
