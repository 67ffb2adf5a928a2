"""Calls are inlined, all but marked ones; custom derivatives have done their work."""

from __future__ import annotations

from typing import Any

from polhode.arrays import SHARED
from polhode.lowering.ir.program import Lowering, Value
from polhode.lowering.rules.sharing import called


def call(low: Lowering, equation: Any, *arguments: Value) -> list[Value]:
    p = equation.params
    body = p.get("jaxpr") or p.get("call_jaxpr") or p.get("fun_jaxpr")
    if low.shares and p.get("name") == SHARED:
        found = called(low, body, arguments)
        if found is not None:
            return found
    return low.inline(equation, body, *arguments)


def linear_solve(low: Lowering, equation: Any, *arguments: Value) -> list[Value]:
    """`custom_linear_solve`: only its `solve` runs forward."""
    lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
    before = lengths.matvec + lengths.vecmat
    constants = arguments[before : before + lengths.solve]
    right_sides = arguments[sum(lengths) :]
    return low.inline(equation, jaxprs.solve, *constants, *right_sides)


def native(low: Lowering, equation: Any, *arguments: Value) -> list[Value]:
    """`program.jax` inside another program: what it computes."""
    p = equation.params
    return low.inline(equation, p["function"].trace(p["batch"]), *arguments)


CALLS = ("jit", "custom_jvp_call", "custom_vjp_call", "remat2")
RULES = {**dict.fromkeys(CALLS, call), "custom_linear_solve": linear_solve}
RULES["polhode_native"] = native
