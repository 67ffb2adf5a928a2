"""Elementary functions become basic operations, in the graph of their program.

Done after rounding choices: in the expansions every rounding is as written. The sine
and the cosine of one argument share its reduction, since equal nodes are one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from polhode.lowering.elementary import ELEMENTARY
from polhode.lowering.ir.fold import Arithmetic
from polhode.lowering.ir.graph import Block, Branch, Buffer, Element, Graph, Node
from polhode.lowering.ir.schedule import Function, find_live


class Expander(Arithmetic):
    """The builder of elementary functions: exact arithmetic, rare paths, calls."""

    def __init__(self, graph: Graph):
        super().__init__(graph, "ieee")
        self._tables: dict[bytes, Buffer] = {}
        self._rare: dict[Any, Node] = {}
        self._functions: dict[str, Function] = {}

    def fma(self, a: Element, b: Element, c: Element) -> Element:
        if not any(isinstance(x, Node) for x in (a, b, c)):
            return _exact_fma(a, b, c)
        return self.graph.make("fma", "float64", (a, b, c))

    def sqrt(self, a: Element) -> Element:
        return self.apply("sqrt", "float64", a)

    def abs(self, a: Element) -> Element:
        return self.apply("abs", "float64", a)

    def bitcast(self, a: Element, source: str, target: str) -> Element:
        return self.apply("bitcast", target, a, data=source)

    def table(self, values: np.ndarray, index: Element) -> Element:
        key = values.tobytes() + str(values.dtype).encode()
        if key not in self._tables:
            kind = str(values.dtype)
            self._tables[key] = Buffer("table", kind, len(values), values=values)
        return self.graph.load(self._tables[key], index)

    def rare(
        self,
        condition: Element,
        slow: Callable[[], list[Element]],
        fast: list[Element],
        types: list[str],
    ) -> list[Element]:
        if not isinstance(condition, Node):
            return slow() if condition else fast
        key = (condition, *map(id, fast))
        if key not in self._rare:
            before = self.graph.current
            home = max((condition, *_nodes(fast)), key=lambda n: n.block.depth).block
            usual, seldom = Block(home, barrier=True), Block(home, barrier=True)
            self.graph.current = seldom
            outs = slow()
            self.graph.current = home
            branch = Branch([usual, seldom], [list(fast), list(outs)])
            self._rare[key] = self.graph.unique("branch", "", (condition,), branch)
            self.graph.current = before
        node = self._rare[key]
        return [
            self.graph.make("proj", type, (node,), k) for k, type in enumerate(types)
        ]

    def call(
        self,
        name: str,
        function: Callable[..., list[Element]],
        args: list[Element],
        types: list[str],
    ) -> list[Element]:
        written = self.function(name, function, len(args), types)
        node = self.graph.make("call", "", tuple(args), written)
        return [
            self.graph.make("proj", type, (node,), k) for k, type in enumerate(types)
        ]

    def function(
        self,
        name: str,
        body: Callable[..., list[Element]],
        count: int,
        types: list[str],
        kind: str = "rare",
    ) -> Function:
        """body(build, ...) as a function of so many numbers, one for all who ask."""
        if name not in self._functions:
            before, block = self.graph.current, Block(barrier=True)
            self.graph.current = block
            params = [self.graph.unique("param", "float64", ()) for _ in range(count)]
            outs = list(body(self, *params))
            self.graph.current = before
            self._functions[name] = Function(name, block, params, outs, types, kind)
        return self._functions[name]


def _exact_fma(a: float, b: float, c: float) -> float:
    """a b + c of constants, rounded once."""
    plain = float(np.float64(a) * np.float64(b) + np.float64(c))
    if not all(map(math.isfinite, (a, b, c))):
        return plain
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return plain
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


def _nodes(elements: list[Element]) -> list[Node]:
    return [e for e in elements if isinstance(e, Node)]


def sign(b: Expander, x: Element) -> Element:
    """-1, 0 or 1; zeros and NaN are themselves."""
    above = b.compare("gt", x, 0.0, "float64")
    below = b.compare("lt", x, 0.0, "float64")
    small = b.select(below, -1.0, x, "float64")
    return b.select(above, 1.0, small, "float64")


def round_away(b: Expander, x: Element) -> Element:
    """To the nearest whole number, halves away from zero."""
    whole = b.apply("trunc", "float64", x)
    far = b.compare("ge", b.abs(b.sub(x, whole)), 0.5, "float64")
    one = b.graph.make("copysign", "float64", (1.0, x))
    zero = b.graph.make("copysign", "float64", (whole, x))
    return b.select(far, b.add(whole, one), zero, "float64")


def next_after(b: Expander, x: Element, y: Element) -> Element:
    """The double next to x on the way to y."""
    bits = b.bitcast(x, "float64", "int64")
    outward = b.compare(
        "eq",
        b.graph.make("lt", "bool", (x, y), "float64"),
        b.compare("gt", x, 0.0, "float64"),
        "bool",
    )
    step = b.select(outward, 1, -1, "int64")
    moved = b.bitcast(b.add(bits, step, "int64"), "int64", "float64")
    least = b.graph.make("copysign", "float64", (5e-324, y))
    at_zero = b.compare("eq", x, 0.0, "float64")
    moved = b.select(at_zero, least, moved, "float64")
    moved = b.select(b.compare("eq", x, y, "float64"), y, moved, "float64")
    lost = b.logical(
        "or", b.compare("ne", x, x, "float64"), b.compare("ne", y, y, "float64")
    )
    return b.select(lost, b.add(x, y), moved, "float64")


def log2(b: Expander, x: Element) -> Element:
    """log(x)/log(2), and exactly whole where x is a power of two."""
    natural = ELEMENTARY["log"](b, x)
    rest = b.mul(natural, 2.0355273740931033e-17)  # 1/log(2) less its nearest double
    value = b.fma(natural, 1.4426950408889634, rest)
    whole = b.apply("round_even", "float64", value)
    mantissa = b.apply(
        "and", "int64", b.bitcast(x, "float64", "int64"), 0xFFFFFFFFFFFFF
    )
    power = b.compare("eq", mantissa, 0, "int64")
    normal = b.compare("gt", x, 2.2250738585072014e-308, "float64")
    usual = b.compare("lt", x, float("inf"), "float64")
    exact = b.logical("and", power, b.logical("and", normal, usual))
    return b.select(exact, whole, value, "float64")


EXPANSIONS: dict[str, Callable[..., Element]] = {
    **ELEMENTARY,
    "log2": log2,
    "sign": sign,
    "round_away": round_away,
    "nextafter": next_after,
}


def integer_sign(b: Expander, x: Element, type: str) -> Element:
    above = b.compare("gt", x, 0, type)
    below = b.compare("lt", x, 0, type)
    low = b.select(below, -1 if type.startswith("int") else 0, 0, type)
    return b.select(above, 1, low, type)


def expand(build: Expander, roots: list[Element]) -> None:
    """Every elementary operation that is needed, in place."""
    graph = build.graph
    before = graph.current
    for node in sorted(find_live(roots).nodes, key=lambda n: n.number):
        if node.op not in EXPANSIONS:
            continue
        graph.current = node.block
        if node.type == "float64":
            result = EXPANSIONS[node.op](build, *node.args)
        elif node.op == "sign":
            result = integer_sign(build, node.args[0], node.type)
        else:
            continue
        node.op, node.args, node.data = "copy", (result,), None
    graph.current = before
