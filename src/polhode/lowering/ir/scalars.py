"""The meaning of every scalar operation on constants, in NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

FLOATS = ("float64",)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
TYPES = (*FLOATS, *INTEGERS, "bool")


def bits(type: str) -> int:
    """The width of a scalar type."""
    return 1 if type == "bool" else np.dtype(type).itemsize * 8


def is_float(type: str) -> bool:
    return type in FLOATS


def _special(name: str) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        import scipy.special

        return getattr(scipy.special, name)(*args)

    return call


def divide(a: Any, b: Any) -> Any:
    """Division as XLA does it: integers towards zero, and by zero all ones."""
    if np.issubdtype(np.asarray(a).dtype, np.floating):
        return np.divide(a, b)
    a, safe = np.asarray(a), np.where(b == 0, np.ones_like(b), b)
    floor = np.floor_divide(a, safe)
    is_below = (np.remainder(a, safe) != 0) & ((a < 0) != (safe < 0))
    return np.where(b == 0, np.array(-1).astype(safe.dtype), floor + is_below)


def remainder(a: Any, b: Any) -> Any:
    """Remainder with the sign of the dividend; of integers by zero, the dividend."""
    if np.issubdtype(np.asarray(a).dtype, np.floating):
        return np.fmod(a, b)
    safe = np.where(b == 0, np.ones_like(b), b)
    return np.where(b == 0, a, np.fmod(a, safe))


def _round_away(a: Any) -> Any:
    whole = np.trunc(a)
    return np.where(np.abs(a - whole) >= 0.5, whole + np.copysign(1.0, a), whole)


def _shift(kind: str) -> Callable[..., Any]:
    def call(a: Any, n: Any) -> Any:
        a, n = np.asarray(a), np.asarray(n)
        width = a.dtype.itemsize * 8
        inside = (n >= 0) & (n < width)
        count = np.where(inside, n, 0).astype(a.dtype)
        if kind == "left":
            return np.where(inside, a << count, np.zeros_like(a))
        if kind == "logical":
            unsigned = a.view(f"u{a.dtype.itemsize}")
            moved = (unsigned >> count.astype(unsigned.dtype)).view(a.dtype)
            return np.where(inside, moved, np.zeros_like(a))
        signed = a.view(f"i{a.dtype.itemsize}")
        count = np.where(inside, n, width - 1).astype(signed.dtype)
        return (signed >> count).view(a.dtype)

    return call


def _population(a: Any) -> Any:
    return np.bitwise_count(np.asarray(a).view(f"u{np.asarray(a).itemsize}"))


def _leading_zeros(a: Any) -> Any:
    a = np.asarray(a)
    width = a.dtype.itemsize * 8
    unsigned = a.view(f"u{a.dtype.itemsize}")
    return np.vectorize(lambda v: width - int(v).bit_length(), otypes=[int])(unsigned)


def _sign(a: Any) -> Any:
    return np.where(a == 0, a, np.sign(a))  # a zero keeps its sign


def _largest(a: Any, b: Any) -> Any:
    """The larger of two; of two zeros the positive one, where NumPy takes either."""
    zeros = (a == 0) & (b == 0)
    return np.where(zeros, a + b, np.maximum(a, b))


def _least(a: Any, b: Any) -> Any:
    """The lesser of two; of two zeros the negative one, where NumPy takes either."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind != "f":
        return np.minimum(a, b)
    zeros = (a == 0) & (b == 0)
    return np.where(zeros, -(-a - b), np.minimum(a, b))


def _power(a: Any, b: Any) -> Any:
    """C's power; NumPy would take a square root for a single exponent of one half."""
    twice = [np.stack([x, x], axis=-1) for x in (a, b)]
    return np.power(*twice)[..., 0]


def _erf_inv(a: Any) -> Any:
    import scipy.special

    return np.copysign(scipy.special.erfinv(a), a)  # a zero keeps its sign


# Operation -> its NumPy function on arrays of the operation's type.
NUMPY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "rem": remainder,
    "neg": np.negative,
    "abs": np.abs,
    "sign": _sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round_even": np.rint,
    "round_away": _round_away,
    "min": _least,
    "max": _largest,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1.0 / np.sqrt(a),
    "cbrt": np.cbrt,
    "pow": _power,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "logistic": _special("expit"),
    "erf": _special("erf"),
    "erfc": _special("erfc"),
    "erf_inv": _erf_inv,
    "nextafter": np.nextafter,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "shift_left": _shift("left"),
    "shift_right_logical": _shift("logical"),
    "shift_right_arithmetic": _shift("arithmetic"),
    "population_count": _population,
    "clz": _leading_zeros,
    "is_finite": np.isfinite,
    "any_lane": np.array,
}


def convert(values: Any, type: str) -> np.ndarray:
    """Numbers of one type as another, as XLA does it: floats saturate, NaN is 0."""
    values = np.asarray(values)
    if values.dtype.kind != "f" or type in FLOATS or type == "bool":
        return values.astype(type)
    limits = np.iinfo(type)
    clipped = np.clip(np.nan_to_num(values, nan=0.0), float(limits.min), limits.max)
    top = values >= float(limits.max)
    return np.where(top, limits.max, np.where(top, 0, clipped).astype(type)).astype(
        type
    )


def evaluate(
    op: str, type: str, args: list[np.ndarray], data: Any = None
) -> np.ndarray:
    """An operation on arrays of constants."""
    with np.errstate(all="ignore"):
        if op == "convert":
            return convert(args[0], type)
        if op == "bitcast":
            return np.asarray(args[0]).view(type)
        if op == "select":
            return np.where(args[0], args[1], args[2])
        return np.asarray(NUMPY[op](*args)).astype(type, copy=False)


def operand_type(op: str, type: str, data: Any) -> str:
    """The type of an operation's constant arguments."""
    if op in ("eq", "ne", "lt", "le", "gt", "ge", "convert", "bitcast"):
        return data
    return "float64" if op == "is_finite" else type


def fold_constant(op: str, type: str, args: tuple[Any, ...], data: Any = None) -> Any:
    """An operation on Python constants gives a Python constant."""
    if type == "float64":
        if op == "add":
            return args[0] + args[1]
        if op == "sub":
            return args[0] - args[1]
        if op == "mul":
            return args[0] * args[1]
        if op == "neg":
            return -args[0]
    if op == "same":
        a, b = args
        return a == b and (
            type != "float64" or math.copysign(1, a) == math.copysign(1, b)
        )
    source = operand_type(op, type, data)
    arrays = [np.asarray(a, dtype=source) for a in args]
    if op == "select":
        arrays = [np.asarray(args[0]), *(np.asarray(a, dtype=type) for a in args[1:])]
    return evaluate(op, type, arrays, data).item()
