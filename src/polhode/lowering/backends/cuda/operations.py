"""Each scalar operation as an expression in C. The compiler may not fuse or reorder.

In a pattern {0}, {1}, ... are the operands, {T} is the result's type, {U} the unsigned
type of its width, {W} the unsigned type in which C computes it without overflow.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from polhode.lowering.ir.scalars import SIGNED, is_float
from polhode.lowering.ir.scalars import bits as width

SCALAR = {
    "float64": "f64",
    **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)},
    **{f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)},
    "bool": "bool",
}
IN_MEMORY = {**SCALAR, "bool": "u8"}

FLOAT = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "rem": "fmod({0}, {1})",
    "neg": "-{0}",
    "abs": "fabs({0})",
    "sqrt": "sqrt({0})",
    "floor": "floor({0})",
    "ceil": "ceil({0})",
    "trunc": "trunc({0})",
    "round_even": "rint({0})",
    "copysign": "copysign({0}, {1})",
    "min": "minimum({0}, {1})",
    "max": "maximum({0}, {1})",
    "fma": "fma({0}, {1}, {2})",
    "fms": "fma({0}, {1}, -{2})",
    "fnma": "fma(-{0}, {1}, {2})",
}
INTEGER = {
    "add": "({T})(({W}){0} + ({W}){1})",
    "sub": "({T})(({W}){0} - ({W}){1})",
    "mul": "({T})(({W}){0} * ({W}){1})",
    "neg": "({T})(0 - ({W}){0})",
    "abs": "{0} < 0 ? ({T})(0 - ({W}){0}) : {0}",
    "and": "({T})({0} & {1})",
    "or": "({T})({0} | {1})",
    "xor": "({T})({0} ^ {1})",
    "not": "({T})~{0}",
    "min": "{0} < {1} ? {0} : {1}",
    "max": "{0} > {1} ? {0} : {1}",
    "div": "quotient<{T}>({0}, {1})",
    "rem": "remainder_of<{T}>({0}, {1})",
    "population_count": "({T})ones{w}(({U}){0})",
    "clz": "({T})(zeros{w}(({U}){0}) - {spare})",
    # By the width or more: all bits are gone, or all are the sign.
    "shift_left": "({U}){1} < {n} ? ({T})(({W}){0} << ({U}){1}) : ({T})0",
    "shift_right_logical": "({U}){1} < {n} ? ({T})(({U}){0} >> ({U}){1}) : ({T})0",
    "shift_right_arithmetic": "({T})(({S}){0} >> (({U}){1} < {n} ? ({U}){1} : {last}))",
}
BOOLEAN = {
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} != {1}",
    "not": "!{0}",
    "add": "{0} | {1}",
    "mul": "{0} & {1}",
    "max": "{0} | {1}",
    "min": "{0} & {1}",
}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def expression(op: str, type: str, data: Any, words: list[str]) -> str:
    """An operation on operands that are names or literals."""
    return pattern(op, type, data).format(*words, **_words_of(type))


def pattern(op: str, type: str, data: Any) -> str:
    """How C writes an operation."""
    if op in COMPARE:
        return f"{{0}} {COMPARE[op]} {{1}}"
    if op == "select":
        return "{0} ? {1} : {2}"
    if op == "convert":
        return _convert(data, type)
    if op == "bitcast":
        return _bitcast(data, type)
    if op == "is_finite":
        return f"fabs({{0}}) < {literal(math.inf, 'float64')}"
    if op == "any_lane":
        return "any_lane({0})"
    if type == "bool":
        return BOOLEAN[op]
    return FLOAT[op] if is_float(type) else INTEGER[op]


def _words_of(type: str) -> dict[str, Any]:
    if type == "float64":
        return {}
    n, wide = width(type), 64 if width(type) == 64 else 32
    spelt = {"U": f"u{n}", "S": f"i{n}", "W": f"u{wide}", "T": SCALAR[type]}
    return {**spelt, "n": n, "w": wide, "last": n - 1, "spare": wide - n}


def _convert(source: str, target: str) -> str:
    """Between numbers; floats saturate and NaN is 0, as in XLA."""
    if not is_float(source) or is_float(target):
        return f"({SCALAR[target]}){{0}}"
    limits = np.iinfo(target)
    # The greatest whole number of 64 bits is no double: the next one stands for it.
    low, high = (literal(float(v), "float64") for v in (limits.min, limits.max))
    least, most = (literal(v, target) for v in (limits.min, limits.max))
    return f"saturated<{SCALAR[target]}>({{0}}, {low}, {high}, {least}, {most})"


def _bitcast(source: str, target: str) -> str:
    if is_float(target):
        return "{0}" if is_float(source) else "from_bits((u64){0})"
    if is_float(source):
        return f"({SCALAR[target]})to_bits({{0}})"
    return f"({SCALAR[target]}){{0}}"


def literal(value: Any, type: str) -> str:
    """A constant, exactly; one with a sign is in brackets."""
    if type == "float64":
        return _float(float(value))
    if type == "bool":
        return "true" if value else "false"
    value = int(value) % 2 ** width(type)
    if type in SIGNED and value >= 2 ** (width(type) - 1):
        value -= 2 ** width(type)
    if value == -(2**63):
        return f"(-{2**63 - 1}LL - 1)"
    ending = {"int64": "LL", "uint64": "ULL", "uint32": "U"}.get(type, "")
    return f"(-{-value}{ending})" if value < 0 else f"{value}{ending}"


def _float(value: float) -> str:
    if not math.isfinite(value):
        return f"from_bits(0x{struct.unpack('<Q', struct.pack('<d', value))[0]:x}ULL)"
    digits, power = value.hex().split("p")
    text = f"{digits.rstrip('0').rstrip('.')}p{power}" if value else f"{digits}p0"
    return f"({text})" if text.startswith("-") else text
