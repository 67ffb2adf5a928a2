"""Polynomials in sines and cosines: their forms, and their Fourier series."""

from __future__ import annotations

import math
from collections import defaultdict

from sympy import QQ

from polhode.lowering.reading.ring import (
    ONE,
    Generator,
    Monomial,
    Number,
    Polynomial,
    Ring,
    key_of,
    plus,
    ratio,
    scaled,
    whole,
)

Frequency = tuple[int, ...]
Series = dict[Frequency, tuple[Number, Number]]  # frequency -> of cosine, of sine
Angle = tuple[Generator, Generator]  # its cosine and its sine


def pair(ring: Ring, argument: Polynomial) -> Angle:
    """The generators cos and sin of an argument, with sin^2 -> 1 - cos^2."""
    key = key_of(argument)
    cosine = ring.generator("cos", key, argument)
    rule = {"power": 2, "value": {0: 1, cosine.to(2): -1}}
    return cosine, ring.generator("sin", key, argument, **rule)


def angles_of(ring: Ring, p: Polynomial) -> list[Angle]:
    found = {key_of(g.data): pair(ring, g.data) for g in ring.used(p)}
    return list(found.values())


def cost(ring: Ring, p: Polynomial) -> int:
    """Symbols that writing a polynomial in sines and cosines takes."""
    total = len(p)
    for m, c in p.items():
        total += abs(c) != 1
        for g, e in ring.factors(m):
            numbers = sum(abs(k) != 1 for k in g.data.values())
            total += 1 + (e > 1) + len(g.data) - 1 + numbers
    return total


def split(ring: Ring, p: Polynomial, angles: list[Angle]) -> dict[Monomial, Polynomial]:
    """Terms by their factors other than the sines and cosines of some angles."""
    wanted = {g for angle in angles for g in angle}
    out: dict[Monomial, Polynomial] = defaultdict(dict)
    for m, c in p.items():
        part = sum(g.to(e) for g, e in ring.factors(m) if g in wanted)
        out[m - part][part] = c
    return out


# ---------------------------------------------------------------------- squares


def squares(ring: Ring, p: Polynomial) -> Polynomial:
    """Squares of sine or cosine, or both, whichever is shortest, angle by angle."""
    for angle in angles_of(ring, p):
        out: Polynomial = {}
        for rest, part in split(ring, p, [angle]).items():
            forms = [part, _in_sines(ring, part, angle), _even(ring, part, angle)]
            for m, c in min(forms, key=lambda q: cost(ring, q)).items():
                out[m + rest] = c
        p = out
    return p


def _exponents(ring: Ring, m: Monomial, angle: Angle) -> tuple[int, int]:
    pairs = dict(ring.factors(m))
    return pairs.get(angle[0], 0), pairs.get(angle[1], 0)


def _in_sines(ring: Ring, p: Polynomial, angle: Angle) -> Polynomial:
    """cos^2 -> 1 - sin^2."""
    cosine, sine = angle
    out: Polynomial = defaultdict(int)
    for m, c in p.items():
        i, j = _exponents(ring, m, angle)
        for k in range(i // 2 + 1):
            place = cosine.to(i % 2) + sine.to(j + 2 * k)
            out[place] += c * (-1) ** k * math.comb(i // 2, k)
    return {m: whole(c) for m, c in out.items() if c}


def _even(ring: Ring, p: Polynomial, angle: Angle) -> Polynomial:
    """All terms of one degree, those below it times (sin^2 + cos^2)^k."""
    cosine, sine = angle
    degrees = [sum(_exponents(ring, m, angle)) for m in p]
    out: Polynomial = defaultdict(int)
    for (m, c), degree in zip(p.items(), degrees, strict=True):
        most = max(d for d in degrees if (d - degree) % 2 == 0)
        i, j = _exponents(ring, m, angle)
        lift = (most - degree) // 2
        for k in range(lift + 1):
            place = cosine.to(i + 2 * (lift - k)) + sine.to(j + 2 * k)
            out[place] += c * math.comb(lift, k)
    return {m: whole(c) for m, c in out.items() if c}


# ---------------------------------------------------------------------- Fourier


def contract(
    ring: Ring, p: Polynomial, angles: list[Angle], multiples: bool
) -> Polynomial:
    """Products as sums, over new angles: multiples, sums and differences of the old.

    With `multiples` cos 2a stays one cosine; without, it is 2 cos^2 a - 1.
    """
    out: Polynomial = {}
    for frequency, (a, b) in _series(ring, p, angles).items():
        cosine, sine = _wave(ring, frequency, angles, multiples)
        out = plus(plus(out, cosine, a), sine, b)
    return out


def _series(ring: Ring, p: Polynomial, angles: list[Angle]) -> Series:
    out: Series = {}
    for m, c in p.items():
        term: Series = {(0,) * len(angles): (c, 0)}
        for k, angle in enumerate(angles):
            i, j = _exponents(ring, m, angle)
            for is_sine in [False] * i + [True] * j:
                term = _times(term, k, is_sine)
        for frequency, wave in term.items():
            _gather(out, frequency, *wave)
    return {k: (a, b) for k, (a, b) in out.items() if a or b}


def _wave(
    ring: Ring, frequency: Frequency, angles: list[Angle], multiples: bool
) -> tuple[Polynomial, Polynomial]:
    """cos and sin of a whole combination of angles, by one new angle."""
    step = 1 if multiples else math.gcd(*frequency) or 1
    argument: Polynomial = {}
    for n, (cosine, _) in zip(frequency, angles, strict=True):
        argument = plus(argument, cosine.data, ratio(n, step))
    if not argument:
        return ONE, {}
    sign = 1 if argument[min(argument)] > 0 else -1
    u, v = (g.polynomial for g in pair(ring, scaled(argument, sign)))
    c: Polynomial = ONE
    s: Polynomial = {}
    for _ in range(step):
        c, s = turn(ring, (c, s), (u, v))
    return c, scaled(s, sign)


def turn(
    ring: Ring,
    a: tuple[Polynomial, Polynomial],
    b: tuple[Polynomial, Polynomial],
) -> tuple[Polynomial, Polynomial]:
    """Cosine and sine of a sum of two angles, from theirs."""
    cosine = plus(ring.mul(a[0], b[0]), ring.mul(a[1], b[1]), -1)
    return cosine, plus(ring.mul(a[1], b[0]), ring.mul(a[0], b[1]))


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
