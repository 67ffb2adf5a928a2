"""Between chunks, on the host: events are located, inputs sampled, segments begun.

A segment is a part of a run over which its inputs are held and its state moves by its
equations alone. All that one segment leaves to the next is in the `StepperState`, and
all of it depends on steps, not on how they were cut into chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from polhode.errors import IntegrationError
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
from polhode.integrate.events.limit_host import is_limit_due, limit_by_host
from polhode.integrate.events.locate import Crossing, Found, Unseen
from polhode.integrate.events.messages import StopReason, ending, fault_reason, zeno
from polhode.integrate.events.occurrence_buffer import OccurrenceBuffer, rows_in
from polhode.integrate.events.occurrence_rows import Met, guard_name, time_of
from polhode.integrate.events.restart import (
    SegmentResult,
    Stop,
    begin_segment,
    cut_rows,
    due_guards,
    end_run,
    is_due,
    reset_by_host,
    restart,
    sides_at,
    stop_at_event,
)
from polhode.integrate.field.dense_output import Steps, first_row, join_steps
from polhode.integrate.inputs.sampling import InputFault, sampled
from polhode.integrate.kernel.status import (
    DONE,
    EVENT,
    FAULT,
    NEEDS_HOST,
    NOT_A_NUMBER,
    RUNNING,
    ZENO,
)
from polhode.integrate.kernel.stepper_state import (
    Rows,
    StepperState,
    carried_anew,
    row_of_attempt,
)
from polhode.system.state import State

# What an event moves from rest, within its doubt, is still more than its rounding.
SLIGHT = 1e-3


def begin_run(
    context: RunContext, case: Case, stepper_state: StepperState
) -> SegmentResult:
    """The first segment: sides of events are taken, resets made that are due at once.

    `stepper_state` has the inputs of the start already.
    """
    stepper_state = begin_segment(context, case.bounds, stepper_state)
    if not context.events or int(stepper_state.status) != RUNNING:
        return SegmentResult([], stepper_state, [])
    nowhere = np.zeros(len(context.events), np.int64)
    weight = event_values(context, case, stepper_state)
    _require_sides(context, stepper_state, weight)
    everyone = list(range(len(context.events)))
    stepper_state = stepper_state._replace(
        sides=sides_at(stepper_state, weight, nowhere, everyone)
    )
    way = np.sign(_rates(context, case, stepper_state, weight)) * np.sign(
        stepper_state.h
    )
    due = [
        Crossing(k, 0, 0.0, float(stepper_state.t), event.direction, False)
        for k, event in enumerate(context.events)
        if event.reset and event.direction and abs(stepper_state.sides[k]) < 2
        if way[k] == event.direction
    ]
    return (
        restart(context, case, stepper_state, due)
        if due
        else SegmentResult([], stepper_state, [])
    )


def _rates(
    context: RunContext, case: Case, stepper_state: StepperState, weight: Weight
) -> np.ndarray:
    """How events change where a run begins; from rest, how they will a step later."""
    still = np.abs(weight.rate * stepper_state.h) <= weight.doubt
    if not np.any(still & (np.abs(weight.g) <= weight.doubt)):
        return weight.rate
    t, x = (
        stepper_state.t + stepper_state.h,
        stepper_state.x + stepper_state.h * stepper_state.x_dot,
    )
    there = project_state(context, case, t, x, stepper_state.held)
    moved = stepper_state._replace(t=t, x=there.x, x_dot=there.x_dot)
    later = event_values(context, case, moved).rate
    sure = np.abs(later * stepper_state.h) > SLIGHT * weight.doubt
    return np.where(still & sure, later, weight.rate)


class Chunk(NamedTuple):
    """What a chunk has made of a stepper state, of one run."""

    before: StepperState
    after: StepperState
    rows: Rows
    buffer: OccurrenceBuffer


def chunk_result(context: RunContext, case: Case, chunk: Chunk) -> SegmentResult:
    """The result of a chunk with events; the loop has located plain ones itself."""
    before, after, rows, buffer = chunk
    new = rows.steps(rows.accepted)
    met: list[Met] = list(rows_in(buffer))
    if int(after.status) == NEEDS_HOST:
        turn = host_change(context, case, after)
        if turn is not None:
            return turn._replace(rows=[new, *turn.rows], met=met + turn.met)
        kept = new.part(slice(-1))
        last = new.part(slice(-1, None))
        here = join_steps([first_row(before, new.terms), kept])
        turn = examine_step(context, case, here.part(slice(-1, None)), last, after)
        return turn._replace(rows=[kept, *turn.rows], met=met + turn.met)
    if int(after.status) == DONE and float(after.t_end) != float(case.bounds.stop):
        turn = _sample_inputs(context, case, after, new)
        return turn._replace(rows=[new, *turn.rows], met=met + turn.met)
    stop_reason = loop_fault(context, case, after) or reason_of(context, after, met)
    return SegmentResult([new], after, met, stop_reason)


def host_change(
    context: RunContext, case: Case, after: StepperState
) -> SegmentResult | None:
    """The changes that are due at a stepper state and that the loop could not make."""
    fired = due_guards(after)
    if fired:
        return reset_by_host(context, case, after, fired)
    return limit_by_host(context, case, after) if is_limit_due(context, after) else None


def examine_step(
    context: RunContext, case: Case, first: Steps, last: Steps, after: StepperState
) -> SegmentResult:
    """The step from one row to another, which the loop has left to the host."""
    at_goal = float(after.t) == float(after.t_end)
    status = np.int64(DONE if at_goal else RUNNING)
    after = after._replace(status=status)
    start = {"t": first.t[0], "x": first.x[0], "x_dot": first.x_dot[0]}
    before = after._replace(**start, accepted=after.accepted - 1)
    rows = row_of_attempt(last, np.array([True]), last.dense)
    return rows_result(context, case, before, after, rows)


def reason_of(
    context: RunContext, stepper_state: StepperState, met: list[Met]
) -> StopReason | None:
    """Why the loop itself has ended a run at an event."""
    status, t = int(stepper_state.status), float(stepper_state.t)
    if status not in (EVENT, ZENO):
        return None
    names = [event.name for event in context.events]
    last = [e for e in met if time_of(e) == t]
    each = [names.index(guard_name(names, e)) for e in last]
    if status == ZENO:
        return zeno(context, each[0], stepper_state)
    ends = [k for k in each if context.events[k].terminal]
    return ending(context, ends[0], t)


def rows_result(
    context: RunContext,
    case: Case,
    before: StepperState,
    after: StepperState,
    rows: Rows,
) -> SegmentResult:
    """What rows from `before` to `after` come to, looked at closely by the host."""
    new = rows.steps(rows.accepted)
    at_goal = int(after.status) == DONE
    at_end = at_goal and float(after.t_end) == float(case.bounds.stop)
    met: list[Met] = []
    if context.events and len(new.t):
        here = join_steps([first_row(before, new.terms), new])
        try:
            found = find_crossings(context, case, here, before)
        except Unseen as fault:
            # The run up to the step in which the zeros of an event cannot be found.
            last = Crossing(
                fault.event, fault.step, 0.0, float(here.t[fault.step]), 0, False
            )
            kept, stepper_state = cut_rows(case, here, last, before, rows)
            what = f"the event {context.events[fault.event].name!r} {fault.why}"
            stop_reason = fault_reason(context, stepper_state, what)
            return SegmentResult(
                [kept], end_run(stepper_state, stepper_state.x, FAULT), [], stop_reason
            )
        each = found.each + (_at_end(here, found) if at_end else [])
        each = [
            c for c in each if context.events[c.event].direction in (0, c.direction)
        ]
        checkpoint = next((c for c in each if context.events[c.event].stops), None)
        if checkpoint:
            cut = cut_rows(case, here, checkpoint, before, rows)
            return _due(
                context,
                case,
                stop_at_event(context, case, here, each, Stop(checkpoint, *cut)),
                new,
            )
        after = after._replace(sides=found.sides)
        met = [watched_occurrence(context, case, here, c, after.held) for c in each]
    if at_goal and not at_end:
        turn = _sample_inputs(context, case, after, new)
        return turn._replace(rows=[new, *turn.rows], met=met + turn.met)
    return SegmentResult([new], after, met, loop_fault(context, case, after))


def _require_sides(
    context: RunContext, stepper_state: StepperState, weight: Weight
) -> None:
    """Refuse a start where an event is not finite, or is past what it guards."""
    name, at = context.equations.system.name, f"t = {float(stepper_state.t):g} s"
    for event, g, doubt in zip(context.events, weight.g, weight.doubt, strict=True):
        if not np.isfinite(g):
            raise IntegrationError(
                f"{name!r} cannot start at {at}: its event {event.name!r} is {g}.",
                "The zero of an event is sought between numbers.",
                "Change its function where it is undefined.",
            )
        if event.required and g < -doubt:
            raise IntegrationError(
                f"{name!r} cannot start at {at}: {event.name!r} has passed by {-g:g}.",
                "The event guards a limit, and the start is beyond it.",
                "Start within the limit, or watch it with an event that requires none.",
            )


def _at_end(here: Steps, found: Found) -> list[Crossing]:
    """Zeros at the very end: g is in doubt there, and was clear since the last zero."""
    at = (len(here.t) - 2, 1.0, float(here.t[-1]))
    return [
        Crossing(int(k), *at, -int(np.sign(found.sides[k])), False)
        for k in np.flatnonzero(found.is_near & (np.abs(found.sides) == 2))
    ]


# ------------------------------------------------------------------ inputs


def _due(
    context: RunContext, case: Case, turn: SegmentResult, like: Steps
) -> SegmentResult:
    """A turn; where its segment lasts no time, the samples at its end are made too."""
    stepper_state = turn.stepper_state
    is_running = int(stepper_state.status) == RUNNING
    if not is_running or not is_due(context, case, stepper_state):
        return turn
    tick = _sample_inputs(
        context, case, stepper_state._replace(t=stepper_state.t_end), like
    )
    return tick._replace(rows=turn.rows + tick.rows, met=turn.met + tick.met)


def _sample_inputs(
    context: RunContext, case: Case, stepper_state: StepperState, like: Steps
) -> SegmentResult:
    """New samples of the inputs that are due, and the segment that begins with them.

    The loop takes those that it can ask itself, in its next turn.
    """
    if context.inputs.drive.samplers:
        return SegmentResult([], stepper_state._replace(status=np.int64(RUNNING)), [])
    state = _controller_state(context, case, stepper_state)
    try:
        next_ = sampled(
            context.inputs, stepper_state, state, case.bounds.start, case.table
        )
    except InputFault as fault:
        stop_reason = fault_reason(context, stepper_state, fault.words, fault.cause)
        return SegmentResult(
            [], end_run(stepper_state, stepper_state.x, FAULT), [], stop_reason
        )
    there = project_state(context, case, stepper_state.t, stepper_state.x, next_.held)
    next_ = next_._replace(x_dot=there.x_dot, carried=carried_anew(next_, there.x_dot))
    status = RUNNING if there.is_sound else NOT_A_NUMBER
    next_ = next_._replace(status=np.int64(status), tried=np.float64(0.0))
    next_ = begin_segment(context, case.bounds, next_)
    turn = SegmentResult([first_row(next_, like.terms)], next_, [])
    return (
        _events_of_sample(context, case, stepper_state, turn)
        if context.events
        else turn
    )


def _controller_state(
    context: RunContext, case: Case, at: StepperState
) -> Callable[[], State]:
    """What makes the state that controllers are given."""

    def state() -> State:
        here = project_state(context, case, at.t, at.x, at.held)
        return state_at(context, at.t, here._replace(x=at.x))

    return state


def loop_fault(context: RunContext, case: Case, at: StepperState) -> StopReason | None:
    """Why a sample ended a run inside the loop: the host asks it again."""
    if int(at.status) != FAULT or not context.inputs.drive.samplers:
        return None
    state = _controller_state(context, case, at)
    words, cause = "a sampled input gave no number", None
    try:
        sampled(context.inputs, at, state, case.bounds.start, case.table)
    except InputFault as fault:
        words, cause = fault.words, fault.cause
    return fault_reason(context, at, words, cause)


def _events_of_sample(
    context: RunContext, case: Case, stepper_state: StepperState, turn: SegmentResult
) -> SegmentResult:
    """Events that a new sample itself carries over zero."""
    before, after = (
        event_values(context, case, at) for at in (stepper_state, turn.stepper_state)
    )
    sides = sides_at(turn.stepper_state, after, stepper_state.sides, [])
    turned = np.sign(before.g) * np.sign(after.g) < 0
    turned &= (np.abs(before.g) > before.doubt) & (np.abs(after.g) > after.doubt)
    found = [
        Crossing(
            int(k), 0, 0.0, float(stepper_state.t), int(np.sign(after.g[k])), False
        )
        for k in np.flatnonzero(turned)
    ]
    found = [c for c in found if context.events[c.event].direction in (0, c.direction)]
    next_ = turn.stepper_state._replace(sides=sides)
    if any(context.events[c.event].stops for c in found):
        checkpoint = restart(context, case, next_, found)
        return checkpoint._replace(rows=[*turn.rows, *checkpoint.rows])
    here = state_at(
        context,
        stepper_state.t,
        project_state(context, case, next_.t, next_.x, next_.held),
    )
    met: list[Met] = [occurrence(context, c, here, here) for c in found]
    return turn._replace(stepper_state=next_, met=met)
