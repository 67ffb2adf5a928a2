"""Long arrays whose elements follow a rule, so that a loop can move them.

The stacked output of a loop is a handful of columns in memory: element (t, e) lies at
place t of column e. Element by element, two thousand rows would be two thousand loads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polhode.lowering.ir.graph import Buffer, Element, Node, key_of

LONG = 64  # elements: fewer are written out
TURNS = 4  # rows that a loop over them needs at least
WIDE = 512  # columns: more are not worth a loop


@dataclass(frozen=True, eq=False)
class Column:
    """Elements first, first + stride, ... of a flat array: one rule for all `count`.

    Either `source` at start, start + step, ... (in the versions `reads`), or `element`.
    """

    first: int
    stride: int
    count: int
    element: Element = None
    source: Buffer | None = None
    start: int = 0
    step: int = 0
    reads: tuple[Node, ...] = ()


def in_steps(items: list[Element]) -> tuple[Buffer, int, int] | None:
    """The buffer, start and step if the items are equally spaced loads of it."""
    first, second = items[0], items[1]
    for item in (first, second):
        if not isinstance(item, Node) or item.op != "load":
            return None
    if isinstance(first.args[0], Node) or isinstance(second.args[0], Node):
        return None
    buffer, start = first.data, first.args[0]
    step = second.args[0] - start
    for k, item in enumerate(items):
        if not isinstance(item, Node) or item.op != "load" or item.data is not buffer:
            return None
        if item.args[0] != start + k * step or item.args[1:] != first.args[1:]:
            return None
    return buffer, start, step


def columns_of(value: np.ndarray) -> list[Column] | None:
    """The columns of a long array, or None if it is short or has no such rule."""
    if value.dtype != object or value.size < LONG:
        return None
    whole = column_of(value.reshape(-1).tolist(), 0, 1)
    if whole is not None:
        return [whole]
    rows = value.reshape(value.shape[0], -1)
    if rows.shape[0] < TURNS or rows.shape[1] > WIDE:
        return None
    width = rows.shape[1]
    found = [column_of(rows[:, e].tolist(), e, width) for e in range(width)]
    return [c for c in found if c is not None] if None not in found else None


def column_of(items: list[Element], first: int, stride: int) -> Column | None:
    """One column, if its items are all the same or equally spaced in memory."""
    top = items[0]
    if all(item is top for item in items) or is_one_number(items):
        return Column(first, stride, len(items), top)
    steps = in_steps(items)
    if steps is None:
        return None
    source, start, step = steps
    reads = top.args[1:]
    return Column(first, stride, len(items), None, source, start, step, reads)


def is_one_number(items: list[Element]) -> bool:
    """Whether all are one constant; each element of an array is its own object."""
    top = items[0]
    if isinstance(top, Node) or isinstance(items[-1], Node):
        return False
    key = key_of(top)
    return all(not isinstance(item, Node) and key_of(item) == key for item in items)


def roots_of(outputs: list[np.ndarray]) -> list[Element]:
    """What outputs need: each element, or of a column only its first."""
    roots: list[Element] = []
    for value in outputs:
        columns, items = columns_of(value), value.reshape(-1).tolist()
        roots += items if columns is None else [items[c.first] for c in columns]
    return roots
