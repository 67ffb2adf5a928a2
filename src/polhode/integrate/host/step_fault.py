"""Why a single step was not made: what a stepper raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.errors import ConstraintError, ForceError, IntegrationError, PolhodeError
from polhode.integrate.field.inconsistency import inconsistency
from polhode.integrate.kernel.outcome import Ending, growth, lawless
from polhode.integrate.kernel.status import NOT_A_NUMBER, REFUSED, UNMET, UNSOLVED
from polhode.integrate.kernel.unmet_constraints import unmet
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.integrate.methods.method import Method
    from polhode.system.state import State


def step_fault(
    state: State, given: dict[str, Any], status: int, *, dt: float, method: Method
) -> PolhodeError:
    """What is wrong with a step of `dt` from a state with some inputs."""
    system, t = state.system, float(state.t)
    at = Ending(int(status), t, state.q, state.z, dt, 0, 0)
    if status == REFUSED:
        parameters = {n: v for n, v in given.items() if n in system.parameters}
        return inconsistency(system, StateArrays(t, state.q, state.z), parameters)
    who = f"{system.name!r} has no next state after t = {t:g} s"
    missed = "" if status == NOT_A_NUMBER else unmet(system, at, t + dt, given)
    if missed or status == UNMET:
        return ConstraintError(
            f"{who}: a step of {dt:g} s does not meet its constraints.",
            missed
            or "There are states near that keep them, but none where so long"
            " a step leads.",
            "Take a smaller dt, or ask less of drivers and lengths; the state is as"
            " before.",
        )
    if status == UNSOLVED:
        return IntegrationError(
            f"{who}: the equations of a step of {dt:g} s could not be solved.",
            f"The step of {method.name} is implicit, and too long for the"
            " motion there; the state is as before.",
            "Take a smaller dt.",
        )
    grown = growth(system, at, given)
    if grown:
        return IntegrationError(
            f"{who}.",
            f"{grown[0].upper()}{grown[1:]}",
            "Take a smaller dt; the state is as before.",
        )
    guilty = lawless(system, at, given)
    what = f"{guilty!r} gives no force" if guilty else "its accelerations are none"
    return ForceError(
        f"{who}: {what}.",
        "A step ends in a state of numbers, or not at all; the state is as before.",
        "Take a smaller dt, or change the law where it is undefined.",
    )
