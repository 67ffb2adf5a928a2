"""Very long runs of operations are cut into functions of bearable size.

LLVM's time grows faster than the length of a function: 14 thousand operations take a
second, 60 thousand half a minute. Each part reads what it needs from scratch memory and
leaves there what others need.
"""

from __future__ import annotations

from collections.abc import Iterable

from polhode.lowering.graph import Block, Element, Node
from polhode.lowering.llvm.emit import Emitter
from polhode.lowering.llvm.flow import FLOW
from polhode.lowering.llvm.text import SCALAR, SLOT, vector
from polhode.lowering.schedule import inner_uses

BLOCK_AT_MOST = 4_000  # operations that stay in one piece
PART = 1_500  # operations in each piece of a longer block


def is_long(emit: Emitter, block: Block) -> bool:
    return len(emit.plan.of(block)) > BLOCK_AT_MOST


class Outliner:
    """Writes one long block as calls of its parts."""

    def __init__(self, emit: Emitter, block: Block):
        self.emit, self.nodes = emit, emit.plan.of(block)
        self.part_of: dict[Node, int] = {}
        self.parts: list[list[Node]] = []
        self.slots: dict[Node, int] = {}

    def write(self) -> None:
        emit = self.emit
        for node in self.nodes:
            if node.op == "copy":
                emit.alias[node] = node.args[0]
        sequence = self._cut()
        wanted = self._wanted_outside()
        for item in sequence:
            if isinstance(item, Node):
                FLOW[item.op](emit, item)
            else:
                self._call(item, wanted)

    def _cut(self) -> list[Node | int]:
        """Loops, branches and loads in their places, and numbers of parts between."""
        sequence: list[Node | int] = []
        current: list[Node] = []
        for node in self.nodes:
            if node.op in ("phi", "counter", "param", "version", "copy", "proj"):
                continue
            if node.op == "load" and not self._waits_for(node, current):
                sequence.append(node)  # it runs before the part around it
                continue
            if node.op in FLOW or len(current) >= PART:
                current = self._close(sequence, current)
            if node.op in FLOW:
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

    def _wanted_outside(self) -> set[Node]:
        """Nodes that something besides the parts of this block uses."""
        emit, wanted = self.emit, set(self.emit.roots)
        for node in emit.plan.live.nodes:
            if node in self.part_of:
                continue
            uses: Iterable[Element] = node.args
            if node.op in ("loop", "branch"):
                uses = (*node.args, *inner_uses(node, emit.plan.live, {}))
            wanted.update(u for u in map(emit.resolve, uses) if isinstance(u, Node))
        return wanted

    def _call(self, number: int, wanted: set[Node]) -> None:
        """Hand over what the part needs, call it, take what others need."""
        emit, part = self.emit, self.parts[number]
        inside = set(part)
        needs: dict[Node, None] = {}
        for node in part:
            for a in map(emit.resolve, node.args):
                if isinstance(a, Node) and a not in inside:
                    needs[a] = None
        for node in needs:
            if node not in self.slots:
                self._leave(emit, node)
        outputs = [n for n in part if n in wanted or self._is_needed_later(n, number)]
        name = f"part{len(emit.functions)}"
        emit.functions.append(self._function(name, part, list(needs), outputs))
        emit.do(f"call void @{name}(ptr %scratch)")
        for node in outputs:
            if node in wanted:
                self._take(emit, node)

    def _is_needed_later(self, node: Node, number: int) -> bool:
        if not hasattr(self, "_users"):
            self._users: dict[Node, set[int]] = {}
            for user, part in self.part_of.items():
                for a in map(self.emit.resolve, user.args):
                    if isinstance(a, Node):
                        self._users.setdefault(a, set()).add(part)
        return any(part != number for part in self._users.get(node, ()))

    def _function(self, name: str, part: list[Node], needs: list, outputs: list) -> str:
        outer = self.emit
        emit = Emitter(outer.plan, outer.lanes, outer.varying, outer.memory)
        emit.alias = outer.alias
        for node in needs:
            self._take(emit, node)
        for node in part:
            wide = emit.is_wide(node)
            emit.define(node, emit.operation(node, wide), wide)
        for node in outputs:
            self._leave(emit, node)
        head = f"define internal void @{name}(ptr noalias %scratch) noinline {{"
        return "\n".join([head, "entry:", *emit.lines, "  ret void", "}"])

    # ------------------------------------------------------------------ slots

    def _place(self, emit: Emitter, node: Node) -> str:
        if node not in self.slots:
            self.slots[node] = emit.memory.slots
            emit.memory.slots += 1
        at = self.slots[node] * SLOT * emit.lanes
        return emit.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")

    def _kind(self, emit: Emitter, node: Node) -> str:
        return (
            vector(node.type, emit.lanes) if emit.is_wide(node) else SCALAR[node.type]
        )

    def _leave(self, emit: Emitter, node: Node) -> None:
        word, kind = (
            emit.use(node, node.type, emit.is_wide(node)),
            self._kind(emit, node),
        )
        emit.do(f"store {kind} {word}, ptr {self._place(emit, node)}, align {SLOT}")

    def _take(self, emit: Emitter, node: Node) -> None:
        kind = self._kind(emit, node)
        name = emit.write(f"load {kind}, ptr {self._place(emit, node)}, align {SLOT}")
        emit.define(node, name, emit.is_wide(node))
