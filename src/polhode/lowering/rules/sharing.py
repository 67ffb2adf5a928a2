"""Functions that a program writes once and calls from several places.

Their arguments and results are numbers that vary; what is constant in a call is part of
the code, so that calls with other constants have code of their own. A function is
called if it is straight code, neither short nor very long, else it is inlined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.lowering.expand import EXPANSIONS
from polhode.lowering.graph import Block, Element, Node, key_of
from polhode.lowering.program import Lowering, Value, lift, type_of
from polhode.lowering.schedule import Function, find_live

EXPANDED = 50  # operations, about, of an elementary function
SMALLEST = 60  # operations below which a call costs more than it saves
LARGEST = 2_500  # operations of a function that stays in one piece
PLAIN_LOAD = "table"


@dataclass(frozen=True, eq=False)
class Shared:
    """A function, and the arrays of its results with nodes of its own in them."""

    function: Function
    results: list[Value]


def called(
    low: Lowering, body: Any, arguments: tuple[Value, ...]
) -> list[Value] | None:
    """The results of a call; None where the function must be inlined."""
    if any(type_of(v.aval) != "float64" for v in (*body.jaxpr.invars, *_outs(body))):
        return None
    flat = [e for a in arguments for e in lift(a).reshape(-1).tolist()]
    key = (id(body), *(None if isinstance(e, Node) else key_of(e) for e in flat))
    if key not in low.functions:
        low.functions[key] = _written(low, body, arguments)
    shared: Shared | None = low.functions[key]
    if shared is None:
        return None
    given = tuple(e for e in flat if isinstance(e, Node))
    node = low.graph.make("call", "", given, shared.function)
    place = {out: k for k, out in enumerate(shared.function.outs)}

    def taken(element: Element) -> Element:
        if not isinstance(element, Node):
            return element
        return low.graph.make("proj", "float64", (node,), place[element])

    take = np.frompyfunc(taken, 1, 1)
    return [np.asarray(take(lift(r)), object).reshape(r.shape) for r in shared.results]


def _outs(body: Any) -> list[Any]:
    return list(body.jaxpr.outvars)


def _written(low: Lowering, body: Any, arguments: tuple[Value, ...]) -> Shared | None:
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
        results = low.interpret(body.jaxpr, body.consts, *inside)
    finally:
        graph.current, low.latest = before, latest
    outs = list(dict.fromkeys(e for r in results for e in _nodes(r)))
    if not outs or not _is_straight(outs, block):
        return None
    name = f"shared{len(low.functions)}"
    types = ["float64"] * len(outs)
    return Shared(Function(name, block, params, list(outs), types, "shared"), results)


def _mapped(function: Any, value: Value) -> Value:
    out = np.empty(value.shape, object)
    for place in np.ndindex(value.shape):
        out[place] = function(lift(value)[place])
    return out


def _nodes(value: Value) -> list[Node]:
    return [e for e in lift(value).reshape(-1).tolist() if isinstance(e, Node)]


def _is_straight(outs: list[Node], block: Block) -> bool:
    """Whether all is arithmetic in one block, neither little nor too much of it."""
    size = 0
    for node in find_live(outs).nodes:
        loads = node.op == "load" and node.data.kind == PLAIN_LOAD
        flows = node.op in ("loop", "branch", "call", "spill", "phi", "counter", "load")
        moves = node.op in ("version", "update", "copy_all", "proj")
        if node.block is not block or moves or (flows and not loads):
            return False
        size += EXPANDED if node.op in EXPANSIONS else 1
    return SMALLEST <= size <= LARGEST
