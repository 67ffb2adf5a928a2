"""Functions that a program writes once and calls from several places.

Their arguments and results are numbers that vary; what is constant in a call is part of
the code, so that calls with other constants have code of their own. A function is
called unless it is short. One that is long, or has loops and branches, is called
through scratch memory: a program then grows with the function once, not with the number
of its calls, such as the stages of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from polhode.lowering.ir.expand import EXPANSIONS
from polhode.lowering.ir.graph import Block, Element, Node, key_of
from polhode.lowering.ir.program import Lowering, Value, lift, type_of
from polhode.lowering.ir.schedule import Function, find_live
from polhode.lowering.ir.stored import elements
from polhode.lowering.trace.trace import ClosedJaxpr

EXPANDED = 50  # operations, about, of an elementary function
SMALLEST = 60  # operations below which a call costs more than it saves
FLOWING = {"loop", "branch", "call", "spill", "phi", "counter"}
FLOWING |= {"version", "update", "copy_all", "proj"}
# Operations, and numbers passed, of a function with arguments passed by value. More
# go through memory anyway, and LLVM takes long over lists of hundreds of them.
LARGEST, MOST_PASSED = 2_500, 32


@dataclass(frozen=True, eq=False)
class Shared:
    """A function, and the arrays of its results with nodes of its own in them.

    `passed` says which of the numbers that vary it uses: calls that differ in others
    alone, such as the time of a slope that does not depend on it, are one call.
    """

    function: Function
    results: list[Value]
    passed: list[bool]


def called(
    low: Lowering, body: ClosedJaxpr, arguments: tuple[Value, ...]
) -> list[Value] | None:
    """The results of a call; None where the function must be inlined."""
    arguments = tuple(map(elements, arguments))
    if not _is_of_doubles(body, arguments):
        return None
    flat = [e for a in arguments for e in lift(a).reshape(-1).tolist()]
    key = (id(body), *(None if isinstance(e, Node) else key_of(e) for e in flat))
    if key not in low.functions:
        low.functions[key] = _written(low, body, arguments)
    shared: Shared | None = low.functions[key]
    if shared is None:
        return None
    varying = [e for e in flat if isinstance(e, Node)]
    given = tuple(compress(varying, shared.passed))
    node = low.graph.make("call", "", given, shared.function)
    place = {out: k for k, out in enumerate(shared.function.outs)}

    def taken(element: Element) -> Element:
        if not isinstance(element, Node):
            return element
        return low.graph.make("proj", "float64", (node,), place[element])

    take = np.frompyfunc(taken, 1, 1)
    return [np.asarray(take(lift(r)), object).reshape(r.shape) for r in shared.results]


def _is_of_doubles(body: ClosedJaxpr, arguments: tuple[Value, ...]) -> bool:
    """Whether what is passed and given back is float64.

    Arrays of indices that JAX hands to a function as arguments are known: they are
    part of it, and not passed.
    """
    pairs = zip(body.jaxpr.invars, arguments, strict=True)
    passed = [v for v, a in pairs if _nodes(a)]
    return all(type_of(v.aval) == "float64" for v in (*passed, *_outs(body)))


def _outs(body: ClosedJaxpr) -> list[Any]:
    return list(body.jaxpr.outvars)


def _written(
    low: Lowering, body: ClosedJaxpr, arguments: tuple[Value, ...]
) -> Shared | None:
    """The function of a body, if it is straight code of bearable size."""
    graph, before, latest = low.graph, low.graph.current, dict(low.latest)
    graph.current = block = Block(barrier=True)
    params: list[Node] = []

    def param(element: Element) -> Element:
        if isinstance(element, Node):
            params.append(graph.unique("param", "float64", ()))
            return params[-1]
        return element

    try:
        inside = [_mapped(param, a) for a in arguments]
        found = low.interpret(body.jaxpr, body.consts, *inside)
        results = [*map(elements, found)]
    finally:
        graph.current, low.latest = before, latest
    outs = list(dict.fromkeys(e for r in results for e in _nodes(r)))
    live = find_live(outs).nodes
    passed = [node in live for node in params]
    params = list(compress(params, passed))
    kind = _kind(outs, block, len(params) + len(outs))
    if kind is None:
        return None
    name = f"shared{len(low.functions)}"
    types = ["float64"] * len(outs)
    function = Function(name, block, params, list(outs), types, kind)
    return Shared(function, results, passed)


def _mapped(function: Any, value: Value) -> Value:
    out = np.empty(value.shape, object)
    for place in np.ndindex(value.shape):
        out[place] = function(lift(value)[place])
    return out


def _nodes(value: Value) -> list[Node]:
    return [e for e in lift(value).reshape(-1).tolist() if isinstance(e, Node)]


def _kind(outs: list[Node], block: Block, passed: int) -> str | None:
    """How a function is called; None if it is too short, or not closed in itself.

    What other functions compute that it calls is theirs.
    """
    size, is_straight = 0, True
    live = find_live(outs)
    theirs = {function.block for function in live.functions.values()}
    for node in live.nodes:
        home = _outermost(node.block, block)
        if home in theirs:
            continue
        if home is not block:
            return None
        if node.op == "load":
            is_straight &= node.data.kind == "table"
            if node.data.kind == "input":
                return None
        is_straight &= node.block is block and node.op not in FLOWING
        size += EXPANDED if node.op in EXPANSIONS else 1
    if size < SMALLEST:
        return None
    is_small = size <= LARGEST and passed <= MOST_PASSED
    return "shared" if is_straight and is_small else "large"


def _outermost(inner: Block, outer: Block) -> Block:
    """The block of a function, or of the program, that another is in."""
    while inner is not outer and inner.parent is not None:
        inner = inner.parent
    return inner
