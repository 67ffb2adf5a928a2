"""Switches: guards inside a compiled loop, and the change where one passes zero.

    g(t, q, z, table) = 0   ->   (q, z, modes, record) <- change(t, q, z, fired, table)

A switch has one guard or several in one traced function, each with a direction of its
own. Where a guard passes zero the step is cut, `change` is made, and the run goes on,
all inside the loop. A `ph.Event` is a switch with one guard. Code that needs more (a
contact that opens, slips or sticks) makes its own:

modes    discrete values, constant between switches. They are held values of the run, as
         sampled inputs are: `Drive.sizes` names them, `StepperState.held` has them, and
         equations, guards and changes read them from the table by name. They have no
         rate and no part in the error of a step. Only a change sets them.
record   numbers of an occurrence beyond its states, such as an impulse and its work:
         they come to the host with its time and guard (see `occurrence_buffer`)

A run is given switches as a `Switching`. All functions are traced, and depend on
nothing but their arguments and constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.events.event import Event, traced_value
from polhode.integrate.field.traceable import traceable_reset
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.matter.parameter import Table
    from polhode.system.system import System


class Change(NamedTuple):
    """What a switch leaves.

    q, z     coordinates and speeds after it
    modes    by name, those that change
    record   (guards, numbers) what to tell of each guard that fired; None for none
    """

    q: Any
    z: Any
    modes: Mapping[str, Any]
    record: Any = None


@final
@dataclass(frozen=True, eq=False)
class Guard:
    """One guard as the host knows it: what an `Event` says of itself.

    A guard of a switch that changes something is traced by its nature.
    """

    name: str
    direction: int = 0
    terminal: bool = False
    changes: bool = False
    required: bool = False
    spacing: float = np.inf

    @property
    def stops(self) -> bool:
        """Whether a step is cut there."""
        return self.terminal or self.changes

    @property
    def reset(self) -> Callable[[float, State], State] | None:
        """On the host: refuses a change that the loop found to lead to no state."""
        return self._unmade if self.changes else None

    def _unmade(self, t: float, state: State) -> State:
        raise IntegrationError(
            f"the change of {self.name!r} leads to no state of {state.system.name!r}.",
            "Its coordinates or speeds are not finite, or break constraints.",
            "Look at what the change computes at this state.",
        )


@final
@dataclass(frozen=True, eq=False)
class Switch:
    """Guards in one traced function, and what is done where one passes zero.

    values     (t, q, z, table) -> g (guards,)
    guards     one for each number of g
    change     (t, q, z, fired, table) -> Change; `fired` (guards,) is +-1, the way in
               which a guard went, and 0 for one that did not pass; None: only watched,
               or asked of the host
    records    numbers in the record of an occurrence
    key        what compiled programs depend on beside these functions
    """

    values: Callable[[Any, Any, Any, Table], Any]
    guards: tuple[Guard | Event, ...]
    change: Callable[[Any, Any, Any, Any, Table], Change] | None = None
    records: int = 0
    key: tuple[Any, ...] = field(default=())

    @property
    def looks(self) -> tuple[Any, ...]:
        """What programs that evaluate the guards depend on."""
        return self.key[:2] or (self.values,)

    @property
    def acts(self) -> tuple[Any, ...]:
        """What programs that also make its changes depend on."""
        each = [
            (g.direction, g.terminal, g.stops, g.spacing, g.name) for g in self.guards
        ]
        return (*self.looks, *self.key[2:], self.change is None, tuple(each))


@final
@dataclass(frozen=True, eq=False)
class Switching:
    """Switches and the modes that they read and set.

    modes   names -> where they begin: a number, or several (m,), for all runs; with an
            axis of runs before it, of each run its own

    `ph.simulate` and `ph.sweep` take one among their `events`. It is for laws that the
    library itself builds on (contact, friction that sticks), and no public noun yet:

    >>> import jax.numpy as jnp, polhode as ph
    >>> ball = ph.System([ph.Particle("ball", 0.1)], actions=[ph.Weight(9.81)])
    >>> def bounce(t, q, z, fired, table):
    ...     impulse = 0.1 * 1.5 * jnp.abs(z[2:])
    ...     modes = {"bounces": table["bounces"] + 1}
    ...     return Change(q, z.at[2].multiply(-0.5), modes, impulse[None])
    >>> floor = Guard("floor", -1, changes=True)
    >>> law = Switch(lambda t, q, z, table: q[2:], (floor,), bounce, records=1)
    >>> laws = Switching((law,), {"bounces": 0.0})
    >>> start = ball.state(ball=(0, 0, 1))
    >>> motion = ph.simulate(ball, start, until=1.2, events=laws)
    >>> [int(n) for n in motion.inputs["bounces"][1]]
    [0, 1, 2, 3]
    >>> [round(float(each), 4) for each in motion.events.records[:, 0]]
    [0.6644, 0.3322, 0.1661]
    """

    switches: tuple[Switch, ...]
    modes: Mapping[str, Any] = field(default_factory=dict)

    def modes_of(self, runs: int) -> dict[str, np.ndarray]:
        """Where modes begin, each (runs or 1, ...)."""
        return {name: _first_mode(name, v, runs) for name, v in self.modes.items()}


def _first_mode(name: str, value: Any, runs: int) -> np.ndarray:
    given = np.asarray(value, dtype=float)
    own = given.ndim == 2 or (given.ndim == 1 and len(given) == runs > 1)
    if given.ndim > 2 or (own and len(given) != runs) or not np.all(np.isfinite(given)):
        raise IntegrationError(
            f"the mode {name!r} cannot begin at {value!r}.",
            f"It is one number or several, of all runs or of each of the {runs}.",
            "Give finite numbers of the shape (), (m,) or (runs, m).",
        )
    return given if own else given[None]


def switches_of(system: System, given: tuple[Any, ...]) -> tuple[Switch, ...]:
    """Events as switches of one guard each, and those that are given as such."""
    found: list[Switch] = []
    for each in given:
        own = isinstance(each, Switching)
        found += each.switches if own else [_of_event(system, each)]
    return tuple(found)


def guards_of(switches: tuple[Switch, ...]) -> tuple[Guard | Event, ...]:
    """All guards, in the order of their numbers."""
    return tuple(guard for switch in switches for guard in switch.guards)


def _of_event(system: System, event: Event) -> Switch:
    def values(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return traced_value(event, t, State(system, t, q, z), table)[None]

    def change(t: Any, q: Any, z: Any, fired: Any, table: Table) -> Change:
        assert event.reset is not None
        after = event.reset(t, State(system, t, q, z))
        return Change(jnp.asarray(after.q), jnp.asarray(after.z), {})

    mark = traceable_reset(event.reset, system) if event.reset is not None else None
    key = (event.function, event.arity, event.reset, mark)
    return Switch(values, (event,), change if mark else None, 0, key)
