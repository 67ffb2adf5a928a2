"""What the turns of a run with events share: guards, functions, bounds, its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.integrate.events.functions import weighing
from polhode.integrate.events.limits import Limits
from polhode.integrate.events.occurrence_buffer import OccurrenceBuffer
from polhode.integrate.events.switch import Switch, guards_of
from polhode.integrate.field.vector_field import Field
from polhode.integrate.kernel.stepper_state import Rows, RunBounds, StepperState

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.methods.method import Method

# Sides of guards whose changes are due.
FIRED, GRAZED = 4, 5


class Turn(NamedTuple):
    """What a turn leaves: a stepper state, a row (accepted or not), what happened."""

    stepper_state: StepperState
    row: Rows
    buffer: OccurrenceBuffer


class GuardArrays:
    """What all guards say of themselves, as arrays (e,)."""

    def __init__(self, switches: tuple[Switch, ...]):
        each = guards_of(switches)
        self.switches = switches
        self.count = len(each)
        self.direction = np.array([g.direction for g in each], np.int64)
        self.stops = np.array([g.stops for g in each], bool)
        self.terminal = np.array([g.terminal for g in each], bool)
        self.spacing = min((g.spacing for g in each), default=np.inf)
        traced = [s.change is not None for s in switches for _ in s.guards]
        changes = [g.reset is not None for g in each]
        self.changes = np.array(changes, bool)
        # Plain Python: the host is asked.
        self.untraced = self.changes & ~np.array(traced, bool)


class TurnContext(NamedTuple):
    """What the turns of one run share, inside a trace."""

    equations: Equations
    method: Method
    guards: GuardArrays
    field: Callable[[Any], Field]
    value: Callable[[Any, Any, Any, Any], Any]
    bounds: RunBounds
    table: Any
    step: Any
    drive: Drive
    has_modes: bool
    limits: Limits | None

    def weigh(self, at: Any, instant: Any, held: Any) -> tuple[Any, Any, Any]:
        """g, its rate and the doubt about it at (t, x, x_dot)."""
        row, allowed = (*at[:3], instant), (self.bounds.rtol, self.bounds.atol)
        return weighing(self.value)(row, allowed, self.table, held)

    def modes(self, held: Any) -> Any:
        """What a row of the buffer has of the held values."""
        return held if self.has_modes else jnp.zeros(0)

    def column(self, held: Any, t: Any, x: Any) -> Any:
        """[q; z] of x = [q; y]."""
        n = self.equations.system.coordinates
        speeds = self.equations.functions.speeds
        table = {**self.table, **self.drive.unpacked(held)}
        return jnp.concatenate(
            [x[:n], 1.0 * jnp.asarray(speeds(t, x[:n], x[n:], table))]
        )
