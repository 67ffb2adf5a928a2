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

import math
from collections import defaultdict
from collections.abc import Iterator

from sympy import QQ

from polhode.lowering.reading.division import lowest
from polhode.lowering.reading.ring import (
    ONE,
    Generator,
    Monomial,
    Number,
    Polynomial,
    Ring,
    key_of,
    ratio,
    whole,
)

Frequency = tuple[int, ...]
Series = dict[Frequency, tuple[Number, Number]]  # frequency -> of cosine, of sine
Angle = tuple[Generator, Generator]  # its cosine and its sine

GROUP = 200  # larger groups are left as they are


class Shortener:
    """Rewrites polynomials of one ring; each group of sines and cosines once."""

    def __init__(self, ring: Ring):
        self.ring = ring
        self._known: dict[object, Polynomial] = {}

    def shorten(self, p: Polynomial) -> Polynomial:
        """The polynomial with each group in its shortest form."""
        groups: dict[Monomial, Polynomial] = defaultdict(dict)
        for m, c in p.items():
            trig = self._part(m)
            groups[m - trig][trig] = c
        out: Polynomial = {}
        for rest, group in groups.items():
            for m, c in self._shortest(group).items():
                out[m + rest] = whole(out.get(m + rest, 0) + c)
        return {m: c for m, c in out.items() if c}

    def _part(self, m: Monomial) -> Monomial:
        """The sines and cosines of a monomial, except below the line."""
        pairs = self.ring.factors(m)
        return sum(g.to(e) for g, e in pairs if g.kind in ("sin", "cos") and e > 0)

    def _shortest(self, group: Polynomial) -> Polynomial:
        if len(group) > GROUP or self.ring.late() or set(group) == {0}:
            return group
        lead = group[max(group)]
        group = {m: ratio(c, lead) for m, c in group.items()}
        key = key_of(group)
        if key not in self._known:
            low = lowest(self.ring, group)
            apart = self._climb({m - low: c for m, c in group.items()})
            forms = [self._climb(group), {m + low: c for m, c in apart.items()}]
            self._known[key] = min(forms, key=self.cost)
        return self.ring.scale(self._known[key], lead)

    def _climb(self, group: Polynomial) -> Polynomial:
        best = self._squares(group)
        while not self.ring.late():
            tried = [(self._squares(q), q) for q in self._rewritings(group)]
            short, base = min(
                tried, key=lambda t: self.cost(t[0]), default=(best, group)
            )
            if self.cost(short) >= self.cost(best):
                break
            best, group = short, base
        return best

    def cost(self, p: Polynomial) -> int:
        """Symbols that writing takes."""
        total = len(p)
        for m, c in p.items():
            total += abs(c) != 1
            for g, e in self.ring.factors(m):
                numbers = sum(abs(k) != 1 for k in g.data.values())
                total += 1 + (e > 1) + len(g.data) - 1 + numbers
        return total

    # ----------------------------------------------------------------- squares

    def _angles(self, p: Polynomial) -> list[Angle]:
        found = {}
        for g in self.ring.used(p):
            found[key_of(g.data)] = self._pair(g.data)
        return list(found.values())

    def _pair(self, argument: Polynomial) -> Angle:
        key = key_of(argument)
        cosine = self.ring.generator("cos", key, argument)
        rule = {"power": 2, "value": {0: 1, cosine.to(2): -1}}
        return cosine, self.ring.generator("sin", key, argument, **rule)

    def _split(self, p: Polynomial, angles: list[Angle]) -> dict[Monomial, Polynomial]:
        """Terms by their other factors."""
        wanted = {g for angle in angles for g in angle}
        out: dict[Monomial, Polynomial] = defaultdict(dict)
        for m, c in p.items():
            part = sum(g.to(e) for g, e in self.ring.factors(m) if g in wanted)
            out[m - part][part] = c
        return out

    def _squares(self, p: Polynomial) -> Polynomial:
        """Squares of sine or cosine, or both, whichever is shortest, by angle."""
        for angle in self._angles(p):
            out: Polynomial = {}
            for rest, part in self._split(p, [angle]).items():
                forms = [part, self._in_sines(part, angle), self._even(part, angle)]
                for m, c in min(forms, key=self.cost).items():
                    out[m + rest] = c
            p = out
        return p

    def _exponents(self, m: Monomial, angle: Angle) -> tuple[int, int]:
        pairs = dict(self.ring.factors(m))
        return pairs.get(angle[0], 0), pairs.get(angle[1], 0)

    def _in_sines(self, p: Polynomial, angle: Angle) -> Polynomial:
        """cos^2 -> 1 - sin^2."""
        cosine, sine = angle
        out: Polynomial = defaultdict(int)
        for m, c in p.items():
            i, j = self._exponents(m, angle)
            for k in range(i // 2 + 1):
                place = cosine.to(i % 2) + sine.to(j + 2 * k)
                out[place] += c * (-1) ** k * math.comb(i // 2, k)
        return {m: whole(c) for m, c in out.items() if c}

    def _even(self, p: Polynomial, angle: Angle) -> Polynomial:
        """All terms of one degree, those below it times (sin^2 + cos^2)^k."""
        cosine, sine = angle
        degrees = [sum(self._exponents(m, angle)) for m in p]
        out: Polynomial = defaultdict(int)
        for (m, c), degree in zip(p.items(), degrees, strict=True):
            most = max(d for d in degrees if (d - degree) % 2 == 0)
            i, j = self._exponents(m, angle)
            lift = (most - degree) // 2
            for k in range(lift + 1):
                place = cosine.to(i + 2 * (lift - k)) + sine.to(j + 2 * k)
                out[place] += c * math.comb(lift, k)
        return {m: whole(c) for m, c in out.items() if c}

    # ----------------------------------------------------------------- Fourier

    def _rewritings(self, p: Polynomial) -> Iterator[Polynomial]:
        """With an angle, or a pair, replaced by multiples, sums and differences."""
        angles = self._angles(p)
        sets = [[a] for a in angles]
        sets += [[a, b] for k, a in enumerate(angles) for b in angles[k + 1 :]]
        for chosen in sets:
            for multiples in (False, True):
                out: Polynomial = {}
                for rest, part in self._split(p, chosen).items():
                    new = self._contract(part, chosen, multiples)
                    better = self.cost(self._squares(new)) < self.cost(
                        self._squares(part)
                    )
                    part = new if better else part
                    out = self.ring.add(out, self.ring.shift(part, rest))
                if out != p:
                    yield out

    def _contract(
        self, p: Polynomial, angles: list[Angle], multiples: bool
    ) -> Polynomial:
        out: Polynomial = {}
        for frequency, (a, b) in self._series(p, angles).items():
            cosine, sine = self._wave(frequency, angles, multiples)
            out = self.ring.add(self.ring.add(out, cosine, a), sine, b)
        return out

    def _series(self, p: Polynomial, angles: list[Angle]) -> Series:
        out: Series = {}
        for m, c in p.items():
            term: Series = {(0,) * len(angles): (c, 0)}
            for k, angle in enumerate(angles):
                i, j = self._exponents(m, angle)
                for is_sine in [False] * i + [True] * j:
                    term = _times(term, k, is_sine)
            for frequency, wave in term.items():
                _gather(out, frequency, *wave)
        return {k: (a, b) for k, (a, b) in out.items() if a or b}

    def _wave(
        self, frequency: Frequency, angles: list[Angle], multiples: bool
    ) -> tuple[Polynomial, Polynomial]:
        """cos and sin of a whole combination of angles, by one new angle."""
        step = 1 if multiples else math.gcd(*frequency) or 1
        argument: Polynomial = {}
        for n, (cosine, _) in zip(frequency, angles, strict=True):
            argument = self.ring.add(argument, cosine.data, ratio(n, step))
        if not argument:
            return ONE, {}
        sign = 1 if argument[min(argument)] > 0 else -1
        cosine, sine = self._pair(self.ring.scale(argument, sign))
        c: Polynomial = ONE
        s: Polynomial = {}
        for _ in range(step):
            c, s = (
                self.ring.add(
                    self.ring.shift(c, cosine.monomial),
                    self.ring.shift(s, sine.monomial),
                    -1,
                ),
                self.ring.add(
                    self.ring.shift(s, cosine.monomial),
                    self.ring.shift(c, sine.monomial),
                ),
            )
        return c, self.ring.scale(s, sign)


def _times(series: Series, place: int, is_sine: bool) -> Series:
    """A Fourier series times the cosine or sine of one angle.

    2 cos k cos u = cos(k+u) + cos(k-u)      2 sin k cos u = sin(k+u) + sin(k-u)
    2 cos k sin u = sin(k+u) - sin(k-u)      2 sin k sin u = cos(k-u) - cos(k+u)
    """
    out: Series = {}
    for frequency, (a, b) in series.items():
        a, b = QQ(a) / 2, QQ(b) / 2
        up, down = (
            (*frequency[:place], frequency[place] + d, *frequency[place + 1 :])
            for d in (1, -1)
        )
        if is_sine:
            _gather(out, up, -b, a)
            _gather(out, down, b, -a)
        else:
            _gather(out, up, a, b)
            _gather(out, down, a, b)
    return out


def _gather(series: Series, frequency: Frequency, a: Number, b: Number) -> None:
    """Add a cos + b sin of a frequency, written with its first number positive."""
    lead = next((n for n in frequency if n), 0)
    if lead < 0:
        frequency, b = tuple(-n for n in frequency), -b
    old_a, old_b = series.get(frequency, (0, 0))
    series[frequency] = (whole(QQ(old_a) + a), whole(QQ(old_b) + b) if lead else 0)
