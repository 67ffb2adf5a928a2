"""The spelling of LLVM's types and constants."""

from __future__ import annotations

import struct
from typing import Any

SCALAR = {
    "float64": "double",
    "int64": "i64",
    "uint64": "i64",
    "int32": "i32",
    "uint32": "i32",
    "int16": "i16",
    "uint16": "i16",
    "int8": "i8",
    "uint8": "i8",
    "bool": "i1",
}
IN_MEMORY = {**SCALAR, "bool": "i8"}
SLOT = 8  # bytes of scratch memory a scalar of any type takes


def scalar_literal(value: Any, type: str) -> str:
    if type == "float64":
        (word,) = struct.unpack("<Q", struct.pack("<d", float(value)))
        return f"0x{word:016X}"
    if type == "bool":
        return "true" if value else "false"
    return str(int(value))


def literal(value: Any, type: str, lanes: int) -> str:
    text = scalar_literal(value, type)
    return text if lanes == 1 else f"splat ({SCALAR[type]} {text})"


def vector(type: str, lanes: int) -> str:
    return SCALAR[type] if lanes == 1 else f"<{lanes} x {SCALAR[type]}>"


def suffix(type: str, lanes: int) -> str:
    """The end of an intrinsic's name: .f64, .v8f64, .v4i32."""
    short = "f64" if type == "float64" else SCALAR[type]
    return f".{short}" if lanes == 1 else f".v{lanes}{short}"
