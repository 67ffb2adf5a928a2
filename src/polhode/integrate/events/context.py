"""What event handling on the host needs of a call, and of each of its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.integrate.events.event import Event, Occurrence
from polhode.integrate.events.event_step import Watched
from polhode.integrate.events.functions import (
    Landed,
    land_program,
    look_program,
    weigh_program,
)
from polhode.integrate.events.limits import Limits
from polhode.integrate.events.locate import Crossing, Found, Scan, crossings, ends_of
from polhode.integrate.events.switch import Guard, Switch, guards_of
from polhode.integrate.events.times import instant
from polhode.integrate.field.dense_output import Steps, evaluate, first_row
from polhode.integrate.inputs.inputs import Inputs
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System


class RunContext(NamedTuple):
    """What all runs of a call share.

    switches   what is watched for, and what is done there
    limits     of the law whose modes the run has, such as contact; or None
    """

    equations: Equations
    method: Method
    switches: tuple[Switch, ...]
    inputs: Inputs
    limits: Limits | None = None

    @property
    def events(self) -> tuple[Guard | Event, ...]:
        """The guards of all switches, in the order of their numbers."""
        return guards_of(self.switches)

    @property
    def system(self) -> System:
        """What moves."""
        return self.equations.system

    @property
    def watched(self) -> Watched:
        """The switches as a compiled loop needs them."""
        drive, modes = self.inputs.drive, bool(self.inputs.modes)
        return Watched(self.switches, drive, modes, self.limits)

    @property
    def has_switches(self) -> bool:
        """Whether the loop has anything to watch for."""
        return bool(self.switches) or self.limits is not None

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to do between chunks, or to report after them."""
        return self.has_switches or bool(self.inputs.drive.key)

    def is_traced(self, guard: int) -> bool:
        """Whether the loop itself makes the change of a guard, or it has none."""
        each = [s for s in self.switches for _ in s.guards]
        return each[guard].change is not None or self.events[guard].reset is None


class Case(NamedTuple):
    """What is one run's own: its number, its plan, its parameters."""

    run: int
    bounds: RunBounds
    table: dict[str, float]


class Weight(NamedTuple):
    """Of each event (e,): g, its rate, and the doubt about g."""

    g: np.ndarray
    rate: np.ndarray
    doubt: np.ndarray


def find_crossings(
    context: RunContext, case: Case, here: Steps, before: StepperState
) -> Found:
    """The zeros of all events along some rows."""
    held, events, drive = before.held, context.events, context.inputs.drive
    example = (0.5, ends_of(here, 0), case.table, held)
    program = look_program(context.equations, context.switches, drive, example)

    def look(s: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return program(s, ends_of(here, j), case.table, held)

    h = np.abs(np.diff(here.t))
    doubts = _weigh(context, case, here, np.append(h, h[-1]), held).doubt
    spacings = np.array([event.spacing for event in events])
    instants = instant(here.t[1:], h)
    scan = Scan(here, look, doubts, spacings, int(before.accepted), instants)
    return crossings(scan, before.sides)


def event_values(context: RunContext, case: Case, at: StepperState) -> Weight:
    """The events at a stepper state."""
    row = first_row(at, 0)
    h = np.abs(at.h)[None]
    return Weight(*(part[0] for part in _weigh(context, case, row, h, at.held)))


def _weigh(
    context: RunContext, case: Case, rows: Steps, h: Scalar, held: Any
) -> Weight:
    row = (*rows[:3], instant(rows.t, h))
    allowed = (case.bounds.rtol, case.bounds.atol)
    example = (tuple(part[0] for part in row), allowed, case.table, held)
    drive = context.inputs.drive
    program = weigh_program(context.equations, context.switches, drive, example)
    return Weight(*program(row, allowed, case.table, held))


def project_state(
    context: RunContext, case: Case, t: Scalar, x: Array, held: Any
) -> Landed:
    """A state projected onto its constraints, and its x_dot."""
    given = (float(t), x, case.table, held)
    return land_program(context.equations, context.inputs.drive, given)(*given)


def state_at(context: RunContext, t: Scalar, at: Landed) -> State:
    """The state of the system behind [q; y]."""
    system = context.equations.system
    return State(system, float(t), at.x[: system.coordinates], at.z)


def watched_occurrence(
    context: RunContext, case: Case, here: Steps, crossing: Crossing, held: Any
) -> Occurrence:
    """An event that is only watched."""
    x = evaluate(here, np.array([crossing.t]))[0]
    state = state_at(
        context, crossing.t, project_state(context, case, crossing.t, x, held)
    )
    return occurrence(context, crossing, state, state)


def occurrence(
    context: RunContext, crossing: Crossing, before: State, after: State
) -> Occurrence:
    """An event as the motion tells it."""
    name, way = context.events[crossing.event].name, crossing.direction
    return Occurrence(name, crossing.t, before, after, way, crossing.is_grazing)
