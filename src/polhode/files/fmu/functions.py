"""What a unit computes: the rates, steps, outputs and events of a system, traced.

All take (t, x, u, p): time, states, inputs and parameters, each as a flat array.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.errors import ModelError
from polhode.formulation.recursive.recursive import recursive
from polhode.integrate.events.event import Event
from polhode.integrate.field.vector_field import Field, field_of
from polhode.integrate.inputs.ports import port_size
from polhode.integrate.methods.lie_group.commutator_free import CommutatorFree4
from polhode.integrate.methods.method import admit_step
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System


@dataclass
class Model:
    """The functions of a unit, and the tables of its variables."""

    start: State
    inputs: tuple[str, ...]
    outputs: dict[str, Callable[[State], Any]]
    events: tuple[Event, ...]
    step: float

    def __post_init__(self) -> None:
        self.system = self.start.system
        self.equations = recursive(self.system)
        self.step = admit_step("a unit", self.step)
        self.sizes = {name: input_size(self.system, name) for name in self.inputs}
        self.driven = [
            f"{name}[{k}]" if size > 1 else name
            for name, size in self.sizes.items()
            for k in range(size)
        ]
        known = self.system.parameters
        self.tunable = [name for name in known if name not in self.inputs]
        first = [np.full(n, known.get(name, 0.0)) for name, n in self.sizes.items()]
        self.first_u = np.concatenate([np.zeros(0), *first])
        self.first_p = np.array([float(known[n]) for n in self.tunable])
        self.first_x = self._first_x()
        # The system's name as C and file systems take it.
        self.identifier = re.sub(r"\W+", "_", self.system.name).strip("_") or "model"
        # Whether states may leave where they belong: quaternions, constraints.
        lacks = self.system.coordinates != self.system.speeds
        self.has_manifold = bool(self.system.constraints) or lacks

    def _first_x(self) -> np.ndarray:
        table = self._table(self.first_u, self.first_p)
        t, q, z = float(self.start.t), self.start.q, self.start.z
        y = self.equations.functions.start(t, q, z, table)
        return np.concatenate([q, np.asarray(y, float)])

    def _table(self, u: Any, p: Any) -> dict[str, Any]:
        table, k = {name: p[i] for i, name in enumerate(self.tunable)}, 0
        for name, size in self.sizes.items():
            whole = port_size(self.system, name)
            table[name] = u[k : k + size] if whole else u[k]
            k += size
        return table

    def _field(self, u: Any, p: Any) -> Field:
        return field_of(self.equations, self._table(u, p))

    def _state(self, t: Any, x: Any, u: Any, p: Any) -> State:
        n = self.system.coordinates
        z = self.equations.functions.speeds(t, x[:n], x[n:], self._table(u, p))
        return State(self.system, t, x[:n], z)

    def rates(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """d/dt of the states."""
        return self._field(u, p).x_dot(t, x)

    def settled(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """The nearest states that keep constraints, quaternions of length one."""
        return self._field(u, p).settled(t, x)

    def stepped(self, t: Any, x: Any, u: Any, p: Any, h: Any) -> Any:
        """The states a step later."""
        field, method = self._field(u, p), CommutatorFree4(step=1.0)
        moved = method.attempt(field, t, x, field.x_dot(t, x), h)
        return field.settled(t + h, moved.x)

    def output_values(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """The outputs beside the states."""
        state = self._state(t, x, u, p)
        values = [jnp.asarray(f(state), float) for f in self.outputs.values()]
        for name, value in zip(self.outputs, values, strict=True):
            if value.shape != ():
                raise ModelError(
                    f"the output {name!r} has the shape {value.shape}.",
                    "A variable of a unit is one number.",
                    "Give an output for each number.",
                )
        return jnp.stack(values)

    def indicators(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """The functions of the events."""
        state, table = self._state(t, x, u, p), self._table(u, p)
        return jnp.stack([1.0 * e.value(t, state, table) for e in self.events])

    def reset(self, t: Any, x: Any, u: Any, p: Any, which: Any) -> Any:
        """The states after an event, by its number."""
        state, after = self._state(t, x, u, p), x
        for k, event in enumerate(self.events):
            if event.reset is None:
                continue
            then = event.reset(t, state)
            start = self.equations.functions.start
            y = start(t, then.q, then.z, self._table(u, p))
            after = jnp.where(which == k, jnp.concatenate([then.q, y]), after)
        return after


def input_size(system: System, name: str) -> int:
    """How many numbers an input takes; refused where the system has none such."""
    size = port_size(system, name)
    if size is None and name not in system.parameters:
        ports = [a.name for a in system.actions]
        known = [port for port in ports if port_size(system, port) is not None]
        raise ModelError(
            f"{system.name!r} has no input {name!r}.",
            "A unit is driven by its motors and other ports, and by parameters.",
            suggestion(name, [*known, *system.parameters]),
        )
    return size or 1
