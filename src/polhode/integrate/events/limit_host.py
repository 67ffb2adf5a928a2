"""Limits on the host: changes that a compiled loop could not make, and their ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.errors import ContactError
from polhode.integrate.events.context import Case, RunContext, project_state
from polhode.integrate.events.limits import NONE, LimitChange
from polhode.integrate.events.messages import StopReason
from polhode.integrate.events.occurrence_buffer import FACTS
from polhode.integrate.events.restart import SegmentResult, begin_segment, end_run
from polhode.integrate.field.dense_output import first_row
from polhode.integrate.kernel.status import CONTACT, DONE, NOT_A_NUMBER, RUNNING
from polhode.integrate.kernel.stepper_state import StepperState


class MadeByHost(NamedTuple):
    """The stepper state after a change, and its occurrence as a row of a buffer."""

    stepper_state: StepperState
    met: np.ndarray


def is_limit_due(context: RunContext, stepper_state: StepperState) -> bool:
    """Whether the change of a limit is due at a stepper state."""
    if context.limits is None:
        return False
    place = context.limits.place(context.inputs.drive)
    return float(stepper_state.held[place]) > NONE


def limit_by_host(
    context: RunContext, case: Case, stepper_state: StepperState
) -> SegmentResult:
    """The segment after the change of a limit; the run ended, where there is none."""
    try:
        made = change_of_limit(context, case, stepper_state)
    except ContactError as error:
        stop_reason = StopReason(str(error), error)
        end = end_run(stepper_state, stepper_state.x, CONTACT)
        return SegmentResult([], end, [], stop_reason)
    jump = first_row(made.stepper_state, context.method.dense_terms)
    return SegmentResult([jump], made.stepper_state, [made.met])


def change_of_limit(
    context: RunContext, case: Case, stepper_state: StepperState
) -> MadeByHost:
    """The change of a limit, by the law's own code on the host; it may raise."""
    limits, drive, system = context.limits, context.inputs.drive, context.system
    assert limits is not None
    t, n = float(stepper_state.t), system.coordinates
    q, z = stepper_state.x[:n], stepper_state.x[n:]
    held = drive.unpacked(np.asarray(stepper_state.held))
    table = drive.table_function(case.table, stepper_state.held)(t, q, z)

    def land(made: LimitChange) -> Any:
        x = np.concatenate([made.q, made.z])
        return project_state(
            context, case, t, x, _held_values_after(context, stepper_state, made)
        )

    made = limits.by_host(t, q, z, held, table, land=land)
    there, new = land(made), _held_values_after(context, stepper_state, made)
    first = stepper_state._replace(
        x=there.x, x_dot=there.x_dot, carried=there.x_dot, held=new, stiff=np.int64(0)
    )
    first = begin_segment(context, case.bounds, first)
    status = RUNNING if there.is_sound else NOT_A_NUMBER
    status = DONE if t == float(case.bounds.stop) else status
    first = first._replace(status=np.int64(status))
    facts = [t, float(len(context.events)), -1.0, 0.0, 1.0]
    parts = (facts, stepper_state.x, there.x, new, made.record)
    assert len(facts) == FACTS
    return MadeByHost(first, np.concatenate(parts))


def _held_values_after(
    context: RunContext, stepper_state: StepperState, made: LimitChange
) -> np.ndarray:
    """Held values after a change, no limit due."""
    limits, drive = context.limits, context.inputs.drive
    assert limits is not None
    held, first = np.array(stepper_state.held), 0
    for name, size in drive.sizes.items():
        last = first + max(size, 1)
        if name in made.modes:
            held[first:last] = made.modes[name]
        first = last
    held[limits.place(drive)] = NONE
    return held
