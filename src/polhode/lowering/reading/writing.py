"""The ring back into SymPy: generators, monomials and conditions, as they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import sympy
from sympy import QQ

from polhode.lowering.reading.constants import LONG
from polhode.lowering.reading.evaluation import Condition, Unreadable
from polhode.lowering.reading.ring import Generator, Monomial, Number, Polynomial, Ring
from polhode.lowering.reading.unread import CALLED

RELATIONS = {
    "eq": sympy.Eq,
    "ne": sympy.Ne,
    "lt": sympy.Lt,
    "le": sympy.Le,
    "gt": sympy.Gt,
    "ge": sympy.Ge,
}
NAMES: dict[str, Callable[..., sympy.Expr]] = {
    "abs": sympy.Abs,
    "ceil": sympy.ceiling,
    "erf_inv": sympy.erfinv,
    "min": sympy.Min,
    "max": sympy.Max,
    "pow": sympy.Pow,
    "cbrt": lambda x, **_: made(sympy.sign, x) * sympy.cbrt(made(sympy.Abs, x)),
}
MANY = 200  # terms of a sum; SymPy would take a second to put thousands in order
WRITTEN = 30  # operations of the ring in which SymPy makes one term
SIMPLE = 8  # operations; SymPy may search longer arguments for minutes
PARTS = 10 * SIMPLE  # symbols, numbers and operations: so many have more operations


def made(function: Callable[..., sympy.Basic], *args: sympy.Basic) -> sympy.Basic:
    """A function or relation; SymPy evaluates it only if its arguments are simple."""
    is_simple = all(is_shorter(a, PARTS) for a in args)
    if is_simple and sum(int(sympy.count_ops(a)) for a in args) <= SIMPLE:
        return function(*args)
    return function(*args, evaluate=False)


def is_shorter(expression: sympy.Basic, most: float) -> bool:
    """Whether an expression has at most so many parts, as printed."""
    stack, count = [expression], 0
    while stack and count <= most:
        stack.extend(stack.pop().args)
        count += 1
    return count <= most


@dataclass
class Writer:
    """Writes what the ring holds; `shape` gives polynomials inside it their form."""

    ring: Ring
    shape: Callable[[Polynomial], sympy.Expr]
    known: dict[Generator, sympy.Expr] = field(default_factory=dict)
    powers: dict[tuple[Generator, int], sympy.Expr] = field(default_factory=dict)
    # Where held sums are named: the symbol that stands for each until it has its name.
    names_held: bool = False
    held: dict[Generator, sympy.Symbol] = field(default_factory=dict)

    def number(self, c: Number) -> sympy.Expr:
        c = QQ(c)
        if self.ring.inexact and c.denominator > LONG:
            return sympy.Float(float(sympy.Rational(c.numerator, c.denominator)))
        return sympy.Rational(int(c.numerator), int(c.denominator))

    def generator(self, g: Generator) -> sympy.Expr:
        found = self.known.get(g)
        if found is None:
            found = self.known[g] = self._generator(g)
        return found

    def _generator(self, g: Generator) -> sympy.Expr:
        if g.kind == "symbol":
            return g.data
        if g.kind == "pi":
            return sympy.pi
        if g.kind == "number":
            return sympy.sympify(g.data)
        if g.kind in ("sin", "cos", "exp"):
            return getattr(sympy, g.kind)(self.shape(g.data))
        if g.kind == "held" and self.names_held:
            return self.held.setdefault(g, sympy.Symbol(f"held {g.index}"))
        if g.kind in ("over", "held"):
            return self.shape(g.data)
        if g.kind == "choice":
            return self._choice(*g.data)
        name, args = g.data
        if name.startswith(CALLED):
            function = sympy.Function(name.removeprefix(CALLED))
            return function(*map(self.shape, args))
        return made(NAMES.get(name) or getattr(sympy, name), *map(self.shape, args))

    def _choice(self, which: Condition, yes: Polynomial, no: Polynomial) -> sympy.Expr:
        first = self.shape(yes), self.condition(which)
        try:
            return sympy.Piecewise(first, (self.shape(no), True))
        except TypeError:
            why = "its cases depend on each other in a way that SymPy cannot write"
            raise Unreadable("select_n", why) from None

    def monomial(self, m: Monomial) -> sympy.Expr:
        return sympy.Mul(*(self.factor(g, e) for g, e in self.ring.factors(m)))

    def factor(self, g: Generator, e: int) -> sympy.Expr:
        found = self.powers.get((g, e))
        if found is None:
            found = self.powers[g, e] = self._factor(g, e)
        return found

    def _factor(self, g: Generator, e: int) -> sympy.Expr:
        if g.kind == "root":
            inside, n = g.data
            return self.shape(inside) ** sympy.Rational(e, n)
        return self.generator(g) ** e

    def term(self, m: Monomial, c: Number) -> sympy.Expr:
        powers = (self.factor(g, e) for g, e in self.ring.factors(m))
        return sympy.Mul(self.number(c), *powers)

    def sum(self, p: Polynomial) -> sympy.Expr:
        """A polynomial as it stands, term by term."""
        self.ring.spend(WRITTEN * len(p))
        if len(p) > MANY:
            terms = [self._plain(m, c) for m, c in p.items()]
            return sympy.Add(*terms, evaluate=False)
        return sympy.Add(*(self.term(m, c) for m, c in p.items()))

    def _plain(self, m: Monomial, c: Number) -> sympy.Expr:
        """A term whose factors SymPy is not asked to put in order."""
        factors = [self.factor(g, e) for g, e in self.ring.factors(m)]
        number = self.number(c)
        if number != 1 or not factors:
            factors.insert(0, number)
        return factors[0] if len(factors) == 1 else sympy.Mul(*factors, evaluate=False)

    def condition(self, which: Condition) -> sympy.Basic:
        if isinstance(which, bool):
            return sympy.true if which else sympy.false
        op, *args = which
        if op in RELATIONS:
            return made(RELATIONS[op], *map(self.shape, args))
        joined = {"and": sympy.And, "or": sympy.Or, "not": sympy.Not}[op]
        return joined(*(self.condition(a) for a in args))


def times(number: sympy.Expr, *factors: sympy.Expr) -> sympy.Expr:
    """A product in which a number is not multiplied into a sum."""
    product = sympy.Mul(*factors)
    if product.is_Add and number != 1:
        return sympy.Mul(number, product, evaluate=False)
    return number * product


def is_multiple_of_sum(e: sympy.Expr) -> bool:
    """A number times a sum, as `times` makes it."""
    return e.is_Mul and len(e.args) == 2 and e.args[0].is_Number and e.args[1].is_Add
