"""`ph.simulate`: the motion of a system from a state to a time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from polhode.errors import IntegrationWarning, ModelError
from polhode.formulation.equations import Equations
from polhode.formulation.recursive.recursive import recursive
from polhode.integrate.events.event import Event
from polhode.integrate.events.event_chunk import EventChunk
from polhode.integrate.field.dense_output import Steps, bare
from polhode.integrate.field.input_table import Drive
from polhode.integrate.field.states import States
from polhode.integrate.host.admission import (
    admit_limit,
    admit_memory,
    admit_watch,
    admitted,
)
from polhode.integrate.host.checks import require_memory, require_sound_start
from polhode.integrate.host.event_request import guided, initial_inputs, run_context
from polhode.integrate.host.loop import RunOptions, RunRecord, Watch, run
from polhode.integrate.host.method_choice import picked, suited
from polhode.integrate.host.progress import watched
from polhode.integrate.kernel.chunk import RunBounds, StepperState, chunk_program
from polhode.integrate.kernel.outcome import Ending, Outcome, outcome_of
from polhode.integrate.kernel.start import (
    InitialStep,
    initialise,
    require_feasible,
    step_settings,
)
from polhode.integrate.kernel.status import DONE
from polhode.integrate.kernel.stiffness import Start, decay_of
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.method import Method
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.results.motions import Motions
from polhode.integrate.results.trajectory import Trajectory, settled_rows
from polhode.system.contacts import refuse_supports
from polhode.system.state import State
from polhode.system.system import System

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
    is_exact = not isinstance(method, Moreau)
    if isinstance(model, System) and model.supports and is_exact:
        from polhode.integrate.simulate_contacts import simulate_contacts

        return simulate_contacts(
            model,
            state,
            until=until,
            settings=(method, rtol, atol),
            samples=samples,
            parameters=parameters,
            limit=limit,
            impacts=impacts,
            others={"watch": watch, "to": to, "events": events, "inputs": inputs},
        )
    equations = equations_of(model, method)
    pick = picked(equations, method, rtol, atol)
    memory, watch = admit_memory(memory), admit_watch(watch)
    asked = admitted(
        equations,
        state,
        until=until,
        samples=samples,
        parameters=parameters,
        memory=memory,
        inputs=inputs,
    )
    asked.require_all()
    runs, until, times, table, _ = asked
    context = run_context(equations, pick[0], events, inputs, len(runs))
    equations = context.equations
    input_log = initial_inputs(context, runs, until)
    drive = context.inputs.drive
    at = (runs, table, until, (drive, input_log.held))
    tolerances = (rtol, atol) if method is None else None
    pick, go = _launched(equations, at, pick, tolerances)
    method, context = pick[0], context._replace(method=pick[0])
    stepper_states, bounds = go.stepper_state._replace(**input_log._asdict()), go.bounds
    if to is None:
        require_memory(method, bounds, times, stepper_states.x.shape[1], memory)
    all_runs = (stepper_states, bounds, table)
    if context.switches:
        program: Any = EventChunk(equations, method, context.watched, all_runs)
    else:
        program = chunk_program(equations, method, all_runs, drive)
    options = RunOptions(
        times, admit_limit(limit), None, method.dense_terms, memory=memory
    )
    options = options._replace(context=context if context.is_needed else None)
    made_by = equations, *pick
    if to is not None:
        begun = (runs, stepper_states, bounds, table)
        stepper_states, bounds, options = _stored(to, made_by, begun, options)
    try:
        with watched(watch, equations.system.name) as told:
            options = options._replace(watch=told)
            all_kept = run(program, stepper_states, bounds, table, options)
    finally:
        if options.store is not None:
            options.store.close()  # Ctrl-C may have come before the run began
    each = [{name: v[i] for name, v in table.items()} for i in range(len(runs))]
    found = [
        _trajectory(made_by, kept, options, own, runs.at(i))
        for i, (kept, own) in enumerate(zip(all_kept, each, strict=True))
    ]
    if options.store is not None:
        options.store.seal(found[0].outcome)
    _warn(found)
    alone = isinstance(state, State) and len(found) == 1
    return found[0] if alone else Motions(tuple(found))


def _launched(
    equations: Equations,
    at: tuple[States, Any, float, tuple[Drive, Any]],
    pick: tuple[Method, str],
    tolerances: tuple[Any, Any] | None,
) -> tuple[tuple[Method, str], InitialStep]:
    """The runs before their first step; a pick that may change suits their decay."""
    runs, table, until, (drive, held) = at
    go = initialise(
        equations, runs, table, step_settings(pick[0], until), (drive, held)
    )
    require_sound_start(drive, runs, go.initial_derivative, (table, held))
    if tolerances is not None:
        start = Start(runs, table, drive, held, go.initial_derivative)
        suits = suited(equations, pick, *tolerances, decay_of(equations, start, until))
        if suits is not pick:
            settings = step_settings(suits[0], until)
            go = initialise(equations, runs, table, settings, (drive, held))
        pick = suits
    require_feasible(equations, go, pick[0])
    return pick, go


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
    if "motion" not in model.compiled:
        model.compiled["motion"] = recursive(model)
    return model.compiled["motion"]


def _stepped(model: System, method: Method | None) -> Equations:
    """Those of a system without its supports, for which the method answers."""
    if not isinstance(method, Moreau):
        refuse_supports(model, "A method for smooth motion")
    if "stepped motion" not in model.compiled:
        smooth = recursive(model.without_supports)
        known = replace(smooth, system=model, knows_contacts=True)
        model.compiled["stepped motion"] = known
    return model.compiled["stepped motion"]


def _stored(
    to: Any,
    made_by: tuple[Equations, Method, str],
    begun: tuple[States, StepperState, RunBounds, Any],
    options: RunOptions,
) -> tuple[StepperState, RunBounds, RunOptions]:
    """The run from where its file has it, and the wish with the file as its store."""
    from polhode.integrate.storage import session

    runs, stepper_states, bounds, table = begun
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
        stepper_state, bounds, runs.at(0), until, options.samples, options.limit
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
        store.past = session.past_of(to, runs.system)
        store.told = session.told_of(to, checkpoint.stepper_state)
        return stepper_states, bounds, options._replace(store=store)
    except BaseException:
        store.discard()
        raise


def _trajectory(
    made_by: tuple[Equations, Method, str],
    kept: RunRecord,
    options: RunOptions,
    table: dict[str, Any],
    start: tuple[float, np.ndarray, np.ndarray],
) -> Trajectory:
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
    warnings.warn(warning, stacklevel=3)
