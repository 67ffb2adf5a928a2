"""The walk through the scalar program: each node becomes a polynomial or a condition.

A condition is True, False or a tuple: ("lt", p, q) of polynomials, ("and", a, b) of
conditions. Only what the outputs need is visited.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from sympy import QQ

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.reading import functions as f
from polhode.lowering.reading.ring import ONE, Polynomial, Ring, key_of, plus, scaled
from polhode.lowering.reading.unread import CALLED, Unread, UnreadFunctions

Condition: TypeAlias = bool | tuple
Reading: TypeAlias = Polynomial | Condition

RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")
ORDER = {name: getattr(operator, name) for name in RELATIONS}
LOGIC = ("is_finite", "not", "and", "or", "select")
READABLE = (*RELATIONS, *LOGIC, "convert", "named")
INVERSE = ("asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh")
NAMED = (*INVERSE, "tanh", "erf", "erfc", "erf_inv", "floor", "ceil", "cbrt")


class Unreadable(Exception):
    """An operation that has no closed form, and why."""

    def __init__(self, op: str, why: str):
        super().__init__(op, why)
        self.op, self.why = op, why


class Undefined(Unreadable):
    """An operation that has no value, wherever it is asked."""


def condition_key(value: Reading) -> Any:
    if isinstance(value, dict):
        return key_of(value)
    if isinstance(value, bool):
        return value
    return (value[0], *map(condition_key, value[1:]))


def choose(ring: Ring, which: Condition, yes: Polynomial, no: Polynomial) -> Polynomial:
    """`yes` where the condition holds, else `no`; what is read is never NaN."""
    if isinstance(which, bool):
        return yes if which else no
    nan = ring.existing("number", "nan")
    if yes == no or (nan and no == nan.polynomial):
        return yes
    if nan and yes == nan.polynomial:
        return no
    key = (condition_key(which), key_of(yes), key_of(no))
    return ring.generator("choice", key, (which, yes, no)).polynomial


def as_number(ring: Ring, value: Reading) -> Polynomial:
    return value if isinstance(value, dict) else choose(ring, value, ONE, {})


def as_condition(value: Reading) -> Condition:
    return ("ne", value, {}) if isinstance(value, dict) else value


def element(ring: Ring, value: Element) -> Reading:
    """A constant of the program."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {0: value} if value else {}
    return f.constant(ring, value)


@dataclass(frozen=True)
class _Walk:
    """What a walk has and makes: inputs by argument and element, values by node.

    Where `unread` is None, what has no closed form is refused. `named` replaces the
    value of a node by what stands for it.
    """

    ring: Ring
    inputs: list[list[Polynomial]]
    unread: UnreadFunctions | None
    values: dict[Node, Reading | Unread]
    named: Callable[[Node, Any], Any] | None = None

    def reading(self, wanted: Element) -> Reading:
        """The value of an element whose node has been visited."""
        if not isinstance(wanted, Node):
            return element(self.ring, wanted)
        value = self.values[wanted]
        if not isinstance(value, Unread) or self.unread is None:
            return value
        number = self.unread.polynomial(self.ring, value, self.inputs)
        return ("ne", number, {}) if wanted.type == "bool" else number


def evaluate(
    ring: Ring,
    outputs: Iterable[Element],
    inputs: list[list[Polynomial]],
    unread: UnreadFunctions | None = None,
    named: Callable[[Node, Any], Any] | None = None,
) -> list[Reading]:
    """The outputs as polynomials in the inputs, given by argument and element."""
    walk = _Walk(ring, inputs, unread, {}, named)
    return [_value(walk, out) for out in outputs]


def _value(walk: _Walk, wanted: Element) -> Reading:
    """Leaves first, without recursion: programs are deeper than Python's stack."""
    values = walk.values
    stack = [wanted] if isinstance(wanted, Node) else []
    while stack:
        node = stack[-1]
        missing = [a for a in _needed(walk, node) if a not in values]
        if node in values or not missing:
            stack.pop()
            if node not in values:
                value = _value_or_unread(walk, node)
                values[node] = walk.named(node, value) if walk.named else value
        else:
            stack.extend(missing)
    return walk.reading(wanted)


def _needed(walk: _Walk, node: Node) -> list[Node]:
    """The nodes that a node is made of; of a removable singularity one branch."""
    needed = [a for a in node.args if isinstance(a, Node)]
    if node.op != "removable":
        return needed
    near = node.args[0]
    if near not in walk.values:
        return [a for a in needed if a is near]
    return [a for a in (_branch(walk, node),) if isinstance(a, Node)]


def _branch(walk: _Walk, node: Node) -> Element:
    """The closed form, unless all symbols are at the place of the singularity."""
    near, exact, series = node.args
    return series if walk.reading(near) is True else exact


def _value_or_unread(walk: _Walk, node: Node) -> Reading | Unread:
    if walk.unread is None:
        return _node(walk, node)
    before = [walk.values[a] for a in node.args if a in walk.values]
    gone_on = walk.unread.absorbing(node, before)
    if gone_on is not None:
        return gone_on
    try:
        return _node(walk, node)
    except Undefined:
        raise
    except Unreadable as stop:
        return Unread(node, stop.op)


def _node(walk: _Walk, node: Node) -> Reading:
    ring, op = walk.ring, node.op
    if op == "load":
        return _load(node, walk.inputs)
    if op == "unread":
        raise Unreadable(node.data[0], "it has no lowering rule")
    if op == "removable":
        return walk.reading(_branch(walk, node))
    if op not in READABLE and op not in OPERATIONS:
        raise Unreadable(op, _why(op))
    args = [walk.reading(a) for a in node.args]
    if op in RELATIONS:
        return _relation(ring, op, *args)
    if node.type == "bool":
        return _logic(ring, op, args)
    if op == "select":
        which, yes, no = args
        yes, no = as_number(ring, yes), as_number(ring, no)
        return choose(ring, as_condition(which), yes, no)
    if op == "convert":
        return _convert(ring, as_number(ring, args[0]), node)
    if op == "named":
        return f.function(ring, CALLED + node.data, *(as_number(ring, a) for a in args))
    try:
        numbers = [as_number(ring, a) for a in args]
        if node.type != "float64" and op == "div":
            return truncate(ring, OPERATIONS[op](ring, *numbers))
        return OPERATIONS[op](ring, *numbers)
    except ZeroDivisionError:
        raise Undefined("div", "it divides by an expression that is always 0") from None


def _why(op: str) -> str:
    if op in ("loop", "phi", "proj", "counter", "spill"):
        return "a loop whose length depends on values has no closed form"
    if op == "branch":
        return "a branch that depends on values has no single closed form"
    return "it acts on the bits of a number, and symbols have none"


def _load(node: Node, inputs: list[list[Polynomial]]) -> Reading:
    index, buffer = node.args[0], node.data
    if buffer.kind != "input" or isinstance(index, Node):
        raise Unreadable("gather", "its index depends on values")
    return inputs[buffer.slot][index]


def _relation(ring: Ring, op: str, a: Reading, b: Reading) -> Condition:
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return _same(op, as_condition(a), as_condition(b))
    endless = ring.existing("number", "inf")
    if endless is not None and endless.monomial in (*a, *b):  # what is read is finite
        above = a.get(endless.monomial, 0) - b.get(endless.monomial, 0)
        a, b = {0: above} if above else {}, {}
    difference = plus(a, b, -1)
    if not difference or set(difference) == {0}:
        return ORDER[op](difference.get(0, 0), 0)
    return (op, a, b)


def _same(op: str, a: Condition, b: Condition) -> Condition:
    """Whether two truth values are equal, or are not."""
    if op not in ("eq", "ne"):
        raise Unreadable(op, "it orders truth values")
    equal = _either(_both(a, b), _both(_opposite(a), _opposite(b)))
    return equal if op == "eq" else _opposite(equal)


def _opposite(a: Condition) -> Condition:
    if isinstance(a, bool):
        return not a
    return a[1] if a[0] == "not" else ("not", a)


def _both(a: Condition, b: Condition) -> Condition:
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    return ("and", a, b)


def _either(a: Condition, b: Condition) -> Condition:
    return _opposite(_both(_opposite(a), _opposite(b)))


def _logic(ring: Ring, op: str, args: list[Reading]) -> Condition:
    """Truth values of truth values. What is read is finite."""
    if op == "is_finite":
        return True
    conditions = [as_condition(a) for a in args]
    if op == "not":
        return _opposite(conditions[0])
    if op == "and":
        return _both(*conditions)
    if op == "or":
        return _either(*conditions)
    if op == "select":
        which, yes, no = conditions
        return _either(_both(which, yes), _both(_opposite(which), no))
    raise Unreadable(op, _why(op))


def _convert(ring: Ring, value: Polynomial, node: Node) -> Polynomial:
    if node.type != "float64" and node.data == "float64":
        return truncate(ring, value)
    return value


def truncate(ring: Ring, p: Polynomial) -> Polynomial:
    """Towards zero."""
    if not p:
        return {}
    if set(p) == {0}:
        return ring.reduce({0: math.trunc(QQ(p[0]))})
    up, down = f.function(ring, "ceil", p), f.function(ring, "floor", p)
    return choose(ring, ("lt", p, {}), up, down)


def _max_min(name: str) -> Callable[..., Polynomial]:
    def pick(ring: Ring, a: Polynomial, b: Polynomial) -> Polynomial:
        if a == b:
            return a
        return f.function(ring, name, *sorted((a, b), key=lambda p: sorted(p.items())))

    return pick


def _remainder(ring: Ring, a: Polynomial, b: Polynomial) -> Polynomial:
    whole = truncate(ring, ring.mul(a, f.reciprocal(ring, b)))
    return plus(a, ring.mul(b, whole), -1)


def _tangent(ring: Ring, p: Polynomial) -> Polynomial:
    cosine, sine = f.cosine_sine(ring, p)
    return ring.mul(sine, f.reciprocal(ring, cosine))


def _logistic(ring: Ring, p: Polynomial) -> Polynomial:
    under = plus(ONE, f.exponential(ring, scaled(p, -1)))
    return f.reciprocal(ring, under)


def _sign(ring: Ring, p: Polynomial) -> Polynomial:
    if set(p) == {0}:
        return {0: 1 if p[0] > 0 else -1}
    return f.function(ring, "sign", p)


OPERATIONS: dict[str, Callable[..., Polynomial]] = {
    name: lambda ring, *a, name=name: f.function(ring, name, *a) for name in NAMED
}
OPERATIONS.update(
    {
        "add": lambda ring, a, b: plus(a, b),
        "sub": lambda ring, a, b: plus(a, b, -1),
        "neg": lambda ring, a: scaled(a, -1),
        "mul": lambda ring, a, b: ring.mul(a, b),
        "div": lambda ring, a, b: ring.mul(a, f.reciprocal(ring, b)),
        "rem": _remainder,
        "abs": f.absolute,
        "sign": _sign,
        "trunc": truncate,
        "max": _max_min("max"),
        "min": _max_min("min"),
        "sqrt": lambda ring, a: f.root(ring, a, 2),
        "rsqrt": lambda ring, a: f.reciprocal(ring, f.root(ring, a, 2)),
        "pow": f.power,
        "exp": f.exponential,
        "exp2": lambda ring, a: f.power(ring, {0: 2}, a),
        "expm1": lambda ring, a: plus(f.exponential(ring, a), ONE, -1),
        "log": f.logarithm,
        "log1p": lambda ring, a: f.logarithm(ring, plus(ONE, a)),
        "sin": lambda ring, a: f.cosine_sine(ring, a)[1],
        "cos": lambda ring, a: f.cosine_sine(ring, a)[0],
        "tan": _tangent,
        "sinh": lambda ring, a: f.hyperbolic(ring, "sinh", a),
        "cosh": lambda ring, a: f.hyperbolic(ring, "cosh", a),
        "logistic": _logistic,
        "copy": lambda ring, a: a,
    }
)
