"""Sums with common factors taken out of as many terms as pays."""

from __future__ import annotations

import math
from collections import Counter

import sympy
from sympy import QQ

from polhode.lowering.reading.angles import Shortener
from polhode.lowering.reading.constants import LONG
from polhode.lowering.reading.division import common, factors, lowest
from polhode.lowering.reading.ring import (
    Generator,
    Number,
    Polynomial,
    Ring,
    content,
    key_of,
    ratio,
    whole,
)
from polhode.lowering.reading.writing import Writer, is_shorter, times

NESTED = 300  # longer sums are not searched for factors
COUNTED = 20  # operations of the ring in which SymPy counts one of an expression


def operations(ring: Ring, e: sympy.Expr) -> float:
    """Operations in an expression; to count them costs some of the ring's for each.

    No end where the ring cannot pay: what is held in several places is counted in
    each of them, and may be longer than any machine can count.
    """
    if not is_shorter(e, ring.left / COUNTED):
        ring.left = -1
        return math.inf
    found = int(sympy.count_ops(e))
    ring.spend(COUNTED * found)
    return found


def fewest(ring: Ring, candidates: list[sympy.Expr]) -> sympy.Expr:
    """The candidate with the fewest operations; of equals the first."""
    return (
        candidates[0]
        if ring.is_spent()
        else min(candidates, key=lambda e: operations(ring, e))
    )


def plain_content(p: Polynomial) -> Number:
    """The number that all terms share, or 1 where it has many digits: of decimals."""
    number = QQ(content(p.values()))
    plain = number.denominator <= LONG
    return whole(number) if plain else 1


class Nester:
    """Writes polynomials of one ring as nested sums, each once."""

    def __init__(self, ring: Ring, writer: Writer, shortener: Shortener):
        self.ring, self.writer, self.shortener = ring, writer, shortener
        self._nested: dict[object, sympy.Expr] = {}

    def nest(self, p: Polynomial) -> sympy.Expr:
        """A sum with common factors taken out of as many terms as pays."""
        key = key_of(p)
        if key not in self._nested:
            self._nested[key] = self._nest(p)
        return self._nested[key]

    def _nest(self, p: Polynomial) -> sympy.Expr:
        expanded = self.writer.sum(p)
        if len(p) == 1 or len(p) > NESTED or self.ring.is_spent():
            return expanded
        low, number = common(self.ring, p), plain_content(p)
        if sum(1 if c > 0 else -1 for c in p.values()) == -len(p):
            number = -number
        rest = {m - low: ratio(c, number) for m, c in p.items()}
        outside = self.writer.monomial(low)
        inner = [self._greedy(rest), self._factored(rest)]
        made = [times(self.writer.number(number), outside, e) for e in inner]
        return fewest(self.ring, [*made, expanded])

    def _greedy(self, p: Polynomial) -> sympy.Expr:
        """The generator in most terms, times what is left of them, plus the others."""
        count: Counter[Generator] = Counter()
        for m in p:
            count.update(g for g, e in self.ring.factors(m) if e > 0)
        g, most = max(
            count.items(), key=lambda pair: (pair[1], -pair[0].index), default=(None, 0)
        )
        if g is None or most < 2:
            return self.writer.sum(p)
        inside = {
            m: c for m, c in p.items() if dict(self.ring.factors(m)).get(g, 0) > 0
        }
        outside = {m: c for m, c in p.items() if m not in inside}
        if not outside:
            return self.writer.sum(p)
        return self.nest(inside) + self.nest(outside)

    def _factored(self, p: Polynomial) -> sympy.Expr:
        """True factors, such as (a - b)(a + b)."""
        if lowest(self.ring, p) or any(
            g.kind not in ("symbol", "sin", "cos") for g in self.ring.used(p)
        ):
            return self.writer.sum(p)
        number, found = factors(self.ring, p)
        if len(found) == 1 and found[0][1] == 1:
            return self.writer.sum(p)
        parts = [self.nest(self.shortener.shorten(q)) ** k for q, k in found]
        return times(self.writer.number(number), *parts)
