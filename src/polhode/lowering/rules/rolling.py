"""Element-by-element operations on long arrays: a loop instead of long code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.lowering.graph import Element, Node
from polhode.lowering.program import Lowering, Value, lift
from polhode.lowering.rules.indexing import in_steps, pick
from polhode.lowering.rules.loops import Carry, build_loop, store_columns

AT_LEAST = 256  # elements: below, straight code is quicker


def rolled(
    low: Lowering, function: Callable[..., Element], values: Any, types: list[str]
) -> Value | None:
    """The function over arrays whose elements lie in memory in equal steps, or None.

    `types` are those of the values, and last that of the result.
    """
    shape = np.broadcast_shapes(*(v.shape for v in values))
    size = int(np.prod(shape, dtype=int))
    if low.reading or size < AT_LEAST:
        return None
    columns = [lift(np.broadcast_to(v, shape)).reshape(-1).tolist() for v in values]
    if not all(map(_is_regular, columns)):
        return None

    def body(_: list[Value], counter: Node) -> tuple[list[Value], list[Element]]:
        pairs = zip(columns, types, strict=False)
        items = [pick(low, column, counter, type) for column, type in pairs]
        return [], [function(*items)]

    _, ys, node = build_loop(low, size, Carry([], []), body)
    out = np.empty(size, object)
    out[:] = store_columns(low, node, node.data.counter, ys, types[-1:])[0]
    return out.reshape(shape)


def _is_regular(column: list[Element]) -> bool:
    first = column[0]
    if not any(isinstance(item, Node) for item in column):
        return True
    return all(item is first for item in column) or in_steps(column) is not None
