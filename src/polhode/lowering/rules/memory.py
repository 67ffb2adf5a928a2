"""Large arrays that are changed: they live in memory and are updated in place.

A mutable buffer has versions, each the node that made it: an update, or the loop or
branch in which updates happened. A load names the version that it reads. Updates form a
chain, and the schedule puts every load of a version before the node that overwrites it;
if that cannot be, the program is not lowered rather than wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from polhode.arrays import IN_MEMORY
from polhode.lowering.ir.graph import Buffer, Element, Node
from polhode.lowering.ir.program import Lowering, Value
from polhode.lowering.ir.stored import LARGE, Stored, elements
from polhode.lowering.ir.strided_views import Column, columns_of
from polhode.lowering.trace.trace import source_line

AT_LEAST = IN_MEMORY  # elements: fewer are scalars
# Elements: so many are changed in memory also at places that are known. Those of an
# array named one by one for it are all written back where the next place is computed.
LONG = 16


def elements_of(
    low: Lowering, buffer: Buffer, version: Node, shape: tuple[Any, ...]
) -> Value:
    """The whole buffer at a version, as an array of elements."""
    stored = Stored.of(low.graph, buffer, version, shape)
    return stored if buffer.size >= LARGE else stored.elements()


def whole(value: Value) -> tuple[Buffer, Node] | None:
    """The buffer and version of which a value is exactly the content."""
    if isinstance(value, Stored):
        return value.buffer, value.version
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


def preserved(low: Lowering, value: Value) -> Value:
    """An output with copies of what it has in memory that has changed since.

    Its columns are stored when all has run. What is stored element by element is read
    before: each is a node.
    """
    columns = columns_of(value)
    if columns is None or not any(_has_changed(low, column) for column in columns):
        return value
    found = value.copy().reshape(-1)
    for column in columns:
        if column.source is not None and _has_changed(low, column):
            buffer, whole_of_it = column.source, replace(column, first=0, stride=1)
            beside = Buffer("memory", buffer.type, column.count, number=len(low.latest))
            data = (beside, whole_of_it, False)
            node = low.graph.unique("copy_all", "", column.reads, data)
            low.latest[beside] = node
            places = slice(column.first, None, column.stride)
            found[places] = Stored.of(
                low.graph, beside, node, (column.count,)
            ).elements()
    return found.reshape(value.shape)


def _has_changed(low: Lowering, column: Column) -> bool:
    source = column.source
    if source is None or source.kind != "memory":
        return False
    return low.latest.get(source) is not column.reads[0]


def is_kept_there(value: Value) -> bool:
    """Whether an array is changed in memory where places are computed."""
    return value.size >= AT_LEAST or whole(value) is not None


def is_long(low: Lowering, value: Value) -> bool:
    """Whether a value is a long array in memory as it is now: it is changed there."""
    found = whole(value) if value.size >= LONG else None
    return found is not None and low.latest.get(found[0]) is found[1]


def write_all(low: Lowering, buffer: Buffer, after: Node | None, value: Value) -> Node:
    """A version of the buffer with the value as its content."""
    if isinstance(value, Stored):
        columns: list[Column] | None = [_all_of(value)]
    else:
        columns = columns_of(value) or _from_table(low, buffer, value)
    if columns is None or any(c.source is buffer for c in columns):
        items = elements(value).reshape(-1).tolist()
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


def _all_of(value: Stored) -> Column:
    """Memory that is copied whole: none of its elements has to be named."""
    reads = (value.version,)
    return Column(0, 1, value.size, None, value.buffer, 0, 1, reads)


def _from_table(low: Lowering, buffer: Buffer, value: Value) -> list[Column] | None:
    """A long array of constants, copied from a table of them by a loop."""
    items = value.reshape(-1).tolist()
    if value.size < LONG or any(isinstance(item, Node) for item in items):
        return None
    return [Column(0, 1, value.size, None, low.table(items, buffer.type), 0, 1)]


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
    return None if found is None else load(low, *found, index)


def load(low: Lowering, buffer: Buffer, version: Node, index: Element) -> Node:
    """One element of a version of a buffer, at a flat index."""
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
