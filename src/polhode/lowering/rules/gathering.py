"""Gather and scatter in every mode: out of bounds fills, drops or clips."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.ir.program import Lowering, Value, lift, type_of, zero_d
from polhode.lowering.ir.stored import Stored, elements
from polhode.lowering.rules import memory
from polhode.lowering.rules.arithmetic import each
from polhode.lowering.rules.indexing import (
    as_index,
    clamped,
    flat_place,
    is_at,
    unwrap,
    window,
)
from polhode.lowering.rules.reduction import combine
from polhode.lowering.trace.trace import Equation


def _mode(equation: Equation) -> str:
    return str(getattr(equation.params["mode"], "name", equation.params["mode"]))


def _index_vectors(
    low: Lowering, equation: Equation, indices: Value, which: int
) -> Value:
    kind = type_of(equation.invars[which].aval)
    lifted = lift(elements(indices))
    out = np.empty(lifted.shape, object)
    for place in np.ndindex(lifted.shape):
        out[place] = as_index(low, unwrap(low, lifted[place]), kind)
    return out


def _within(low: Lowering, starts: list[Element], limits: list[int]) -> Element:
    """Whether a whole window lies inside."""
    inside: Element = True
    for start, most in zip(starts, limits, strict=True):
        if not isinstance(start, Node):
            inside = low.build.logical("and", inside, 0 <= start <= most)
            continue
        bounds = low.ranges.get(start)
        if bounds and bounds[0] >= 0 and bounds[1] <= most:
            continue
        above = low.build.compare("ge", start, 0, "int64")
        below = low.build.compare("le", start, most, "int64")
        both = low.build.logical("and", above, below)
        inside = low.build.logical("and", inside, both)
    return inside


def gather(low: Lowering, equation: Equation, x: Value, indices: Value) -> Value:
    numbers, sizes = (
        equation.params["dimension_numbers"],
        equation.params["slice_sizes"],
    )
    aval, type = equation.outvars[0].aval, type_of(equation.outvars[0].aval)
    vectors = _index_vectors(low, equation, indices, 1)
    offset_dims = [int(d) for d in numbers.offset_dims]
    batch_dims = [d for d in range(len(aval.shape)) if d not in offset_dims]
    dropped = {int(d) for d in numbers.collapsed_slice_dims}
    dropped |= {int(d) for d in numbers.operand_batching_dims}
    limits = [n - s for n, s in zip(x.shape, sizes, strict=True)]
    out = np.empty(aval.shape, object)
    fill = fill_value(equation, type)
    for place in np.ndindex(vectors.shape[:-1]):
        starts = _starts(x.ndim, vectors[place], place, numbers, "start_index_map")
        inside = _within(low, starts, limits)
        safe = [clamped(low, s, m) for s, m in zip(starts, limits, strict=True)]
        block = window(low, x, safe, sizes, type)
        block = lift(np.squeeze(block, axis=tuple(sorted(dropped))))
        if _mode(equation) == "FILL_OR_DROP" and inside is not True:
            block = each(
                lambda e, inside=inside: low.build.select(inside, e, fill, type), block
            )
        at: list[Any] = [slice(None)] * len(aval.shape)
        for d, p in zip(batch_dims, place, strict=True):
            at[d] = p
        out[tuple(at)] = block[()]  # an element, not an array of one
    return out


def fill_value(equation: Equation, type: str) -> Element:
    """What an out-of-bounds read gives in fill mode."""
    given = equation.params["fill_value"]
    if given is not None:
        return np.asarray(given).astype(type).item()
    if type == "float64":
        return float("nan")
    if type == "bool":
        return True
    limits = np.iinfo(type)
    return int(limits.max if limits.min == 0 else limits.min)


def _starts(
    rank: int, vector: Value, place: tuple[Any, ...], numbers: Any, mapping: str
) -> list[Element]:
    starts: list[Element] = [0] * rank
    for k, d in enumerate(getattr(numbers, mapping)):
        starts[int(d)] = vector[k]
    batched = getattr(numbers, "start_indices_batching_dims", None)
    if batched is None:
        batched = numbers.scatter_indices_batching_dims
    for d, p in zip(numbers.operand_batching_dims, batched, strict=True):
        starts[int(d)] = place[int(p)]
    return starts


def scatter(op: str | None) -> Callable[..., Value]:
    """Updates written (or combined) one window after another."""

    def rule(
        low: Lowering, equation: Equation, x: Value, indices: Value, updates: Value
    ) -> Any:
        numbers = equation.params["dimension_numbers"]
        type = type_of(equation.outvars[0].aval)
        step = combine(low, op, type) if op else _replacement(low, equation)
        vectors = _index_vectors(low, equation, indices, 1)
        window_dims = [int(d) for d in numbers.update_window_dims]
        batch_dims = [d for d in range(updates.ndim) if d not in window_dims]
        dropped = {int(d) for d in numbers.inserted_window_dims}
        dropped |= {int(d) for d in numbers.operand_batching_dims}
        sizes = iter([updates.shape[d] for d in window_dims])
        shape = [1 if d in dropped else next(sizes) for d in range(x.ndim)]
        # What is in memory is changed there; what is not must not be changed here.
        out = x if isinstance(x, Stored) else lift(x).copy()
        updates = lift(elements(updates))
        clip = _mode(equation) == "CLIP"
        limits = [n - s for n, s in zip(x.shape, shape, strict=True)]
        for place in np.ndindex(vectors.shape[:-1]):
            at: list[Any] = [slice(None)] * updates.ndim
            for d, p in zip(batch_dims, place, strict=True):
                at[d] = p
            block = np.array(updates[tuple(at)], dtype=object).reshape(shape)
            starts = _starts(
                x.ndim, vectors[place], place, numbers, "scatter_dims_to_operand_dims"
            )
            if clip:
                starts = [
                    clamped(low, s, m) for s, m in zip(starts, limits, strict=True)
                ]
            moves = any(isinstance(s, Node) for s in starts)
            if (moves and memory.is_kept_there(out)) or memory.is_long(low, out):
                out = _write_memory(low, out, block, starts, (step, type))
            else:
                out = elements(out)
                _write(low, out, block, starts, (step, type))
        return out

    return rule


def _replacement(
    low: Lowering, equation: Equation
) -> Callable[[Element, Element], Element]:
    """The new element, or what a function of the old one (`x.at[i].apply`) gives."""
    body, constants = (equation.params[k] for k in ("update_jaxpr", "update_consts"))
    if body is None:
        return lambda old, new: new

    def apply(old: Element, new: Element) -> Element:
        return lift(low.interpret(body, constants, zero_d(old), zero_d(new))[0])[()]

    return apply


def _write_memory(
    low: Lowering, out: Value, block: Value, starts: list, how: tuple
) -> Any:
    """One window of a large array: updates in place, or none if it is not inside."""
    step, type = how
    limits = [n - s for n, s in zip(out.shape, block.shape, strict=True)]
    if any(m < 0 for m in limits):
        return out
    inside = _within(low, starts, limits)
    if inside is False:
        return out
    safe = [clamped(low, s, m) for s, m in zip(starts, limits, strict=True)]
    found = memory.whole(out)
    if found is None:
        found = memory.new_memory(low, out, type)
        out = memory.elements_of(low, *found, out.shape)
    pairs = []
    for place in np.ndindex(*block.shape):
        flat = flat_place(low, out.shape, safe, place)
        old = memory.load(low, *found, flat)
        new = low.build.select(inside, step(old, block[place]), old, type)
        pairs.append((flat, new))
    return memory.update(low, out, pairs, type)


def _write(low: Lowering, out: Value, block: Value, starts: list, how: tuple) -> None:
    """One window: where it is unknown, every place it could be is a select.

    A window that does not lie wholly inside is dropped.
    """
    step, type = how
    limits = [n - s for n, s in zip(out.shape, block.shape, strict=True)]
    if any(m < 0 for m in limits):
        return
    ranges = [
        range(m + 1) if isinstance(s, Node) else range(s, s + 1) if 0 <= s <= m else ()
        for s, m in zip(starts, limits, strict=True)
    ]
    for start in product(*ranges):
        hit = is_at(low, starts, start)
        for place in np.ndindex(*block.shape):
            target = tuple(s + p for s, p in zip(start, place, strict=True))
            new = step(out[target], block[place])
            out[target] = low.build.select(hit, new, out[target], type)


RULES: dict[str, Callable[..., Any]] = {
    "gather": gather,
    "scatter": scatter(None),
    "scatter-add": scatter("add"),
    "scatter-sub": scatter("sub"),
    "scatter-mul": scatter("mul"),
    "scatter-min": scatter("min"),
    "scatter-max": scatter("max"),
}
