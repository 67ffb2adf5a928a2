"""A function as a folded program whose elementary functions keep their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from polhode.errors import ArgumentError, UnsupportedPrimitive
from polhode.lowering.arguments import leaf_of, name_leaves
from polhode.lowering.ir.optimise import choose_roundings
from polhode.lowering.ir.program import ScalarProgram, Unlowerable, scalarise
from polhode.lowering.ir.schedule import Schedule, schedule
from polhode.lowering.ir.strided_views import roots_of
from polhode.lowering.trace.trace import closed_jaxpr

UNROLL_AT_MOST = 10**9  # loops of known length become straight code

# Words of C and of MATLAB, and what programs call in them.
TAKEN = frozenset(
    {
        *("auto", "break", "case", "char", "const", "continue", "default", "do"),
        *("double", "else", "enum", "extern", "float", "for", "goto", "if", "inline"),
        *("int", "long", "register", "restrict", "return", "short", "signed"),
        *("sizeof", "static", "struct", "switch", "typedef", "union", "unsigned"),
        *("void", "volatile", "while", "bool", "true", "false", "scratch", "ELEMENT"),
        *("SLOT", "INFINITY", "NAN", "M_PI", "minimum", "maximum", "from_bits"),
        *("to_bits", "memcpy", "catch", "classdef", "elseif", "end", "function"),
        *("global", "otherwise", "parfor", "persistent", "spmd", "try", "Inf", "NaN"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh"),
        *("tanh", "asinh", "acosh", "atanh", "exp", "exp2", "expm1", "log", "log2"),
        *("log1p", "cbrt", "erf", "erfc", "erfinv", "pow", "sqrt", "abs", "fabs"),
        *("fma", "fmod", "floor", "ceil", "round", "rint", "trunc", "fix", "sign"),
        *("copysign", "nextafter", "isfinite", "isnan", "isinf", "isreal", "nthroot"),
        *("rem", "min", "max", "fmin", "fmax", "xor", "zeros", "reshape", "choose"),
        *("only_real", "lesser", "greater", "remainder_of", "nearest_even"),
    }
)


@dataclass(frozen=True, eq=False)
class Folded:
    """A scheduled program, and what its arguments and results are called."""

    name: str
    program: ScalarProgram
    plan: Schedule
    arguments: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    results: tuple[str, ...]


def fold(
    function: Callable, examples: tuple[Any, ...], name: str, results: Sequence[str]
) -> Folded:
    """The program of a function; results are named in order, or out1, out2, ..."""
    called, leaves, tree = name_leaves(function, examples)
    described = [leaf_of(v, n)[0] for v, n in zip(leaves, called, strict=True)]

    def flat(*values: Any) -> list[Any]:
        found = function(*jax.tree_util.tree_unflatten(tree, values))
        return jax.tree_util.tree_leaves(found)

    shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.type) for leaf in described]
    try:
        jaxpr, _ = closed_jaxpr(flat, *shapes)
        program = scalarise(jaxpr, unroll_at_most=UNROLL_AT_MOST)
    except Unlowerable as stop:
        raise UnsupportedPrimitive(
            f"{name!r} cannot be written as source: JAX's {stop.primitive!r} stops it.",
            f"{stop.reason[:1].upper()}{stop.reason[1:]}.",
            "Write the function without it.",
        ) from None
    roots = roots_of(program.outputs)
    choose_roundings(program.graph, roots)
    arguments = tuple(identifier(n) for n in called)
    count = len(program.outputs)
    spelt = tuple(map(identifier, results or (f"out{k + 1}" for k in range(count))))
    _require_names(name, (*arguments, *spelt), count, len(spelt))
    sizes = tuple(leaf.shape for leaf in described)
    plan = schedule(roots)
    return Folded(identifier(name), program, plan, arguments, sizes, spelt)


def identifier(name: str) -> str:
    """A name that C and MATLAB accept, and that nothing in the program has."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    word = word if word[:1].isalpha() else f"x{word}"
    taken = word in TAKEN or re.fullmatch(r"[a-z]\d+", word)
    return f"{word}_" if taken else word


def shape_of(value: np.ndarray) -> str:
    """The shape of a result in words: 'number', '3' or '3 x 3'."""
    return " x ".join(map(str, value.shape)) or "number"


def _require_names(name: str, words: tuple[str, ...], wanted: int, given: int) -> None:
    if wanted != given:
        raise ArgumentError(
            f"{name!r} has {wanted} results and {given} names for them.",
            "Each result of the source is an argument or variable of its own.",
            "Give one name a result, or none.",
        )
    twice = sorted({w for w in words if words.count(w) > 1})
    if twice:
        raise ArgumentError(
            f"{name!r} uses the name {twice[0]!r} twice.",
            "Arguments and results share one scope in the source.",
            "Name the results otherwise.",
        )
