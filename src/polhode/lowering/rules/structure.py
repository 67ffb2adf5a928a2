"""Structural primitives: NumPy's own, on arrays of numbers or of elements."""

from __future__ import annotations

import numpy as np

from polhode.lowering.ir.program import Lowering, Unlowerable, Value, lift, type_of
from polhode.lowering.ir.stored import Stored
from polhode.lowering.trace.trace import Equation


def together(values: tuple[Value, ...]) -> list[Value]:
    """All numbers, or all elements."""
    if any(value.dtype == object for value in values):
        return [lift(value) for value in values]
    return list(values)


def broadcast_in_dim(low: Lowering, equation: Equation, x: Value, *_: Value) -> Value:
    shape = equation.params["shape"]
    expanded = [1] * len(shape)
    for d, size in zip(equation.params["broadcast_dimensions"], x.shape, strict=True):
        expanded[d] = size
    return np.broadcast_to(x.reshape(expanded), shape)


def reshape(low: Lowering, equation: Equation, x: Value, *_: Value) -> Value:
    return x.reshape(equation.params["new_sizes"])


def squeeze(low: Lowering, equation: Equation, x: Value) -> Value:
    return np.squeeze(x, axis=tuple(int(d) for d in equation.params["dimensions"]))


def transpose(low: Lowering, equation: Equation, x: Value) -> Value:
    return np.transpose(x, equation.params["permutation"])


def take_slice(low: Lowering, equation: Equation, x: Value) -> Value:
    p = equation.params
    strides = p["strides"] or (1,) * x.ndim
    ranges = zip(p["start_indices"], p["limit_indices"], strides, strict=True)
    where = tuple(slice(*r) for r in ranges)
    return x.part(where) if isinstance(x, Stored) else x[where]


def concatenate(low: Lowering, equation: Equation, *values: Value) -> Value:
    return np.concatenate(together(values), axis=equation.params["dimension"])


def stack(low: Lowering, equation: Equation, *values: Value) -> Value:
    return np.stack(together(values), axis=equation.params["axis"])


def unstack(low: Lowering, equation: Equation, x: Value) -> list[Value]:
    moved = np.moveaxis(x, equation.params["axis"], 0)
    return [moved[k, ...] for k in range(moved.shape[0])]


def split(low: Lowering, equation: Equation, x: Value) -> list[Value]:
    ends = np.cumsum(equation.params["sizes"])[:-1]
    return np.split(x, [int(e) for e in ends], axis=equation.params["axis"])


def pad(low: Lowering, equation: Equation, x: Value, filler: Value) -> Value:
    """Low, high and interior padding; negative padding removes."""
    config = equation.params["padding_config"]
    x, filler = together((x, filler))
    inner = [
        n + max(n - 1, 0) * i for n, (_, _, i) in zip(x.shape, config, strict=True)
    ]
    wide = [
        n + max(lo, 0) + max(hi, 0)
        for n, (lo, hi, _) in zip(inner, config, strict=True)
    ]
    out = np.empty(wide, x.dtype)
    out[...] = filler
    if x.size:
        places = (
            slice(max(lo, 0), max(lo, 0) + n, i + 1)
            for n, (lo, _, i) in zip(inner, config, strict=True)
        )
        out[tuple(places)] = x
    cut = (
        slice(max(-lo, 0), n - max(-hi, 0))
        for n, (lo, hi, _) in zip(wide, config, strict=True)
    )
    return out[tuple(cut)]


def rev(low: Lowering, equation: Equation, x: Value) -> Value:
    return np.flip(x, axis=tuple(equation.params["dimensions"]))


def tile(low: Lowering, equation: Equation, x: Value) -> Value:
    return np.tile(x, equation.params["reps"])


def iota(low: Lowering, equation: Equation, *_: Value) -> Value:
    p = equation.params
    shape, axis = p["shape"], p["dimension"]
    along = np.arange(shape[axis]).astype(type_of(equation.outvars[0].aval))
    view = [1] * len(shape)
    view[axis] = shape[axis]
    return np.broadcast_to(along.reshape(view), shape)


def empty(low: Lowering, equation: Equation) -> Value:
    aval = equation.outvars[0].aval
    return np.zeros(aval.shape, type_of(aval))


def platform_index(low: Lowering, equation: Equation) -> Value:
    """Of code written apart for each platform: that for the CPU, or the general one."""
    platforms = equation.params["platforms"]
    for k, names in enumerate(platforms):
        if names is None or "cpu" in names:
            return np.asarray(k, np.int32)
    raise Unlowerable("", "it has no code for the CPU")


RULES = {
    "platform_index": platform_index,
    "broadcast_in_dim": broadcast_in_dim,
    "reshape": reshape,
    "squeeze": squeeze,
    "transpose": transpose,
    "slice": take_slice,
    "concatenate": concatenate,
    "stack": stack,
    "unstack": unstack,
    "split": split,
    "pad": pad,
    "rev": rev,
    "tile": tile,
    "iota": iota,
    "empty": empty,
    "empty2": empty,
}
