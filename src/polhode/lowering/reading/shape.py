"""The textbook's form of a polynomial: rates collected, common factors taken out.

Every candidate is right; the one with the fewest operations is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import sympy

from polhode.lowering.reading.angles import Shortener
from polhode.lowering.reading.division import common, lowest
from polhode.lowering.reading.fractions import Fraction, separate, together
from polhode.lowering.reading.nesting import (
    NESTED,
    Nester,
    fewest,
    operations,
    plain_content,
)
from polhode.lowering.reading.ring import (
    Generator,
    Monomial,
    Polynomial,
    Ring,
    key_of,
    leave_undone,
    ratio,
)
from polhode.lowering.reading.symbols import rate_order
from polhode.lowering.reading.writing import Writer, is_multiple_of_sum, times

WORTH = 0.7  # nesting across rates must save this much
LONGEST = 1_500  # a longer sum is written term by term


class Shape:
    """Writes polynomials of one ring; `collect` names symbols to collect by first."""

    def __init__(self, ring: Ring, collect: Iterable[sympy.Expr] = ()):
        self.ring = ring
        self.collect = tuple(collect)
        self.writer = Writer(ring, self.write)
        self.shortener = Shortener(ring)
        self.nester = Nester(ring, self.writer, self.shortener)
        self._written: dict[object, sympy.Expr] = {}

    def write(self, p: Polynomial) -> sympy.Expr:
        """A polynomial as SymPy, in its shortest form."""
        key = key_of(p)
        if key not in self._written:
            self._written[key] = self._write(p)
        return self._written[key]

    def _write(self, p: Polynomial) -> sympy.Expr:
        if len(p) > LONGEST or self.ring.is_spent():
            leave_undone(self.ring)
            return self.writer.sum(p)
        apart = separate(self.ring, p)
        candidates = [self._fractions(apart)]
        if any(under for _, under in apart):
            candidates.append(self._fractions(together(self.ring, p)))
        return fewest(self.ring, candidates)

    def _fractions(self, parts: list[Fraction]) -> sympy.Expr:
        below = self.writer.monomial
        return sympy.Add(
            *(_product(self.numerator(top), below(-under)) for top, under in parts)
        )

    # -------------------------------------------------------------- numerators

    def numerator(self, p: Polynomial) -> sympy.Expr:
        """A polynomial without denominators but of symbols: collected, or nested."""
        short = self.shortener.shorten(p)
        best = self._collected(short)
        if len(short) <= NESTED and not self.ring.is_spent():
            best = fewest(self.ring, [best, self._over_symbols(p)])
            nested = self.nester.nest(short)
            if operations(self.ring, nested) < WORTH * operations(self.ring, best):
                best = nested
        return best

    def _collected(self, p: Polynomial) -> sympy.Expr:
        """A sum of coefficients times products of rates, common factors outside."""
        low, number = common(self.ring, p), plain_content(p)
        groups: dict[Monomial, Polynomial] = defaultdict(dict)
        for m, c in p.items():
            rates = self._rates(m - low)
            groups[rates][m - rates] = c
        if len(groups) == 1:
            return self.nester.nest(p)
        inner = {
            r: {m - low: ratio(c, number) for m, c in q.items()}
            for r, q in groups.items()
        }
        outside = self.writer.number(number), self.writer.monomial(low)
        factored = times(*outside, self._linear(inner))
        return fewest(self.ring, [self._linear(groups), factored])

    def _linear(self, groups: dict[Monomial, Polynomial]) -> sympy.Expr:
        write = self.writer.monomial
        return sympy.Add(
            *(_product(self.nester.nest(q), write(r)) for r, q in groups.items())
        )

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
        top = self.numerator({m + clear: c for m, c in p.items()})
        return _product(top, self.writer.monomial(-clear))


def _product(coefficient: sympy.Expr, rates: sympy.Expr) -> sympy.Expr:
    if is_multiple_of_sum(coefficient):
        return times(coefficient.args[0], coefficient.args[1], rates)
    return coefficient * rates
