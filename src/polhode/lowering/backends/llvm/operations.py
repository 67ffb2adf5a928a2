"""Each scalar operation in LLVM's words. No flag licenses LLVM to round otherwise.

A template has {0}, {1}, ... for operands, {T} the result's type, {S} the operands' type
where it differs, {x} the end of an intrinsic's name; {z} is a zero and {t1} .. {t9} are
fresh names. The last line is the result.
"""

from __future__ import annotations

from typing import Any

from polhode.lowering.ir.scalars import SIGNED, is_float
from polhode.lowering.ir.scalars import bits as width

FLOAT = {
    "add": "fadd {T} {0}, {1}",
    "sub": "fsub {T} {0}, {1}",
    "mul": "fmul {T} {0}, {1}",
    "div": "fdiv {T} {0}, {1}",
    "rem": "frem {T} {0}, {1}",
    "neg": "fneg {T} {0}",
    "abs": "call {T} @llvm.fabs{x}({T} {0})",
    "sqrt": "call {T} @llvm.sqrt{x}({T} {0})",
    "floor": "call {T} @llvm.floor{x}({T} {0})",
    "ceil": "call {T} @llvm.ceil{x}({T} {0})",
    "trunc": "call {T} @llvm.trunc{x}({T} {0})",
    "round_even": "call {T} @llvm.roundeven{x}({T} {0})",
    "copysign": "call {T} @llvm.copysign{x}({T} {0}, {T} {1})",
    "min": "call {T} @llvm.minimum{x}({T} {0}, {T} {1})",
    "max": "call {T} @llvm.maximum{x}({T} {0}, {T} {1})",
    "fma": "call {T} @llvm.fma{x}({T} {0}, {T} {1}, {T} {2})",
    "fms": "fneg {T} {2}\ncall {T} @llvm.fma{x}({T} {0}, {T} {1}, {T} {t1})",
    "fnma": "fneg {T} {0}\ncall {T} @llvm.fma{x}({T} {t1}, {T} {1}, {T} {2})",
}
INTEGER = {
    "add": "add {T} {0}, {1}",
    "sub": "sub {T} {0}, {1}",
    "mul": "mul {T} {0}, {1}",
    "neg": "sub {T} {z}, {0}",
    "and": "and {T} {0}, {1}",
    "or": "or {T} {0}, {1}",
    "xor": "xor {T} {0}, {1}",
    "not": "xor {T} {0}, {ones}",
    "population_count": "call {T} @llvm.ctpop{x}({T} {0})",
    "clz": "call {T} @llvm.ctlz{x}({T} {0}, i1 false)",
}
SIGNED_ONLY = {
    "abs": "call {T} @llvm.abs{x}({T} {0}, i1 false)",
    "min": "call {T} @llvm.smin{x}({T} {0}, {T} {1})",
    "max": "call {T} @llvm.smax{x}({T} {0}, {T} {1})",
}
UNSIGNED_ONLY = {
    "min": "call {T} @llvm.umin{x}({T} {0}, {T} {1})",
    "max": "call {T} @llvm.umax{x}({T} {0}, {T} {1})",
}
FLOAT_COMPARE = {
    "eq": "oeq",
    "ne": "une",
    "lt": "olt",
    "le": "ole",
    "gt": "ogt",
    "ge": "oge",
}
BOOLEAN = {
    "and": "and {T} {0}, {1}",
    "or": "or {T} {0}, {1}",
    "xor": "xor {T} {0}, {1}",
    "not": "xor {T} {0}, {ones}",
    "add": "or {T} {0}, {1}",
    "mul": "and {T} {0}, {1}",
    "max": "or {T} {0}, {1}",
    "min": "and {T} {0}, {1}",
}
# Shifts by the width or more are defined by XLA and not by LLVM.
SHIFT = {
    "shift_left": ("shl", False),
    "shift_right_logical": ("lshr", False),
    "shift_right_arithmetic": ("ashr", True),
}


def template(op: str, type: str, data: Any) -> str | None:
    """The template of an operation, or None if there is none."""
    if op in FLOAT_COMPARE:
        return _compare(op, data)
    if op == "select":
        return "select {B} {0}, {T} {1}, {T} {2}"
    if op == "convert":
        return _convert(data, type)
    if op == "bitcast":
        return "bitcast {S} {0} to {T}"
    if op == "is_finite":
        return "call {S} @llvm.fabs{xs}({S} {0})\nfcmp olt {S} {t1}, {inf}"
    if type == "bool":
        return BOOLEAN.get(op)
    if is_float(type):
        return FLOAT.get(op)
    if op in SHIFT:
        return _shift(op, type)
    if op in ("div", "rem"):
        return _divide(op, type)
    table = SIGNED_ONLY if type in SIGNED else UNSIGNED_ONLY
    return table.get(op) or INTEGER.get(op)


def _compare(op: str, source: str) -> str:
    if is_float(source):
        return f"fcmp {FLOAT_COMPARE[op]} {{S}} {{0}}, {{1}}"
    if op in ("eq", "ne"):
        return f"icmp {op} {{S}} {{0}}, {{1}}"
    sign = "s" if source in SIGNED else "u"
    return f"icmp {sign}{op} {{S}} {{0}}, {{1}}"


def _convert(source: str, target: str) -> str:
    """Between numbers; floats saturate and NaN is 0, as in XLA."""
    if is_float(target):
        word = "sitofp" if source in SIGNED else "uitofp"
        return f"{word} {{S}} {{0}} to {{T}}"
    if is_float(source):
        word = "fptosi" if target in SIGNED else "fptoui"
        return f"call {{T}} @llvm.{word}.sat{{x}}{{xs}}({{S}} {{0}})"
    if width(target) == width(source):
        return "bitcast {S} {0} to {T}"
    if width(target) < width(source):
        return "trunc {S} {0} to {T}"
    return f"{'sext' if source in SIGNED else 'zext'} {{S}} {{0}} to {{T}}"


def _shift(op: str, type: str) -> str:
    word, sticky = SHIFT[op]
    inside = f"icmp ult {{T}} {{1}}, {{lit:{width(type)}}}\n"
    if sticky:
        most = f"{{lit:{width(type) - 1}}}"
        return (
            inside
            + f"select {{B}} {{t1}}, {{T}} {{1}}, {{T}} {most}\n"
            + "ashr {T} {0}, {t2}"
        )
    return (
        inside
        + "select {B} {t1}, {T} {1}, {T} {z}\n"
        + f"{word} {{T}} {{0}}, {{t2}}\n"
        + "select {B} {t1}, {T} {t3}, {T} {z}"
    )


def _divide(op: str, type: str) -> str:
    """By zero: -1 (all ones), remainder the dividend; the least by -1 wraps."""
    sign = "s" if type in SIGNED else "u"
    lines = ["icmp eq {T} {1}, {z}"]
    if sign == "s":
        least = -(2 ** (width(type) - 1))
        lines += [
            f"icmp eq {{T}} {{0}}, {{lit:{least}}}",
            "icmp eq {T} {1}, {ones}",
            "and {B} {t2}, {t3}",
            "or {B} {t1}, {t4}",
            "select {B} {t5}, {T} {lit:1}, {T} {1}",
            f"{sign}{op} {{T}} {{0}}, {{t6}}",
        ]
        last = "{t7}"
    else:
        lines += ["select {B} {t1}, {T} {lit:1}, {T} {1}", f"u{op} {{T}} {{0}}, {{t2}}"]
        last = "{t3}"
    instead = "{ones}" if op == "div" else "{0}"
    return "\n".join([*lines, f"select {{B}} {{t1}}, {{T}} {instead}, {{T}} {last}"])
