"""Recurrences as nodes of the scalar program, and as nothing but their number."""

from __future__ import annotations

from typing import Any

from polhode.lowering.ir.graph import Element, Graph, Node
from polhode.lowering.ir.schedule import find_live
from polhode.lowering.series.recurrences import Recurrences, Token

DOUBLE = "float64"


class Count:
    """Counts operations; of a value it tells that it is none of the known numbers."""

    def __init__(self) -> None:
        self.operations = 0

    def leading(self, element: Element) -> Token:
        return float(element) if not isinstance(element, Node) else None

    def _one(self, *args: Token) -> None:
        self.operations += 1

    add = sub = mul = fma = fnma = select = _one

    def pack(self, parts: list[Token]) -> Token:
        raise AssertionError("series are counted one by one")

    def part(self, whole: Token, lane: int, count: int) -> Token:
        raise AssertionError("series are counted one by one")

    def pause(self) -> None:
        pass


class Nodes:
    """Writes nodes, for code that has no words of its own for series."""

    def __init__(self, graph: Graph):
        self.graph = graph

    def leading(self, element: Element) -> Token:
        return element if isinstance(element, Node) else float(element)

    def add(self, a: Token, b: Token) -> Token:
        return self.graph.make("add", DOUBLE, (a, b))

    def sub(self, a: Token, b: Token) -> Token:
        return self.graph.make("sub", DOUBLE, (a, b))

    def mul(self, a: Token, b: Token) -> Token:
        if a.__class__ is float and a == -1.0:
            return self.graph.make("neg", DOUBLE, (b,))
        return self.graph.make("mul", DOUBLE, (a, b))

    def fma(self, a: Token, b: Token, c: Token) -> Token:
        return self.graph.make("fma", DOUBLE, (a, b, c))

    def fnma(self, a: Token, b: Token, c: Token) -> Token:
        return self.graph.make("fnma", DOUBLE, (a, b, c))

    def select(self, which: Token, yes: Token, no: Token) -> Token:
        return self.graph.make("select", DOUBLE, (which, yes, no))

    def pack(self, parts: list[Token]) -> Token:
        raise AssertionError("nodes are scalars")

    def part(self, whole: Token, lane: int, count: int) -> Token:
        raise AssertionError("nodes are scalars")

    def pause(self) -> None:
        pass


def write_nodes(graph: Graph, roots: list[Element]) -> None:
    """Every series of a program as plain operations, in place.

    After roundings are chosen: its products are fused as everywhere.
    """
    live = find_live(roots)
    found: dict[Node, list[list[Any]]] = {}
    for node in sorted(live.nodes, key=lambda n: n.number):
        if node.op == "series":
            before, graph.current = graph.current, node.block
            found[node] = Recurrences(node.data, Nodes(graph), 1).solve()
            graph.current = before
        elif node.op == "proj" and node.args[0] in found:
            v, k = node.data
            node.op, node.args, node.data = "copy", (found[node.args[0]][v][k],), None
