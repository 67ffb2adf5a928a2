"""What of a scalar program is needed, and in which order it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from polhode.lowering.ir.graph import Block, Branch, Buffer, Element, Held, Loop, Node

# Nodes of a block above which each runs just before what needs it: less waits in memory
# between the parts of long code. Short code is as quick in the order of creation.
LONG = 12_000


@dataclass(eq=False)
class Function:
    """A part of a program that is compiled once and called from several places."""

    name: str
    block: Block
    params: list[Node]
    outs: list[Element]
    types: list[str]
    # "rare" is kept out of the way of what runs always. A "large" one takes its
    # arguments and leaves its results in scratch memory; the others pass them by value.
    kind: str = "rare"  # or "shared", "inline", "large"


@dataclass
class Liveness:
    """The needed nodes, and of loops and branches the needed parts."""

    nodes: set[Node] = field(default_factory=set)
    carries: dict[Any, set[int]] = field(default_factory=dict)
    outputs: dict[Any, set[int]] = field(default_factory=dict)
    buffers: set[Buffer] = field(default_factory=set)
    memories: set[Held] = field(default_factory=set)
    functions: dict[str, Function] = field(default_factory=dict)

    def operations(self) -> int:
        """Scalar operations, as a person would count them."""
        silent = {"load", "phi", "counter", "proj", "loop", "branch", "spill", "copy"}
        silent |= {"call", "abreast", "param", "version", "update", "copy_all"}
        silent |= {"series"}
        series = (n.data.operations for n in self.nodes if n.op == "series")
        return sum(node.op not in silent for node in self.nodes) + sum(series)


# Operations that need more than their arguments, or less.
NEEDY = {"proj", "phi", "load", "version", "update", "copy_all", "loop", "call"}
NEEDY |= {"abreast"}


def find_live(roots: Iterable[Element]) -> Liveness:
    """Everything that the roots depend on."""
    live = Liveness()
    stack: list[Element] = list(roots)
    nodes = live.nodes
    while stack:
        node = stack.pop()
        if node.__class__ is Node and node not in nodes:
            nodes.add(node)
            # Plain arithmetic, nearly all there is, needs just its arguments.
            stack.extend(_needs(node, live) if node.op in NEEDY else node.args)
    return live


def _needs(node: Node, live: Liveness) -> Iterator[Element]:
    if node.op == "proj":
        yield node.args[0]
        yield from _part(node.args[0], node.data, live)
    elif node.op == "phi":
        loop, position = node.data
        yield from _carry(loop, position, live)
    elif node.op == "load":
        yield from node.args
        yield from _store(node.data, live)
        if node.data.kind == "memory":
            yield from _version(node.args[1], node.data, live)
    elif node.op == "version":
        loop, held = node.data
        yield from _held(held, live)
    elif node.op in ("update", "copy_all"):
        yield from node.args
        yield from _overwritten(node, live)
    elif node.op == "loop":
        yield node.data.condition
    elif node.op in ("call", "abreast"):
        yield from node.args
        function = node.data
        live.functions[function.name] = function
        yield from function.outs
        yield from function.params
    else:
        yield from node.args


def _part(node: Node, position: int, live: Liveness) -> Iterator[Element]:
    if node.op == "loop":
        yield from _carry(node.data, position, live)
    elif node.op == "branch":
        live.outputs.setdefault(node.data, set()).add(position)
        yield from (outs[position] for outs in node.data.outs)


def _carry(loop: Loop, position: int, live: Liveness) -> Iterator[Element]:
    if position not in live.carries.setdefault(loop, set()):
        live.carries[loop].add(position)
        yield from (loop.inits[position], loop.outs[position], loop.phis[position])


def _version(node: Node, buffer: Buffer, live: Liveness) -> Iterator[Element]:
    """What must have run for a buffer to be in a version."""
    if node.op in ("loop", "branch"):
        for held in node.data.memories:
            if held.buffer is buffer:
                yield from _held(held, live)


def _held(held: Held, live: Liveness) -> Iterator[Element]:
    if held not in live.memories:
        live.memories.add(held)
        yield held.start
        yield from _version(held.start, held.buffer, live)
        for final in held.finals:
            yield final
            yield from _version(final, held.buffer, live)


def _overwritten(node: Node, live: Liveness) -> Iterator[Element]:
    """An update keeps what it does not write; a copy needs its source."""
    if node.op == "update" and node.data[1]:
        yield from _version(node.args[0], node.data[0], live)
    if node.op == "copy_all":
        buffer, column, follows = node.data
        live.buffers |= {buffer}
        if column.source is not None:
            yield from _store(column.source, live)
            if column.source.kind == "memory":
                yield from _version(node.args[-1], column.source, live)
        if follows:
            yield from _version(node.args[0], buffer, live)


def _store(buffer: Buffer, live: Liveness) -> Iterator[Element]:
    if buffer in live.buffers:
        return
    live.buffers.add(buffer)
    writer = buffer.writer
    if writer is not None and writer.op == "loop":
        for target, index, value in writer.data.stores:
            if target is buffer:
                yield index
                yield value


# ------------------------------------------------------------------------ order


@dataclass
class Schedule:
    """The live nodes of every block in an order in which they can run."""

    live: Liveness
    blocks: dict[Block, list[Node]]
    sizes: dict[Block, int] = field(default_factory=dict)  # those inside counted too
    calls: dict[Block, set[str]] = field(default_factory=dict)  # that are made inside
    costs: dict[Block, int] = field(default_factory=dict)  # operations, by turns

    def of(self, block: Block) -> list[Node]:
        return self.blocks.get(block, [])


def inner_blocks(node: Node) -> list[Block]:
    """The blocks of a loop or a branch; of others none."""
    if node.op == "branch":
        return list(node.data.blocks)
    if node.op == "loop":
        return list(dict.fromkeys((node.data.head, node.data.body)))
    return []


def size_of(plan: Schedule, block: Block) -> int:
    """Nodes of a block, and of the blocks inside it."""
    if block not in plan.sizes:
        inner = (
            size_of(plan, b) for node in plan.of(block) for b in inner_blocks(node)
        )
        plan.sizes[block] = len(plan.of(block)) + sum(inner)
    return plan.sizes[block]


def calls_in(plan: Schedule, block: Block) -> set[str]:
    """Names of the functions that a block calls, and of those that these call."""
    if block not in plan.calls:
        found: set[str] = set()
        for node in plan.of(block):
            if node.op == "call":
                found |= {node.data.name} | calls_in(plan, node.data.block)
            for inner in inner_blocks(node):
                found |= calls_in(plan, inner)
        plan.calls[block] = found
    return plan.calls[block]


@dataclass(frozen=True)
class Needs:
    """What each node must run after, in its own block.

    captured   of loops and branches what they use inside, and of what changes memory
               those that must have read it before
    """

    live: Liveness
    members: dict[Block, list[Node]]
    captured: dict[Node, set[Node]]

    @classmethod
    def of(cls, roots: Iterable[Element]) -> Needs:
        live = find_live(roots)
        members: dict[Block, list[Node]] = {}
        for node in sorted(live.nodes, key=lambda n: n.number):
            members.setdefault(node.block, []).append(node)
        captured: dict[Node, set[Node]] = {}
        for node in live.nodes:
            if node.op in ("loop", "branch"):
                captured[node] = _captures(node, live, members)
        for node, readers in overwriters(live, members).items():
            captured.setdefault(node, set()).update(readers)
        return cls(live, members, captured)

    def before(self, node: Node) -> Iterator[Node]:
        for a in (*self.captured.get(node, ()), *_operands(node)):
            if isinstance(a, Node) and a.block is node.block:
                yield a

    def ordered(self, block: Block) -> list[Node]:
        """Creation order, except that what was made late but is needed early moves up.

        Depth first over what each needs.
        """
        nodes, done, out = self.members[block], set(), []
        for root in nodes if len(nodes) <= LONG else self._last(nodes):
            stack = [(root, False)]
            while stack:
                node, ready = stack.pop()
                if ready:
                    out.append(node)
                    continue
                if node in done:
                    continue
                done.add(node)
                stack.append((node, True))
                before = [a for a in self.before(node) if a not in done]
                stack.extend((a, False) for a in sorted(before, key=_latest_first))
        self._check(out)
        return out

    def _last(self, nodes: list[Node]) -> list[Node]:
        """Those that no other node of the block needs."""
        needed = {a for node in nodes for a in self.before(node)}
        return [node for node in nodes if node not in needed]

    def _check(self, nodes: list[Node]) -> None:
        """A cycle means that memory would be read after it was overwritten."""
        place = {node: k for k, node in enumerate(nodes)}
        for node in nodes:
            needs = self.captured.get(node, ())
            if any(place.get(need, -1) > place[node] for need in needs):
                raise Unordered(node)


def _latest_first(node: Node) -> float:
    return -node.number


def schedule(roots: Iterable[Element]) -> Schedule:
    """The needed nodes, each block in an order in which it can run."""
    needs = Needs.of(roots)
    return Schedule(
        needs.live, {block: needs.ordered(block) for block in needs.members}
    )


def blocks_of(node: Node) -> list[Block]:
    data = node.data
    return data.blocks if isinstance(data, Branch) else list({data.head, data.body})


def inner_uses(node: Node, live: Liveness, members: dict) -> Iterator[Element]:
    """Elements that a loop or branch refers to from inside its blocks."""
    data = node.data
    for held in data.memories:
        if held in live.memories:
            yield held.start
            yield from held.finals
    if isinstance(data, Branch):
        for outs in data.outs:
            yield from (outs[k] for k in live.outputs.get(data, ()))
    else:
        yield data.condition
        for k in live.carries.get(data, ()):
            yield data.inits[k]
            yield data.outs[k]
        for buffer, index, value in data.stores:
            if buffer in live.buffers:
                yield index
                yield value
    for block in blocks_of(node):
        for member in members.get(block, ()):
            yield from _operands(member)
            if member.op in ("loop", "branch"):
                yield from inner_uses(member, live, members)


def _operands(node: Node) -> tuple[Element, ...]:
    """What a node needs before it; a loop needs only its live carries' starts."""
    return () if node.op == "loop" else node.args


def _captures(node: Node, live: Liveness, members: dict) -> set[Node]:
    """Nodes of the block around it that a loop or branch uses inside."""
    return {
        use
        for use in inner_uses(node, live, members)
        if isinstance(use, Node) and use.block is node.block
    }


class Unordered(Exception):
    """An array in memory is read in an old version after a node changed it."""

    def __init__(self, node: Node):
        super().__init__(node)
        self.node = node


def overwriters(live: Liveness, members: dict) -> dict[Node, set[Node]]:
    """For each node that changes memory: those that must have read it before."""
    readers: dict[tuple[Buffer, Node], set[Node]] = {}
    for node in live.nodes:
        for buffer, version in read_by(node):
            readers.setdefault((buffer, version), set()).add(node)
    owners = block_owners(live.nodes)
    out: dict[Node, set[Node]] = {}
    seen: dict[tuple[Buffer, Node], list[Node]] = {}
    for node in live.nodes:
        for key in overwritten_by(node, live):
            for other in seen.setdefault(key, []):
                if not _exclusive(node, other, owners):
                    raise Unordered(node)
            seen[key].append(node)
            for reader in readers.get(key, ()):
                if not _exclusive(node, reader, owners):
                    writer, before = memory_meeting(node, reader, owners)
                    out.setdefault(writer, set()).add(before)
    return out


def block_owners(nodes: Iterable[Node]) -> dict[Block, Node]:
    """Of blocks inside loops and branches: whose they are."""
    return {
        block: node
        for node in nodes
        if node.op in ("loop", "branch")
        for block in blocks_of(node)
    }


def read_by(node: Node) -> Iterator[tuple[Buffer, Node]]:
    """The versions of memory that a node reads."""
    if node.op == "load" and node.data.kind == "memory":
        yield node.data, node.args[1]
    if node.op == "copy_all":
        source = node.data[1].source
        if source is not None and source.kind == "memory":
            yield source, node.args[-1]


def overwritten_by(node: Node, live: Liveness) -> Iterator[tuple[Buffer, Node]]:
    """The versions of memory that a node makes others of, in their place."""
    if (node.op == "update" and node.data[1]) or (
        node.op == "copy_all" and node.data[2]
    ):
        yield node.data[0], node.args[0]
    elif node.op == "loop":
        for held in node.data.memories:
            if held in live.memories:
                yield held.buffer, held.start


def _path(node: Node, owners: dict[Block, Node]) -> list[Node]:
    """The node and the loops and branches around it, outermost first."""
    path = [node]
    while node.block in owners:
        node = owners[node.block]
        path.append(node)
    return path[::-1]


def _exclusive(a: Node, b: Node, owners: dict[Block, Node]) -> bool:
    """Whether two nodes are in different blocks of one branch: never both run."""
    pairs = zip(_path(a, owners), _path(b, owners), strict=False)
    apart = next(((x, y) for x, y in pairs if x is not y), None)
    if apart is None:
        return False
    x, y = apart
    owner = owners.get(x.block)
    return x.block is not y.block and owner is not None and owner.op == "branch"


def memory_meeting(writer: Node, reader: Node, owners: dict) -> tuple[Node, Node]:
    """The two, or what is around them, where they stand in one block."""
    pairs = zip(_path(writer, owners), _path(reader, owners), strict=False)
    for a, b in pairs:
        if a is not b:
            return a, b
    raise Unordered(writer)  # one is inside the other: it would read what it overwrites
