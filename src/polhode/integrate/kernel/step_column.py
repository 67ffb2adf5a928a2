"""One step, or many in a row, on columns: the native call of `ph.stepper`.

    column   t, q, z, inputs                        what a step starts from
    row      t + h, q, z, status, is_plain          what it ends in

`is_plain` is 1 where nothing is left to ask of the step: the numbers given are finite,
the clock advances, and what comes out is a state. Else the host looks what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.field.backend import backend_of
from polhode.integrate.field.constraint_violation import keeps_constraints
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.kernel.arrival import fault_status
from polhode.integrate.kernel.chunk import attempts_of
from polhode.integrate.kernel.start import CLOCK
from polhode.integrate.kernel.status import REFUSED, RUNNING
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

FACTS = 2  # after the state in a row: status, is_plain

# (t, q, z, inputs) -> (q, z, status), to be traced
Step = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]]


@dataclass(frozen=True)
class StepColumns:
    """How many coordinates and speeds there are, and inputs by name: 0 for a scalar."""

    coordinates: int
    speeds: int
    sizes: Mapping[str, int]

    @property
    def width(self) -> int:
        """Numbers of a state with its time."""
        return 1 + self.coordinates + self.speeds

    @cached_property
    def places(self) -> dict[str, Any]:
        """Where each input is among the inputs: an index, or a slice of a vector."""
        found: dict[str, Any] = {}
        at = 0
        for name, size in self.sizes.items():
            found[name] = slice(at, at + size) if size else at
            at += size or 1
        return found

    @property
    def input_count(self) -> int:
        return sum(size or 1 for size in self.sizes.values())

    @property
    def attempts(self) -> int:
        """Steps of one native call at most."""
        return attempts_of(self.width, 0)

    def row_function(self, step: Step, h: float) -> Any:
        """column -> row, to be traced."""
        n, places = self.coordinates, self.places

        def row(column: Array) -> Any:
            t, q, z = column[0], column[1 : n + 1], column[n + 1 : self.width]
            given = column[self.width :]
            inputs = {name: given[at] for name, at in places.items()}
            q, z, status = step(t, q, z, inputs)
            after = t + h
            advances = h >= CLOCK * jnp.maximum(jnp.abs(t), jnp.abs(after))
            is_state = jnp.all(jnp.isfinite(q)) & jnp.all(jnp.isfinite(z))
            is_plain = advances & is_state & jnp.all(jnp.isfinite(column))
            is_plain = is_plain & (status == RUNNING)
            facts = jnp.stack([status.astype(float), is_plain.astype(float)])
            return jnp.concatenate([jnp.stack([after]), q, z, facts])

        return row

    def rows_function(self, step: Step, h: float) -> Any:
        """(state with its time, inputs (attempts, m), count) -> rows, to be traced.

        After a step that is not plain none is made.
        """
        row = self.row_function(step, h)

        def rows(start: Any, inputs: Any, count: Any) -> Any:
            def one(last: Any, turn: Any) -> tuple[Any, Any]:
                k, given = turn
                after = lax.cond(
                    (last[-1] > 0) & (k < count),
                    lambda last: row(jnp.concatenate([last[:-FACTS], given])),
                    lambda last: last,
                    last,
                )
                return after, after

            first = jnp.concatenate([start, jnp.array([RUNNING, 1.0])])
            turns = (jnp.arange(self.attempts), inputs)
            return lax.scan(one, first, turns)[1]

        return rows

    def example(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Shapes of what `rows_function` takes."""
        inputs = np.zeros((self.attempts, self.input_count))
        return np.zeros(self.width), inputs, np.array(0)


# Numbers of a state up to which a step without constraints is one native program.
MANY = 200


def step_backend(equations: Equations) -> str:
    """Native code; XLA around native equations for many bodies or constraints.

    Projection is long: written into one program with all stages it would take several
    times as long to make. So would states of many numbers.
    """
    system = equations.system
    large = system.constraints or system.coordinates + system.speeds > MANY
    return backend_of(equations) if large else "auto"


def _begins(system: System, state: StateArrays, table: Table) -> Any:
    """Whether a state keeps its constraints before the step, traced."""
    if not system.constraints:
        return jnp.array(True)
    return keeps_constraints(system, state, table)


def step_function(equations: Equations, method: Method, h: float) -> Any:
    """(t, q, z, inputs) -> (q, z, status) after one step of h, to be traced."""
    core, n = equations.functions, equations.system.coordinates

    def step(t: Scalar, q: Array, z: Array, inputs: Any) -> tuple[Any, Any, Any]:
        field = field_of(equations, inputs)
        begins = _begins(equations.system, StateArrays(t, q, z), inputs)
        x = jnp.concatenate([q, core.start(t, q, z, inputs)])
        moved = method.attempt(field, t, x, field.x_dot(t, x), h)
        x, is_kept = field.projected(t + h, moved.x)
        z = core.speeds(t + h, x[:n], x[n:], inputs)
        is_finite = jnp.all(jnp.isfinite(x)) & field.is_sound(t + h, x)
        is_good = is_finite & moved.is_solved & is_kept
        fault = jnp.where(begins, fault_status(moved.is_solved, is_finite), REFUSED)
        status = jnp.where(is_good & begins, RUNNING, fault)
        return x[:n], 1.0 * z, status

    return step
