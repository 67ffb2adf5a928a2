"""The spelling of LLVM's types and constants."""

from __future__ import annotations

import struct
from collections.abc import Sequence
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
IN_REGISTERS = 2  # numbers that a function returns in vector registers of x86,
RETURNED = 4  # and in any registers: more go through memory


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


def returned(types: Sequence[str], lanes: int) -> str:
    """The type of all that a function returns.

    The third and fourth number would be returned on the stack of x87, of which LLVM
    without optimisation makes wrong code. Numbers that nobody reads stand beside them:
    then all go through memory.
    """
    kinds = [vector(type, lanes) for type in types]
    numbers = kinds.count("double")
    if IN_REGISTERS < numbers <= RETURNED:
        kinds += ["double"] * (RETURNED + 1 - numbers)
    return f"{{{', '.join(kinds)}}}"
