"""Element by element: arithmetic, comparison, selection, conversion, bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.ir.program import (
    Lowering,
    Unlowerable,
    Value,
    lift,
    type_of,
    zero_d,
)
from polhode.lowering.ir.scalars import bits, evaluate, is_float
from polhode.lowering.ir.stored import elements
from polhode.lowering.rules import memory, rolling
from polhode.lowering.rules.conversion import convert_element
from polhode.lowering.trace.trace import Equation

Rule = Callable[..., Any]

# Primitives that are operations of the scalar program under the same name.
PLAIN = """
    abs sign floor ceil max min rem sqrt rsqrt cbrt exp exp2 expm1 log log1p sin cos
    tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh logistic erf erfc erf_inv
    nextafter xor shift_left shift_right_logical shift_right_arithmetic
    population_count clz
"""
COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")
SAME = """
    copy stop_gradient reduce_precision sharding_constraint
"""


def each(function: Callable[..., Element], *values: Value) -> Value:
    """A function of elements over arrays of elements."""
    with np.errstate(all="ignore"):  # NaN among constants is a value like others
        out = np.frompyfunc(function, len(values), 1)(*map(lift, values))
    return out if isinstance(out, np.ndarray) and out.dtype == object else zero_d(out)


def spread(
    low: Lowering, equation: Equation, function: Callable[..., Element], values: Any
) -> Any:
    """`each`, as a loop if the arrays are long."""
    if max(value.size for value in values) >= rolling.AT_LEAST:
        types = [type_of(v.aval) for v in (*equation.invars, *equation.outvars)]
        found = rolling.rolled(low, function, values, types)
        if found is not None:
            return found
    return each(function, *values)


def all_known(values: tuple[Value, ...]) -> bool:
    return all(value.dtype != object for value in values)


def elementwise(op: str, function: Callable[..., Any]) -> Rule:
    """The rule of an operation: NumPy on numbers, `function` on elements."""

    def rule(low: Lowering, equation: Equation, *values: Value) -> Value:
        type = type_of(equation.outvars[0].aval)
        if all_known(values):
            return evaluate(op, type, list(np.broadcast_arrays(*values)))
        return spread(low, equation, lambda *a: function(low.build, *a, type), values)

    return rule


def plain(op: str) -> Rule:
    return elementwise(op, lambda build, *a: build.apply(op, a[-1], *a[:-1]))


def compare(op: str) -> Rule:
    def rule(low: Lowering, equation: Equation, a: Value, b: Value) -> Value:
        if all_known((a, b)):
            return evaluate(op, "bool", [a, b])
        type = type_of(equation.invars[0].aval)

        def test(x: Element, y: Element) -> Element:
            return low.build.compare(op, x, y, type)

        return spread(low, equation, test, (a, b))

    return rule


def total_order(op: str) -> Rule:
    """Comparison in the total order of the bits: -NaN < -inf < ... < NaN."""

    def rule(low: Lowering, equation: Equation, a: Value, b: Value) -> Value:
        type = type_of(equation.invars[0].aval)

        def key(x: Element) -> Element:
            if not is_float(type):
                return x
            build = low.build
            word = build.apply("bitcast", "int64", x, data="float64")
            mask = build.apply("shift_right_arithmetic", "int64", word, 63)
            flip = build.apply("and", "int64", mask, 2**63 - 1)
            return build.apply("xor", "int64", word, flip)

        kind = "int64" if is_float(type) else type
        return each(lambda x, y: low.build.compare(op, key(x), key(y), kind), a, b)

    return rule


def same(low: Lowering, equation: Equation, *values: Value) -> Any:
    if equation.primitive.name == "reduce_precision":
        parameters = equation.params
        if (parameters["exponent_bits"], parameters["mantissa_bits"]) != (11, 52):
            raise Unlowerable("", "it rounds to fewer bits than float64 has")
    return list(values) if equation.primitive.multiple_results else values[0]


def barrier(low: Lowering, equation: Equation, *values: Value) -> list[Value]:
    """The same numbers; a product that goes through it keeps a rounding of its own."""

    def kept(x: Element) -> Element:
        is_number = isinstance(x, Node) and is_float(x.type)
        return low.graph.make("copy", x.type, (x,)) if is_number else x

    return [each(kept, value) for value in values]


def select_n(low: Lowering, equation: Equation, which: Value, *cases: Value) -> Value:
    type = type_of(equation.outvars[0].aval)
    if low.textbook:
        return cases[0]
    if low.exact and which.dtype == object:
        guard = partial(_guarded, low) if low.guarded else _closed
        return each(guard, *map(elements, (which, *cases)))
    if which.dtype != object and which.ndim == 0:
        return cases[int(which)]
    if all_known((which, *cases)):
        return np.choose(np.clip(which.astype(int), 0, len(cases) - 1), cases)
    merged = _merged(low, which, cases)
    if merged is not None:
        return merged
    which, *each_case = map(elements, (which, *cases))
    cases = tuple(each_case)
    if type_of(equation.invars[0].aval) == "bool":

        def either(w: Element, no: Element, yes: Element) -> Element:
            return low.build.select(w, yes, no, type)

        return spread(low, equation, either, (which, *cases))
    kind = type_of(equation.invars[0].aval)

    def choose(w: Element, *options: Element) -> Element:
        chosen = options[-1]
        for k in reversed(range(len(options) - 1)):
            is_k = low.build.compare("le", w, k, kind)
            chosen = low.build.select(is_k, options[k], chosen, type)
        return chosen

    return each(choose, which, *cases)


def _guarded(low: Lowering, near: Element, exact: Element, series: Element) -> Element:
    """Both branches: relations between symbols may say that all is at the place."""
    if not isinstance(near, Node):
        return series if near else exact
    return low.graph.make("removable", "float64", (near, exact, series))


def _closed(near: Element, exact: Element, series: Element) -> Element:
    """The closed form; at the very place of the singularity, only the series is."""
    return series if not isinstance(near, Node) and near else exact


def _merged(low: Lowering, which: Value, cases: tuple[Value, ...]) -> Value | None:
    """An array in memory, updated or not by one decision."""
    if len(cases) != 2 or cases[0].size < memory.AT_LEAST:
        return None
    flags = lift(elements(which)).reshape(-1)
    if any(flag is not flags[0] for flag in flags):
        return None
    return memory.merge_select(low, flags[0], cases[1], cases[0])


def clamp(
    low: Lowering, equation: Equation, least: Value, x: Value, most: Value
) -> Value:
    type = type_of(equation.outvars[0].aval)

    def inside(a: Element, b: Element, c: Element) -> Element:
        return low.build.apply("min", type, low.build.apply("max", type, b, a), c)

    return each(inside, least, x, most)


def convert(low: Lowering, equation: Equation, x: Value) -> Value:
    source, target = (
        type_of(v.aval) for v in (equation.invars[0], equation.outvars[0])
    )
    if source == target:
        return x
    if x.dtype != object:
        return evaluate("convert", target, [x])
    return spread(
        low, equation, lambda a: convert_element(low, a, source, target), (x,)
    )


def bitcast(low: Lowering, equation: Equation, x: Value) -> Value:
    source, target = (
        type_of(v.aval) for v in (equation.invars[0], equation.outvars[0])
    )
    if bits(source) != bits(target):
        raise Unlowerable("", f"it casts {source} to {target} of another width")
    if x.dtype != object:
        return np.ascontiguousarray(x).view(target).reshape(x.shape)
    return each(lambda a: low.build.apply("bitcast", target, a, data=source), x)


def rounding(low: Lowering, equation: Equation, x: Value) -> Value:
    method = int(equation.params["rounding_method"])
    op = "round_even" if method == 1 else "round_away"
    return plain(op)(low, equation, x)


def integer_pow(low: Lowering, equation: Equation, x: Value) -> Value:
    type, power = type_of(equation.outvars[0].aval), equation.params["y"]
    return spread(low, equation, lambda a: low.build.power(a, power, type), (x,))


def power(low: Lowering, equation: Equation, x: Value, y: Value) -> Value:
    type, kind = type_of(equation.outvars[0].aval), type_of(equation.invars[1].aval)

    def raise_to(a: Element, b: Element) -> Element:
        b = convert_element(low, b, kind, type)
        if not isinstance(b, Node) and b in (1.0, 2.0, -1.0):
            return low.build.power(a, int(b), type)
        return low.build.apply("pow", type, a, b)

    if not is_float(type):
        raise Unlowerable("", "a power of integers by integers")
    return each(raise_to, x, y)


def is_finite(low: Lowering, equation: Equation, x: Value) -> Value:
    if x.dtype != object:
        return np.isfinite(x)
    return each(lambda a: low.build.apply("is_finite", "bool", a), x)


def logical(op: str) -> Rule:
    def rule(low: Lowering, equation: Equation, a: Value, b: Value) -> Value:
        type = type_of(equation.outvars[0].aval)
        if all_known((a, b)):
            return evaluate(op, type, [a, b])
        if type == "bool":
            return each(partial(low.build.logical, op), a, b)
        return each(lambda x, y: low.build.apply(op, type, x, y), a, b)

    return rule


def square(low: Lowering, equation: Equation, x: Value) -> Value:
    type = type_of(equation.outvars[0].aval)
    return spread(low, equation, lambda a: low.build.mul(a, a, type), (x,))


RULES: dict[str, Rule] = {name: plain(name) for name in PLAIN.split()}
RULES.update({name: compare(name) for name in COMPARE})
RULES.update(dict.fromkeys(SAME.split(), same))
RULES["optimization_barrier"] = barrier
RULES.update(
    {
        "add": elementwise("add", lambda b, x, y, t: b.add(x, y, t)),
        "add_any": elementwise("add", lambda b, x, y, t: b.add(x, y, t)),
        "sub": elementwise("sub", lambda b, x, y, t: b.sub(x, y, t)),
        "mul": elementwise("mul", lambda b, x, y, t: b.mul(x, y, t)),
        "div": elementwise("div", lambda b, x, y, t: b.div(x, y, t)),
        "neg": elementwise("neg", lambda b, x, t: b.neg(x, t)),
        "not": plain("not"),
        "and": logical("and"),
        "or": logical("or"),
        "square": square,
        "integer_pow": integer_pow,
        "pow": power,
        "round": rounding,
        "is_finite": is_finite,
        "select_n": select_n,
        "clamp": clamp,
        "convert_element_type": convert,
        "bitcast_convert_type": bitcast,
        "eq_to": total_order("eq"),
        "le_to": total_order("le"),
        "lt_to": total_order("lt"),
    }
)
