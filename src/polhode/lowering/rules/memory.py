"""Large arrays that are changed: they live in memory and are updated in place.

A mutable buffer has versions, each the node that made it: an update, or the loop or
branch in which updates happened. A load names the version that it reads. Updates form a
chain, and the schedule puts every load of a version before the node that overwrites it;
if that cannot be, the program is not lowered rather than wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Buffer, Element, Node
from polhode.lowering.ir.program import Lowering, Value
from polhode.lowering.ir.strided_views import columns_of
from polhode.lowering.trace.trace import source_line

AT_LEAST = 64  # elements: fewer are scalars


def elements_of(
    low: Lowering, buffer: Buffer, version: Node, shape: tuple[Any, ...]
) -> Value:
    """The whole buffer at a version, as an array of elements."""
    out = np.empty(buffer.size, object)
    make, type = low.graph.make, buffer.type
    out[:] = [make("load", type, (j, version), buffer) for j in range(buffer.size)]
    return out.reshape(shape)


def whole(value: Value) -> tuple[Buffer, Node] | None:
    """The buffer and version of which a value is exactly the content."""
    if value.dtype != object or value.size == 0:
        return None
    first = value.flat[0]
    if not isinstance(first, Node) or first.op != "load" or first.data.kind != "memory":
        return None
    buffer, version = first.data, first.args[1]
    if buffer.size != value.size:
        return None
    for j, e in enumerate(value.flat):
        if not isinstance(e, Node) or e.op != "load" or e.data is not buffer:
            return None
        if e.args[0] != j or isinstance(e.args[0], Node) or e.args[1] is not version:
            return None
    return buffer, version


def write_all(low: Lowering, buffer: Buffer, after: Node | None, value: Value) -> Node:
    """A version of the buffer with the value as its content."""
    columns = columns_of(value)
    if columns is None or any(c.source is buffer for c in columns):
        items = value.reshape(-1).tolist()
        pairs = [part for j, item in enumerate(items) for part in (j, item)]
        before = () if after is None else (after,)
        node = low.graph.unique("update", "", (*before, *pairs), (buffer, len(before)))
        note_source(low, node)
        return node
    for column in columns:
        before = () if after is None else (after,)
        given = column.reads if column.source is not None else (column.element,)
        data = (buffer, column, after is not None)
        after = low.graph.unique("copy_all", "", (*before, *given), data)
        note_source(low, after)
    assert after is not None
    return after


def new_memory(low: Lowering, value: Value, type: str) -> tuple[Buffer, Node]:
    """A fresh buffer with the content of a value."""
    buffer = Buffer("memory", type, value.size, number=float(len(low.latest)))
    node = write_all(low, buffer, None, value)
    low.latest[buffer] = node
    return buffer, node


def update(
    low: Lowering, value: Value, pairs: list[tuple[Element, Element]], type: str
) -> Value:
    """The value with elements at flat indices (within bounds) replaced, one by one."""
    found = whole(value)
    if found is None or low.latest.get(found[0]) is not found[1]:
        found = new_memory(low, value, type)
    buffer, version = found
    parts = [part for pair in pairs for part in pair]
    node = low.graph.unique("update", "", (version, *parts), (buffer, 1))
    low.latest[buffer] = node
    note_source(low, node)
    return elements_of(low, buffer, node, value.shape)


def note_source(low: Lowering, node: Node) -> None:
    """Keep whose line changed memory, for a refusal that may come later."""
    if low.where is not None:
        source = (low.where.primitive.name, source_line(low.where))
        low.graph.sources[node] = source


def read(low: Lowering, value: Value, index: Element) -> Element | None:
    """One element of a value that is in memory, at a flat index."""
    found = whole(value)
    if found is None:
        return None
    buffer, version = found
    return low.graph.make("load", buffer.type, (index, version), buffer)


def merge_select(
    low: Lowering, which: Element, new_value: Value, old_value: Value
) -> Value | None:
    """where(which, updated, old) is an update with chosen values."""
    new, old = whole(new_value), whole(old_value)
    if new is None or old is None or new[0] is not old[0]:
        return None
    flip = not _follows(new[1], old[1])
    if flip:
        new, old = old, new
        if not _follows(new[1], old[1]):
            return None
    (buffer, node), (_, version) = new, old
    parts: list[Element] = []
    for index, value in zip(node.args[1::2], node.args[2::2], strict=True):
        kept = low.graph.make("load", buffer.type, (index, version), buffer)
        yes, no = (kept, value) if flip else (value, kept)
        parts += [index, low.build.select(which, yes, no, buffer.type)]
    merged = low.graph.unique("update", "", (version, *parts), (buffer, 1))
    low.latest[buffer] = merged
    return elements_of(low, buffer, merged, new_value.shape)


def _follows(node: Node, version: Node) -> bool:
    """Whether a version is one update of another, of indices that do not repeat."""
    if node.op != "update" or node.data[1] != 1 or node.args[0] is not version:
        return False
    return len(node.args) == 3 or not any(
        isinstance(index, Node) for index in node.args[1::2]
    )
