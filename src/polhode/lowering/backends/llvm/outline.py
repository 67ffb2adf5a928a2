"""Very long runs of operations are cut into functions of bearable size.

LLVM's time grows faster than the length of a function: 14 thousand operations take a
second, 60 thousand half a minute. Each part reads what it needs from scratch memory and
leaves there what others need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from polhode.lowering.backends.llvm import access
from polhode.lowering.backends.llvm.emit import Emitter, Store
from polhode.lowering.backends.llvm.flow import FLOW
from polhode.lowering.ir.graph import Block, Element, Node
from polhode.lowering.ir.schedule import inner_uses

BLOCK_AT_MOST = 3_000  # operations that stay in one piece
PART = 1_500  # operations in each piece of a longer block: large ones run quicker,
SMALL_PART = 250  # small ones compile quicker,
VERY_LONG = 20_000  # and of so many operations only small ones compile in bearable time

OUTSIDE = -1  # the number of what is in no part


def _values(node: Node) -> tuple[Element, ...]:
    """What a node computes with: of a load its index, not the version it reads."""
    return node.args[:1] if node.op == "load" else node.args


def is_long(emit: Emitter, block: Block) -> bool:
    return len(emit.plan.of(block)) > BLOCK_AT_MOST


class Outliner:  # limit: one short step of the cutting each
    """Writes one long block as calls of its parts."""

    def __init__(
        self,
        emit: Emitter,
        block: Block,
        outs: Iterable[Element],
        stores: Sequence[Store],
    ):
        self.emit, self.nodes = emit, emit.plan.of(block)
        self.outs, self.stores = outs, stores
        self.size = SMALL_PART if len(self.nodes) > VERY_LONG else PART
        self.part_of: dict[Node, int] = {}
        self.parts: list[list[Node]] = []

    def write(self) -> None:
        emit = self.emit
        for node in self.nodes:
            if node.op == "copy":
                emit.alias[node] = node.args[0]
        sequence = self._cut()
        shared = self._shared()
        for item in sequence:
            if isinstance(item, Node):
                FLOW[item.op](emit, item)
            else:
                self._call(item, shared)
        for start in range(0, len(self.stores), self.size):
            self._call_stores(self.stores[start : start + self.size])

    def _cut(self) -> list[Node | int]:
        """Loops, branches and loads in their places, and numbers of parts between."""
        sequence: list[Node | int] = []
        current: list[Node] = []
        for node in self.nodes:
            if node.op in ("phi", "counter", "param", "version", "copy", "proj"):
                continue
            argument = node.op == "load" and node.data.kind == "input"
            if argument and not self._waits_for(node, current):
                sequence.append(node)  # it runs before the part around it
                continue
            outside = argument or (node.op in FLOW and node.op != "load")
            if outside or len(current) >= self.size:
                current = self._close(sequence, current)
            if outside:
                sequence.append(node)
            else:
                current.append(node)
        self._close(sequence, current)
        return sequence

    def _waits_for(self, node: Node, current: list[Node]) -> bool:
        """Whether the open part computes the index that a load needs."""
        index = self.emit.resolve(node.args[0])
        return isinstance(index, Node) and index in current

    def _close(self, sequence: list, current: list[Node]) -> list[Node]:
        if current:
            for node in current:
                self.part_of[node] = len(self.parts)
            sequence.append(len(self.parts))
            self.parts.append(current)
        return []

    def _shared(self) -> set[Node]:
        """Nodes of parts that something besides their own part uses."""
        found: set[Node] = set()

        def note(words: Iterable[Element], part: int = OUTSIDE) -> None:
            for word in map(self.emit.resolve, words):
                if isinstance(word, Node) and self.part_of.get(word, part) != part:
                    found.add(word)

        plan = self.emit.plan
        note(self.outs)
        for _, index, value in self.stores:
            note((index, value))
        for node in self.nodes:
            part = self.part_of.get(node, OUTSIDE)
            note(_values(node), part)
            if node.op in ("loop", "branch"):
                note(inner_uses(node, plan.live, plan.blocks))
        return found

    def _call(self, number: int, shared: set[Node]) -> None:
        """Hand over what the part needs, call it; it leaves what others need."""
        part = self.parts[number]
        outputs = [node for node in part if node in shared]

        def compute(inner: Emitter) -> None:
            for node in part:
                if node.op == "load":
                    access.load(inner, node)
                    continue
                wide = inner.is_wide(node)
                inner.define(node, inner.operation(node, wide), wide)
            for node in outputs:
                inner.leave(node)

        self._part(compute)
        self.emit.filled.update(outputs)

    def _call_stores(self, stores: Sequence[Store]) -> None:
        """What a loop leaves in columns, in a part of its own."""

        def write(inner: Emitter) -> None:
            for store in stores:
                access.store_column(inner, *store)

        self._part(write)

    def _part(self, write: Callable[[Emitter], None]) -> None:
        """A function that takes what it needs from the slots, and a call of it."""
        outer = self.emit
        inner = outer.inner()
        write(inner)
        outer.hand_over(inner)
        name = f"part{len(outer.functions)}"
        head = f"define internal void @{name}(ptr noalias %scratch) noinline {{"
        text = [head, "entry:", *inner.lines, "  ret void", "}"]
        outer.functions.append("\n".join(text))
        outer.do(f"call void @{name}(ptr %scratch)")
