"""Calls are inlined, all but marked ones; custom derivatives have done their work."""

from __future__ import annotations

import numpy as np

from polhode.arrays import NAMED, NAMED_WHOLE, NEIGHBOUR, SHARED
from polhode.lowering.ir.program import Lowering, Value, lift
from polhode.lowering.rules.arithmetic import each
from polhode.lowering.rules.sharing import called
from polhode.lowering.trace.trace import Equation


def call(low: Lowering, equation: Equation, *arguments: Value) -> list[Value]:
    p = equation.params
    body = p.get("jaxpr") or p.get("call_jaxpr") or p.get("fun_jaxpr")
    if low.reading and str(p.get("name", "")).startswith(NAMED):
        return [named(low, p["name"].removeprefix(NAMED), arguments)]
    if low.reading and str(p.get("name", "")).startswith(NAMED_WHOLE):
        shape = equation.outvars[0].aval.shape
        return [named_whole(low, p["name"].removeprefix(NAMED_WHOLE), shape, arguments)]
    if low.shares and p.get("name") == SHARED:
        found = called(low, body, arguments)
        if found is not None:
            return found
    if p.get("name") == NEIGHBOUR:
        (flag,) = arguments
        return [each(lambda a: low.build.apply("any_lane", "bool", a), flag)]
    return low.inline(equation, body, *arguments)


def named(low: Lowering, name: str, arguments: tuple[Value, ...]) -> Value:
    """A function that is read by its name, of each element."""
    columns = np.broadcast_arrays(*map(lift, arguments))
    out = np.empty(columns[0].shape, object)
    for place in np.ndindex(out.shape):
        args = tuple(column[place] for column in columns)
        out[place] = low.graph.make("named", "float64", args, name)
    return out


def named_whole(
    low: Lowering, name: str, shape: tuple[int, ...], arguments: tuple[Value, ...]
) -> Value:
    """A function of all elements of its arguments, read by its name: f, or f_x, ..."""
    args = tuple(element for value in arguments for element in lift(value).flat)
    marks = [""] if shape == () else [f"_{axis}" for axis in "xyz"]
    out = np.empty(shape, object)
    for place, mark in zip(np.ndindex(shape), marks, strict=True):
        out[place] = low.graph.make("named", "float64", args, name + mark)
    return out


def linear_solve(low: Lowering, equation: Equation, *arguments: Value) -> list[Value]:
    """`custom_linear_solve`: only its `solve` runs forward."""
    lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
    before = lengths.matvec + lengths.vecmat
    constants = arguments[before : before + lengths.solve]
    right_sides = arguments[sum(lengths) :]
    return low.inline(equation, jaxprs.solve, *constants, *right_sides)


def native(low: Lowering, equation: Equation, *arguments: Value) -> list[Value]:
    """`program.jax` inside another program: what it computes."""
    p = equation.params
    return low.inline(equation, p["function"].trace(p["batch"]), *arguments)


CALLS = ("jit", "custom_jvp_call", "custom_vjp_call", "remat2")
RULES = {**dict.fromkeys(CALLS, call), "custom_linear_solve": linear_solve}
RULES["polhode_native"] = native
