"""Indices known only when run: picking among elements, and dynamic slices.

An index that is known when traced costs nothing. An unknown one picks among candidates:
from memory where they lie there in equal steps, from a table if they are constants, by
a tree of selects if they are few, else they are spilled to memory. Out of bounds obeys
the mode of JAX and is never unsafe: what cannot be proven inside is clamped.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Buffer, Element, Node
from polhode.lowering.ir.program import Lowering, Value, lift, type_of
from polhode.lowering.ir.scalars import INTEGERS
from polhode.lowering.ir.stored import Stored, elements
from polhode.lowering.ir.strided_views import in_steps, is_one_number
from polhode.lowering.rules import memory
from polhode.lowering.rules.conversion import convert_element
from polhode.lowering.trace.trace import Equation

SELECT_AT_MOST = 12  # candidates chosen by selects rather than through memory


# ------------------------------------------------------------------------- pick


def pick(
    low: Lowering,
    items: list[Element],
    index: Element,
    type: str,
    *,
    few: int = SELECT_AT_MOST,
) -> Element:
    """items[index] for an int64 index within the list; selects if they are few."""
    if not isinstance(index, Node):
        return items[index]
    first = items[0]
    if all(item is first for item in items):
        return first
    if not any(isinstance(item, Node) for item in items):
        return first if is_one_number(items) else _of_table(low, items, index, type)
    steps = in_steps(items)
    if steps is not None:
        buffer, start, step = steps
        place = affine(low, index, start, step)
        return low.graph.make("load", type, (place, *first.args[1:]), buffer)
    if len(items) <= few:
        return _select(low, items, index, type)
    return low.graph.load(_spilled(low, items, type), index)


def pick_known(low: Lowering, items: np.ndarray, index: Node, type: str) -> Element:
    """`pick` from a column (n,) of numbers that are known: the first, or a table's."""
    bits = np.ascontiguousarray(items).view(np.uint8).reshape(len(items), -1)
    if np.array_equal(bits, np.broadcast_to(bits[:1], bits.shape)):
        return items[0].item()
    return _of_table(low, items, index, type)


def _of_table(low: Lowering, items: Any, index: Element, type: str) -> Element:
    found = low.graph.load(low.table(items, type), index)
    if type in INTEGERS:  # an index from a table: no need to look where it is
        low.ranges[found] = (int(min(items)), int(max(items)))
    return found


def affine(low: Lowering, index: Element, start: int, step: int) -> Element:
    return low.build.add(low.build.mul(step, index, "int64"), start, "int64")


def _select(low: Lowering, items: list[Element], index: Element, type: str) -> Element:
    """A balanced tree; equal neighbours fold away."""

    def among(lo: int, hi: int) -> Element:
        if hi - lo == 1:
            return items[lo]
        middle = (lo + hi) // 2
        below = low.build.compare("lt", index, middle, "int64")
        return low.build.select(below, among(lo, middle), among(middle, hi), type)

    return among(0, len(items))


def _spilled(low: Lowering, items: list[Element], type: str) -> Buffer:
    """The items in memory, written once in the block where all are known."""
    node = low.graph.make("spill", type, tuple(items))
    if node not in low.spills:
        low.spills[node] = Buffer("column", type, len(items), writer=node)
    return low.spills[node]


# --------------------------------------------------------------- dynamic slices


def as_index(low: Lowering, element: Element, source: str) -> Element:
    return convert_element(low, element, source, "int64")


def clamped(low: Lowering, element: Element, most: int) -> Element:
    """Within 0 .. most."""
    if not isinstance(element, Node):
        return min(max(element, 0), most)
    if most == 0:
        return 0
    bounds = low.ranges.get(element)
    if bounds and bounds[0] >= 0 and bounds[1] <= most:
        return element
    raised = low.build.apply("max", "int64", element, 0)
    return low.build.apply("min", "int64", raised, most)


def starts_of(
    low: Lowering,
    equation: Equation,
    starts: tuple[Any, ...],
    first: int,
    limits: list[int],
) -> Any:
    """The start indices of a dynamic slice, as int64 within bounds."""
    out = []
    for k, (start, most) in enumerate(zip(starts, limits, strict=True)):
        kind = type_of(equation.invars[first + k].aval)
        element = unwrap(low, lift(start)[()])
        out.append(clamped(low, as_index(low, element, kind), most))
    return out


def unwrap(low: Lowering, element: Element) -> Element:
    """Undo JAX's wrap of negative indices where the index is known to be positive."""
    if isinstance(element, Node) and element.op == "select":
        below, _, plain = element.args
        if isinstance(below, Node) and below.op == "lt" and below.args[1] == 0:
            bounds = low.ranges.get(below.args[0])
            if bounds is not None and bounds[0] >= 0:
                return plain
    return element


def dynamic_slice(low: Lowering, equation: Equation, x: Value, *starts: Value) -> Value:
    sizes = equation.params["slice_sizes"]
    limits = [n - size for n, size in zip(x.shape, sizes, strict=True)]
    where = starts_of(low, equation, starts, 1, limits)
    return window(low, x, where, sizes, type_of(equation.outvars[0].aval))


def window(
    low: Lowering, x: Value, where: list[Element], sizes: Any, type: str
) -> Value:
    """The block of the given sizes that starts at elements `where`."""
    if isinstance(x, Stored):
        return _window_of_memory(low, x, where, sizes)
    fixed = [
        slice(0, n) if isinstance(w, Node) else slice(w, w + size)
        for n, w, size in zip(x.shape, where, sizes, strict=True)
    ]
    part = x[tuple(fixed)]
    moving = [d for d, w in enumerate(where) if isinstance(w, Node)]
    if not moving:
        return part
    part = lift(part)
    if all(w == 0 or isinstance(w, Node) for w in where):
        found = memory.whole(x)
        if found is not None:
            stored = Stored.of(low.graph, *found, x.shape)
            return _window_of_memory(low, stored, where, sizes)
    counts = [x.shape[d] - sizes[d] + 1 for d in moving]
    flat = _flat_index(low, [where[d] for d in moving], counts)
    out = np.empty(sizes, object)
    for place in np.ndindex(*sizes):
        items = []
        for shift in product(*(range(c) for c in counts)):
            at = list(place)
            for d, s in zip(moving, shift, strict=True):
                at[d] += s
            items.append(part[tuple(at)])
        out[place] = pick(low, items, flat, type)
    return out


def _window_of_memory(
    low: Lowering, x: Stored, where: list[Element], sizes: Any
) -> Value:
    """A window of an array in memory: one load an element."""
    out = np.empty(sizes, object)
    for place in np.ndindex(*sizes):
        at = flat_place(low, x.shape, where, place)
        out[place] = memory.load(low, x.buffer, x.version, at)
    return out


def flat_place(
    low: Lowering, shape: tuple[Any, ...], where: list, place: tuple[Any, ...]
) -> Element:
    """The flat index of an element of a window."""
    flat: Element = 0
    for size, start, offset in zip(shape, where, place, strict=True):
        here = low.build.add(start, offset, "int64")
        flat = low.build.add(low.build.mul(flat, size, "int64"), here, "int64")
    return flat


def _flat_index(low: Lowering, indices: list[Element], counts: list[int]) -> Element:
    flat: Element = 0
    for index, count in zip(indices, counts, strict=True):
        scaled = low.build.mul(flat, count, "int64")
        flat = low.build.add(scaled, index, "int64")
    return flat


def dynamic_update_slice(
    low: Lowering, equation: Equation, x: Value, update: Value, *starts: Value
) -> Value:
    limits = [n - size for n, size in zip(x.shape, update.shape, strict=True)]
    where = starts_of(low, equation, starts, 2, limits)
    type = type_of(equation.outvars[0].aval)
    update = lift(elements(update))
    is_long = memory.is_long(low, x)
    if not is_long and not any(isinstance(w, Node) for w in where):
        out = lift(elements(x)).copy()
        out[
            tuple(slice(w, w + n) for w, n in zip(where, update.shape, strict=True))
        ] = update
        return out
    if is_long or memory.is_kept_there(x):
        pairs = [
            (flat_place(low, x.shape, where, place), update[place])
            for place in np.ndindex(*update.shape)
        ]
        return memory.update(low, lift(x), pairs, type)
    out = lift(x).copy()
    hits: dict[tuple, Element] = {}
    for place in np.ndindex(*update.shape):
        for start in product(*(range(m + 1) for m in limits)):
            if start not in hits:
                hits[start] = is_at(low, where, start)
            target = tuple(s + p for s, p in zip(start, place, strict=True))
            out[target] = low.build.select(
                hits[start], update[place], out[target], type
            )
    return out


def is_at(low: Lowering, where: list[Element], target: tuple[int, ...]) -> Element:
    hit: Element = True
    for w, t in zip(where, target, strict=True):
        hit = low.build.logical("and", hit, low.build.compare("eq", w, t, "int64"))
    return hit


RULES: dict[str, Callable[..., Any]] = {
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
}
