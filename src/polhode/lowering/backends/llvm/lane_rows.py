"""Buffers that lanes read and write at places of their own: they lie lane by lane.

Side by side, a row of four numbers is 32 stores in as many lines of memory for eight
lanes; lane by lane it is a store of four numbers a lane, and what a lane has written
goes to the output as it lies there. No value depends on where it lies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from polhode.lowering.backends.llvm import access
from polhode.lowering.backends.llvm.emit import Emitter
from polhode.lowering.backends.llvm.text import SCALAR, SLOT, vector
from polhode.lowering.ir.graph import Buffer, Element, Node
from polhode.lowering.ir.schedule import Schedule
from polhode.lowering.ir.strided_views import Column, columns_of

FEW = 4  # reads of one place by all lanes, each then a load a lane
TOGETHER = (4, 2, 1)  # numbers in a row that a lane stores at once
FULL_SLOT = ("float64", "int64", "uint64")  # types of which one fills a slot


def apart_buffers(
    plan: Schedule, varying: set[Node], outputs: Sequence[np.ndarray]
) -> dict[Buffer, int]:
    """Mutable buffers that only lanes' own places are asked of, and their longest row.

    They may be made of one number, or of another such buffer, and given back whole.
    """
    rows: dict[Buffer, int] = {}
    others: set[Buffer] = set()
    copies: list[tuple[Buffer, Buffer]] = []
    given_back = _first_of_columns(outputs)
    for node in (node for nodes in plan.blocks.values() for node in nodes):
        if node in given_back:
            continue
        if node.op == "load" and node.data.kind == "memory":
            own = _varies(node.args[0], varying)
            rows.setdefault(node.data, 1) if own else others.add(node.data)
        elif node.op == "update":
            buffer, before = node.data
            places = node.args[before::2]
            if all(_varies(place, varying) for place in places):
                rows[buffer] = max(rows.get(buffer, 1), len(places))
            else:
                others.add(buffer)
        elif node.op == "copy_all":
            buffer, column, is_over = node.data
            # Over what is there, lanes without part would have to be left out.
            if is_over or not (is_fill(buffer, column) or is_whole(buffer, column)):
                others |= {buffer, column.source}
            elif column.source is not None:
                copies.append((buffer, column.source))
    apart = {
        buffer: row
        for buffer, row in rows.items()
        if buffer not in others and buffer.type in FULL_SLOT and buffer.group is None
    }
    for _ in copies:
        for buffer, source in copies:
            if buffer in apart and source in apart:
                apart[buffer] = apart[source] = max(apart[buffer], apart[source])
            else:
                apart.pop(buffer, None)
                apart.pop(source, None)
    return apart


def _first_of_columns(outputs: Sequence[np.ndarray]) -> set[Node]:
    """Loads that stand for whole columns of outputs."""
    found = set()
    for value in outputs:
        for column in columns_of(value) or ():
            first = value.reshape(-1)[column.first]
            if column.source is not None:
                found.add(first)
    return found


def own_inputs(plan: Schedule, varying: set[Node]) -> set[Buffer]:
    """Arguments that lanes read at places of their own, and hardly otherwise."""
    own: set[Buffer] = set()
    together: Counter[Buffer] = Counter()
    others: set[Buffer | None] = set()
    for node in (node for nodes in plan.blocks.values() for node in nodes):
        if node.op == "load" and node.data.kind == "input":
            if _varies(node.args[0], varying):
                own.add(node.data)
            else:
                together[node.data] += 1
        elif node.op == "copy_all":
            others.add(node.data[1].source)
    return {b for b in own if together[b] <= FEW and b not in others}


def _varies(index: Element, varying: set[Node]) -> bool:
    return isinstance(index, Node) and index in varying


def is_fill(buffer: Buffer, column: Column) -> bool:
    """Whether a column makes all of a buffer one constant."""
    is_constant = column.source is None and not isinstance(column.element, Node)
    return is_constant and column.count == buffer.size


def is_whole(buffer: Buffer, column: Column) -> bool:
    """Whether a column is another buffer of the same size, as it is."""
    rule = (column.first, column.stride, column.start, column.step)
    source = column.source
    return (
        source is not None
        and source.kind == "memory"
        and source.size == column.count == buffer.size
        and rule == (0, 1, 0, 1)
    )


def is_all_of(emit: Emitter, column: Column) -> bool:
    """Whether a column is the whole of a buffer that lies lane by lane."""
    source = column.source
    if source is None or emit.memory.of_lane(source) is None:
        return False
    return is_whole(source, column)


def fill(emit: Emitter, buffer: Buffer, column: Column) -> None:
    """All lanes at once, and what lies behind the end of each."""
    kind = vector(buffer.type, emit.lanes)

    def turn(counter: str) -> None:
        place = emit.named("int64", counter)
        if column.source is None:
            word = emit.use(column.element, buffer.type, True)
        else:
            there = access.slot(emit, column.source, place)
            word = emit.write(f"load {kind}, ptr {there}, align {SLOT}")
        here = access.slot(emit, buffer, place)
        emit.do(f"store {kind} {word}, ptr {here}, align {SLOT}")

    slots = emit.memory.of_lane(buffer)
    assert slots is not None
    emit.repeat(slots, turn)


def store(
    emit: Emitter, buffer: Buffer, pairs: Sequence[tuple[Element, Element]]
) -> None:
    """Values at lanes' own places; those next to each other in one piece."""
    for index, values in _pieces(emit, pairs):
        words = [emit.use(value, buffer.type, True) for value in values]
        count, one = len(words), SCALAR[buffer.type]
        places = access.lane_places(emit, buffer, index, emit.mask)
        own = _turned(emit, words, vector(buffer.type, emit.lanes))
        kind = one if count == 1 else f"<{count} x {one}>"
        for word, place in zip(own, places, strict=True):
            emit.do(f"store {kind} {word}, ptr {place}, align {SLOT}")


def _pieces(
    emit: Emitter, pairs: Sequence[tuple[Element, Element]]
) -> Iterator[tuple[Element, list[Element]]]:
    """Rows of at most four values at places in a row, and where each begins."""
    k = 0
    while k < len(pairs):
        count = next(
            n
            for n in TOGETHER
            if k + n <= len(pairs)
            and all(
                _distance(emit, pairs[k + j][0], pairs[k][0]) == j for j in range(n)
            )
        )
        yield pairs[k][0], [value for _, value in pairs[k : k + count]]
        k += count


def _distance(emit: Emitter, index: Element, other: Element) -> int | None:
    """By how much an index lies behind another, where that is known."""
    (base, more), (first, less) = _parts(emit, index), _parts(emit, other)
    return more - less if base is first else None


def _parts(emit: Emitter, index: Element) -> tuple[Element, int]:
    """An index as a node and a constant."""
    index = emit.resolve(index)
    if isinstance(index, Node) and index.op == "add":
        for base, more in (index.args, index.args[::-1]):
            if not isinstance(more, Node):
                return emit.resolve(base), int(more)
    return index, 0


def _turned(emit: Emitter, words: list[str], kind: str) -> list[str]:
    """The numbers of each lane, of vectors with a number of every lane each."""
    lanes = emit.lanes
    if len(words) == 1:
        return [
            emit.write(f"extractelement {kind} {words[0]}, i64 {lane}")
            for lane in range(lanes)
        ]
    double = kind.replace(f"<{lanes} x", f"<{2 * lanes} x")
    order = [k + half * lanes for k in range(lanes) for half in (0, 1)]
    both = [
        emit.write(f"shufflevector {kind} {a}, {kind} {b}, {_mask(order)}")
        for a, b in zip(words[::2], words[1::2], strict=True)
    ]
    found = []
    for lane in range(lanes):
        at = [2 * lane, 2 * lane + 1]
        if len(both) == 2:
            at += [2 * lanes + place for place in at]
        last = both[1] if len(both) == 2 else "poison"
        found.append(
            emit.write(
                f"shufflevector {double} {both[0]}, {double} {last}, {_mask(at)}"
            )
        )
    return found


def _mask(order: list[int]) -> str:
    return f"<{len(order)} x i32> <{', '.join(f'i32 {k}' for k in order)}>"


def copy_out(emit: Emitter, buffer: Buffer, output: int) -> None:
    """A whole buffer to an output: each lane's part as it lies."""
    slots = emit.memory.of_lane(buffer)
    assert slots is not None
    offset, _ = emit.memory.place(buffer)
    for lane in range(emit.lanes):
        at = (offset * emit.lanes + lane * slots) * SLOT
        place = emit.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")
        emit.do(
            f"call void @llvm.memcpy.p0.p0.i64(ptr align {SLOT} %out{output}.{lane},"
            f" ptr align {SLOT} {place}, i64 {buffer.size * SLOT}, i1 false)"
        )
