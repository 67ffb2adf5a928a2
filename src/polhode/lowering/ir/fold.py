"""Arithmetic on elements: what is known is computed, what vanishes is left out.

One licence departs from IEEE 754, and only with `fold="zeros"`: a literal zero, known
when the function is traced, annihilates products and vanishes in sums, and `x - x` of
one node is zero. Dense matrices full of structural zeros then cost nothing. With
`fold="ieee"` every operation of the trace is kept unless its result is exactly known.

Sums whose order JAX leaves open (reductions, dot products) are ordered here, late terms
last and in two or four chains; a sum that the user wrote keeps its own order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter

from polhode.lowering.ir.graph import Element, Graph, Node
from polhode.lowering.ir.scalars import fold_constant

MODES = ("zeros", "ieee")
REFLECT = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def is_zero(a: Element) -> bool:
    return not isinstance(a, Node) and a == 0


def is_one(a: Element) -> bool:
    return not isinstance(a, Node) and a == 1


def is_neg(a: Element) -> bool:
    return isinstance(a, Node) and a.op == "neg"


class Arithmetic:  # limit: one method an operation is the vocabulary
    """The operations of the scalar program, folding as they build."""

    def __init__(self, graph: Graph, mode: str = "zeros"):
        self.graph = graph
        self.licence = mode == "zeros"

    # ---------------------------------------------------------------- general

    def apply(self, op: str, type: str, *args: Element, data: object = None) -> Element:
        """Any operation without algebra of its own: folded if all is known."""
        if not any(isinstance(a, Node) for a in args):
            return fold_constant(op, type, args, data)
        return self.graph.make(op, type, args, data)

    def add(self, a: Element, b: Element, type: str = "float64") -> Element:
        if not (isinstance(a, Node) or isinstance(b, Node)):
            return fold_constant("add", type, (a, b))
        if isinstance(a, Node) and isinstance(b, Node):
            if is_neg(b):
                return self.sub(a, b.args[0], type)
            if is_neg(a):
                return self.sub(b, a.args[0], type)
            if a.number > b.number:
                a, b = b, a
        elif not isinstance(a, Node):
            a, b = b, a
        if not isinstance(b, Node) and b == 0:
            exact = type != "float64" or math.copysign(1.0, b) < 0
            if exact or self.licence:
                return a
        return self.graph.make("add", type, (a, b))

    def sub(self, a: Element, b: Element, type: str = "float64") -> Element:
        if not (isinstance(a, Node) or isinstance(b, Node)):
            return fold_constant("sub", type, (a, b))
        free = self.licence or type != "float64"
        if is_zero(b) and (free or math.copysign(1.0, b) > 0):
            return a
        if is_zero(a) and free:
            return self.neg(b, type)
        if a is b and free:
            return 0.0 if type == "float64" else 0
        if is_neg(b):
            return self.add(a, b.args[0], type)
        return self.graph.make("sub", type, (a, b))

    def neg(self, a: Element, type: str = "float64") -> Element:
        if not isinstance(a, Node):
            return fold_constant("neg", type, (a,))
        if a.op == "neg":
            return a.args[0]
        return self.graph.make("neg", type, (a,))

    def mul(self, a: Element, b: Element, type: str = "float64") -> Element:
        if isinstance(a, Node):
            if isinstance(b, Node):
                return self._product(a, b, type)
            a, b = b, a
        elif not isinstance(b, Node):
            return fold_constant("mul", type, (a, b))
        if a == 1:
            return b
        if a == 0 and (self.licence or type != "float64"):
            return 0.0 if type == "float64" else 0
        if a == -1 and type == "float64":
            return self.neg(b, type)
        if b.op == "neg":
            return self.mul(fold_constant("neg", type, (a,)), b.args[0], type)
        return self.graph.make("mul", type, (a, b))

    def _product(self, a: Node, b: Node, type: str) -> Element:
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b, type), type)
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0], type), type)
        if a.number > b.number:
            a, b = b, a
        return self.graph.make("mul", type, (a, b))

    def div(self, a: Element, b: Element, type: str = "float64") -> Element:
        if not (isinstance(a, Node) or isinstance(b, Node)):
            return fold_constant("div", type, (a, b))
        if is_one(b):
            return a
        if type != "float64":
            return self.graph.make("div", type, (a, b))
        if is_zero(a) and self.licence:
            return 0.0
        if not isinstance(b, Node) and self._has_good_reciprocal(b):
            return self.mul(1.0 / b, a)
        return self.graph.make("div", type, (a, b))

    def _has_good_reciprocal(self, b: float) -> bool:
        """Exact for a power of two; else one rounding more, a choice of the licence."""
        if b == 0 or not math.isfinite(b):
            return False
        normal = 2.3e-308 < abs(1.0 / b) < 1.7e308
        return normal and (self.licence or math.frexp(b)[0] in (0.5, -0.5))

    def select(self, which: Element, yes: Element, no: Element, type: str) -> Element:
        """`yes` where the boolean holds, else `no`."""
        if not isinstance(which, Node):
            return yes if which else no
        if yes is no or (
            not isinstance(yes, Node)
            and not isinstance(no, Node)
            and fold_constant("same", type, (yes, no))
        ):
            return yes
        return self.graph.make("select", type, (which, yes, no))

    def compare(self, op: str, a: Element, b: Element, type: str) -> Element:
        """A boolean; `type` is that of the two sides."""
        if not (isinstance(a, Node) or isinstance(b, Node)):
            return fold_constant(op, "bool", (a, b), type)
        if a is b and type != "float64":
            return op in ("eq", "le", "ge")
        if not isinstance(a, Node):
            a, b, op = b, a, REFLECT[op]
        return self.graph.make(op, "bool", (a, b), type)

    def logical(self, op: str, a: Element, b: Element) -> Element:
        """`and` / `or` of booleans."""
        if not isinstance(a, Node):
            a, b = b, a
        if not isinstance(a, Node):
            return bool(a and b) if op == "and" else bool(a or b)
        if not isinstance(b, Node):
            return a if bool(b) == (op == "and") else bool(b)
        return a if a is b else self.graph.make(op, "bool", (a, b))

    def power(self, a: Element, n: int, type: str = "float64") -> Element:
        """An integer power, by repeated squaring."""
        if n < 0:
            return self.div(1.0, self.power(a, -n, type), type)
        result: Element = None
        while n:
            if n & 1:
                result = a if result is None else self.mul(result, a, type)
            n >>= 1
            if n:
                a = self.mul(a, a, type)
        one = 1.0 if type == "float64" else 1
        return one if result is None else result

    # -------------------------------------------------------------- free sums

    def sum(self, terms: Sequence[Element], type: str = "float64") -> Element:
        """A sum whose order is ours to choose: quickest for the terms' readiness."""
        zero = 0.0 if type == "float64" else 0
        if self.licence or type != "float64":
            terms = [t for t in terms if t.__class__ is Node or t != 0]
        known = [t for t in terms if t.__class__ is not Node]
        nodes = [t for t in terms if t.__class__ is Node]
        nodes.sort(key=_depth)
        total: Element = zero
        for t in known:
            total = fold_constant("add", type, (total, t))
        start = [total] if known else []
        if not nodes:
            return total
        return self._chains([*start, *nodes], type)

    def _chains(self, terms: list[Element], type: str) -> Element:
        """Terms in order of readiness, dealt to as many chains as pay."""
        width = 1 if len(terms) < 4 else 2 if len(terms) < 12 else 4
        last = terms.pop() if self._is_late(terms) else None
        chains: list[Element] = [None] * width
        for k, term in enumerate(terms):
            old = chains[k % width]
            chains[k % width] = term if old is None else self.add(old, term, type)
        while len(chains) > 1:
            a, b, *rest = chains
            chains = [*rest, a if b is None else self.add(a, b, type)]
        return chains[0] if last is None else self.add(chains[0], last, type)

    def _is_late(self, terms: list[Element]) -> bool:
        """Whether the last term comes when all others could have been added."""
        others = readiness(terms[-2]) if len(terms) > 1 else math.inf
        return readiness(terms[-1]) >= others + 4 * math.log2(max(len(terms), 2))

    def dot(self, a: Sequence[Element], b: Sequence[Element], type: str) -> Element:
        """A dot product, its order ours to choose."""
        mul, terms = self.mul, []
        for x, y in zip(a, b, strict=True):
            # What a literal zero annihilates is not even made: most of a dense block.
            if self.licence and (
                (x.__class__ is Node and y.__class__ is not Node and y == 0)
                or (y.__class__ is Node and x.__class__ is not Node and x == 0)
            ):
                continue
            terms.append(mul(x, y, type))
        return self.sum(terms, type)


_depth = attrgetter("depth")


def readiness(element: Element) -> int:
    return element.depth if isinstance(element, Node) else 0
