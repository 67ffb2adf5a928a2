"""Reductions, running reductions, and dot products."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Element
from polhode.lowering.ir.program import Lowering, Value, lift, type_of
from polhode.lowering.ir.scalars import evaluate
from polhode.lowering.trace.trace import Equation


def along(x: Value, axes: tuple[int, ...]) -> Value:
    """The reduced axes flattened into the first one."""
    front = np.moveaxis(x, axes, range(len(axes)))
    count = int(np.prod(front.shape[: len(axes)], dtype=int))
    return front.reshape((count, *front.shape[len(axes) :]))


def columns(function: Callable[[list[Element]], Element], x: Value) -> Value:
    """A function of the list of elements along the first axis."""
    out = np.empty(x.shape[1:], object)
    lifted = lift(x)
    for index in np.ndindex(out.shape):
        out[index] = function([lifted[(k, *index)] for k in range(x.shape[0])])
    return out


def combine(low: Lowering, op: str, type: str) -> Callable[[Element, Element], Element]:
    """The two-element operation of a reduction."""
    build = low.build
    if op in ("add", "sub", "mul"):
        return lambda a, b: getattr(build, op)(a, b, type)
    if op in ("and", "or") and type == "bool":
        return lambda a, b: build.logical(op, a, b)
    return lambda a, b: build.apply(op, type, a, b)


def identity(op: str, type: str) -> Element:
    """What an empty reduction gives."""
    whole = type not in ("float64", "bool")
    if op in ("max", "min"):
        if whole:
            limits = np.iinfo(type)
            return int(limits.min if op == "max" else limits.max)
        return {"bool": op == "min"}.get(type, -np.inf if op == "max" else np.inf)
    if op in ("and", "mul"):
        if type == "bool":
            return True
        return 1.0 if type == "float64" else (-1 if op == "and" else 1)
    return False if type == "bool" else 0.0 if type == "float64" else 0


def tree(
    function: Callable[[Element, Element], Element], items: list[Element]
) -> Element:
    """Balanced: the depth is the logarithm of the length."""
    while len(items) > 1:
        pairs = zip(items[::2], items[1::2], strict=False)
        odd = items[-1:] if len(items) % 2 else []
        items = [function(a, b) for a, b in pairs] + odd
    return items[0]


def reduce_by(op: str) -> Callable[..., Value]:
    def rule(low: Lowering, equation: Equation, x: Value) -> Value:
        type = type_of(equation.outvars[0].aval)
        flat = along(x, tuple(equation.params["axes"]))
        if flat.shape[0] == 0:
            return np.full(flat.shape[1:], identity(op, type), dtype=type)
        if op == "add":
            return columns(lambda items: low.build.sum(items, type), flat)
        step = combine(low, op, type)
        return columns(lambda items: tree(step, items), flat)

    return rule


def argument(op: str) -> Callable[..., Value]:
    """The first index of the largest or smallest; NaN counts as the extreme."""

    def rule(low: Lowering, equation: Equation, x: Value) -> Value:
        source = type_of(equation.invars[0].aval)
        target = type_of(equation.outvars[0].aval)
        build = low.build

        def better(a: tuple, b: tuple) -> tuple:
            wins = build.compare("gt" if op == "max" else "lt", b[0], a[0], source)
            if source == "float64":
                b_nan = build.compare("ne", b[0], b[0], source)
                a_ok = build.compare("eq", a[0], a[0], source)
                wins = build.logical("and", build.logical("or", wins, b_nan), a_ok)
            return (
                build.select(wins, b[0], a[0], source),
                build.select(wins, b[1], a[1], target),
            )

        def best(items: list[Element]) -> Element:
            return tree(better, [(item, k) for k, item in enumerate(items)])[1]

        return columns(best, along(x, tuple(equation.params["axes"])))

    return rule


def running(op: str) -> Callable[..., Value]:
    def rule(low: Lowering, equation: Equation, x: Value) -> Value:
        type = type_of(equation.outvars[0].aval)
        return _accumulated(equation, x, combine(low, op, type))

    return rule


def running_log_sum_exp(low: Lowering, equation: Equation, x: Value) -> Value:
    """log of the running sum of exponentials, with the largest taken out."""
    build = low.build

    def step(a: Element, b: Element) -> Element:
        top = build.apply("max", "float64", a, b)
        gap = build.neg(build.apply("abs", "float64", build.sub(a, b)))
        tail = build.apply("log1p", "float64", build.apply("exp", "float64", gap))
        same = build.compare("eq", a, b, "float64")
        return build.add(top, build.select(same, float(np.log(2)), tail, "float64"))

    return _accumulated(equation, x, step)


def _accumulated(
    equation: Equation, x: Value, step: Callable[[Element, Element], Element]
) -> Value:
    """Each element along an axis with all before it, or after it in reverse."""
    axis, is_reverse = equation.params["axis"], equation.params["reverse"]
    front = lift(np.moveaxis(x, axis, 0))
    front = front[::-1] if is_reverse else front
    out = np.empty(front.shape, object)
    for index in np.ndindex(front.shape[1:]):
        column = [front[(k, *index)] for k in range(front.shape[0])]
        for k, element in enumerate(itertools.accumulate(column, step)):
            out[(k, *index)] = element
    return np.moveaxis(out[::-1] if is_reverse else out, 0, axis)


def dot_general(low: Lowering, equation: Equation, a: Value, b: Value) -> Value:
    """Sums of products, batch dimensions first."""
    (contract_a, contract_b), (batch_a, batch_b) = equation.params["dimension_numbers"]
    type = type_of(equation.outvars[0].aval)
    left, rows = matrix(a, tuple(contract_a), tuple(batch_a))
    right, cols = matrix(b, tuple(contract_b), tuple(batch_b))
    batch = tuple(a.shape[d] for d in batch_a)
    shape = (*batch, *rows, *cols)
    if a.dtype != object and b.dtype != object:
        product = evaluate("mul", type, [left[:, :, None, :], right[:, None, :, :]])
        return product.sum(axis=-1).reshape(shape)
    out = np.empty((left.shape[0], left.shape[1], right.shape[1]), object)
    lines, columns = left.tolist(), right.tolist()
    for k, i, j in np.ndindex(out.shape):
        out[k, i, j] = low.build.dot(lines[k][i], columns[k][j], type)
    return out.reshape(shape)


def matrix(
    x: Value, contract: tuple[Any, ...], batch: tuple[Any, ...]
) -> tuple[Value, tuple]:
    """(batch, free, contracted), and the shape of the free dimensions."""
    free = tuple(d for d in range(x.ndim) if d not in contract and d not in batch)
    moved = np.transpose(x, (*batch, *free, *contract))
    sizes = [math.prod(x.shape[d] for d in ds) for ds in (batch, free, contract)]
    return moved.reshape(sizes), tuple(x.shape[d] for d in free)


RULES: dict[str, Callable[..., Any]] = {
    "reduce_sum": reduce_by("add"),
    "reduce_prod": reduce_by("mul"),
    "reduce_max": reduce_by("max"),
    "reduce_min": reduce_by("min"),
    "reduce_and": reduce_by("and"),
    "reduce_or": reduce_by("or"),
    "reduce_xor": reduce_by("xor"),
    "argmax": argument("max"),
    "argmin": argument("min"),
    "cumsum": running("add"),
    "cumprod": running("mul"),
    "cummax": running("max"),
    "cummin": running("min"),
    "cumlogsumexp": running_log_sum_exp,
    "dot_general": dot_general,
}
