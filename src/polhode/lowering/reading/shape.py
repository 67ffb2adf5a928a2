"""The textbook's form of a polynomial: rates collected, common factors taken out.

Every candidate is right; the one with the fewest operations is written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import sympy

from polhode.lowering.reading.angles import Shortener
from polhode.lowering.reading.division import factors, lowest
from polhode.lowering.reading.fractions import Fraction, separate, together
from polhode.lowering.reading.ring import (
    Generator,
    Monomial,
    Polynomial,
    Ring,
    content,
    key_of,
    ratio,
)
from polhode.lowering.reading.symbols import rate_order
from polhode.lowering.reading.writing import Writer, is_multiple_of_sum, times

WORTH = 0.7  # nesting across rates must save this much
LONGEST = 1_500  # nor is a longer sum put in any order
NESTED = 300  # longer sums are collected by rates, but not searched for factors


class Shape:
    """Writes polynomials of one ring; `collect` names symbols to collect by first."""

    def __init__(self, ring: Ring, collect: Iterable[sympy.Expr] = ()):
        self.ring = ring
        self.collect = tuple(collect)
        self.writer = Writer(ring, self.write)
        self.shortener = Shortener(ring)
        self._written: dict[object, sympy.Expr] = {}
        self._nested: dict[object, sympy.Expr] = {}

    def write(self, p: Polynomial) -> sympy.Expr:
        """A polynomial as SymPy, in its shortest form."""
        key = key_of(p)
        if key not in self._written:
            self._written[key] = self._write(p)
        return self._written[key]

    def _write(self, p: Polynomial) -> sympy.Expr:
        if not p:
            return sympy.Integer(0)
        if len(p) > LONGEST or self.ring.late():
            self.ring.unfinished = True
            return self.writer.sum(p)
        apart = separate(self.ring, p)
        candidates = [self._fractions(apart)]
        if len(apart) > 1 or apart[0][1]:
            candidates.append(self._fractions(together(self.ring, p)))
        return self.fewest(candidates)

    def fewest(self, candidates: list[sympy.Expr]) -> sympy.Expr:
        """The candidate with the fewest operations; of equals the first."""
        return candidates[0] if self.ring.late() else min(candidates, key=operations)

    def _fractions(self, parts: list[Fraction]) -> sympy.Expr:
        written = []
        for top, under in parts:
            numerator = self.numerator(top)
            below = self.writer.monomial(-under)
            if under and is_multiple_of_sum(numerator):
                number, rest = numerator.args
                written.append(times(number, rest, below))
            else:
                written.append(numerator * below if under else numerator)
        return sympy.Add(*written)

    # -------------------------------------------------------------- numerators

    def numerator(self, p: Polynomial) -> sympy.Expr:
        """A polynomial without denominators but of symbols: collected, or nested."""
        short = self.shortener.shorten(p)
        best = self._collected(short)
        if len(short) <= NESTED and not self.ring.late():
            best = self.fewest([best, self._over_symbols(p)])
            nested = self.nest(short)
            if operations(nested) < WORTH * operations(best):
                best = nested
        return best

    def _collected(self, p: Polynomial) -> sympy.Expr:
        """A sum of coefficients times products of rates, common factors outside."""
        low, number = self._common(p), content(p.values())
        groups: dict[Monomial, Polynomial] = defaultdict(dict)
        for m, c in p.items():
            rates = self._rates(m - low)
            groups[rates][m - rates] = c
        if len(groups) == 1:
            return self.nest(p)
        inner = {
            r: {m - low: ratio(c, number) for m, c in q.items()}
            for r, q in groups.items()
        }
        outside = self.writer.number(number), self.writer.monomial(low)
        factored = times(*outside, self._linear(inner))
        return self.fewest([self._linear(groups), factored])

    def _linear(self, groups: dict[Monomial, Polynomial]) -> sympy.Expr:
        write = self.writer.monomial
        return sympy.Add(
            *(self._product(self.nest(q), write(r)) for r, q in groups.items())
        )

    def _moved(self, p: Polynomial, m: Monomial) -> Polynomial:
        return {n + m: c for n, c in p.items()}

    def _product(self, coefficient: sympy.Expr, rates: sympy.Expr) -> sympy.Expr:
        if is_multiple_of_sum(coefficient):
            return times(coefficient.args[0], coefficient.args[1], rates)
        return coefficient * rates

    def _rates(self, m: Monomial) -> Monomial:
        """The part of a monomial by which terms are collected."""
        return sum(
            g.to(e) for g, e in self.ring.factors(m) if e > 0 and self._is_rate(g)
        )

    def _is_rate(self, g: Generator) -> bool:
        if g.kind != "symbol":
            return False
        return g.data in self.collect if self.collect else rate_order(g.data) > 0

    def _over_symbols(self, p: Polynomial) -> sympy.Expr:
        """All over the common denominator of symbols: x + y/m as (m x + y)/m."""
        low = lowest(self.ring, p)
        clear = sum(g.to(-e) for g, e in self.ring.factors(low) if e < 0)
        if not clear:
            return self.writer.sum(p)
        top = self.numerator(self._moved(p, clear))
        return self._product(top, self.writer.monomial(-clear))

    # ----------------------------------------------------------------- nesting

    def _common(self, p: Polynomial) -> Monomial:
        """What every term has, above the line or below it."""
        low = dict(self.ring.factors(lowest(self.ring, p)))
        inverted = {-m: c for m, c in p.items()}
        high = dict(self.ring.factors(lowest(self.ring, inverted)))
        above = sum(g.to(e) for g, e in low.items() if e > 0)
        return above - sum(g.to(e) for g, e in high.items() if e > 0)

    def nest(self, p: Polynomial) -> sympy.Expr:
        """A sum with common factors taken out of as many terms as pays."""
        key = key_of(p)
        if key not in self._nested:
            self._nested[key] = self._nest(p)
        return self._nested[key]

    def _nest(self, p: Polynomial) -> sympy.Expr:
        expanded = self.writer.sum(p)
        if len(p) == 1 or len(p) > NESTED or self.ring.late():
            return expanded
        low, number = self._common(p), content(p.values())
        if sum(1 if c > 0 else -1 for c in p.values()) == -len(p):
            number = -number
        rest = {m - low: ratio(c, number) for m, c in p.items()}
        outside = self.writer.monomial(low)
        inner = [self._greedy(rest), self._factored(rest)]
        made = [times(self.writer.number(number), outside, e) for e in inner]
        return self.fewest([*made, expanded])

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


def operations(e: sympy.Expr) -> int:
    return int(sympy.count_ops(e))
