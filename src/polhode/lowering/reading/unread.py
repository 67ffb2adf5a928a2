"""What has no closed form is written as a function of what it depends on: f(x, y).

A loop whose length depends on values, a look-up in a table, bits of a number: such an
operation, and all that is computed from it and from the same symbols alone, is one
unread function. What else is computed from it is read as usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.ir.schedule import find_live
from polhode.lowering.reading.ring import Polynomial, Ring

Place = tuple[int, int]  # of a symbol: its argument, and its element in it
CALLED = "called "  # before the name of a function that is known by its name alone


@final
@dataclass(frozen=True)
class UnreadFunction:
    """A function of symbols that has no closed form; `line` is where it is computed."""

    name: str
    arguments: tuple[str, ...]
    primitive: str
    line: str

    def __str__(self) -> str:
        where = f", at {self.line}" if self.line else ""
        called = f"{self.name}({', '.join(self.arguments)})"
        return f"{called} has no closed form: JAX's {self.primitive!r}{where}"


class Unread(NamedTuple):
    """The value of a node that is not read, and the operation that stopped it."""

    node: Node
    op: str


class UnreadFunctions:
    """The unread functions of a program, each with one name."""

    def __init__(self, taken: Iterable[str]):
        self.taken = {*taken}
        self.found: dict[Node, tuple[str, str, tuple[Place, ...]]] = {}
        self._places: dict[Node, frozenset[Place]] = {}

    def absorbing(self, node: Node, args: Sequence[object]) -> Unread | None:
        """The unread value that a node goes on with: of the same symbols alone."""
        before = [a for a in args if isinstance(a, Unread)]
        if before:
            own = self.places(node)
            for each in before:
                if own <= self.places(each.node):
                    return Unread(node, each.op)
        return None

    def polynomial(
        self, ring: Ring, value: Unread, inputs: list[list[Polynomial]]
    ) -> Polynomial:
        """An unread value where others go on from it: f(x, y)."""
        from polhode.lowering.reading.functions import function

        if value.node not in self.found:
            places = tuple(sorted(self.places(value.node)))
            self.found[value.node] = self._next_name(), value.op, places
        name, _, places = self.found[value.node]
        args = (inputs[slot][index] for slot, index in places)
        return function(ring, CALLED + name, *args)

    def places(self, element: Element) -> frozenset[Place]:
        """Which elements of the arguments a node depends on."""
        if element not in self._places:
            found = set()
            for node in find_live([element]).nodes:
                if node.op == "load" and node.data.kind == "input":
                    slot, index = node.data.slot, node.args[0]
                    every = (
                        range(node.data.size) if isinstance(index, Node) else [index]
                    )
                    found |= {(slot, k) for k in every}
            self._places[element] = frozenset(found)
        return self._places[element]

    def _next_name(self) -> str:
        names = ["f", *(f"f_{k}" for k in range(2, len(self.found) + 3))]
        free = [name for name in names if name not in self.taken]
        name = free[0] if free else f"f_{len(self.taken) + 1}"
        self.taken.add(name)
        return name
