"""The reader of mathematics: a `jax.numpy` function becomes SymPy expressions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import jax
import numpy as np
import sympy

from polhode.errors import UnfinishedReading, UnreadableProgram
from polhode.lowering.ir.graph import Node
from polhode.lowering.ir.program import Unlowerable, scalarise
from polhode.lowering.ir.schedule import find_live
from polhode.lowering.reading.definitions import (
    Definition,
    Definitions,
    defining_ring,
    write_definitions,
)
from polhode.lowering.reading.evaluation import (
    Reading,
    Undefined,
    Unreadable,
    evaluate,
)
from polhode.lowering.reading.functions import Refined
from polhode.lowering.reading.kept_reading import KeptReading
from polhode.lowering.reading.ring import ALLOWED, Ring, Unfinished
from polhode.lowering.reading.shape import Shape
from polhode.lowering.reading.symbols import declare_units, from_sympy, latex_name
from polhode.lowering.reading.traced_function import TracedFunction
from polhode.lowering.reading.unread import UnreadFunction, UnreadFunctions
from polhode.tracebacks import warn

Found = TypeVar("Found")


class LongProgram(Exception):
    """A program, or its shortest form, takes more operations than were allowed."""

    def __init__(self, operations: float):
        super().__init__(operations)
        self.operations = operations


HEAVY = 20  # operations that a division or a root is worth to who reads it


def read(
    function: Callable,
    *symbols: Any,
    operations: float = ALLOWED,
    collect: Iterable[sympy.Expr] = (),
    latex: bool = False,
    unread: list[UnreadFunction] | None = None,
    units: Iterable[Sequence[sympy.Symbol]] = (),
) -> Any:
    r"""The mathematics of a `jax.numpy` function, as SymPy expressions.

    Each argument is a SymPy symbol, expression or number, or an array (a list, too) or
    a tree (tuple, dictionary) of them, in the shape that the function takes. The result
    has the shape of the function's output: an array is a `sympy.Array`, a scalar an
    expression. Doubles are recovered as rationals, square roots and multiples of pi.
    Accelerations and velocities (`xddot`, `thetadot_1`, derivatives), or the symbols in
    `collect`, are collected. With `latex` every expression is a string. A result that
    is not in its shortest form after so many `operations` on its terms, five million or
    some ten seconds by default, is given as it is, with a warning.

    What has no closed form, such as a search in a table, is refused. Where a list is
    given as `unread`, it is written as f(x), a function of what it depends on, and the
    list says of each where it is computed. `units` are groups of symbols whose squares
    add up to 1, such as the parts of a unit quaternion.

    >>> import jax.numpy as jnp, sympy as sm
    >>> theta, g = sm.symbols("theta g")
    >>> read(lambda x, g: 0.5 * g * (jnp.sin(x) ** 2 + jnp.cos(x) ** 2), theta, g)
    g/2
    """
    traced = TracedFunction(function, symbols)
    units = [tuple(each) for each in units]
    shape = Shape(Ring(operations), [*collect])
    declare_units(shape.ring, units)
    others = (shape.collect, float(operations), units)
    found, result = _kept_or_read(traced, shape, unread, others)
    leaves = [_leaf(elements, places, latex) for elements, places in found]
    return jax.tree_util.tree_unflatten(result, leaves)


def read_closed(
    traced: TracedFunction,
    operations: float = ALLOWED,
    *,
    unread: list[UnreadFunction],
    units: Iterable[Sequence[sympy.Symbol]] = (),
    longest: float = math.inf,
) -> Any:
    """The closed form of the first of two results; the second one is not read.

    A program of more operations than `longest` raises `LongProgram`, and so does one
    that is not in its shortest form after so many `operations`: what is not multiplied
    out is written again wherever it stands, and is longer than with names.
    """
    units = [tuple(each) for each in units]
    shape = Shape(Ring(operations, finishes=True))
    declare_units(shape.ring, units)
    others = ("first", longest, float(operations), units)
    try:
        found, result = _kept_or_read(traced, shape, unread, others, longest)
    except Unfinished:
        raise LongProgram(operations) from None
    leaves = [_leaf(elements, places, False) for elements, places in found]
    return jax.tree_util.tree_unflatten(result, leaves)


def read_defined(
    traced: TracedFunction,
    operations: float = ALLOWED,
    *,
    unread: list[UnreadFunction],
    units: Iterable[Sequence[sympy.Symbol]] = (),
    rotations: Collection[str] = (),
    longest: float = math.inf,
) -> tuple[Any, list[Definition]]:
    """The mathematics of a function with names for what is long and used often.

    The function gives its result and a dictionary of quantities, whose elements are
    named by their places: R_12. The definitions come in an order in which each needs
    only those before it. What is read is as long as the program, whatever its depth.
    `rotations` are the quantities that are orthogonal matrices of determinant 1.
    """
    ring = defining_ring(operations)
    declare_units(ring, units)
    result, quantities = traced.results
    shape = Shape(ring)
    shape.writer.names_held = True
    functions = UnreadFunctions(traced.symbol_names)

    def readings(guarded: bool) -> tuple[Any, ...]:
        program = scalarise(
            traced.jaxpr, fold="zeros", reading=True, guarded=guarded, unread=True
        )
        own = program.outputs[: result.num_leaves]
        _require_length(own, longest)
        arrays = program.outputs[result.num_leaves :]
        words = jax.tree_util.tree_unflatten(quantities, arrays)
        wanted = [e for output in own for e in output.flat]
        definitions = Definitions(ring, wanted, words, rotations)
        # Quantities first: what is known of them holds in all that comes after.
        every = [*definitions.arrays, *own]
        found = _evaluate(ring, every, traced.arrays, functions, definitions.of)
        return own, definitions, found[len(definitions.arrays) :]

    with _refusals(traced):
        own, definitions, found = _guarded_where_needed(readings)
        written = [_written(shape, r) for out in found for r in out]
        unread += _list_unread(functions, traced)
        taken = traced.symbol_names | {each.name for each in unread}
        defined, written = write_definitions(shape, definitions, written, taken)
    if ring.unfinished:
        _warn(traced.name, ring.allowed)
    rest = iter(written)
    leaves = [_leaf([next(rest) for _ in o.flat], o.shape, False) for o in own]
    return jax.tree_util.tree_unflatten(result, leaves), defined


def effort(function: Callable, *symbols: Any) -> float:
    """How hard `read` would be: operations, and what divisions and roots weigh.

    No end where values choose. What is long to read is known before, in milliseconds.
    """
    traced = TracedFunction(function, symbols)
    try:
        program = scalarise(traced.jaxpr, fold="zeros", reading=True)
    except Unlowerable:
        return math.inf
    live = find_live(element for output in program.outputs for element in output.flat)
    if any(node.op in ("select", "loop", "branch") for node in live.nodes):
        return math.inf
    heavy = sum(node.op in ("div", "sqrt", "rsqrt", "pow") for node in live.nodes)
    return live.operations() + HEAVY * heavy


def _kept_or_read(
    traced: TracedFunction,
    shape: Shape,
    unread: list[UnreadFunction] | None,
    others: tuple[Any, ...],
    longest: float = math.inf,
) -> tuple[list[tuple[Any, tuple[int, ...]]], Any]:
    """Elements and shape of each leaf, and their tree; kept on disk where finished.

    Of a function with two results, and a bound on its length, the first alone.
    """
    kept = KeptReading(traced.function, traced.tree, traced.arrays, others)
    found = kept.load()
    if found is None:
        result = traced.result if longest == math.inf else traced.results[0]
        outputs, written = _read(traced, result.num_leaves, shape, unread, longest)
        shapes = [output.shape for output in outputs]
        found = [*zip(written, shapes, strict=True)], result
        if shape.ring.unfinished:
            _warn(traced.name, shape.ring.allowed)
        elif not unread:
            kept.save(*found)
    return found


def _read(
    traced: TracedFunction,
    count: int,
    shape: Shape,
    unread: list[UnreadFunction] | None,
    longest: float,
) -> tuple[list[np.ndarray], list[list[sympy.Basic]]]:
    """The first outputs of the scalar program, and as SymPy writes them."""
    functions = None if unread is None else UnreadFunctions(traced.symbol_names)

    def readings(guarded: bool) -> tuple[list[np.ndarray], list[list[Reading]]]:
        program = scalarise(
            traced.jaxpr,
            fold="zeros",
            reading=True,
            guarded=guarded,
            unread=unread is not None,
        )
        outputs = program.outputs[:count]
        _require_length(outputs, longest)
        return outputs, _evaluate(shape.ring, outputs, traced.arrays, functions)

    with _refusals(traced):
        outputs, found = _guarded_where_needed(readings)
        written = [[_written(shape, r) for r in out] for out in found]
    if functions is not None and unread is not None:
        unread += _list_unread(functions, traced)
    return outputs, written


def _guarded_where_needed(readings: Callable[[bool], Found]) -> Found:
    """By closed forms alone; where one is 0/0 for all symbols, with their series.

    The turn between two bodies that a hinge joins is no turn across its axis, and that
    shows only when the relations of rotations have been used.
    """
    try:
        return readings(False)
    except Undefined:
        return readings(True)


def _require_length(outputs: list[np.ndarray], longest: float) -> None:
    elements = (element for output in outputs for element in output.flat)
    if (operations := find_live(elements).operations()) > longest:
        raise LongProgram(operations)


@contextmanager
def _refusals(traced: TracedFunction) -> Iterator[None]:
    """What stops a reading, in words: the primitive, and the line that uses it."""
    try:
        yield
        return
    except Unlowerable as stop:
        primitive, why, line = stop.primitive, stop.reason, stop.line
    except Unreadable as stop:
        primitive, why = PRIMITIVES.get(stop.op, stop.op), stop.why
        line = traced.line_of(primitive)
    raise UnreadableProgram(
        f"'{traced.name}' cannot be read as mathematics: JAX's '{primitive}' stops it.",
        f"{why[:1].upper()}{why[1:]}.",
        "Read the part of the function before it, or write it without.",
        f"Used at {line}." if line else "",
    )


def _list_unread(
    functions: UnreadFunctions, traced: TracedFunction
) -> Iterator[UnreadFunction]:
    """Each function without a lowering rule: its arguments, primitive and line."""
    for name, op, places in functions.found.values():
        primitive = PRIMITIVES.get(op, op)
        line = traced.line_of(primitive)
        args = tuple(str(traced.arrays[slot].flat[k]) for slot, k in places)
        yield UnreadFunction(name, args, primitive, line)


# The scalar program's operations whose primitive has another name.
PRIMITIVES = {
    "loop": "while",
    "phi": "while",
    "branch": "cond",
    "bitcast": "bitcast_convert_type",
    "round_even": "round",
    "round_away": "round",
}


def _evaluate(
    ring: Ring,
    outputs: list[np.ndarray],
    arrays: list[np.ndarray],
    functions: UnreadFunctions | None,
    named: Callable[[Node, Any], Any] | None = None,
) -> list[list[Reading]]:
    """Every output element in the ring; again from the start where units refine."""
    while True:
        try:
            inputs = [[from_sympy(ring, e) for e in a.flat] for a in arrays]
            every = [e for output in outputs for e in output.flat]
            values = evaluate(ring, every, inputs, functions, named)
        except Refined:
            continue
        rest = iter(values)
        return [[next(rest) for _ in output.flat] for output in outputs]


def _written(shape: Shape, reading: Reading) -> sympy.Basic:
    if isinstance(reading, dict):
        return shape.write(reading)
    return shape.writer.condition(reading)


def _leaf(elements: list[sympy.Basic], shape: tuple[int, ...], latex: bool) -> Any:
    if latex:
        strings = np.array([to_latex(e) for e in elements], dtype=object)
        return strings.reshape(shape).tolist()
    return sympy.ImmutableDenseNDimArray(elements, shape) if shape else elements[0]


def to_latex(expression: sympy.Basic) -> str:
    r"""LaTeX in which `xddot` is \ddot{x}.

    >>> to_latex(sympy.Symbol("thetadot_1") ** 2)
    '\\dot{\\theta}_{1}^{2}'
    """
    symbols = expression.atoms(sympy.Symbol)
    names = {s: latex_name(s) for s in symbols if latex_name(s) is not None}
    return sympy.latex(expression, symbol_names=names)


def latex_lines(expression: sympy.Expr, width: int) -> list[str]:
    r"""LaTeX of a sum in lines of about `width` letters, each whole terms.

    >>> x, y = sympy.symbols("x y")
    >>> latex_lines((x**2 + x * y + y**2) / 2, 5)
    ['\\frac{x^{2}}{2}', '+ \\frac{x y}{2}', '+ \\frac{y^{2}}{2}']
    """
    whole = to_latex(expression)
    if letters(whole) <= width:
        return [whole]
    lines: list[str] = []
    for term in _terms(expression, width):
        text = to_latex(term)
        signed = f"- {text[1:].lstrip()}" if text.startswith("-") else f"+ {text}"
        if lines and letters(lines[-1]) + letters(signed) <= width:
            lines[-1] += f" {signed}"
        else:
            lines.append(signed if lines else text)
    return lines


def _terms(expression: sympy.Expr, width: int) -> list[sympy.Expr]:
    """The terms of a sum; of a product that is too wide, those of its sums."""
    number, rest = expression.as_coeff_Mul()
    found: list[sympy.Expr] = []
    for term in rest.as_ordered_terms():
        whole = number * term
        wide = letters(to_latex(whole)) > width
        opens = wide and _opened(whole) <= OPENED
        parts = sympy.expand_mul(whole, deep=False) if opens else whole
        found += parts.as_ordered_terms() if parts != expression else [parts]
    return found


OPENED = 200  # terms: a product of more is left as it is, SymPy would take minutes


def _opened(product: sympy.Expr) -> int:
    """How many terms a product has when its brackets are opened."""
    count = 1
    for factor in sympy.Mul.make_args(product):
        base, power = factor.as_base_exp()
        times = int(power) if power.is_Integer and power > 0 else 1
        count *= len(sympy.Add.make_args(base)) ** times
    return count


def letters(latex: str) -> int:
    """About how many letters a formula is wide: of a fraction, its wider part."""
    fraction = re.fullmatch(r"(-? ?)\\frac\{(.*)\}\{(\d+)\}", latex)
    inner = fraction[2] if fraction else latex
    plain = re.sub(r"\\(left|right|cdot|frac|dot|ddot|,)", "", inner)
    return len(re.sub(r"\\([A-Za-z]+)|[{}_^ ]", r"\1", plain))


def _warn(name: str, operations: float) -> None:
    warn(
        f"'{name}' was not brought to its shortest form: it is too long, or "
        f"{operations:g} operations were done. What is written is right.",
        UnfinishedReading,
    )
