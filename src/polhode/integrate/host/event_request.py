"""Events and inputs of a call: admitted before it, and told of after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.contact.contact_rows import events_met
from polhode.integrate.events.context import RunContext
from polhode.integrate.events.event import (
    NO_EVENTS,
    Events,
    admit_events,
    require_names,
)
from polhode.integrate.events.occurrence_rows import Met
from polhode.integrate.events.switch import Switch, Switching, guards_of, switches_of
from polhode.integrate.field.controlled import PLAIN, with_controllers
from polhode.integrate.field.states import States
from polhode.integrate.inputs.inputs import (
    UNFED,
    InputLog,
    Inputs,
    admit_inputs,
    with_own_inputs,
)
from polhode.integrate.inputs.sampling import first_samples
from polhode.integrate.inputs.thruster_pulses import require_phase
from polhode.integrate.kernel.sample_instant import first_samples_function
from polhode.integrate.kernel.stepper_state import StepperState, start_cursor
from polhode.integrate.methods.registry import STEPS_COLUMNS
from polhode.system.values import require_mapping

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.host.loop import RunRecord
    from polhode.integrate.methods.method import Method


NO_INPUTS = Inputs()


class FirstInputs(NamedTuple):
    """The parts of cursors that belong to inputs and events; leading axes are runs."""

    held: np.ndarray
    sample_count: np.ndarray
    recall: np.ndarray
    sides: np.ndarray


class EventReport(NamedTuple):
    """What a motion tells of its events and inputs.

    table   of parameters -> what an outcome looks up: with inputs, a function
    """

    sentence: str
    cause: BaseException | None
    events: Events
    input_log: InputLog
    table: Callable[[Any], Any]
    met: Sequence[Met] = ()


def no_inputs(runs: int) -> FirstInputs:
    """Of runs without events and inputs."""
    none = np.zeros((runs, 0))
    return FirstInputs(none, none.astype(np.int64), none, none.astype(np.int64))


def run_context(
    equations: Equations,
    method: Method,
    events: Any,
    inputs: Mapping[Any, Any] | None,
    runs: int = 1,
) -> RunContext:
    """The events and inputs of a call of so many runs, checked."""
    if inputs is None or isinstance(inputs, dict):
        inputs = with_own_inputs(equations.system, inputs)
    is_bare = events is None or (isinstance(events, tuple | list) and not events)
    is_bare = is_bare and (inputs is None or (isinstance(inputs, dict) and not inputs))
    if is_bare and not equations.system.supports:
        without_controllers = equations.programs.get(PLAIN, equations)
        return RunContext(without_controllers, method, (), NO_INPUTS)
    if inputs is not None:
        require_mapping("inputs", inputs)
    found = admit_inputs(equations.system, inputs)
    listed = admit_events(events, Switching)
    switches = switches_of(equations.system, listed)
    own = [support.name for support in equations.system.supports]
    require_names([*own, *(guard.name for guard in guards_of(switches))])
    for each in listed:
        if isinstance(each, Switching) and each.modes:
            found = found.with_modes(each.modes_of(runs))
    controlled = with_controllers(equations, found.drive)
    _require_steppable(controlled, method, switches)
    return RunContext(controlled, method, switches, found)


def _require_steppable(
    equations: Equations, method: Method, switches: tuple[Switch, ...]
) -> None:
    """Refuse what would begin the states of controllers anew on the way."""
    if not equations.controller_states:
        return
    why = "States of controllers go on through every step and every event."
    if any(s.change is None and any(g.reset for g in s.guards) for s in switches):
        raise IntegrationError(
            "a controller with states cannot go on through an event that is changed by"
            " plain Python.",
            why,
            "Write the change with jax.numpy, or sample the controller: ph.Sampled(law,"
            " dt, state=[...]).",
        )
    if type(method).__name__ not in STEPS_COLUMNS:
        raise IntegrationError(
            f"{method.name} does not step states of controllers.",
            f"It is made for mechanics alone. {why}",
            "Choose ph.methods.DormandPrince(), ph.methods.RadauIIA() or"
            " ph.methods.RungeKutta4(step=...).",
        )


def initial_inputs(
    context: RunContext, states: States, until: float, table: Mapping[str, Any]
) -> FirstInputs:
    """Sampled inputs asked at the starts of all runs, with their parameters."""
    inputs = context.inputs
    if not context.is_needed:
        return no_inputs(len(states))
    require_forward(context, states, until)
    sampled = [name for source in inputs.sources for name in source.names]
    require_phase(context.system, sampled, states.t)
    bare = unsampled_inputs(context, np.arange(len(states)))
    if not inputs.sources:
        return bare
    if inputs.drive.samplers:
        made = sample_starts(context, states, bare, table)
        odd = ~(np.isfinite(made.held).all(1) & np.isfinite(made.recall).all(1))
        for k in np.flatnonzero(odd).tolist():
            _sample_on_host(inputs, states, bare, k, table)  # which says what is wrong
        return made
    columns = [
        _sample_on_host(inputs, states, bare, k, table)._asdict()
        for k in range(len(states))
    ]
    own = [[column[word] for word in FirstInputs._fields] for column in columns]
    return FirstInputs(*map(np.stack, zip(*own, strict=True)))


def require_forward(context: RunContext, states: States, until: float) -> None:
    """Refuse sampled inputs of runs that go backwards."""
    if context.inputs.sources and np.any(states.t > until):
        raise IntegrationError(
            f"a run with sampled inputs cannot go back to t = {until:g} s.",
            "What is held until the next sample is held forwards in time.",
            "Let until be later than the start, or give a law of time and state.",
        )


def unsampled_inputs(context: RunContext, runs: np.ndarray) -> FirstInputs:
    """Inputs and events of runs, by their numbers, before any sample."""
    inputs, count = context.inputs, len(runs)
    return FirstInputs(
        held=inputs.first_held(count),
        sample_count=np.zeros((count, len(inputs.sources)), np.int64),
        recall=inputs.first_recall(runs),
        sides=np.zeros((count, len(context.events)), np.int64),
    )


def sample_starts(
    context: RunContext, states: States, bare: FirstInputs, table: Mapping[str, Any]
) -> FirstInputs:
    """Inputs at the starts of all runs, by the samplers of the loop itself."""
    drive, system = context.inputs.drive, context.system
    columns = (bare.held, bare.recall, bare.sample_count)
    given = (states.t, states.q, states.z, *columns, states.t)
    program = context.equations.program(
        ("first samples", drive.key, tuple(sorted(table))),
        first_samples_function(system, drive.samplers),
        (*(column[0] for column in given), {n: float(v[0]) for n, v in table.items()}),
        batched=[
            *(n for n, c in zip(FIRST_SAMPLES, given, strict=True) if c[0].size),
            *(["table"] if table else []),
        ],
    )
    found = program(*(c if c[0].size else c[0] for c in given), dict(table))
    lifted = [np.asarray(part).reshape(len(states), -1) for part in found]
    return bare._replace(
        held=lifted[0], recall=lifted[1], sample_count=lifted[2].astype(np.int64)
    )


FIRST_SAMPLES = ("t", "q", "z", "held", "recall", "count", "start")


def _sample_on_host(
    inputs: Inputs, states: States, bare: FirstInputs, k: int, table: Mapping[str, Any]
) -> StepperState:
    own = {word: value[k] for word, value in bare._asdict().items()}
    start = start_cursor(states.t[k], states.q[k], states.q[k], 0.0)
    start = start._replace(**own)
    mine = {name: float(values[k]) for name, values in table.items()}
    return first_samples(inputs, start, states[k], states.t[k], mine)


def event_report(kept: RunRecord, context: RunContext | None) -> EventReport:
    """What happened to a run."""
    if context is None or kept.tracker is None:
        return EventReport("", None, NO_EVENTS, UNFED, lambda table: table)
    tracker, stepper_state = kept.tracker, kept.stepper_state
    names = tuple(event.name for event in context.events)
    drive = context.inputs.drive
    reason = tracker.stop_reason
    times = np.array([t for t, _ in tracker.input_log])
    values = [held for _, held in tracker.input_log]
    rows = np.array(values).reshape(len(values), drive.width)
    return EventReport(
        reason.sentence if reason else "",
        reason.cause if reason else None,
        events_met(context.equations.system, names, tracker.met, context.inputs),
        InputLog(context.inputs, times, rows),
        lambda table: drive.table_function(table, _held(stepper_state)),
        tracker.met,
    )


def _held(stepper_state: StepperState) -> np.ndarray:
    return np.asarray(stepper_state.held)
