"""Laurent polynomials over a growing list of generators, each reduced as it is made.

A monomial is one integer: the exponent of generator k, a signed number, sits in its
bits from `WIDTH * k`, so that to multiply monomials is to add integers. A polynomial is
a dictionary from monomials to rational coefficients that are not zero. A generator may
carry a rule

    g^n -> value        such as  sin^2 -> 1 - cos^2,   sqrt(p)^2 -> p

and no polynomial ever holds a positive power that a rule can reduce. Negative powers
are kept: a reciprocal is a generator of power -1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sympy import QQ

WIDTH = 24  # bits of an exponent: those that occur are far below 2^23
HALF = 1 << (WIDTH - 1)
MASK = (1 << WIDTH) - 1

Monomial: TypeAlias = int
Number: TypeAlias = Any  # int, or an element of SymPy's QQ
Polynomial: TypeAlias = dict[Monomial, Number]

ONE: Polynomial = {0: 1}
LARGE = 20_000  # products of more terms than this are left as products
SMALL = 16  # products of so few terms are multiplied out when nothing is left, too
# What a reading may cost unless told otherwise, in operations of the ring: some ten
# seconds. It is counted and not timed, so that every machine writes the same equations.
ALLOWED = 5_000_000


@dataclass(eq=False)
class Generator:
    """A symbol, or a function of polynomials that the ring treats as one.

    `power` and `value` are its rule; `positive` if it is known to be.
    """

    index: int
    kind: str
    data: Any
    power: int = 0
    value: Polynomial = field(default_factory=dict)
    positive: bool = False

    @property
    def monomial(self) -> Monomial:
        return 1 << (WIDTH * self.index)

    def to(self, exponent: int) -> Monomial:
        return exponent << (WIDTH * self.index)

    @property
    def polynomial(self) -> Polynomial:
        return {self.monomial: 1}


def whole(number: Number) -> Number:
    """A rational as a plain integer where it is one (integers multiply faster)."""
    if isinstance(number, int):
        return number
    return int(number.numerator) if number.denominator == 1 else number


def ratio(a: Number, b: Number) -> Number:
    """The rational a / b."""
    return whole(QQ(a) / QQ(b))


def content(numbers: Iterable[Number]) -> Number:
    """The positive rational that leaves coprime integers when divided out."""
    top, bottom = 0, 1
    for number in numbers:
        n, d = (
            (number, 1)
            if isinstance(number, int)
            else (number.numerator, number.denominator)
        )
        top, bottom = math.gcd(top, int(n)), math.lcm(bottom, int(d))
    return ratio(top, bottom)


def plus(p: Polynomial, q: Polynomial, scale: Number = 1) -> Polynomial:
    """p + scale q."""
    out = dict(p)
    for m, c in q.items():
        c = whole(out.get(m, 0) + scale * c)
        if c:
            out[m] = c
        else:
            out.pop(m, None)
    return out


def scaled(p: Polynomial, number: Number) -> Polynomial:
    return {m: whole(c * number) for m, c in p.items()} if number else {}


def key_of(p: Polynomial) -> Hashable:
    """What makes two polynomials equal."""
    return frozenset(p.items())


class Unfinished(Exception):
    """What is read would be left undone: nothing is left to spend, or it is long."""


class Ring:
    """The generators, and arithmetic on polynomials over them.

    Where `finishes`, whatever would be left undone raises `Unfinished`: sums that are
    not multiplied out are written again wherever they stand, without end.
    """

    def __init__(
        self,
        operations: float = math.inf,
        largest: int = LARGE,
        *,
        finishes: bool = False,
    ) -> None:
        self.generators: list[Generator] = []
        self._found: dict[Hashable, Generator] = {}
        self.reduced: dict[Monomial, Polynomial | None] = {}
        # Rules for products g h of two generators, by their places.
        self.products: dict[tuple[int, int], Polynomial] = {}
        self._decoded: dict[Monomial, tuple[tuple[Generator, int], ...]] = {0: ()}
        # Terms seen in angles and exponents -> the units in which they are counted.
        self.units: dict[tuple[str, Monomial], list[Number]] = {}
        self.allowed = self.left = operations  # what may be spent, and what is left
        self.largest = largest  # products of more terms stay products
        self.keeps_products = largest < LARGE
        self.finishes = finishes
        self.unfinished = False  # some product was left unmultiplied
        self.inexact = False  # some constant is a double without a closed form

    def spend(self, operations: int) -> None:
        """Count what is done: a product or a sum of two terms is one operation."""
        self.left -= operations

    def is_spent(self) -> bool:
        """Whether nothing is left; who asks then leaves something undone."""
        if over := self.left < 0:
            leave_undone(self)
        return over

    # -------------------------------------------------------------- generators

    def generator(self, kind: str, key: Hashable, data: Any, **rule: Any) -> Generator:
        """The one generator of this kind and key."""
        found = self._found.get((kind, key))
        if found is None:
            found = Generator(len(self.generators), kind, data, **rule)
            self.generators.append(found)
            self._found[kind, key] = found
        return found

    def existing(self, kind: str, key: Hashable) -> Generator | None:
        return self._found.get((kind, key))

    def factors(self, m: Monomial) -> tuple[tuple[Generator, int], ...]:
        """The generators of a monomial with their exponents."""
        found = self._decoded.get(m)
        if found is None:
            pairs, rest, index = [], m, 0
            while rest:
                # Of hundreds of generators a monomial has few: on to the next of them.
                absent = ((rest & -rest).bit_length() - 1) // WIDTH
                rest, index = rest >> (WIDTH * absent), index + absent
                exponent = ((rest + HALF) & MASK) - HALF
                pairs.append((self.generators[index], exponent))
                rest = (rest - exponent) >> WIDTH
                index += 1
            found = self._decoded[m] = tuple(pairs)
        return found

    def used(self, p: Polynomial) -> list[Generator]:
        """The generators of a polynomial, oldest first."""
        found = {g.index for m in p for g, _ in self.factors(m)}
        return [self.generators[k] for k in sorted(found)]

    # -------------------------------------------------------------- arithmetic

    def shift(self, p: Polynomial, m: Monomial) -> Polynomial:
        """A polynomial times a monomial."""
        return self.reduce({n + m: c for n, c in p.items()})

    def mul(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """The product, multiplied out unless it is long or nothing is left."""
        size = len(p) * len(q) if len(p) > 1 and len(q) > 1 else 0
        if size > self.largest or (size > SMALL and self.is_spent()):
            # Where products stay products by intention, nothing is left undone.
            if not self.keeps_products:
                leave_undone(self)
            return self.reduce({held(self, p) + held(self, q): 1})
        return self.expand(p, q)

    def expand(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """The product, whatever its size."""
        if len(p) > len(q):
            p, q = q, p
        self.spend(len(p) * len(q))
        out: Polynomial = {}
        get = out.get
        for m, c in p.items():
            for n, d in q.items():
                out[m + n] = get(m + n, 0) + c * d
        return self.reduce(out)

    def power(self, p: Polynomial, n: int) -> Polynomial:
        """p^n for n >= 0."""
        if len(p) == 1:
            ((m, c),) = p.items()
            return self.reduce({m * n: whole(c**n)})
        out = ONE
        while n:
            if n & 1:
                out = self.mul(out, p)
            n >>= 1
            if n:
                p = self.mul(p, p)
        return out

    # --------------------------------------------------------------- reduction

    def reduce(self, p: Polynomial) -> Polynomial:
        """Every rule applied, zeros dropped."""
        self.spend(len(p))
        out: Polynomial = {}
        seen = self.reduced
        for m, c in p.items():
            if not c:
                continue
            value = seen[m] if m in seen else self._reduction(m)
            if value is None:
                out[m] = out.get(m, 0) + c
            else:
                for n, d in value.items():
                    out[n] = out.get(n, 0) + c * d
        return {m: whole(c) for m, c in out.items() if c}

    def _reduction(self, m: Monomial) -> Polynomial | None:
        """What the rules make of a monomial; None if nothing."""
        result = None
        for g, e in self.factors(m):
            if g.power and e >= g.power:
                times = e // g.power
                value = self.power(g.value, times)
                result = self.mul({m - g.to(times * g.power): 1}, value)
                break
            if e < 0 and g.kind == "root" and len(g.value) == 1 and 0 in g.value:
                times = -(e // g.power)  # a root of a number: none below the line
                down = {m + g.to(times * g.power): ratio(1, g.value[0] ** times)}
                result = self.reduce(down)
                break
        if result is None and self.products:
            result = product_reduction(self, m)
        self.reduced[m] = result
        return result


def leave_undone(ring: Ring) -> None:
    """What is read is right, but it will not have its shortest form."""
    if ring.finishes:
        raise Unfinished
    ring.unfinished = True


def declare_product(ring: Ring, g: Generator, h: Generator, value: Polynomial) -> None:
    """A rule g h -> value; what was reduced before is so no more."""
    ring.products[min(g.index, h.index), max(g.index, h.index)] = value
    ring.reduced.clear()


def product_reduction(ring: Ring, m: Monomial) -> Polynomial | None:
    """What the rules for products make of a monomial; None if nothing."""
    present = [g for g, e in ring.factors(m) if e > 0]
    for k, g in enumerate(present):
        for h in present[k + 1 :]:
            value = ring.products.get((g.index, h.index))
            if value is not None:
                return ring.expand({m - g.monomial - h.monomial: 1}, value)
    return None


def held(ring: Ring, p: Polynomial) -> Monomial:
    """A sum as one generator, so that products with it stay products."""
    return ring.generator("held", key_of(p), p).monomial
