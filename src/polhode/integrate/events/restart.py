"""Events that stop a run: it is cut there, its state reset, and a new segment begun."""

from __future__ import annotations

from typing import NamedTuple

import jax
import numpy as np

from polhode.errors import PolhodeError
from polhode.integrate.events.context import (
    Case,
    RunContext,
    Weight,
    event_values,
    find_crossings,
    occurrence,
    project_state,
    state_at,
    watched_occurrence,
)
from polhode.integrate.events.event import Event
from polhode.integrate.events.event_run import FIRED, GRAZED
from polhode.integrate.events.locate import Crossing, restrict_step
from polhode.integrate.events.messages import StopReason, ending, fault_reason, zeno
from polhode.integrate.events.occurrence_rows import Met
from polhode.integrate.events.switch import Guard
from polhode.integrate.events.times import ACCUMULATION, ROUNDED, instant
from polhode.integrate.field.dense_output import Steps, first_row, join_steps
from polhode.integrate.field.inconsistency import inconsistency
from polhode.integrate.field.states import unchecked
from polhode.integrate.inputs.sampling import next_time
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.start import initial_derivative
from polhode.integrate.kernel.status import (
    DONE,
    EVENT,
    FAULT,
    NOT_A_NUMBER,
    RUNNING,
    SWITCHING,
    ZENO,
)
from polhode.integrate.kernel.stepper_state import (
    Rows,
    RunBounds,
    StepperState,
    carried_anew,
)
from polhode.integrate.methods.method import is_fixed
from polhode.system.check import require_consistent
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays


class SegmentResult(NamedTuple):
    """What comes of a chunk: rows to keep, a stepper state, events, perhaps an end."""

    rows: list[Steps]
    stepper_state: StepperState
    met: list[Met]
    stop_reason: StopReason | None = None


def begin_segment(
    context: RunContext, bounds: RunBounds, stepper_state: StepperState
) -> StepperState:
    """Stepper states at the beginning of a segment: to the next sample, or to the end.

    Leading axes, if there are any, are runs.
    """
    t_end = np.asarray(bounds.stop, float)
    if context.inputs.sources:
        due = next_time(context.inputs, bounds.start, stepper_state)
        t_end = np.where(due >= bounds.stop, bounds.stop, due)
    leg = stepper_state._replace(
        begun=stepper_state.t, t_end=t_end[()], before=stepper_state.accepted
    )
    method = context.method
    if not is_fixed(method):
        return leg
    span = t_end - stepper_state.t
    # A span that is a whole number of steps up to rounding gets no step more.
    n_steps = np.maximum(np.ceil(np.abs(span) / method.step * (1 - 1e-12)), 1)
    h = span / n_steps
    return leg._replace(n_steps=n_steps.astype(np.int64)[()], h=h[()])


def sides_at(
    stepper_state: StepperState, weight: Weight, before: np.ndarray, fired: list[int]
) -> np.ndarray:
    """Sides of zero where a segment begins: by g, or in doubt as they were before.

    An event that has just been met is in doubt: its side is the one to which it goes.
    """
    g, rate, doubt = weight
    goes, is_met = rate * stepper_state.h, np.isin(np.arange(len(g)), fired)
    near = np.where(is_met & (np.abs(goes) > doubt), np.sign(goes), before)
    return np.where(np.abs(g) > doubt, 2 * np.sign(g), near).astype(np.int64)


def cut_rows(
    case: Case, here: Steps, checkpoint: Crossing, before: StepperState, rows: Rows
) -> tuple[Steps, StepperState]:
    """The rows up to an event, and the stepper state there, its x not yet projected."""
    j, s = checkpoint.step, checkpoint.s
    kept = here.part(slice(1, j + 2 if s == 1 else j + 1))
    if 0 < s < 1:
        kept = join_steps(
            [kept, restrict_step(here, j, s)._replace(t=np.array([checkpoint.t]))]
        )
    last = kept if len(kept.t) else here.part(slice(1))
    steps = j + (s > 0)
    attempts = int(np.flatnonzero(rows.accepted)[j]) + 1
    h = here.t[j + 1] - here.t[j]
    # A segment may end just after it began; a step must still advance the time.
    h = np.sign(h) * np.maximum(np.abs(h), 1e3 * case.bounds.least)
    facts = {
        "t": np.float64(checkpoint.t),
        "x": last.x[-1],
        "x_dot": last.x_dot[-1],
        "h": np.float64(h),
        "accepted": before.accepted + steps,
        "rejected": before.rejected + attempts - steps,
        "memory": np.float64(step_size.FIRST_MEMORY),
        "tried": np.float64(0.0),
        "status": np.int64(RUNNING),
    }
    return kept, before._replace(**facts)


class Stop(NamedTuple):
    """An event that stops a run: where, the rows up to it, and the state there."""

    checkpoint: Crossing
    kept: Steps
    stepper_state: StepperState


def stop_at_event(
    context: RunContext,
    case: Case,
    here: Steps,
    each: list[Crossing],
    stop: Stop,
) -> SegmentResult:
    """The run up to an event that stops it, and what it and its like then do."""
    checkpoint, kept, stepper_state = stop
    close = instant(checkpoint.t, here.t[checkpoint.step + 1] - here.t[checkpoint.step])
    near = [c for c in each if abs(c.t - checkpoint.t) <= close]
    earlier = [
        c
        for c in each
        if (c.step, c.s) < (checkpoint.step, checkpoint.s) and c not in near
    ]
    met: list[Met] = [
        watched_occurrence(context, case, here, c, stepper_state.held) for c in earlier
    ]
    if len(kept.t):
        first = here.part(slice(1))
        sides = find_crossings(
            context, case, join_steps([first, kept]), stepper_state
        ).sides
        stepper_state = stepper_state._replace(sides=sides)
    near = [c._replace(t=checkpoint.t) for c in sorted(near, key=lambda c: c.event)]
    turn = restart(context, case, stepper_state, near)
    if len(kept.t):
        settled = kept.x.copy()
        settled[-1] = project_state(
            context, case, checkpoint.t, kept.x[-1], stepper_state.held
        ).x
        kept = kept._replace(x=settled)
    return turn._replace(rows=[kept, *turn.rows], met=met + turn.met)


def restart(
    context: RunContext, case: Case, stepper_state: StepperState, fired: list[Crossing]
) -> SegmentResult:
    """Resets of events at one instant, one after the other, and the segment from there.

    Those that are traced are made by the loop itself, when it goes on.
    """
    traced = all(context.is_traced(c.event) for c in fired)
    if traced and not is_due(context, case, stepper_state):
        return SegmentResult([], switching(stepper_state, fired), [])
    return reset_by_host(context, case, stepper_state, fired)


def switching(stepper_state: StepperState, fired: list[Crossing]) -> StepperState:
    """A stepper state whose changes are due, to be made by the loop."""
    sides = np.array(stepper_state.sides)
    for crossing in fired:
        mark = GRAZED if crossing.is_grazing else FIRED
        sides[crossing.event] = mark * crossing.direction
    return stepper_state._replace(sides=sides, status=np.int64(SWITCHING))


def due_guards(stepper_state: StepperState) -> list[Crossing]:
    """The guards whose changes are due at a stepper state."""
    t, sides = float(stepper_state.t), stepper_state.sides
    return [
        Crossing(int(k), 0, 0.0, t, int(np.sign(sides[k])), abs(sides[k]) == GRAZED)
        for k in np.flatnonzero(np.abs(sides) >= FIRED)
    ]


def is_due(context: RunContext, case: Case, stepper_state: StepperState) -> bool:
    """Whether the segment has no time left, and samples are to be made at its end."""
    t_end, t = float(stepper_state.t_end), float(stepper_state.t)
    is_last = t_end == float(case.bounds.stop)
    return not is_last and abs(t_end - t) <= instant(stepper_state.t, 0.0)


def reset_by_host(
    context: RunContext, case: Case, stepper_state: StepperState, fired: list[Crossing]
) -> SegmentResult:
    """The same by plain Python, or where the loop could not go on from a change."""
    here = project_state(
        context, case, stepper_state.t, stepper_state.x, stepper_state.held
    )
    state = state_at(context, stepper_state.t, here)
    met: list[Met] = []
    sides = np.array(stepper_state.sides)
    for crossing in fired:
        event = context.events[crossing.event]
        try:
            after = _reset(event, state)
        except Exception as reason:
            stop_reason = fault_reason(
                context, stepper_state, f"the reset of {event.name!r} failed", reason
            )
            return SegmentResult(
                [], end_run(stepper_state, here.x, FAULT), met, stop_reason
            )
        met.append(occurrence(context, crossing, state, after))
        turned = crossing.is_grazing or event.reset is not None
        sides[crossing.event] = crossing.direction * (-1 if turned else 1)
        state = after
    stepper_state = stepper_state._replace(sides=sides, stiff=np.int64(0))
    terminal = [c for c in fired if context.events[c.event].terminal]
    if all(context.events[c.event].reset is None for c in fired):
        stop_reason = ending(context, terminal[0].event, float(state.t))
        return SegmentResult(
            [], end_run(stepper_state, here.x, EVENT), met, stop_reason
        )
    return _segment_after_resets(
        context, case, stepper_state, state=state, fired=fired, met=met
    )


def _segment_after_resets(
    context: RunContext,
    case: Case,
    stepper_state: StepperState,
    *,
    state: State,
    fired: list[Crossing],
    met: list[Met],
) -> SegmentResult:
    """The segment that begins in the state that resets have left."""
    table = {name: np.array([value]) for name, value in case.table.items()}
    held = stepper_state.held[None]
    try:
        # By the parameters of this run: a state of it may break those of the system.
        columns = (
            np.array([part], dtype=float) for part in (state.t, state.q, state.z)
        )
        states = unchecked(state.system, *columns)
        if not table:
            require_consistent(state)
        start = initial_derivative(
            context.equations, states, table, context.inputs.drive, held
        )
        if not start.is_kept[0]:
            at = (float(state.t), state.q, state.z)
            raise inconsistency(state.system, StateArrays(*at), case.table)
    except PolhodeError as reason:
        fault = fault_reason(
            context, stepper_state, "a reset led to no state of the system", reason
        )
        return SegmentResult(
            [], end_run(stepper_state, stepper_state.x, FAULT), met, fault
        )
    x, x_dot = start.x[0], start.x_dot[0]
    recent = np.append(stepper_state.recent[1:], stepper_state.t)
    carried = carried_anew(stepper_state, x_dot)
    first = stepper_state._replace(x=x, x_dot=x_dot, carried=carried, recent=recent)
    first = begin_segment(context, case.bounds, first)
    weight, met_now = event_values(context, case, first), [c.event for c in fired]
    sides = sides_at(first, weight, first.sides, met_now)
    first = first._replace(sides=sides)
    jump = first_row(first, context.method.dense_terms)
    terminal = [c for c in fired if context.events[c.event].terminal]
    stop_reason: StopReason | None = None
    if terminal:
        first, stop_reason = (
            end_run(first, x, EVENT),
            ending(context, terminal[0].event, float(state.t)),
        )
    elif not (start.is_sound[0] and np.all(np.isfinite(x_dot))):
        first = first._replace(status=np.int64(NOT_A_NUMBER))
    elif float(first.t) == float(case.bounds.stop):
        first = first._replace(status=np.int64(DONE))
    elif _accumulates(case, first):
        first, stop_reason = (
            end_run(first, x, ZENO),
            zeno(context, fired[0].event, first),
        )
    elif context.limits is not None:
        # What a reset has left decides anew what limits allow: the loop does.
        first = with_limits_open(context, first)
    return SegmentResult([jump], first, met, stop_reason)


def with_limits_open(context: RunContext, stepper_state: StepperState) -> StepperState:
    """A stepper state at which all that limits allow is to be decided, by the loop."""
    assert context.limits is not None
    held = np.array(stepper_state.held)
    held[..., context.limits.place(context.inputs.drive)] = context.limits.count
    status = np.full_like(stepper_state.status, SWITCHING)
    return stepper_state._replace(held=held, status=status)


def _reset(event: Event | Guard, state: State) -> State:
    if event.reset is None:
        return state
    # jax.numpy inside plain Python keeps double precision.
    with jax.enable_x64(True):
        after = event.reset(float(state.t), state)
    if not isinstance(after, State) or after.system is not state.system:
        raise TypeError(f"a reset gives a state of the system, not {after!r}")
    return State(state.system, float(state.t), after.q, after.z)


def end_run(stepper_state: StepperState, x: np.ndarray, status: int) -> StepperState:
    """A stepper state that goes no further."""
    return stepper_state._replace(x=x, status=np.int64(status))


def _accumulates(case: Case, stepper_state: StepperState) -> bool:
    first, last = float(stepper_state.recent[0]), float(stepper_state.t)
    span = abs(float(case.bounds.stop) - float(case.bounds.start))
    # Far from t = 0 times are no nearer to each other than their rounding.
    close = max(ACCUMULATION * span, ROUNDED * abs(last))
    return np.isfinite(first) and abs(last - first) <= close
