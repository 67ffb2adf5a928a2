"""The shortest form of sums of products of sines and cosines.

In the ring every sine stands at most once: sin^2 a is 1 - cos^2 a, and the cosine of a
difference is cos a cos b + sin a sin b. That is one form of many:

    1 - cos^2 = sin^2          cos a cos b + sin a sin b = cos(a - b)
    2 sin cos = sin 2a         A - A cos^2 + C cos^2 = A sin^2 + C cos^2

Each group of terms with the same other factors is rewritten, one pair of angles at a
time through its Fourier series, as long as that makes it shorter. The result may hold
squares of sines: it is for writing, no more for computing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from polhode.lowering.reading.division import lowest
from polhode.lowering.reading.ring import (
    Monomial,
    Polynomial,
    Ring,
    key_of,
    plus,
    ratio,
    scaled,
    whole,
)
from polhode.lowering.reading.trig_polynomials import (
    angles_of,
    contract,
    cost,
    split,
    squares,
)

GROUP = 200  # larger groups are left as they are
COSTED = 4  # operations of the ring that the cost of a term costs to count


class Shortener:
    """Rewrites polynomials of one ring; each group of sines and cosines once."""

    def __init__(self, ring: Ring):
        self.ring = ring
        self._known: dict[object, Polynomial] = {}

    def shorten(self, p: Polynomial) -> Polynomial:
        """The polynomial with each group in its shortest form."""
        groups: dict[Monomial, Polynomial] = defaultdict(dict)
        for m, c in p.items():
            pairs = self.ring.factors(m)
            trig = sum(g.to(e) for g, e in pairs if g.kind in ("sin", "cos") and e > 0)
            groups[m - trig][trig] = c
        out: Polynomial = {}
        for rest, group in groups.items():
            for m, c in self._shortest(group).items():
                out[m + rest] = whole(out.get(m + rest, 0) + c)
        return {m: c for m, c in out.items() if c}

    def _shortest(self, group: Polynomial) -> Polynomial:
        if set(group) == {0} or len(group) > GROUP or self.ring.is_spent():
            return group
        lead = group[max(group)]
        group = {m: ratio(c, lead) for m, c in group.items()}
        key = key_of(group)
        if key not in self._known:
            low = lowest(self.ring, group)
            apart = self._climb({m - low: c for m, c in group.items()})
            forms = [self._climb(group), {m + low: c for m, c in apart.items()}]
            self._known[key] = min(forms, key=self._cost)
        return scaled(self._known[key], lead)

    def _cost(self, p: Polynomial) -> int:
        self.ring.spend(COSTED * len(p))
        return cost(self.ring, p)

    def _climb(self, group: Polynomial) -> Polynomial:
        """Rewritten as long as that shortens it."""
        best = squares(self.ring, group)
        while not self.ring.is_spent():
            tried = [(squares(self.ring, q), q) for q in self._rewritings(group)]
            short, base = min(
                tried, key=lambda pair: self._cost(pair[0]), default=(best, group)
            )
            if self._cost(short) >= self._cost(best):
                break
            best, group = short, base
        return best

    def _rewritings(self, p: Polynomial) -> Iterator[Polynomial]:
        """With an angle, or a pair, replaced by multiples, sums and differences."""
        angles = angles_of(self.ring, p)
        sets = [[a] for a in angles]
        sets += [[a, b] for k, a in enumerate(angles) for b in angles[k + 1 :]]
        for chosen in sets:
            for multiples in (False, True):
                out: Polynomial = {}
                for rest, part in split(self.ring, p, chosen).items():
                    new = contract(self.ring, part, chosen, multiples)
                    shorter = min(part, new, key=self._cost_of_squares)
                    out = plus(out, self.ring.shift(shorter, rest))
                if out != p:
                    yield out

    def _cost_of_squares(self, p: Polynomial) -> int:
        return self._cost(squares(self.ring, p))
