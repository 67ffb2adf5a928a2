"""How a run ended: a value with a sentence.

Inside compiled code nothing is raised. A chunk returns a status; here it becomes words:
what stopped the motion, at what time, and what to try.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import NumericalWarning, PolhodeError
from polhode.integrate.kernel.status import (
    CONTACT,
    DONE,
    EVENT,
    FAULT,
    FULL,
    INTERRUPTED,
    RUNNING,
    TOO_SMALL,
    UNMET,
    UNSOLVED,
    UNWRITTEN,
    WORK_LIMIT,
    ZENO,
    Status,
)
from polhode.integrate.kernel.unmet_constraints import unmet
from polhode.integrate.methods.method import Method, is_adaptive
from polhode.matter.parameter import Table
from polhode.matter.tables.table import Table as Data
from polhode.system.state import State
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.system.system import System

# Fewer than so many steps at the edge of stability may be chance.
STIFF_STEPS = 15
# rad/s or m/s: quicker than light is no motion of a machine.
UNBOUNDED = 1e9
JUMPS = (
    " A force that jumps again and again, such as sign(speed), makes steps ever"
    " shorter: round it off."
)
UNHELD = (
    "Its file could not be written further: what the file has is whole, and all rows"
    " are kept in memory."
)
UNSAID = ", by an event or an input; its file was left before that could be said in it."


@final
@dataclass(frozen=True)
class Outcome:
    """Whether a run reached its end, and if not, why.

    code       DONE, EVENT (a terminal one), FORCE, CONSTR, CONTACT, INTEG, SING, IO,
               INTERRUPTED, or STATE for a run of a sweep that could not begin
    t          the time of the last good row
    sentence   for people
    accepted, rejected   steps
    """

    code: str
    t: float
    sentence: str
    accepted: int
    rejected: int

    @property
    def is_complete(self) -> bool:
        """Whether the run reached the time that was asked, or its terminal event."""
        return self.code in ("DONE", "EVENT")

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Ending:
    """The facts of an end, from which the sentence is made."""

    status: int
    t: float
    q: np.ndarray
    z: np.ndarray
    tried: float
    accepted: int
    rejected: int
    stiff: int = 0
    told: str = ""


def outcome_of(system: System, end: Ending, until: float, table: Table) -> Outcome:
    """The outcome of a run of a system that ended so; what was told is the sentence."""
    if end.told:
        sentence = f"{end.told} {UNHELD}" if end.status == UNWRITTEN else end.told
        facts = (sentence, end.accepted, end.rejected)
        return Outcome(Status(end.status).code, end.t, *facts)
    code, sentence = _explanation(system, end, until, table)
    return Outcome(code, end.t, sentence, end.accepted, end.rejected)


def _explanation(
    system: System, end: Ending, until: float, table: Table
) -> tuple[str, str]:
    at, name = f"t = {end.t:.9g} s", repr(system.name)
    steps = f"after {end.accepted} steps"
    if end.status == DONE:
        reached = f"{name} reached t = {until:.9g} s in {end.accepted} steps."
        return "DONE", f"{reached}{_stiffness(end, system)}"
    if end.status == INTERRUPTED:
        return "INTERRUPTED", f"{name} was interrupted at {at}, {steps}."
    if end.status == UNWRITTEN:
        way = "reached" if end.t == until else "stopped at"
        return "IO", f"{name} {way} {at}, {steps}. {UNHELD}"
    if end.status == FULL:
        return "INTEG", (
            f"{name} stopped at {at}, {steps}, short of {until:.9g} s: the rows kept"
            " take all the memory that was allowed. Keep samples=... only, write them"
            " to a file with to=..., or allow more with memory=... (bytes); what was"
            " reached is kept."
        )
    if end.status in (WORK_LIMIT, RUNNING):
        return "INTEG", (
            f"{name} used up its limit of steps at {at}, {steps}, short of"
            f" {until:.9g} s. Allow more with limit=..., or loosen rtol."
            f"{_stiffness(end, system) or JUMPS}"
        )
    if end.status in (TOO_SMALL, UNSOLVED, UNMET):
        why = unmet(system, end, until, table)
        if why:
            return "CONSTR", (
                f"{name} stopped at {at}, {steps}: its constraints cannot all be kept"
                f" further. {why} Drive it less far, correct the lengths, or end the"
                " run before; what was reached is kept."
            )
    if end.status == UNMET:
        return "CONSTR", (
            f"{name} stopped at {at}, {steps}: after the next step, of"
            f" {abs(end.tried):.3g} s, projection did not meet its constraints, though"
            " there are states near that keep them. The step is too long for how they"
            " bend there, or they are singular; what was reached is kept. Give a"
            " smaller step or tolerance."
        )
    if end.status == TOO_SMALL:
        return "INTEG", (
            f"{name} stopped at {at}, {steps}: no step, however small, is accurate"
            " enough there. The motion may have a singularity at that time; what was"
            " reached is kept."
        )
    if end.status == UNSOLVED:
        return "INTEG", (
            f"{name} stopped at {at}, {steps}: the equations of the next step, of"
            f" {abs(end.tried):.3g} s, could not be solved. The step is too long for"
            " the motion there; what was reached is kept. Give a smaller step."
        )
    if end.status in (EVENT, ZENO, FAULT, CONTACT):
        return Status(end.status).code, f"{name} was ended at {at}, {steps}{UNSAID}"
    return _without_numbers(system, end, table)


def _stiffness(end: Ending, system: System) -> str:
    """What to say of steps that stability has held, if they were many."""
    if end.stiff < STIFF_STEPS or 2 * end.stiff < end.accepted:
        return ""
    if system.supports:
        return (
            f" It is stiff: stability, not accuracy, held {end.stiff} of its steps."
            " Slow slips are turned by friction in no time, or a spring is far quicker"
            " than the motion; method=ph.methods.Moreau(step=1e-3) steps over it."
        )
    return (
        f" It is stiff: stability, not accuracy, held {end.stiff} of its steps."
        " A spring or damper in it is far quicker than the motion;"
        " method=ph.methods.RadauIIA() takes steps as long as the motion lets it."
    )


def _without_numbers(system: System, end: Ending, table: Table) -> tuple[str, str]:
    at, name = f"t = {end.t:.9g} s", repr(system.name)
    grown = growth(system, end, table)
    if grown:
        return "INTEG", f"{name} stopped at {at}, after {end.accepted} steps: {grown}"
    guilty = lawless(system, end, table)
    if guilty:
        return "FORCE", (
            f"{name} stopped at {at}, after {end.accepted} steps: the action"
            f" {guilty!r} is not finite just after. {fault_of(system, guilty)}"
            " Smaller steps were tried first; what was reached is kept."
        )
    return "SING", (
        f"{name} stopped at {at}, after {end.accepted} steps: its accelerations are no"
        " numbers just after, though all forces are. Its mass matrix or its"
        " constraints are singular there, or the speeds chosen cease to determine the"
        " others; what was reached is kept."
    )


def growth(system: System, end: Ending, table: Table) -> str:
    """What to say of a state that steps too long for it have let grow; or nothing.

    Where steps are chosen such a state is refused long before: others were tried.
    """
    size = float(np.max(np.abs(end.z), initial=0.0))
    if end.rejected or not size > UNBOUNDED:
        return ""
    from polhode.formulation.recursive.recursive import recursive

    given = table(end.t, end.q, end.z) if callable(table) else table
    # What has grown is the quickest motion, in which z_dot = r^2 q: its rate is that of
    # the whole state. Quaternions do not grow, and leave z_dot = r z.
    with np.errstate(all="ignore"):
        state = State(system, end.t, end.q, end.z)
        pushed = np.max(np.abs(recursive(system).accelerations(state, dict(given))))
        rate = float(pushed / size)
        if system.coordinates == system.speeds:
            rate = float(np.sqrt(pushed / np.max(np.abs(end.q))))
    step = abs(end.tried)
    quick = "The step is too long for the quickest motion."
    if np.isfinite(rate) and rate * step > 1:
        quick = (
            f"The quickest motion has a rate of {rate:.3g} 1/s, and a step of"
            f" {step:.3g} s is {rate * step:.3g} times its time: explicit methods are"
            f" stable to about 2, which is a step of {2 / rate:.2g} s."
        )
    return (
        f"its state grows without bound, speeds to {size:.2g}. {quick} It is not a law"
        " that fails. Take a shorter step, or an implicit method such as"
        " ph.methods.RadauIIA();"
        " what was reached is kept."
    )


def fault_of(system: System, name: str) -> str:
    """Why an action may not be finite, in its own words if it has any."""
    action = next(a for a in system.actions if a.name == name)
    explain = getattr(action, "fault", None)  # laws along joints have none
    words = explain() if explain else "Its law is not defined there."
    return f"{words}{_ends_of_data(action)}"


def _ends_of_data(action: Any) -> str:
    """Where the tables of an action end that have no value beyond."""
    told = ""
    for each in vars(action).values():
        if isinstance(each, Data) and each.beyond == "refuse":
            ends = each.range if each.variables == 2 else (each.range,)
            between = ", ".join(f"{low:g} to {high:g}" for low, high in ends)
            told += (
                f" The table {each.name!r} has no value outside of {between}:"
                ' beyond="hold" would keep the last.'
            )
    return told


def lawless(system: System, end: Ending, table: Table) -> str:
    """The name of the action that is not finite at or just after a state.

    `table` may be a function of (t, q, z), where inputs are driven.
    """
    found = _lawless_along(system, end, table, np.zeros_like(end.z))
    if found:
        return found
    # A law of speed ends where the speed goes on: a motor past the end of its curve.
    z_dot = _accelerations(system, end, table)
    return _lawless_along(system, end, table, z_dot) if np.any(z_dot) else ""


def _lawless_along(system: System, end: Ending, table: Table, z_dot: np.ndarray) -> str:
    """The first action that is not finite if the speeds go on at rates z_dot."""
    for part in (0.0, 0.5, 1.0, 2.0, 10.0):
        h = part * end.tried
        with np.errstate(all="ignore"):
            q, z = system.local(end.q, h * end.z), end.z + h * z_dot
            given = table(end.t + h, q, z) if callable(table) else table
            each = system.wrenches(end.t + h, q, z, given)
        for action, pair in each.items():
            if not all(np.all(np.isfinite(w)) for w in pair):
                return action
    return ""


def _accelerations(system: System, end: Ending, table: Table) -> np.ndarray:
    """z_dot at the end of a run; zeros where none are defined."""
    from polhode.formulation.recursive.recursive import recursive

    given = table(end.t, end.q, end.z) if callable(table) else table
    state = State(system, end.t, end.q, end.z)
    try:
        with np.errstate(all="ignore"):
            z_dot = np.asarray(recursive(system).accelerations(state, dict(given)))
    except PolhodeError:  # singular there: another sentence says so
        return np.zeros_like(end.z)
    return z_dot if np.all(np.isfinite(z_dot)) else np.zeros_like(end.z)


# A run promises so much of its own accord: more than all that moves says nothing.
WHOLE = 1.0


def warn_of_growth(system: System, method: Method, speeds: np.ndarray) -> None:
    """Warn at the end of runs by fixed steps whose speeds (..., n) have grown.

    Such steps fail only where numbers do: an unstable run may end before, in its time.
    """
    if is_adaptive(method):
        return
    size = float(np.max(np.abs(speeds[np.isfinite(speeds)]), initial=0.0))
    if size <= UNBOUNDED:
        return
    warn(
        f"the speeds of {system.name!r} grew to {size:.2g} rad/s or m/s by steps of"
        f" {method.name}: quicker than light is no motion of a machine. A fixed step"
        " too long for the quickest motion does that. Look at the ledger, take a"
        " shorter step, or an implicit method such as ph.methods.RadauIIA()",
        NumericalWarning,
    )


def warn_of_loose_runs(method: Method, accepted: np.ndarray) -> None:
    """Warn at the end of runs, by their numbers of steps, that promise nothing.

    Their energies are not asked for: a share of more than the whole is void of any.
    """
    # A sweep of one run is over in the time of some dozen calls of NumPy: see the most.
    if not is_adaptive(method) or method.rtol * accepted.max(initial=0) <= WHOLE:
        return
    shares = method.rtol * np.asarray(accepted, float)
    void = np.flatnonzero(shares > WHOLE)
    most = int(np.max(accepted))
    many = "" if len(shares) == 1 else f" for {len(void)} of {len(shares)} runs"
    warn(
        f"{method.name} with rtol = {method.rtol:g} promises nothing{many}: each of"
        f" {most} steps may err by that share. Look at the ledger, give"
        f" rtol = {(1e-3 / most) * (1e-3 / most) ** 0.25:.0e} or less, or ask for a"
        " shorter time",
        NumericalWarning,
    )
