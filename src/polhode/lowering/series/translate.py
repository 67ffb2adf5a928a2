"""From scalar operations to series: what is analytic, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.series.expressions import Expressions, Value

# A power series knows nothing of the side on which it lies.
KINKS = {
    "abs": "its derivative jumps where its argument changes sign",
    "sign": "it jumps where its argument changes sign",
    "max": "its derivative jumps where the larger changes",
    "min": "its derivative jumps where the lesser changes",
    "floor": "it jumps",
    "ceil": "it jumps",
    "trunc": "it jumps",
    "round_even": "it jumps",
    "round_away": "it jumps",
    "rem": "it jumps",
    "select": "it chooses by the state or the time",
    "branch": "it chooses by the state or the time",
    "convert": "it jumps",
    "load": "it is a table, read piece by piece",
}
NAMES = {"select": "where or select", "branch": "cond or switch", "load": "a table"}
BOUNDS = {"max": -math.inf, "min": math.inf}
DOUBLE = "float64"
NO_RULE = "it has no recurrence"


class NotAnalytic(Exception):
    """A node that has no Taylor series, and why."""

    def __init__(self, node: Node):
        self.node, self.reason = node, KINKS.get(node.op, NO_RULE)
        self.name = NAMES.get(node.op, node.op)
        super().__init__(self.name, self.reason)


def translated(
    make: Expressions,
    outputs: list[Element],
    variables: dict[Node, int],
    removable: Collection[Node],
) -> list[Value]:
    """The series of the outputs, whose variables are these nodes."""
    values: dict[Node, Value] = {n: make.variable(k) for n, k in variables.items()}
    varies = dict.fromkeys(variables, True)
    for node in _in_order(outputs, values):
        args = [a for a in node.args if isinstance(a, Node)]
        varies[node] = any(varies[a] for a in args)
        if not varies[node]:
            values[node] = make.constant(node)
        elif node.type == "float64":
            values[node] = _value(make, node, values, varies, removable)
    return [_of(make, values, e) for e in outputs]


def _of(make: Expressions, values: dict[Node, Value], element: Element) -> Value:
    if isinstance(element, Node):
        return values[element]
    return make.constant(float(element))


def _in_order(outputs: list[Element], known: Collection[Node]) -> list[Node]:
    """All nodes below the outputs, arguments before what uses them."""
    order: list[Node] = []
    seen: set[Node] = set(known)
    stack = [(e, False) for e in reversed(outputs) if isinstance(e, Node)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(a, False) for a in node.args if isinstance(a, Node)]
    return order


def _value(
    make: Expressions,
    node: Node,
    values: dict[Node, Value],
    varies: dict[Node, bool],
    removable: Collection[Node],
) -> Value:
    if node.op == "select":
        return _select(make, node, values, varies, removable)
    if node.op in BOUNDS:
        others = [a for a in node.args if isinstance(a, Node) or a != BOUNDS[node.op]]
        if len(others) == 1:
            return _of(make, values, others[0])  # limits that limit nothing
    rule = RULES.get(node.op)
    if rule is None:
        raise NotAnalytic(node)
    return rule(make, *(_of(make, values, a) for a in node.args))


def _select(
    make: Expressions,
    node: Node,
    values: dict[Node, Value],
    varies: dict[Node, bool],
    removable: Collection[Node],
) -> Value:
    """A choice by constants, or between two forms of one function, stays one.

    A test for equality holds at single points: guards against a quotient by zero are
    left out.
    """
    which, *sides = node.args
    yes, no = (_of(make, values, side) for side in sides)
    if isinstance(which, Node) and varies[which] and node not in removable:
        if which.op in ("eq", "ne") and which.data == "float64":
            return no if which.op == "eq" else yes
        raise NotAnalytic(node)
    if not isinstance(which, Node) or which.data != "float64":
        return make.choice(which, yes, no)
    if which.op == "ne":
        a, b = which.args
        which, yes, no = make.build.compare("eq", a, b, DOUBLE), no, yes
    if not isinstance(which, Node) or which.op != "eq":
        return make.choice(which, yes, no)
    asked = tuple(_of(make, values, side) for side in which.args)
    which = make.equality(which, asked)
    if _is_missing(yes):
        # The slope at the end of a step says of such a point that it has no number.
        return make.decided(which, no, 1)
    return make.choice(which, yes, no)


def _is_missing(value: Value) -> bool:
    return value.series is None and value.scale != value.scale


Rule = Callable[..., Value]


def _power(make: Expressions, a: Value, b: Value) -> Value:
    if b.series is None and b.scale.__class__ is float:
        return make.power(a, b.scale)
    log = make.constant(make.build.apply("log", "float64", a.scale))
    return make.exp(make.mul(b, log if a.series is None else make.log(a)))


def _wave(name: str) -> Rule:
    return lambda make, u: make.function("wave", (make.bare(u),), name)


def _inverse(name: str, weight: Callable[[Expressions, Value], Value]) -> Rule:
    """theta' w = u', where w is a function of u."""

    def rule(make: Expressions, u: Value) -> Value:
        args = (make.bare(u), make.bare(weight(make, u)))
        return make.function("primitive", args, name)

    return rule


def _arc(sign: float, square: float) -> Callable[[Expressions, Value], Value]:
    """sign sqrt(1 + square u^2)."""
    return lambda make, u: make.scale(make.power(make.one_plus(square, u), 0.5), sign)


def _acosh_weight(make: Expressions, u: Value) -> Value:
    square = make.add(make.mul(u, u), make.constant(-1.0))
    return make.power(square, 0.5)


def _erf(name: str, sign: float) -> Rule:
    def rule(make: Expressions, u: Value) -> Value:
        density = make.exp(make.scale(make.mul(u, u), -1.0))
        density = make.scale(density, sign * 2 / math.sqrt(math.pi))
        return make.function("integral", (make.bare(u), make.bare(density)), name)

    return rule


def _logistic(make: Expressions, u: Value) -> Value:
    half = make.function("tanh", (make.bare(make.scale(u, 0.5)),))
    return make.add(make.scale(half, 0.5), make.constant(0.5))


def _angle(make: Expressions, y: Value, x: Value) -> Value:
    if x.series is None:  # constants as series without higher terms
        x = make.function("sum", (), ((), x.scale))
    if y.series is None:
        y = make.function("sum", (), ((), y.scale))
    square = make.add(make.mul(x, x), make.mul(y, y))
    return make.function("angle", (make.bare(y), make.bare(x), make.bare(square)))


RULES: dict[str, Rule] = {
    "add": lambda make, a, b: make.add(a, b),
    "sub": lambda make, a, b: make.add(a, make.scale(b, -1.0)),
    "neg": lambda make, a: make.scale(a, -1.0),
    "mul": lambda make, a, b: make.mul(a, b),
    "div": lambda make, a, b: make.div(a, b),
    "copy": lambda make, a: a,
    "sqrt": lambda make, a: make.power(a, 0.5),
    "rsqrt": lambda make, a: make.power(a, -0.5),
    "cbrt": lambda make, a: make.power(a, 1 / 3),
    "pow": _power,
    "exp": lambda make, a: make.exp(a),
    "exp2": lambda make, a: make.exp(make.scale(a, math.log(2.0))),
    "expm1": lambda make, a: make.add(make.exp(a), make.constant(-1.0)),
    "log": lambda make, a: make.log(a),
    "log2": lambda make, a: make.scale(make.log(a), 1 / math.log(2.0)),
    "log1p": _inverse("log1p", lambda make, u: make.add(make.constant(1.0), u)),
    "sin": _wave("sin"),
    "cos": _wave("cos"),
    "sinh": _wave("sinh"),
    "cosh": _wave("cosh"),
    "tan": lambda make, a: make.div(_wave("sin")(make, a), _wave("cos")(make, a)),
    "tanh": lambda make, a: make.function("tanh", (make.bare(a),)),
    "logistic": _logistic,
    "asin": _inverse("asin", _arc(1.0, -1.0)),
    "acos": _inverse("acos", _arc(-1.0, -1.0)),
    "atan": _inverse("atan", lambda make, u: make.one_plus(1.0, u)),
    "asinh": _inverse("asinh", _arc(1.0, 1.0)),
    "acosh": _inverse("acosh", _acosh_weight),
    "atanh": _inverse("atanh", lambda make, u: make.one_plus(-1.0, u)),
    "atan2": _angle,
    "erf": _erf("erf", 1.0),
    "erfc": _erf("erfc", -1.0),
}
