"""What of a scalar program is needed, and in which order it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from polhode.lowering.graph import Block, Branch, Buffer, Element, Loop, Node

STRUCTURED = ("loop", "branch", "call")


@dataclass(eq=False)
class Function:
    """A part of a program that is compiled once and called from several places."""

    name: str
    block: Block
    params: list[Node]
    outs: list[Element]
    types: list[str]


@dataclass
class Liveness:
    """The needed nodes, and of loops and branches the needed parts."""

    nodes: set[Node] = field(default_factory=set)
    carries: dict[Any, set[int]] = field(default_factory=dict)
    outputs: dict[Any, set[int]] = field(default_factory=dict)
    buffers: set[Buffer] = field(default_factory=set)
    functions: dict[str, Function] = field(default_factory=dict)

    def operations(self) -> int:
        """Scalar operations, as a person would count them."""
        silent = {"load", "phi", "counter", "proj", "loop", "branch", "spill", "copy"}
        silent |= {"call", "param"}
        return sum(node.op not in silent for node in self.nodes)


def find_live(roots: Iterable[Element]) -> Liveness:
    """Everything that the roots depend on."""
    live = Liveness()
    stack: list[Element] = list(roots)
    while stack:
        node = stack.pop()
        if isinstance(node, Node) and node not in live.nodes:
            live.nodes.add(node)
            stack.extend(_needs(node, live))
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
    elif node.op == "loop":
        yield node.data.condition
    elif node.op == "call":
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

    def of(self, block: Block) -> list[Node]:
        return self.blocks.get(block, [])


def schedule(roots: Iterable[Element]) -> Schedule:
    """Creation order, except that what was made late but is needed early moves up."""
    live = find_live(roots)
    members: dict[Block, list[Node]] = {}
    for node in sorted(live.nodes, key=lambda n: n.number):
        members.setdefault(node.block, []).append(node)
    captured: dict[Node, set[Node]] = {}
    for node in live.nodes:
        if node.op in ("loop", "branch"):
            captured[node] = _captures(node, live, members)
    ordered = {b: _sort(nodes, captured) for b, nodes in members.items()}
    return Schedule(live, ordered)


def blocks_of(node: Node) -> list[Block]:
    data = node.data
    return data.blocks if isinstance(data, Branch) else list({data.head, data.body})


def inner_uses(node: Node, live: Liveness, members: dict) -> Iterator[Element]:
    """Elements that a loop or branch refers to from inside its blocks."""
    data = node.data
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
            yield from member.args
            if member.op in ("loop", "branch"):
                yield from inner_uses(member, live, members)


def _captures(node: Node, live: Liveness, members: dict) -> set[Node]:
    """Nodes of the block around it that a loop or branch uses inside."""
    return {
        use
        for use in inner_uses(node, live, members)
        if isinstance(use, Node) and use.block is node.block
    }


def _sort(nodes: list[Node], captured: dict[Node, set[Node]]) -> list[Node]:
    """Depth first over what each needs, in creation order otherwise."""
    block, done, out = nodes[0].block, set(), []
    for root in nodes:
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
            needs = captured.get(node, ()) or node.args
            before = [
                a
                for a in (*needs, *node.args)
                if isinstance(a, Node) and a.block is block and a not in done
            ]
            stack.extend((a, False) for a in sorted(before, key=lambda n: -n.number))
    return out
