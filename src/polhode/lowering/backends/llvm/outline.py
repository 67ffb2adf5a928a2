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
from polhode.lowering.backends.llvm.text import SCALAR, SLOT, vector
from polhode.lowering.ir.graph import Block, Element, Node
from polhode.lowering.ir.schedule import inner_uses

BLOCK_AT_MOST = 3_000  # operations that stay in one piece
PART = 1_500  # operations in each piece of a longer block: large ones run quicker,
SMALL_PART = 250  # small ones compile quicker,
VERY_LONG = 20_000  # and of so many operations only small ones compile in bearable time

STORES = -1  # the number of the parts that fill columns


def _values(node: Node) -> tuple[Element, ...]:
    """What a node computes with: of a load its index, not the version it reads."""
    return node.args[:1] if node.op == "load" else node.args


def is_long(emit: Emitter, block: Block) -> bool:
    return len(emit.plan.of(block)) > BLOCK_AT_MOST


class Outliner:  # limit: one short step of the cutting each
    """Writes one long block as calls of its parts."""

    def __init__(self, emit: Emitter, block: Block, stores: Sequence[Store]):
        self.emit, self.nodes, self.home = emit, emit.plan.of(block), block
        self.stores = stores
        self.size = SMALL_PART if len(self.nodes) > VERY_LONG else PART
        self.part_of: dict[Node, int] = {}
        self.parts: list[list[Node]] = []
        self.slots: dict[Node, int] = dict(emit.placed)
        self.users: dict[Node, set[int]] = {}  # of each node, the parts that use it

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

    def _wanted_outside(self) -> set[Node]:
        """Nodes that something besides the parts of this block uses."""
        emit, wanted = self.emit, set(self.emit.roots)
        for node in emit.plan.live.nodes:
            if node in self.part_of:
                continue
            uses: Iterable[Element] = node.args
            if node.op == "loop" and node.data.body is self.home:
                loop = node.data  # its stores are parts of their own
                outs = (loop.outs[k] for k in emit.plan.live.carries.get(loop, ()))
                uses = (*node.args, loop.condition, *outs)
            elif node.op in ("loop", "branch"):
                uses = (*node.args, *inner_uses(node, emit.plan.live, {}))
            wanted.update(u for u in map(emit.resolve, uses) if isinstance(u, Node))
        return wanted

    def _call(self, number: int, wanted: set[Node]) -> None:
        """Hand over what the part needs, call it, take what others need."""
        emit, part = self.emit, self.parts[number]
        needs = self._hand_over((a for node in part for a in _values(node)), set(part))
        outputs = [n for n in part if n in wanted or self._is_needed_later(n, number)]
        self._part(needs, lambda inner: self._compute(inner, part, outputs))
        for node in outputs:
            if node in wanted:
                self._take(emit, node)

    def _note(self, words: Iterable[Element], part: int) -> None:
        for word in map(self.emit.resolve, words):
            if isinstance(word, Node):
                self.users.setdefault(word, set()).add(part)

    def _is_needed_later(self, node: Node, number: int) -> bool:
        if not self.users:
            for user, part in self.part_of.items():
                self._note(_values(user), part)
            for _, index, value in self.stores:
                self._note((index, value), STORES)
        return any(part != number for part in self.users.get(node, ()))

    def _call_stores(self, stores: Sequence[Store]) -> None:
        """What a loop leaves in columns, in a part of its own."""
        words = (word for _, index, value in stores for word in (index, value))
        needs = self._hand_over(words, set())

        def write(inner: Emitter) -> None:
            for store in stores:
                access.store_column(inner, *store)

        self._part(needs, write)

    def _hand_over(self, words: Iterable[Element], inside: set[Node]) -> list[Node]:
        """The nodes among the words from outside a part, each in its slot."""
        needs: dict[Node, None] = {}
        for word in map(self.emit.resolve, words):
            if isinstance(word, Node) and word not in inside:
                needs[word] = None
        for node in needs:
            if node not in self.slots:
                self._leave(self.emit, node)
        return list(needs)

    def _part(self, needs: list[Node], write: Callable[[Emitter], None]) -> None:
        """A function that takes what it needs from the slots, and a call of it."""
        outer = self.emit
        emit = Emitter(outer.plan, outer.lanes, outer.varying, outer.memory)
        emit.alias = outer.alias
        for node in needs:
            self._take(emit, node)
        write(emit)
        name = f"part{len(outer.functions)}"
        head = f"define internal void @{name}(ptr noalias %scratch) noinline {{"
        text = [head, "entry:", *emit.lines, "  ret void", "}"]
        outer.functions.append("\n".join(text))
        outer.do(f"call void @{name}(ptr %scratch)")

    def _compute(self, emit: Emitter, part: list[Node], outputs: list[Node]) -> None:
        for node in part:
            if node.op == "load":
                access.load(emit, node)
                continue
            wide = emit.is_wide(node)
            emit.define(node, emit.operation(node, wide), wide)
        for node in outputs:
            self._leave(emit, node)

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
