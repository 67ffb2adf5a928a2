"""What drives a system inside a compiled loop: traced laws, and inputs that are held.

Inputs enter where parameters do: `drive` completes the table of parameters by the
values of the inputs, at every time and state.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ForceError, PolhodeError
from polhode.integrate.field.sampler import Sampler
from polhode.matter.quantities.constants import values_of
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.matter.parameter import Table
    from polhode.system.system import System


class Law(NamedTuple):
    """A traced input: function(t) or function(t, state), and the size of its value.

    A size of 0 is one bare number. A law of several inputs has a `group` instead, and
    its place `part` among the numbers that the group gives.
    """

    function: Callable[..., Any]
    arity: int
    size: int
    group: int = -1
    part: slice = slice(0, 0)


class Group(NamedTuple):
    """A law of one input or several, with constants and states of its own.

    names       of the inputs, in order; `name` is that of the law
    size        how many numbers it gives
    constants   that it takes by name
    first       the first of its states among those of all groups, `width` of them
    """

    name: str
    names: tuple[str, ...]
    function: Callable[..., Any]
    arity: int
    size: int
    constants: Mapping[str, Any]
    first: int
    width: int


@final
@dataclass(frozen=True, eq=False)
class Drive:
    """Inputs of a system as a trace needs them.

    laws    names of inputs -> Law
    sizes   names of held inputs -> how many numbers each has; 0 is one bare number
    groups  laws of several inputs, or with constants or states of their own
    first_states   (k,) of all groups, where they begin
    samplers       of held inputs that the loop itself asks; none where the host does
    """

    system: System | None = None
    laws: Mapping[str, Law] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    first_states: np.ndarray = field(default_factory=lambda: np.zeros(0))
    samplers: tuple[Sampler, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What a compiled program that uses the drive depends on."""
        groups = [
            (g.names, g.function, tuple(sorted(g.constants.items())), g.width)
            for g in self.groups
        ]
        laws = [(n, (*law[:4], law.part.start)) for n, law in self.laws.items()]
        first = tuple(self.first_states.tolist())
        sampled = [("sampled", *sampler.key) for sampler in self.samplers]
        own = (*groups, *([first] if first else []), *sampled)
        return (*laws, *self.sizes.items(), *own)

    @property
    def width(self) -> int:
        """How many numbers all held inputs are."""
        return sum(max(size, 1) for size in self.sizes.values())

    @property
    def driven(self) -> Callable[..., Table] | None:
        """(t, q, z, table, y) -> the table with all inputs; None where no law is."""
        return self._driven if self.laws else None

    def unpacked(self, held: Array) -> dict[str, Any]:
        """Held inputs by name, from the row (width,) of a stepper state."""
        found, first = {}, 0
        for name, size in self.sizes.items():
            last = first + max(size, 1)
            found[name] = held[..., first:last] if size else held[..., first]
            first = last
        return found

    def replaced(self, held: Any, values: Mapping[str, Any]) -> Any:
        """A row of held values with some of them, by name, set anew; traced."""
        first = 0
        for name, size in self.sizes.items():
            last = first + max(size, 1)
            if name in values:
                new = jnp.asarray(values[name], float).reshape(last - first)
                held = jnp.concatenate([held[:first], new, held[last:]])
            first = last
        return held

    def table(
        self, t: Scalar, q: Array, z: Array, table: Table, held: Array, *, y: Any = None
    ) -> Table:
        """A table completed by all inputs at a time and state.

        y are the velocities of the equations, states of controllers behind them;
        without them controllers are where they begin.
        """
        whole = {**table, **self.unpacked(held)}
        return self._driven(t, q, z, whole, y) if self.laws else whole

    def state_rates(self, t: Scalar, q: Array, z: Array, y: Array, table: Table) -> Any:
        """The rates (k,) of the states of all controllers."""
        assert self.system is not None
        state, c = State(self.system, t, q, z), self._states(y)
        own = self.system.table(table)
        rates = [_given(g, t, state, own, c)[1] for g in self.groups if g.width]
        return jnp.concatenate(rates)

    def _states(self, y: Array) -> Any:
        count = len(self.first_states)
        return self.first_states if y is None or not count else y[-count:]

    def table_function(self, table: Table, held: Array) -> Any:
        """The table itself, or with inputs (t, q, z) -> table, outside a trace."""
        if not self.key:
            return table

        def completed(t: Any, q: Any, z: Any, y: Any = None) -> Table:
            with jax.enable_x64(True):
                whole = self.table(t, q, z, table, held, y=y)
            return {name: np.asarray(value) for name, value in whole.items()}

        return completed

    def _driven(
        self, t: Scalar, q: Array, z: Array, table: Table, y: Any = None
    ) -> Table:
        assert self.system is not None
        state, c = State(self.system, t, q, z), self._states(y)
        own = self.system.table(table)
        several = [_given(g, t, state, own, c)[0] for g in self.groups]
        given = {
            name: _value(name, law, t, state)
            if law.group < 0
            else shaped(name, several[law.group][law.part], law.size)
            for name, law in self.laws.items()
        }
        return {**table, **given}


UNDRIVEN = Drive()


def _value(name: str, law: Law, t: Scalar, state: State) -> Any:
    arguments = (t,) if law.arity == 1 else (t, state)
    value = _traced(name, lambda: law.function(*arguments), len(arguments))
    return shaped(name, value, law.size)


def _given(
    group: Group, t: Scalar, state: State, table: Table, c: Any
) -> tuple[Any, Any]:
    """What a law of several inputs gives (size,), and the rates of its states."""
    constants = values_of(group.constants, table)
    own = c[group.first : group.first + group.width]
    arguments = [t] if group.arity == 1 and not group.width else [t, state]
    arguments += [own] if group.width else []
    answer = _called(
        group.name, lambda: group.function(*arguments, **constants), len(arguments)
    )
    rates: Any = jnp.zeros(0)
    if group.width:
        answer, rates = _pair(group, answer)
        rates = _traced(f"{group.name}: rates", lambda: rates).reshape(-1)
    if group.size > 1 and isinstance(answer, list | tuple):
        answer = jnp.concatenate([jnp.ravel(jnp.asarray(a, float)) for a in answer])
    value = jnp.ravel(_traced(group.name, lambda: answer))
    for what, found, size in (
        ("numbers", value, group.size),
        ("rates", rates, group.width),
    ):
        if found.shape != (size,):
            raise ForceError(
                f"the law {group.name!r} gives {found.size} {what}, not {size}.",
                f"It drives {', '.join(map(repr, group.names))}"
                + (f" and has {group.width} states." if group.width else "."),
                "Return one number for each, in their order.",
            )
    return value, rates


def _pair(group: Group, answer: Any) -> tuple[Any, Any]:
    if isinstance(answer, tuple) and len(answer) == 2:
        return answer[0], answer[1]
    raise ForceError(
        f"the law {group.name!r} has states and returns no pair.",
        "It gives the input, and how fast its states change.",
        "Return (u, x_dot).",
    )


def _traced(name: str, law: Callable[[], Any], count: int = 2) -> Any:
    """What a law gives, as an array of real numbers; `count` are its arguments."""
    value = _called(name, law, count)
    if value is None or jnp.iscomplexobj(value):
        raise _none(name, value)
    return _called(name, lambda: jnp.asarray(value, float), count)


def _called(name: str, law: Callable[[], Any], count: int) -> Any:
    """What a law gives; refused by name where it cannot be traced."""
    try:
        return law()
    except PolhodeError:
        raise
    except Exception as reason:
        raise ForceError(
            f"the input {name!r} cannot be traced: its law raised {first_line(reason)}",
            "A law runs inside the compiled loop, where its arguments have no values"
            " yet and cannot be changed." + time_alone(count),
            "Use jax.numpy and jnp.where in place of Python's own, or sample plain"
            " Python with ph.Sampled(law, dt).",
        ) from reason


def _none(name: str, value: Any) -> ForceError:
    what = "nothing" if value is None else "a complex number"
    return ForceError(
        f"the law of the input {name!r} returns {what}.",
        "An input is a real number, or several.",
        "Let the law return it: lambda t, state: ...",
    )


def shaped(name: str, value: Array, size: int) -> Any:
    """An input in its shape, refused where it has another."""
    allowed = [(size,)] if size > 1 else [(), (1,)]
    if value.shape not in allowed:
        raise ForceError(
            f"the input {name!r} has the shape {value.shape}.",
            f"It is {size} numbers." if size > 1 else "It is one number.",
            "Let its law return that.",
        )
    return value.reshape((size,) if size else ())


def arity(function: Callable[..., Any]) -> int:
    """How many arguments a function needs by position; 2 where Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds and p.default is p.empty for p in parameters)


def first_line(reason: Exception) -> str:
    """What Python said of a function that failed: kind and first line."""
    return f"{type(reason).__name__}: {str(reason).partition(chr(10))[0]}"


def time_alone(count: int) -> str:
    """What to know of a function that was called with one argument."""
    if count != 1:
        return ""
    return (
        " A function of one argument is given the time alone; one of the state is"
        " `lambda t, state: ...`."
    )
