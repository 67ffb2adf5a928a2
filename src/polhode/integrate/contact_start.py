"""Runs of systems with supports: what they refuse, and how they begin.

Such a run is any run with limits (see `contact_limits`): its contacts open,
slip, stick and strike inside the compiled loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import (
    ContactError,
    IntegrationError,
    NumericalWarning,
    Overlap,
)
from polhode.formulation.contact.instant import TOUCHES, overlap
from polhode.formulation.contact.mode_forces import knows_modes
from polhode.formulation.contact.questions import GAIN, gain_sentence
from polhode.formulation.contact.routh_traced import phase_words
from polhode.integrate.contact.contact_limits import (
    SwitchRecord,
    contact_limits,
    first_modes,
)
from polhode.integrate.events.context import Case, RunContext
from polhode.integrate.events.limit_host import change_of_limit
from polhode.integrate.events.occurrence_buffer import GUARD, OccurrenceBuffer, T
from polhode.integrate.events.occurrence_rows import tail_of
from polhode.integrate.events.restart import with_limits_open
from polhode.integrate.field.states import States, unchecked
from polhode.integrate.kernel.chunk import Runs
from polhode.integrate.kernel.start import InitialStep, initialise, step_settings
from polhode.integrate.kernel.status import NEEDS_HOST
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.system import contacts
from polhode.system.contacts import names
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.host.admission import Admitted


def with_contacts(
    context: RunContext, starts: np.ndarray, end: float, order: str
) -> RunContext:
    """The context of runs whose contacts are limits, their modes where they begin.

    `starts` are the times at which runs begin, `end` that to which all go.
    """
    equations = context.equations
    if not knows_modes(equations):
        return context
    system = equations.system
    if equations.controller_states:
        raise IntegrationError(
            f"a controller with states cannot drive {system.name!r}, which has"
            " supports.",
            "A switch of contacts begins velocities anew, and would begin the"
            " controller's states anew as well.",
            "Sample the controller: ph.Sampled(law, dt, state=[...]).",
        )
    if np.any(starts > end):
        raise IntegrationError(
            f"{system.name!r} cannot run back to t = {end:g} s.",
            "An impact and a slip that stops forget what was before them.",
            "Let until be later than the start.",
        )
    inputs = context.inputs.with_modes(first_modes(system, end - float(np.min(starts))))
    limits = contact_limits(equations, order)
    return context._replace(inputs=inputs, limits=limits)


def overlaps(asked: Admitted) -> dict[int, Overlap]:
    """Runs that begin inside of what they rest on, and what is told of each."""
    runs, table, system = asked.runs, asked.table, asked.runs.system
    own = {name: float(values[0]) for name, values in table.items()}
    example = (float(runs.t[0]), runs.q[0], own)
    program = system.program(
        "gaps of starts",
        lambda t, q, table: contacts.gaps(system, t, q, table),
        example,
        batched=["t", "q", *(["table"] if own else [])],
    )
    gap = program(runs.t, runs.q, dict(table))
    deep = np.flatnonzero(
        np.min(gap, axis=1) < -TOUCHES * contacts.contact_length(system)
    )
    return {int(k): overlap(system, gap[k]) for k in deep}


class ContactStart(NamedTuple):
    """Runs whose contacts are decided.

    held    (runs, m) with their modes
    met     of each run, what happened at its start
    faults  of runs that cannot begin: no motion, or several
    """

    go: InitialStep
    held: np.ndarray
    met: list[list[np.ndarray]]
    faults: dict[int, ContactError]


Turn = Callable[[StepperState, RunBounds], tuple[StepperState, OccurrenceBuffer]]


def decided_starts(
    context: RunContext, states: States, runs: Runs, turn: Turn
) -> ContactStart:
    """What contacts do at the starts of runs, by one turn of the loop itself.

    Steps and tolerances are then those of the motion that follows.
    """
    first, bounds, table = runs
    due = with_limits_open(context, first)
    after, buffers = turn(due, bounds._replace(room=np.zeros_like(bounds.room)))
    leaves = [np.array(leaf) for leaf in after]
    met = [[*buffers.rows[k, : int(buffers.count[k])]] for k in range(len(states))]
    faults: dict[int, ContactError] = {}
    for k in np.flatnonzero(after.status == NEEDS_HOST).tolist():
        own = {name: values[k] for name, values in table.items()}
        case = Case(k, RunBounds(*(leaf[k] for leaf in bounds)), own)
        try:
            made = change_of_limit(
                context, case, StepperState(*(leaf[k] for leaf in leaves))
            )
        except ContactError as error:
            faults[k] = error
            continue
        met[k] = [made.met]
        for leaf, new in zip(leaves, made.stepper_state, strict=True):
            leaf[k] = new
    there = StepperState(*leaves)
    n = context.system.coordinates
    begun = unchecked(context.system, there.t, there.x[:, :n], there.x[:, n:])
    settings = step_settings(context.method, float(bounds.stop[0]))
    drive = context.inputs.drive
    go = initialise(
        context.equations, begun, table, settings, drive=drive, held=there.held
    )
    return ContactStart(go, there.held, met, faults)


def is_continuation(to: Any) -> bool:
    """Whether a run goes on from its file, where its contacts are known."""
    from polhode.integrate.storage.session import Continuation

    return isinstance(to, Continuation)


def contact_start(
    context: RunContext, states: States, runs: Runs, program: Any
) -> ContactStart:
    """The starts of runs of `simulate`, where a run that cannot begin is an error."""

    def turn(first: StepperState, bounds: RunBounds) -> Any:
        after, _, buffers, *_ = program(first, bounds, runs.table)
        return after, buffers

    found = decided_starts(context, states, runs, turn)
    for error in found.faults.values():
        raise error
    return found


def require_apart(asked: Admitted) -> None:
    """Refuse starts inside of what bodies rest on."""
    for error in overlaps(asked).values():
        raise error


def warn_of_gains(context: RunContext, met: list[Any]) -> None:
    """Say so where a law of impact has given energy: the most that one gave."""
    system, width = context.system, context.inputs.drive.width
    own = [
        row
        for row in met
        if isinstance(row, np.ndarray) and row[GUARD] == len(context.events)
    ]
    if not own:
        return
    n = len(names(system))
    records = np.array([tail_of(system, row)[width:] for row in own])
    # Works are the last 2n numbers of a record.
    gained = records[:, SwitchRecord.width(n) - 2 * n : SwitchRecord.width(n)].sum(1)
    moving = records[:, 5]
    for k in np.flatnonzero(gained > GAIN * moving):
        told = SwitchRecord.of(records[k], n)
        point = names(system)[int(np.argmax(np.abs(told.impulse[:, 0])))]
        words = gain_sentence(
            point,
            float(gained[k]),
            float(own[k][T]),
            at_once="at once" in phase_words(told.phases),
        )
        warn(words, NumericalWarning)
