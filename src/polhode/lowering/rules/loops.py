"""Loops stay loops, specialised by what is known.

A loop's body is lowered by a fixpoint: first every carried element is taken to keep
its initial value, known or not; those that the body changes are demoted to varying and
the body is lowered again. Zeros that a dense body carries round thus cost nothing. A
loop within others is lowered whenever they are: it begins with what varied the last
time, and afresh where that was more than need be. A carried integer that grows by a
constant becomes a multiple of the loop's counter. Large carried arrays live in memory
and are updated there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Block, Buffer, Element, Held, Loop, Node
from polhode.lowering.ir.program import Lowering, Value, is_key, lift, type_of
from polhode.lowering.ir.scalars import INTEGERS
from polhode.lowering.rules import memory
from polhode.lowering.rules.layout import Layout, same_element

FEW = 12  # elements: among so many a computed place is found by selects


@dataclass
class Carry:
    """What a loop carries: scalars by element, large arrays in memory.

    So do those `indexed` that are changed at computed places: of more than a few
    elements each place would be a choice among all.
    """

    avals: list[Any]
    values: list[Value]
    site: Any = None  # the equation that it belongs to
    indexed: set[int] = field(default_factory=set)
    held: list[Held] = field(default_factory=list)
    varying: list[bool] = field(default_factory=list)
    steps: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.large = [
            not is_key(a)
            and (v.size >= memory.AT_LEAST or (k in self.indexed and v.size > FEW))
            for k, (a, v) in enumerate(zip(self.avals, self.values, strict=True))
        ]
        small = [
            a for a, large in zip(self.avals, self.large, strict=True) if not large
        ]
        self.layout = Layout(tuple(small))
        self.types = self.layout.types()
        self.inits = self.layout.flatten(self.small(self.values))
        self.varying = [False] * len(self.inits)

    def small(self, values: list[Value]) -> list[Value]:
        return [v for v, large in zip(values, self.large, strict=True) if not large]

    def big(self, values: list[Value]) -> list[Value]:
        return [v for v, large in zip(values, self.large, strict=True) if large]

    def join(self, small: list[Value], big: list[Value]) -> list[Value]:
        few, many = iter(small), iter(big)
        return [next(many) if large else next(few) for large in self.large]


Body = Callable[[list[Value], Node], tuple[list[Value], Any]]


def build_loop(
    low: Lowering, trip: int | None, carry: Carry, body: Body, condition: Any = None
) -> tuple[list[Value], Any, Node]:
    """A loop: final values, what else the body gave in its last lowering, its node."""
    starts = _memory_starts(low, carry)
    before = dict(low.latest)
    site = (id(carry.site), tuple(carry.types))
    _, last = low.varying.get(site, (None, carry.varying))
    guessed = carry.varying = list(last)
    while True:
        loop, outs, rest = _lower_once(low, trip, carry, (body, condition, starts))
        if any(guessed) and _is_needless(loop, outs, carry):
            guessed = carry.varying = [False] * len(guessed)
        elif not _demote(carry, outs):
            break
        low.latest = dict(before)
    if carry.site is not None:
        low.varying[site] = carry.site, list(carry.varying)
    if trip is not None:
        carry.steps = _induction(loop, outs, carry)
        if carry.steps:
            low.latest = dict(before)
            loop, outs, rest = _lower_once(low, trip, carry, (body, condition, starts))
    loop.outs = [out for k, out in enumerate(outs) if _is_phi(carry, k)]
    node = low.graph.unique("loop", "", _nodes(loop.inits), loop)
    memory.note_source(low, node)
    low.latest = before
    for held in loop.memories:
        low.latest[held.buffer] = node
    return _finals(low, node, carry), rest, node


def _is_phi(carry: Carry, k: int) -> bool:
    return carry.varying[k] and k not in carry.steps


def _memory_starts(low: Lowering, carry: Carry) -> list[tuple[Any, Node]]:
    """A buffer for each large array: its own if a surrounding loop holds it already."""
    starts = []
    for aval, value in zip(
        carry.big(carry.avals), carry.big(carry.values), strict=True
    ):
        found = memory.whole(value)
        inside = found is not None and found[0] in low.held
        if found is None or not inside or low.latest.get(found[0]) is not found[1]:
            found = memory.new_memory(low, lift(value), type_of(aval))
        starts.append(found)
    return starts


def _lower_once(low: Lowering, trip: int | None, carry: Carry, job: tuple) -> tuple:
    """One lowering of the body with what is now thought to vary."""
    body, condition, starts = job
    head = Block(low.graph.current)
    inner = head if trip is not None else Block(head)
    loop = Loop(head, inner, trip, None, [], [])
    values = within(low, head, lambda: _enter(low, loop, carry, starts))
    if condition is not None:
        loop.condition = within(low, head, lambda: condition(values))
    low.held |= {buffer for buffer, _ in starts}
    new, rest = within(low, inner, lambda: body(values, loop.counter))
    within(low, inner, lambda: _leave(low, loop, carry.big(new)))
    low.held -= {buffer for buffer, _ in starts}
    return loop, carry.layout.flatten(carry.small(new)), rest


def _enter(low: Lowering, loop: Loop, carry: Carry, starts: list) -> list[Value]:
    """The carried values at the head: phis, constants, multiples, memory."""
    loop.counter = low.graph.unique("counter", "int64", ())
    if loop.trip is not None:
        low.ranges[loop.counter] = (0, loop.trip - 1)
    elements: list[Element] = []
    for k, (init, type) in enumerate(zip(carry.inits, carry.types, strict=True)):
        if k in carry.steps:
            elements.append(_multiple(low, loop, init, carry.steps[k], type))
        elif carry.varying[k]:
            phi = low.graph.unique("phi", type, (), (loop, len(loop.phis)))
            loop.phis.append(phi)
            loop.inits.append(init)
            elements.append(phi)
        else:
            elements.append(init)
    big = []
    for (buffer, start), value in zip(starts, carry.big(carry.values), strict=True):
        held = Held(buffer, start)
        loop.memories.append(held)
        version = low.graph.unique("version", "", (), (loop, held))
        low.latest[buffer] = version
        big.append(memory.elements_of(low, buffer, version, value.shape))
    return carry.join(carry.layout.rebuild(elements), big)


def _leave(low: Lowering, loop: Loop, values: list[Value]) -> None:
    """Each large array back in its buffer."""
    for held, value in zip(loop.memories, values, strict=True):
        latest = low.latest[held.buffer]
        if memory.whole(value) == (held.buffer, latest):
            held.finals = [latest]
        else:
            held.finals = [memory.write_all(low, held.buffer, latest, lift(value))]


def _multiple(low: Lowering, loop: Loop, init: int, step: int, type: str) -> Element:
    """init + step * counter, its range noted."""
    assert loop.trip is not None
    scaled = low.build.mul(step, loop.counter, "int64")
    value = low.build.add(scaled, init, "int64")
    ends = (init, init + step * (loop.trip - 1))
    bounds = (min(ends), max(ends))
    low.ranges[value] = bounds
    if type != "int64":
        value = low.build.apply("convert", type, value, data="int64")
        low.ranges[value] = bounds
    return value


def within(low: Lowering, block: Block, job: Callable[[], Any]) -> Any:
    """Do a job with new nodes going to a block."""
    before, low.graph.current = low.graph.current, block
    try:
        return job()
    finally:
        low.graph.current = before


def _demote(carry: Carry, outs: list[Element]) -> bool:
    """Mark the carries that the body changes; say whether there were new ones."""
    changed = False
    for k, (init, out) in enumerate(zip(carry.inits, outs, strict=True)):
        if not carry.varying[k] and not same_element(init, out):
            carry.varying[k] = changed = True
    return changed


def _is_needless(loop: Loop, outs: list[Element], carry: Carry) -> bool:
    """Whether something is taken to vary that the body hands on as it is."""
    vary = [out for out, varies in zip(outs, carry.varying, strict=True) if varies]
    return any(out is phi for out, phi in zip(vary, loop.phis, strict=True))


def _induction(loop: Loop, outs: list[Element], carry: Carry) -> dict[int, int]:
    """Carried integers that start at a constant and grow by a constant."""
    steps: dict[int, int] = {}
    phis = iter(zip(loop.phis, loop.inits, strict=True))
    for k, out in enumerate(outs):
        if not carry.varying[k]:
            continue
        phi, init = next(phis)
        if carry.types[k] not in INTEGERS or isinstance(init, Node):
            continue
        grows = isinstance(out, Node) and out.op == "add" and out.args[0] is phi
        if grows and not isinstance(out.args[1], Node):
            steps[k] = out.args[1]
    assert loop.trip is not None
    kept = {}
    for k, step in steps.items():
        limits, last = np.iinfo(carry.types[k]), carry.inits[k] + step * loop.trip
        if limits.min <= last <= min(limits.max, 2**63 - 1):  # else it wraps round
            kept[k] = step
    return kept


def _finals(low: Lowering, node: Node, carry: Carry) -> list[Value]:
    elements: list[Element] = []
    position = 0
    for k, (init, type) in enumerate(zip(carry.inits, carry.types, strict=True)):
        if k in carry.steps:
            elements.append(init + carry.steps[k] * node.data.trip)
        elif carry.varying[k]:
            elements.append(low.graph.make("proj", type, (node,), position))
            position += 1
        else:
            elements.append(init)
    big = [
        memory.elements_of(low, held.buffer, node, value.shape)
        for held, value in zip(node.data.memories, carry.big(carry.values), strict=True)
    ]
    return carry.join(carry.layout.rebuild(elements), big)


def store_columns(
    low: Lowering, node: Node, index: Element, ys: list[Element], types: list[str]
) -> list[list[Element]]:
    """What a loop gives in each turn: known in all turns, or a column in memory."""
    loop: Loop = node.data
    assert loop.trip is not None
    columns = []
    for y, type in zip(ys, types, strict=True):
        if not isinstance(y, Node) or y.block.depth < loop.body.depth:
            columns.append([y] * loop.trip)
            continue
        buffer = Buffer("column", type, loop.trip, writer=node, group=loop)
        loop.stores.append((buffer, index, y))
        columns.append(low.graph.column(buffer))
    return columns


def _nodes(elements: list[Element]) -> tuple[Node, ...]:
    return tuple(e for e in elements if isinstance(e, Node))


def count_code(loop: Loop) -> int:
    """Operations in a loop's blocks, those of inner loops and branches included."""
    return sum(count_block(block) for block in {loop.head, loop.body})


def count_block(block: Block) -> int:
    total = len(block.table)
    for node in block.structured:
        if node.op == "loop":
            total += count_code(node.data)
        else:
            total += sum(map(count_block, node.data.blocks))
    return total
