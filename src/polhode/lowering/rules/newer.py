"""Primitives that only some of the supported versions of JAX have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polhode.lowering.ir.graph import Element
from polhode.lowering.ir.program import Lowering, Value
from polhode.lowering.rules.arithmetic import each, plain
from polhode.lowering.rules.calls import call
from polhode.lowering.trace.trace import Equation, expanded


def one_minus_square(low: Lowering, equation: Equation, x: Value) -> Value:
    """(1 + x)(1 - x), which keeps its digits where x is near one."""
    build = low.build

    def kept(a: Element) -> Element:
        return build.mul(build.add(1.0, a), build.sub(1.0, a))

    return each(kept, x)


def polynomial(
    low: Lowering, equation: Equation, x: Value, *coefficients: Value
) -> Value:
    """Horner's rule, coefficients from the lowest degree."""
    build = low.build

    def horner(a: Element, *terms: Element) -> Element:
        total = terms[-1]
        for term in reversed(terms[:-1]):
            total = build.add(build.mul(total, a), term)
        return total

    return each(horner, x, *coefficients)


def high_level(low: Lowering, equation: Equation, *arguments: Value) -> list[Value]:
    """A primitive that JAX itself expands into simpler ones."""
    jaxpr = expanded(equation)
    return low.interpret(jaxpr.jaxpr, jaxpr.consts, *arguments)


RULES: dict[str, Callable[..., Any]] = {
    "closed_call": call,
    "eval_jaxpr": call,
    "call_hi_primitive": high_level,
    "one_minus_square": one_minus_square,
    "polynomial": polynomial,
    "log2": plain("log2"),
}
