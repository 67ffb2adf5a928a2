"""Element-by-element operations on long arrays: a loop instead of long code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.ir.program import Lowering, Value, lift
from polhode.lowering.ir.strided_views import WIDE, in_steps
from polhode.lowering.rules.indexing import pick
from polhode.lowering.rules.loops import Carry, build_loop, store_columns

AT_LEAST = 256  # elements: below, straight code is quicker


def rolled(
    low: Lowering, function: Callable[..., Element], values: Any, types: list[str]
) -> Value | None:
    """The function over arrays whose elements lie in memory in columns, or None.

    `types` are those of the values, and last that of the result.
    """
    shape = np.broadcast_shapes(*(v.shape for v in values))
    size = int(np.prod(shape, dtype=int))
    if low.reading or size < AT_LEAST:
        return None
    arrays = [lift(np.broadcast_to(v, shape)) for v in values]
    for rows, width in ((size, 1), (shape[0], size // shape[0])):
        tables = [a.reshape(rows, width) for a in arrays]
        if width <= WIDE and all(map(_is_regular, tables)):
            return _loop(low, function, tables, types).reshape(shape)
    return None


def _loop(low: Lowering, function: Any, tables: list[Value], types: list[str]) -> Value:
    rows, width = tables[0].shape
    columns = [[table[:, e].tolist() for table in tables] for e in range(width)]

    def body(_: list[Value], counter: Node) -> tuple[list[Value], list[Element]]:
        outs = []
        for column in columns:
            pairs = zip(column, types, strict=False)
            outs.append(function(*(pick(low, c, counter, t) for c, t in pairs)))
        return [], outs

    _, ys, node = build_loop(low, rows, Carry([], []), body)
    stored = store_columns(low, node, node.data.counter, ys, types[-1:] * width)
    out = np.empty((rows, width), object)
    for e, column in enumerate(stored):
        out[:, e] = column
    return out


def _is_regular(table: Value) -> bool:
    return all(_is_column(table[:, e].tolist()) for e in range(table.shape[1]))


def _is_column(column: list[Element]) -> bool:
    first = column[0]
    if not any(isinstance(item, Node) for item in column):
        return True
    return all(item is first for item in column) or in_steps(column) is not None
