"""The scalar program: a graph of scalar operations in nested blocks.

An *element* is a node of the graph or a plain Python constant (float, int, bool).
Equal nodes are one object (hash-consing), and a node lives in the outermost block in
which all its arguments are known, so that what does not change in a loop is computed
before it.

    program block          a = load q[0];  s = sin a
      loop (30 times)      phi x;  y = x * s;  store column[t] = y
    program block          load column[7]

Control flow stays control flow: `Loop` and `Branch` are nodes with blocks of their own.
Arrays that are indexed by a varying index live in `Buffer`s; everything else is scalar.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

Element: TypeAlias = Any  # Node | float | int | bool

# What an operation delays, in cycles: orders sums so that late terms enter last.
LATENCY = {"div": 13, "sqrt": 18, "sin": 40, "cos": 40, "exp": 35, "log": 40, "pow": 80}
FREE = {"load", "phi", "counter", "proj", "neg", "loop", "branch", "spill", "copy"}


MOST = 1_500_000  # nodes: beyond it arrays are no longer small


class TooLarge(Exception):
    """The scalar program outgrew what scalars are good for."""


class Node:
    """One scalar operation; `data` is what it needs besides its arguments."""

    __slots__ = ("args", "block", "data", "depth", "number", "op", "type")

    def __init__(self, op: str, type: str, args: tuple[Element, ...], data: Any):
        self.op, self.type, self.args, self.data = op, type, args, data
        self.block: Block
        self.number: float = 0
        self.depth = 0

    def __repr__(self) -> str:
        words = " ".join(
            f"%{a.number}" if isinstance(a, Node) else repr(a) for a in self.args
        )
        return f"%{self.number} = {self.op} {words} : {self.type}"


class Block:
    """A straight run of nodes; `barrier` keeps nodes from moving out of it."""

    __slots__ = ("barrier", "depth", "parent", "structured", "table")

    def __init__(self, parent: Block | None = None, barrier: bool = False):
        self.parent, self.barrier = parent, barrier
        self.depth: int = parent.depth + 1 if parent else 0
        self.table: dict[tuple, Node] = {}
        self.structured: list[Node] = []  # its loops and branches


@dataclass(eq=False)
class Buffer:
    """An array in memory: `size` scalars of one type, written once, then only read.

    kind "input": argument number `slot`; "table": constants `values`; "column": one
    element of a loop's stacked output, or a spilled array, written by `writer`;
    "memory": a mutable array, whose versions are the nodes that update it.
    """

    kind: str
    type: str
    size: int
    slot: int = 0
    values: np.ndarray | None = None
    writer: Node | None = None
    group: Any = None  # buffers of one group are interleaved, index by index
    number: float = 0.0  # of memory: the order in which buffers were made


@dataclass(eq=False)
class Loop:
    """`trip` times (or while `condition`), carry := outs(phis), and store columns."""

    head: Block
    body: Block
    trip: int | None
    counter: Node | None
    phis: list[Node]
    inits: list[Element]
    outs: list[Element] = field(default_factory=list)
    stores: list[tuple[Buffer, Element, Element]] = field(default_factory=list)
    condition: Element = True
    memories: list[Held] = field(default_factory=list)


@dataclass(eq=False)
class Branch:
    """One of several blocks runs, chosen by an index; each gives the same outputs."""

    blocks: list[Block]
    outs: list[list[Element]]
    memories: list[Held] = field(default_factory=list)


@dataclass(eq=False)
class Held:
    """A mutable buffer that a loop or branch takes in one version and leaves in others.

    `finals` has one version for a loop, and one a block for a branch.
    """

    buffer: Buffer
    start: Node
    finals: list[Node] = field(default_factory=list)


def key_of(element: Element) -> Any:
    """What makes two elements one: node identity, or the bits of a constant."""
    if isinstance(element, Node):
        return element
    if isinstance(element, float):
        if element == 0.0:
            return ("zero", math.copysign(1.0, element))
        if element != element:
            return "nan"
    return element


class Graph:
    """Makes nodes, each once, and knows in which block it is working."""

    def __init__(self) -> None:
        self.top = Block(barrier=True)
        self.current = self.top
        self._count = itertools.count()
        # Of nodes that change memory: the primitive and the user's line behind them.
        self.sources: dict[Node, tuple[str, str]] = {}

    def make(
        self, op: str, type: str, args: tuple[Element, ...], data: Any = None
    ) -> Node:
        """The one node of this operation on these arguments."""
        home = self._home(args)
        # A node stands for itself: no call for it, this is where most time would go.
        key = (op, type, data, *[a if a.__class__ is Node else key_of(a) for a in args])
        block: Block | None = home
        while block is not None:  # a barrier may have kept it deeper than needed
            found = block.table.get(key)
            if found is not None:
                return found
            block = block.parent
        node = self._place(Node(op, type, args, data), home)
        home.table[key] = node
        return node

    def unique(
        self, op: str, type: str, args: tuple[Element, ...], data: Any = None
    ) -> Node:
        """A node that is never shared: loops, branches, carried values."""
        node = self._place(Node(op, type, args, data), self.current)
        if op in ("loop", "branch"):
            self.current.structured.append(node)
        return node

    def _place(self, node: Node, block: Block) -> Node:
        node.block, node.number = block, next(self._count)
        if node.number > MOST:
            raise TooLarge
        ready = 0
        for a in node.args:
            if a.__class__ is Node and a.depth > ready:
                ready = a.depth
        node.depth = ready + (0 if node.op in FREE else LATENCY.get(node.op, 4))
        return node

    def _home(self, args: tuple[Element, ...]) -> Block:
        deepest = self.top
        for a in args:
            if a.__class__ is Node and a.block.depth > deepest.depth:
                deepest = a.block
        block = self.current
        while block is not deepest and not block.barrier and block.parent is not None:
            block = block.parent
        return block

    # ------------------------------------------------------------------ memory

    def load(self, buffer: Buffer, index: Element) -> Element:
        """The scalar at an index of a buffer (which must be within its size)."""
        if buffer.values is not None and not isinstance(index, Node):
            return buffer.values[index].item()
        args = (index,) if buffer.writer is None else (index, buffer.writer)
        return self.make("load", buffer.type, args, buffer)

    def column(self, buffer: Buffer) -> list[Node]:
        """All scalars of a column that has just been made: none of them is known yet.

        There are as many as a loop has turns times columns; looking each up first
        would take longer than all the rest of a large program.
        """
        assert buffer.writer is not None
        writer, made = buffer.writer, []
        home = self._home((writer,))
        for index in range(buffer.size):
            node = Node("load", buffer.type, (index, writer), buffer)
            made.append(self._place(node, home))
            home.table["load", buffer.type, buffer, index, writer] = node
        return made
