"""What drives a system inside a compiled loop: traced laws, and inputs that are held.

Inputs enter where parameters do: `drive` completes the table of parameters by the
values of the inputs, at every time and state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.matter.parameter import Table
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False)
class Drive:
    """Inputs of a system as a trace needs them.

    laws    names of inputs -> (t, state) -> value
    sizes   names of held inputs -> how many numbers each has; 0 is one bare number
    """

    system: System | None = None
    laws: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
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
            found[name] = held[first:last] if size else held[first]
            first = last
        return found

    def table(self, t: Any, q: Any, z: Any, table: Table, held: Any) -> Table:
        """A table completed by all inputs at a time and state."""
        whole = {**table, **self.unpacked(held)}
        return self._driven(t, q, z, whole) if self.laws else whole

    def _driven(self, t: Any, q: Any, z: Any, table: Table) -> Table:
        assert self.system is not None
        state = State(self.system, t, q, z)
        return {**table, **{name: law(t, state) for name, law in self.laws.items()}}


UNDRIVEN = Drive()
