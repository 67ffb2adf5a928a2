"""Taylor coefficients of the solution of x_dot = f(t, x), as a primitive of a trace.

    x(t + s) = sum_k c_k s^k,       c_0 = x,       (k + 1) c_(k+1) = f_k

A trace holds one equation for them, with the trace of f; its rule writes recurrences
for the scalar operations of f. Nothing is differentiated, and nothing is exact to an
order only: the coefficients are those of the solution, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend import core

from polhode.lowering.ir.fold import Arithmetic
from polhode.lowering.ir.graph import Graph, Node
from polhode.lowering.ir.program import Lowering, Unlowerable, Value, lift
from polhode.lowering.ir.stored import elements
from polhode.lowering.series.expressions import Expressions
from polhode.lowering.series.plan import plan_of
from polhode.lowering.series.recurrences import Recurrences
from polhode.lowering.series.translate import NotAnalytic, translated
from polhode.lowering.series.writers import Count
from polhode.lowering.trace.trace import Equation, source_line

NAME = "polhode_taylor"
# Straight code of so many operations takes half a minute to be made.
MOST = 150_000
LINEAR = ("variable", "sum", "scaled", "choice")
taylor_p = core.Primitive(NAME)


@taylor_p.def_abstract_eval
def _shape(t: Any, x: Any, *constants: Any, jaxpr: Any, order: int) -> Any:
    return jax.core.ShapedArray((order + 1, *x.shape), x.dtype)


class Refusal(NamedTuple):
    """What of a function has no Taylor series: its name, why, and the line it is on."""

    name: str
    reason: str
    line: str


def taylor_coefficients(
    function: Callable[..., Any], t: Any, x: Any, order: int
) -> Any:
    """c (order + 1, n) of the solution through (t, x), to be traced and lowered."""
    jaxpr, constants = opened(function, t, x)
    return taylor_p.bind(t, x, *constants, jaxpr=jaxpr, order=order)


def opened(function: Callable[..., Any], t: Any, x: Any) -> tuple[Any, list[Any]]:
    """The trace of f(t, x) with what it closes over as further arguments."""
    shapes = [jax.ShapeDtypeStruct(np.shape(v), np.dtype(float)) for v in (t, x)]
    closed = jax.make_jaxpr(function)(*shapes)
    inner = closed.jaxpr
    invars = [*inner.invars, *inner.constvars]
    jaxpr = core.ClosedJaxpr(inner.replace(invars=invars, constvars=[]), [])
    return jaxpr, list(closed.consts)


def refusal(jaxpr: Any, order: int) -> Refusal | None:
    """Why the solution of a trace of f(t, x, ...) has no Taylor series, if so."""
    graph = SourcedGraph()
    low = Lowering(Arithmetic(graph), straight=True)
    graph.low = low
    given = []
    for variable in jaxpr.jaxpr.invars:
        value = np.empty(variable.aval.shape, object)
        for place in np.ndindex(value.shape):
            value[place] = graph.unique("param", str(variable.aval.dtype), ())
        given.append(value)
    try:
        with np.errstate(all="ignore"):
            make, _, _ = series_of(low, jaxpr, given)
    except NotAnalytic as stop:
        return Refusal(stop.name, stop.reason, graph.lines.get(stop.node, ""))
    except Unlowerable as stop:
        return Refusal(stop.primitive, stop.reason, stop.line)
    curved = sum(s.kind not in LINEAR for s in make.known.values())
    operations = curved * order * (order + 1) // 2
    if operations > MOST:
        reason = f"{curved} products and functions take {operations} operations a step"
        return Refusal("its size", reason, "")
    return None


class SourcedGraph(Graph):
    """A graph that knows from which line of the user's each node came first."""

    def __init__(self) -> None:
        super().__init__()
        self.low: Lowering | None = None
        self.lines: dict[Node, str] = {}

    def _place(self, node: Node, block: Any) -> Node:
        if self.low is not None:
            self.lines[node] = _line(self.low)
        return super()._place(node, block)


def _line(low: Lowering) -> str:
    """The innermost line of the user's that is being lowered."""
    around = [low.where, *reversed(low.calls)]
    lines = (source_line(equation) for equation in around if equation is not None)
    return next((line for line in lines if line), "")


def series_of(
    low: Lowering, jaxpr: Any, given: list[Value]
) -> tuple[Expressions, list[Node], list[Any]]:
    """The variables (x, t) as nodes, and the series of their slopes.

    Variables are copies: what is folded through them would not be seen to vary.
    """
    t, x, *constants = given
    flat = [*lift(x).reshape(-1), lift(t).reshape(-1)[0]]
    nodes = [low.graph.unique("copy", "float64", (e,)) for e in flat]
    inside = np.empty(len(nodes) - 1, object)
    inside[:] = nodes[:-1]
    when = np.empty((), object)
    when[()] = nodes[-1]
    before = low.shares, low.straight
    low.shares, low.straight = False, True
    try:
        (out,) = low.interpret(
            jaxpr.jaxpr, jaxpr.consts, when, inside.reshape(x.shape), *constants
        )
    finally:
        low.shares, low.straight = before
    make = Expressions(low.build)
    outputs = lift(elements(out)).reshape(-1).tolist()
    numbers = {node: k for k, node in enumerate(nodes)}
    slopes = translated(make, outputs, numbers, low.removable)
    return make, nodes, [*slopes, make.constant(1.0)]  # of the clock: t' = 1


def taylor_rule(low: Lowering, equation: Equation, *given: Value) -> Value:
    """The coefficients as elements: what one node of the program leaves."""
    order = equation.params["order"]
    make, variables, slopes = series_of(low, equation.params["jaxpr"], list(given))
    plan = plan_of(make, list(variables), slopes, order)
    count = Count()
    found = Recurrences(plan, count, 1).solve()
    plan.operations = count.operations
    node = low.graph.unique("series", "", tuple(plan.elements()), plan)
    out = np.empty((order + 1, len(variables) - 1), object)
    for v in range(len(variables) - 1):
        out[0, v] = variables[v]
        for k in range(1, order + 1):
            is_known = found[v][k].__class__ is float
            place = (v, k)
            made = found[v][k] if is_known else _result(low, node, place)
            out[k, v] = made
    return out


def _result(low: Lowering, node: Node, place: tuple[int, int]) -> Node:
    return low.graph.make("proj", "float64", (node,), place)


RULES = {NAME: taylor_rule}
