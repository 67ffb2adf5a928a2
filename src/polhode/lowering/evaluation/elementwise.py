"""Element by element, reductions and products: each primitive as a NumPy function.

A maker takes an equation of a trace and gives the function of arrays that it is. What
operations mean is told once, in `ir/scalars.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from polhode.lowering.ir.program import type_of
from polhode.lowering.ir.scalars import NUMPY, convert
from polhode.lowering.rules.arithmetic import COMPARE, PLAIN
from polhode.lowering.rules.reduction import identity
from polhode.lowering.trace.trace import Equation

Maker = Callable[[Any], Callable[..., Any]]
SIGN_BIT = 63  # of 64


def plain(name: str) -> Maker:
    """An operation that means the same for every type."""
    function = NUMPY[name]
    return lambda equation: function


def _kind(equation: Equation) -> str:
    return type_of(equation.outvars[0].aval)


def quotient(equation: Equation) -> Callable[..., Any]:
    return np.divide if _kind(equation).startswith("float") else NUMPY["div"]


def _itself(value: Any) -> Any:
    return value


def converted(equation: Equation) -> Callable[..., Any]:
    source, target = type_of(equation.invars[0].aval), _kind(equation)
    if source == target:
        return _itself
    return partial(convert, type=target)


def same(equation: Equation) -> Callable[..., Any]:
    return _itself


def kept_apart(equation: Equation) -> Callable[..., Any]:
    return lambda *values: list(values)


def integer_power(equation: Equation) -> Callable[..., Any]:
    """By repeated squares, as programs do."""
    count = equation.params["y"]

    def power(x: Any) -> Any:
        out, square, left = None, x, abs(count)
        while left:
            if left % 2:
                out = square if out is None else out * square
            square, left = square * square if left > 1 else square, left // 2
        out = np.ones_like(x) if out is None else out
        return 1.0 / out if count < 0 else out

    return power


def power(equation: Equation) -> Callable[..., Any]:
    target = _kind(equation)
    if not target.startswith("float"):
        return np.power
    return lambda x, y: NUMPY["pow"](*np.broadcast_arrays(x, np.asarray(y, target)))


def rounded(equation: Equation) -> Callable[..., Any]:
    method = int(equation.params["rounding_method"])
    return NUMPY["round_even" if method == 1 else "round_away"]


def selected(equation: Equation) -> Callable[..., Any]:
    if type_of(equation.invars[0].aval) == "bool" and len(equation.invars) == 3:
        return lambda which, no, yes: np.where(which, yes, no)
    last = len(equation.invars) - 2
    return lambda which, *cases: np.choose(
        np.clip(np.asarray(which, int), 0, last), cases
    )


def clamped(equation: Equation) -> Callable[..., Any]:
    return lambda least, x, most: NUMPY["min"](NUMPY["max"](x, least), most)


def bits(equation: Equation) -> Callable[..., Any]:
    target = _kind(equation)
    shape = equation.outvars[0].aval.shape
    return lambda x: np.ascontiguousarray(x).view(target).reshape(shape)


def in_total_order(compare: Callable[..., Any]) -> Maker:
    """Comparison by the order of the bits: -NaN < -inf < ... < NaN."""

    def ranked(x: Any) -> Any:
        x = np.asarray(x)
        if x.dtype != np.float64:
            return x
        word = x.view(np.int64)
        return word ^ ((word >> SIGN_BIT) & np.int64(2**SIGN_BIT - 1))

    return lambda equation: lambda a, b: compare(ranked(a), ranked(b))


def one_minus_square(equation: Equation) -> Callable[..., Any]:
    return lambda x: (1.0 + x) * (1.0 - x)


# ------------------------------------------------------------------ along axes


def reduced(ufunc: np.ufunc, name: str) -> Maker:
    def maker(equation: Equation) -> Callable[..., Any]:
        axes = tuple(int(d) for d in equation.params["axes"])
        start = identity(name, _kind(equation))
        if 0 in equation.invars[0].aval.shape:
            return lambda x: ufunc.reduce(x, axis=axes, initial=start)
        return lambda x: ufunc.reduce(x, axis=axes)

    return maker


def extreme(function: Callable[..., Any]) -> Maker:
    def maker(equation: Equation) -> Callable[..., Any]:
        (axis,), target = equation.params["axes"], _kind(equation)
        return lambda x: function(x, axis=int(axis)).astype(target)

    return maker


def running(ufunc: np.ufunc) -> Maker:
    def maker(equation: Equation) -> Callable[..., Any]:
        axis, is_back = equation.params["axis"], equation.params["reverse"]

        def run(x: Any) -> Any:
            if not is_back:
                return ufunc.accumulate(x, axis=axis)
            return np.flip(ufunc.accumulate(np.flip(x, axis), axis=axis), axis)

        return run

    return maker


def products(equation: Equation) -> Callable[..., Any]:
    """Sums of products, batch dimensions first."""
    (along_a, along_b), (batch_a, batch_b) = equation.params["dimension_numbers"]
    shape, kind = equation.outvars[0].aval.shape, _kind(equation)
    if not kind.startswith("float"):
        raise NotImplementedError("a product of integers")
    a, b = (variable.aval.shape for variable in equation.invars)
    order_a, sizes_a = _order(a, along_a, batch_a, is_last=True)
    order_b, sizes_b = _order(b, along_b, batch_b, is_last=False)

    def product(x: Any, y: Any) -> Any:
        left = x.transpose(order_a).reshape(sizes_a)
        right = y.transpose(order_b).reshape(sizes_b)
        return np.matmul(left, right).reshape(shape)

    return product


def _order(
    shape: tuple[int, ...], along: Any, batch: Any, is_last: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Dimensions as (batch, free, summed), or summed before free; and their sizes."""
    free = [d for d in range(len(shape)) if d not in along and d not in batch]
    groups = [list(batch), free, list(along)] if is_last else [batch, along, free]
    sizes = tuple(math.prod(shape[d] for d in group) for group in groups)
    return tuple(int(d) for group in groups for d in group), sizes


MAKERS: dict[str, Maker] = {
    **{name: plain(name) for name in (*PLAIN.split(), *COMPARE)},
    **{name: plain(name) for name in ("add", "sub", "mul", "neg", "and", "or", "not")},
    **{name: plain(name) for name in ("is_finite", "log2")},
    **dict.fromkeys(("copy", "stop_gradient", "copy_p"), same),
    "add_any": plain("add"),
    "div": quotient,
    "square": lambda equation: np.square,
    "integer_pow": integer_power,
    "pow": power,
    "round": rounded,
    "select_n": selected,
    "clamp": clamped,
    "convert_element_type": converted,
    "bitcast_convert_type": bits,
    "optimization_barrier": kept_apart,
    "eq_to": in_total_order(np.equal),
    "le_to": in_total_order(np.less_equal),
    "lt_to": in_total_order(np.less),
    "one_minus_square": one_minus_square,
    "reduce_sum": reduced(np.add, "add"),
    "reduce_prod": reduced(np.multiply, "mul"),
    "reduce_max": reduced(np.maximum, "max"),
    "reduce_min": reduced(np.minimum, "min"),
    "reduce_and": reduced(np.bitwise_and, "and"),
    "reduce_or": reduced(np.bitwise_or, "or"),
    "reduce_xor": reduced(np.bitwise_xor, "xor"),
    "argmax": extreme(np.argmax),
    "argmin": extreme(np.argmin),
    "cumsum": running(np.add),
    "cumprod": running(np.multiply),
    "cummax": running(np.maximum),
    "cummin": running(np.minimum),
    "dot_general": products,
}
