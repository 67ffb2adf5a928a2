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

from polhode.errors import ForceError, PolhodeError
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.matter.parameter import Table
    from polhode.system.system import System


class Law(NamedTuple):
    """A traced input: function(t) or function(t, state), and the size of its value.

    A size of 0 is one bare number.
    """

    function: Callable[..., Any]
    arity: int
    size: int


@final
@dataclass(frozen=True, eq=False)
class Drive:
    """Inputs of a system as a trace needs them.

    laws    names of inputs -> Law
    sizes   names of held inputs -> how many numbers each has; 0 is one bare number
    """

    system: System | None = None
    laws: Mapping[str, Law] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """What a compiled program that uses the drive depends on."""
        return (*self.laws.items(), *self.sizes.items())

    @property
    def width(self) -> int:
        """How many numbers all held inputs are."""
        return sum(max(size, 1) for size in self.sizes.values())

    @property
    def driven(self) -> Callable[..., Table] | None:
        """(t, q, z, table) -> the table with all inputs; None where no law is."""
        return self._driven if self.laws else None

    def unpacked(self, held: Any) -> dict[str, Any]:
        """Held inputs by name, from the row (width,) of a cursor."""
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

    def table(self, t: Any, q: Any, z: Any, table: Table, held: Any) -> Table:
        """A table completed by all inputs at a time and state."""
        whole = {**table, **self.unpacked(held)}
        return self._driven(t, q, z, whole) if self.laws else whole

    def table_function(self, table: Table, held: Any) -> Any:
        """The table itself, or with inputs (t, q, z) -> table, outside a trace."""
        if not self.key:
            return table

        def completed(t: Any, q: Any, z: Any) -> Table:
            with jax.enable_x64(True):
                whole = self.table(t, q, z, table, held)
            return {name: np.asarray(value) for name, value in whole.items()}

        return completed

    def _driven(self, t: Any, q: Any, z: Any, table: Table) -> Table:
        assert self.system is not None
        state = State(self.system, t, q, z)
        given = {name: _value(name, law, t, state) for name, law in self.laws.items()}
        return {**table, **given}


UNDRIVEN = Drive()


def _value(name: str, law: Law, t: Any, state: State) -> Any:
    try:
        value = law.function(t) if law.arity == 1 else law.function(t, state)
        if value is None or jnp.iscomplexobj(value):
            raise _none(name, value)
        found = jnp.asarray(value, float)
    except PolhodeError:
        raise
    except Exception as reason:
        raise ForceError(
            f"the input {name!r} cannot be traced: its law raised"
            f" {type(reason).__name__}.",
            "A law runs inside the compiled loop, where its arguments have no values"
            " yet and cannot be changed.",
            "Use jax.numpy and jnp.where in place of Python's own, or sample plain"
            " Python with ph.Sampled(law, dt).",
        ) from reason
    return shaped(name, found, law.size)


def _none(name: str, value: Any) -> ForceError:
    what = "nothing" if value is None else "a complex number"
    return ForceError(
        f"the law of the input {name!r} returns {what}.",
        "An input is a real number, or several.",
        "Let the law return it: lambda t, state: ...",
    )


def shaped(name: str, value: Any, size: int) -> Any:
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
