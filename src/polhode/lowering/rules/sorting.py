"""Sorting as a network of compare-and-exchange: the same operations for any data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Element
from polhode.lowering.ir.program import Lowering, Value, lift, type_of
from polhode.lowering.trace.trace import Equation


def exchanges(n: int) -> Iterator[tuple[int, int]]:
    """Batcher's odd-even merge sort for any n: pairs (i, j), i < j, to be ordered."""
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        yield i + j, i + j + k
            k //= 2
        p *= 2


def precedes(
    low: Lowering, a: list[Element], b: list[Element], types: list[str]
) -> Any:
    """Whether row a comes before row b: key by key, NaN last, zeros of one rank."""
    build, result, tied = low.build, False, True
    for x, y, type in zip(a, b, types, strict=True):
        less = build.compare("lt", x, y, type)
        same = build.compare("eq", x, y, type)
        if type == "float64":
            x_nan = build.compare("ne", x, x, type)
            y_nan = build.compare("ne", y, y, type)
            x_number = build.apply("not", "bool", x_nan)
            less = build.logical("or", less, build.logical("and", y_nan, x_number))
            same = build.logical("or", same, build.logical("and", x_nan, y_nan))
        result = build.logical("or", result, build.logical("and", tied, less))
        tied = build.logical("and", tied, same)
    return result


def sort(low: Lowering, equation: Equation, *operands: Value) -> list[Value]:
    """Rows sorted by the first `num_keys` operands; ties keep their order."""
    axis, keys = equation.params["dimension"], equation.params["num_keys"]
    types = [type_of(v.aval) for v in equation.invars]
    moved = [lift(np.moveaxis(x, axis, 0)).copy() for x in operands]
    n = moved[0].shape[0]
    for index in np.ndindex(moved[0].shape[1:]):
        rows = [[x[(k, *index)] for x in moved] + [k] for k in range(n)]
        for i, j in exchanges(n):
            rows[i], rows[j] = _ordered(low, rows[i], rows[j], types, keys)
        for k, row in enumerate(rows):
            for x, element in zip(moved, row, strict=False):
                x[(k, *index)] = element
    return [np.moveaxis(x, 0, axis) for x in moved]


def _ordered(low: Lowering, a: list, b: list, types: list[str], keys: int) -> Any:
    """The two rows in order; their original places break ties."""
    place = [*types[:keys], "int64"]
    swap = precedes(low, [*b[:keys], b[-1]], [*a[:keys], a[-1]], place)
    first, second = [], []
    for x, y, type in zip(a, b, [*types, "int64"], strict=True):
        first.append(low.build.select(swap, y, x, type))
        second.append(low.build.select(swap, x, y, type))
    return first, second


def top_k(low: Lowering, equation: Equation, x: Value) -> list[Value]:
    """The k largest along the last axis, and where they were."""
    k, type = equation.params["k"], type_of(equation.invars[0].aval)
    kind = type_of(equation.outvars[1].aval)
    lifted = lift(x)
    values = np.empty((*x.shape[:-1], k), object)
    places = np.empty((*x.shape[:-1], k), object)
    for index in np.ndindex(x.shape[:-1]):
        rows = [[element, j] for j, element in enumerate(lifted[index])]
        for i, j in exchanges(len(rows)):
            rows[i], rows[j] = _descending(low, rows[i], rows[j], type, kind)
        for j in range(k):
            values[(*index, j)], places[(*index, j)] = rows[j]
    return [values, places]


def _descending(low: Lowering, a: list, b: list, type: str, kind: str) -> Any:
    build = low.build
    larger = precedes(low, [a[0]], [b[0]], [type])
    same = build.apply("not", "bool", precedes(low, [b[0]], [a[0]], [type]))
    same = build.logical("and", same, build.apply("not", "bool", larger))
    earlier = build.compare("lt", b[1], a[1], kind)
    swap = build.logical("or", larger, build.logical("and", same, earlier))
    first = [build.select(swap, b[0], a[0], type), build.select(swap, b[1], a[1], kind)]
    second = [
        build.select(swap, a[0], b[0], type),
        build.select(swap, a[1], b[1], kind),
    ]
    return first, second


RULES = {"sort": sort, "top_k": top_k}
