"""What computes nothing: shapes, parts of arrays, gathers and scatters, order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from polhode.lowering.ir.program import type_of
from polhode.lowering.rules import structure
from polhode.lowering.rules.gathering import fill_value
from polhode.lowering.trace.trace import Equation

Maker = Callable[[Any], Callable[..., Any]]


def _shape(equation: Equation) -> tuple[int, ...]:
    return equation.outvars[0].aval.shape


def reshaped(equation: Equation) -> Callable[..., Any]:
    shape = _shape(equation)
    return lambda x, *_: x.reshape(shape)


def broadcast(equation: Equation) -> Callable[..., Any]:
    shape, given = _shape(equation), equation.invars[0].aval
    inner = [1] * len(shape)
    for d, size in zip(
        equation.params["broadcast_dimensions"], given.shape, strict=True
    ):
        inner[d] = size
    if tuple(inner) == shape:
        return lambda x, *_: x.reshape(shape)
    dtype = type_of(given)

    def spread(x: Any, *_: object) -> Any:
        out = np.empty(shape, dtype)
        out[...] = x.reshape(inner)
        return out

    return spread


def transposed(equation: Equation) -> Callable[..., Any]:
    order = tuple(int(d) for d in equation.params["permutation"])
    return lambda x: x.transpose(order)


def part(equation: Equation) -> Callable[..., Any]:
    p = equation.params
    strides = p["strides"] or (1,) * len(p["start_indices"])
    ranges = zip(p["start_indices"], p["limit_indices"], strides, strict=True)
    where = tuple(slice(*each) for each in ranges)
    return lambda x: x[where]


def joined(equation: Equation) -> Callable[..., Any]:
    axis = equation.params["dimension"]
    return lambda *values: np.concatenate(values, axis)


def by_structure(equation: Equation) -> Callable[..., Any]:
    """As the scalar program moves elements."""
    rule: Any = structure.RULES[equation.primitive.name]
    return partial(rule, None, equation)


# --------------------------------------------------------------------- indices


def _start(start: Any, sizes: Any, shape: Any) -> tuple[slice, ...]:
    """The window from an index, moved inside where it is not."""
    inside = (
        min(max(int(s), 0), n - size)
        for s, size, n in zip(start, sizes, shape, strict=True)
    )
    return tuple(slice(s, s + size) for s, size in zip(inside, sizes, strict=True))


def dynamic_slice(equation: Equation) -> Callable[..., Any]:
    sizes = equation.params["slice_sizes"]
    shape = equation.invars[0].aval.shape
    return lambda x, *start: x[_start(start, sizes, shape)]


def dynamic_update(equation: Equation) -> Callable[..., Any]:
    shape, sizes = (variable.aval.shape for variable in equation.invars[:2])

    def updated(x: Any, update: Any, *start: Any) -> Any:
        out = np.array(x)
        out[_start(start, sizes, shape)] = update
        return out

    return updated


def _mode(equation: Equation) -> str:
    return str(getattr(equation.params["mode"], "name", equation.params["mode"]))


class Windows:
    """Where the windows of a gather or scatter lie, for any indices.

    The windows, flattened into rows, have the shape (windows, *sizes): those of the
    operand's dimensions, of which some are 1 and dropped.
    """

    def __init__(self, shape: Any, sizes: Any, mapping: Any, batches: Any):
        self.shape, self.sizes, self.mapping = shape, sizes, mapping
        self.batches = batches  # pairs: a dimension of the operand, of the indices
        self.most = np.array([n - s for n, s in zip(shape, sizes, strict=True)], int)

    def starts(self, indices: Any) -> tuple[Any, Any]:
        """The first place of each window (windows, rank); which lie wholly inside."""
        rows = indices.shape[:-1]
        out = np.zeros((*rows, len(self.shape)), int)
        for k, d in enumerate(self.mapping):
            out[..., int(d)] = indices[..., k]
        for d, axis in self.batches:
            view = [1] * len(rows)
            view[int(axis)] = rows[int(axis)]
            out[..., int(d)] = np.arange(rows[int(axis)]).reshape(view)
        out = out.reshape(-1, len(self.shape))
        return out, ((out >= 0) & (out <= self.most)).all(axis=1)

    def places(self, starts: Any) -> tuple[Any, ...]:
        """Indices of all elements of the windows, one array a dimension."""
        rank, out = len(self.shape), []
        for d, size in enumerate(self.sizes):
            view = [1] * (rank + 1)
            view[d + 1] = size
            first = starts[:, d].reshape(-1, *(1,) * rank)
            out.append(first + np.arange(size).reshape(view))
        return tuple(out)


def gather(equation: Equation) -> Callable[..., Any]:
    p, shape = equation.params, _shape(equation)
    numbers, mode = p["dimension_numbers"], _mode(equation)
    pairs = zip(
        numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
    )
    operand = equation.invars[0].aval.shape
    windows = Windows(operand, p["slice_sizes"], numbers.start_index_map, [*pairs])
    offset = [int(d) for d in numbers.offset_dims]
    order = [d for d in range(len(shape)) if d not in offset] + offset
    stacked = tuple(shape[d] for d in order)
    back = tuple(int(d) for d in np.argsort(order))
    fill = fill_value(equation, type_of(equation.outvars[0].aval))

    def gathered(x: Any, indices: Any) -> Any:
        starts, inside = windows.starts(indices)
        found = x[windows.places(np.clip(starts, 0, windows.most))]
        if mode == "FILL_OR_DROP" and not inside.all():
            found[~inside] = fill
        return found.reshape(stacked).transpose(back)

    return gathered


def scatter(change: np.ufunc | None) -> Maker:
    """Windows written, or combined with what was there, in their order."""

    def maker(equation: Equation) -> Callable[..., Any]:
        p, mode = equation.params, _mode(equation)
        if change is None and p["update_jaxpr"] is not None:
            raise NotImplementedError("a function of what is replaced")
        numbers = p["dimension_numbers"]
        operand, _, updates = (variable.aval.shape for variable in equation.invars)
        inner = [int(d) for d in numbers.update_window_dims]
        dropped = {int(d) for d in numbers.inserted_window_dims}
        dropped |= {int(d) for d in numbers.operand_batching_dims}
        kept = iter(updates[d] for d in inner)
        sizes = [1 if d in dropped else next(kept) for d in range(len(operand))]
        pairs = zip(
            numbers.operand_batching_dims,
            numbers.scatter_indices_batching_dims,
            strict=True,
        )
        mapping = numbers.scatter_dims_to_operand_dims
        windows = Windows(operand, sizes, mapping, [*pairs])
        order = [d for d in range(len(updates)) if d not in inner] + inner

        def scattered(x: Any, indices: Any, new: Any) -> Any:
            out = np.array(x)
            starts, inside = windows.starts(indices)
            rows = new.transpose(order).reshape(len(starts), *sizes)
            if mode == "CLIP":
                starts = np.clip(starts, 0, windows.most)
            elif not inside.all():
                starts, rows = starts[inside], rows[inside]
            places = windows.places(starts)
            if change is None:
                out[places] = rows
            else:
                change.at(out, places, rows)
            return out

        return scattered

    return maker


def ordered(equation: Equation) -> Callable[..., Any]:
    """All operands in the order of the first ones; equal ones stay as they were."""
    axis, keys = equation.params["dimension"], equation.params["num_keys"]

    def order(*values: Any) -> list[Any]:
        # A negative zero is a zero here, and NumPy compares it so.
        rank = np.lexsort(values[:keys][::-1], axis=axis)
        return [np.take_along_axis(value, rank, axis) for value in values]

    return order


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("reshape", "squeeze", "expand_dims"), reshaped),
    "broadcast_in_dim": broadcast,
    "transpose": transposed,
    "slice": part,
    "concatenate": joined,
    **dict.fromkeys(("stack", "unstack", "split", "pad", "rev"), by_structure),
    **dict.fromkeys(("tile", "iota", "empty", "empty2"), by_structure),
    "platform_index": by_structure,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update,
    "gather": gather,
    "scatter": scatter(None),
    "scatter-add": scatter(np.add),
    "scatter-sub": scatter(np.subtract),
    "scatter-mul": scatter(np.multiply),
    "scatter-min": scatter(np.minimum),
    "scatter-max": scatter(np.maximum),
    "sort": ordered,
}
