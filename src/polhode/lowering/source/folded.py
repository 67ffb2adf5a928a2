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
from polhode.lowering.columns import roots_of
from polhode.lowering.optimise import choose_roundings
from polhode.lowering.program import ScalarProgram, Unlowerable, scalarise
from polhode.lowering.schedule import Schedule, schedule
from polhode.lowering.trace import closed_jaxpr

UNROLL_AT_MOST = 10**9  # loops of known length become straight code


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
    function: Callable, examples: tuple, name: str, results: Sequence[str]
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
    spelt = tuple(results) or tuple(f"out{k + 1}" for k in range(count))
    _require_names(name, (*arguments, *spelt), count, len(spelt))
    sizes = tuple(leaf.shape for leaf in described)
    plan = schedule(roots)
    return Folded(identifier(name), program, plan, arguments, sizes, spelt)


def identifier(name: str) -> str:
    """A name that C and MATLAB accept, and that no value of the program has."""
    word = re.sub(r"\W+", "_", name).strip("_")
    word = word if word[:1].isalpha() else f"x{word}"
    return f"{word}_" if re.fullmatch(r"[a-z]\d+", word) else word


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
