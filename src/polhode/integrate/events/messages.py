"""The words in which the host tells why a run ended."""

from __future__ import annotations

from typing import NamedTuple

from polhode.integrate.events.context import RunContext
from polhode.integrate.kernel.stepper_state import StepperState


class StopReason(NamedTuple):
    """Why the host ended a run, and what was raised, if anything was."""

    sentence: str
    cause: BaseException | None = None


def fault_reason(
    context: RunContext,
    stepper_state: StepperState,
    what: str,
    cause: BaseException | None = None,
) -> StopReason:
    """A run that cannot go on: what failed, and what that raised."""
    name = context.equations.system.name
    why = (
        f" ({type(cause).__name__}: {cause})" if cause and "raised" not in what else ""
    )
    return StopReason(
        f"{name!r} stopped at t = {float(stepper_state.t):.9g} s, after"
        f" {int(stepper_state.accepted)} steps: {what}{why}. What was reached is kept.",
        cause,
    )


def ending(context: RunContext, guard: int, t: float) -> StopReason:
    """The reason of a run that ended at a terminal event."""
    event, name = context.events[guard], context.equations.system.name
    at = f"t = {t:.12g} s"
    return StopReason(f"{name!r} was ended by its event {event.name!r} at {at}.")


def zeno(context: RunContext, guard: int, stepper_state: StepperState) -> StopReason:
    """A run whose events accumulate."""
    event, name = context.events[guard], context.equations.system.name
    span = float(stepper_state.t) - float(stepper_state.recent[0])
    return StopReason(
        f"{name!r} stopped at t = {float(stepper_state.t):.9g} s: the event"
        f" {event.name!r} was the last of {len(stepper_state.recent)} within"
        f" {abs(span):.3g} s. Such events"
        " accumulate, infinitely many in a finite time (Zeno), and no run passes them."
        " End the run there with terminal=True, or let the reset hold what comes to"
        " rest; what was reached is kept."
    )
