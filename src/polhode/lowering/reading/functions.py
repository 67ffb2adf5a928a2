"""Functions of polynomials as generators of the ring, with the relations they obey.

sin^2 -> 1 - cos^2        angles add: sin(a + b) = sin a cos b + cos a sin b
sqrt(p)^2 -> p            exp(a + b) = exp(a) exp(b)
(1/p)^-1 -> p             reciprocals of irreducible factors
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from sympy import QQ

from polhode.lowering.reading.constants import LONG, recover, square_part
from polhode.lowering.reading.division import common, divide, factors, lowest, primitive
from polhode.lowering.reading.ring import (
    ONE,
    Generator,
    Monomial,
    Number,
    Polynomial,
    Ring,
    content,
    held,
    key_of,
    plus,
    ratio,
    scaled,
    whole,
)
from polhode.lowering.reading.trig_polynomials import pair, turn

MULTIPLES = 8  # sin(n x) is expanded in sin x, cos x up to this n
SUMMANDS = 5  # and sin(a + b + ...) up to so many angles
POWERS = 64  # exp(n x) is exp(x)^n up to this n; fractions x/n likewise


class Refined(Exception):
    """A finer unit of angle was found (x/2 after x): the reading must start again."""


def constant(ring: Ring, number: float) -> Polynomial:
    """A double by its closed form."""
    if not math.isfinite(number):
        size = ring.generator("number", repr(abs(number)), abs(number))
        return scaled(size.polynomial, -1 if number < 0 else 1)
    form = recover(float(number))
    ring.inexact |= not form.exact
    out = {0: _rational(form.rational)} if form.rational else {}
    if form.radicand != 1:
        out = ring.mul(out, root(ring, {0: form.radicand}, 2))
    if form.pi:
        out = ring.shift(out, pi(ring).to(form.pi))
    return out


def pi(ring: Ring) -> Generator:
    return ring.generator("pi", "pi", None, positive=True)


def _rational(number: Fraction) -> Number:
    return whole(QQ(number.numerator, number.denominator))


def is_positive(ring: Ring, m: Monomial) -> bool:
    return all(g.positive or e % 2 == 0 for g, e in ring.factors(m))


def unsigned(p: Polynomial) -> tuple[int, Polynomial]:
    """(sign, q) with p = sign q, the same q for p and -p."""
    if p and p[max(p)] < 0:
        return -1, {m: -c for m, c in p.items()}
    return 1, p


# ------------------------------------------------------------------- reciprocal


def reciprocal(ring: Ring, p: Polynomial) -> Polynomial:
    """1/p: negative powers of a monomial and of the irreducible factors of the rest.

    Where products stay products a sum below the line is one, too: common denominators
    of decimals would be numbers of hundreds of digits.
    """
    if ring.keeps_products and len(p) > 1:
        low = common(ring, p)
        return {-low - held(ring, {m - low: c for m, c in p.items()}): 1}
    clear = sum(g.to(-e) for g, e in ring.factors(lowest(ring, p)) if e < 0)
    cleared = ring.shift(p, clear)
    if not cleared:
        raise ZeroDivisionError
    single, rest = primitive(ring, cleared)
    ((low, number),) = single.items()
    under = low
    if rest != ONE:
        known, rest = _known_factors(ring, rest)
        is_number = set(rest) == {0}
        scale, found = (rest[0], []) if is_number else factors(ring, rest)
        number = number * scale
        under += known + sum(_over(ring, factor) * power for factor, power in found)
    return ring.reduce({clear - under: ratio(1, number)})


def _known_factors(ring: Ring, p: Polynomial) -> tuple[Monomial, Polynomial]:
    """Squares of sines, and denominators met before, divided out of p."""
    under = 0
    for g in ring.used(p):
        sine = ring.existing("sin", key_of(g.data)) if g.kind == "cos" else None
        if sine is not None:
            under, p = _divided_out(ring, p, sine.value, sine.to(2), under)
    for g in ring.generators:
        if g.kind == "over" and 1 < len(g.value) <= len(p):
            under, p = _divided_out(ring, p, g.value, g.monomial, under)
    return under, p


def _divided_out(
    ring: Ring, p: Polynomial, d: Polynomial, name: Monomial, under: Monomial
) -> tuple[Monomial, Polynomial]:
    while set(p) != {0}:
        quotient = divide(ring, p, d)
        if quotient is None:
            break
        under, p = under + name, quotient
    return under, p


def _over(ring: Ring, p: Polynomial) -> Monomial:
    """The monomial whose inverse is 1/p."""
    if len(p) == 1:
        return next(iter(p))
    square = ring.existing("root", (2, key_of(p)))
    if square is not None:
        return square.to(2)
    return ring.generator("over", key_of(p), p, power=1, value=p).monomial


# ----------------------------------------------------------------------- powers


def root(ring: Ring, p: Polynomial, n: int) -> Polynomial:
    """The n-th root, what is surely positive taken out of it."""
    if not p:
        return {}
    low, number = lowest(ring, p), _shared(p, n)
    if len(p) == 1 and p[low] < 0:
        number = -number
    inside = {m - low: ratio(c, number) for m, c in p.items()}
    outside, out_number = 0, 1
    for g, e in ring.factors(low):
        taken = n * (e // n) if g.positive else 0
        outside += g.to(taken // n)
        inside = {m + g.to(e - taken): c for m, c in inside.items()}
    if n == 2 and number > 0:
        number = QQ(number)
        bottom = int(number.denominator)
        out_number, number = square_part(int(number.numerator) * bottom)
        out_number = ratio(out_number, bottom)
    out: Polynomial = {outside: out_number}
    if inside == ONE and number != 1:
        return ring.shift(out, _root(ring, {0: number}, n))
    if number != 1 and len(inside) == 1 and n == 2 and number > 0:
        out = ring.shift(out, _root(ring, {0: number}, n))  # sqrt(2 x): sqrt(2) sqrt(x)
    else:
        inside = scaled(inside, number)
    return out if inside == ONE else ring.shift(out, _root(ring, inside, n))


def _shared(p: Polynomial, n: int) -> Number:
    """What all terms share; of decimals, as integers of thirty digits, a power of 2^n.

    sqrt(0.9 x^2 + 0.1 y^2) is not to be read as 6e-17 sqrt(3e31 x^2 + 3e30 y^2).
    """
    number = content(p.values())
    if len(p) == 1 or QQ(number).denominator <= LONG:
        return number
    largest = max(abs(QQ(c)) for c in p.values())
    tops, bottoms = int(largest.numerator), int(largest.denominator)
    return QQ(2) ** ((tops.bit_length() - bottoms.bit_length()) // n * n)


def _root(ring: Ring, p: Polynomial, n: int) -> Monomial:
    rule = {"power": n, "value": p, "positive": n % 2 == 0}
    return ring.generator("root", (n, key_of(p)), (p, n), **rule).monomial


def power(ring: Ring, p: Polynomial, q: Polynomial) -> Polynomial:
    """p^q: a power of a root if q is a rational with a small denominator."""
    exponent = QQ(q.get(0, 0)) if len(q) <= 1 and (0 in q or not q) else None
    if exponent is None or exponent.denominator > 12:
        return function(ring, "pow", p, q)
    base = root(ring, p, int(exponent.denominator)) if exponent.denominator > 1 else p
    times = int(exponent.numerator)
    return ring.power(base if times >= 0 else reciprocal(ring, base), abs(times))


def exponential(ring: Ring, p: Polynomial) -> Polynomial:
    """exp(p) as a product of exp(unit)^n, one factor a term."""
    out = 0
    for m, c in p.items():
        unit = _unit(ring, "exp", m, c, POWERS)
        argument = {m: unit}
        g = ring.generator("exp", key_of(argument), argument, positive=True)
        out += g.to(int(ratio(c, unit)))
    return {out: 1}


def logarithm(ring: Ring, p: Polynomial) -> Polynomial:
    if p == ONE:
        return {}
    if len(p) == 1 and next(iter(p.values())) == 1:
        pairs = ring.factors(next(iter(p)))
        if all(g.kind == "exp" for g, _ in pairs):
            out: Polynomial = {}
            for g, e in pairs:
                out = plus(out, g.data, e)
            return out
    return function(ring, "log", p)


# ----------------------------------------------------------------------- angles


def _unit(ring: Ring, family: str, m: Monomial, c: Number, most: int) -> Number:
    """The unit of which a term c m is a small whole multiple; refined if it must be."""
    units = ring.units.setdefault((family, m), [])
    for unit in units:
        if abs(c) <= most * unit and whole(QQ(c) / unit).denominator == 1:
            return unit
    for k, unit in enumerate(units):
        finer = content((unit, c))
        if unit <= most * finer and abs(c) <= most * finer:
            units[k] = finer
            raise Refined
    units.append(whole(abs(c)))
    return units[-1]


def cosine_sine(ring: Ring, p: Polynomial) -> tuple[Polynomial, Polynomial]:
    """cos(p) and sin(p), expanded in the angles of which p is a sum."""
    if len(p) > SUMMANDS:
        sign, argument = unsigned(p)
        cosine, sine = _pair(ring, argument)
        return cosine, scaled(sine, sign)
    out: tuple[Polynomial, Polynomial] = (ONE, {})
    phase: Polynomial = {}
    for m, c in sorted(p.items()):
        if all(g.kind == "root" and set(g.value) == {0} for g, _ in ring.factors(m)):
            phase[m] = c
        else:
            out = turn(ring, out, _one_angle(ring, m, c))
    if not phase:
        return out
    sign, phase = unsigned(phase)
    cosine, sine = _pair(ring, phase)
    return turn(ring, out, (cosine, scaled(sine, sign)))


def _one_angle(ring: Ring, m: Monomial, c: Number) -> tuple[Polynomial, Polynomial]:
    known = _special_angle(ring, m, c)
    if known is not None:
        return known
    unit = _unit(ring, "angle", m, c, MULTIPLES)
    times = int(ratio(c, unit))
    step = _pair(ring, {m: unit})
    out: tuple[Polynomial, Polynomial] = (ONE, {})
    for _ in range(abs(times)):
        out = turn(ring, out, step)
    return (out[0], scaled(out[1], -1)) if times < 0 else out


def _pair(ring: Ring, argument: Polynomial) -> tuple[Polynomial, Polynomial]:
    cosine, sine = pair(ring, argument)
    return cosine.polynomial, sine.polynomial


def _special_angle(
    ring: Ring, m: Monomial, c: Number
) -> tuple[Polynomial, Polynomial] | None:
    """Of multiples of pi/4 and pi/6, and of arcs given by an inverse function."""
    pairs = ring.factors(m)
    if len(pairs) != 1 or pairs[0][1] != 1:
        return None
    (g, _), *_ = pairs
    if g.kind == "pi" and QQ(c).denominator in (1, 2, 3, 4, 6):
        sixths = QQ(c) * 12
        cosine, sine = (int(k) % 24 for k in (sixths, 6 - sixths))
        return _twelfths(ring, cosine), _twelfths(ring, sine)
    if g.kind == "root":
        return _angle_of_size(ring, g, c)
    if g.kind != "function" or c not in (1, -1):
        return None
    arc = _arc(ring, *g.data)
    return arc if c == 1 or arc is None else (arc[0], scaled(arc[1], -1))


def _angle_of_size(
    ring: Ring, g: Generator, c: Number
) -> tuple[Polynomial, Polynomial] | None:
    """Of c |p|: cos(c p), and sin(c p) |p|/p; so sin|p|/|p| becomes sin(p)/p."""
    pairs = ring.factors(next(iter(g.value)))
    square = len(g.value) == 1 and not any(e % 2 for _, e in pairs)
    if g.power != 2 or not square or not pairs or next(iter(g.value.values())) != 1:
        return None
    half = sum(h.to(e // 2) for h, e in pairs)
    cosine, sine = cosine_sine(ring, {half: c})
    return cosine, ring.shift(sine, g.monomial - half)


def _twelfths(ring: Ring, k: int) -> Polynomial:
    """cos(k pi/12) for k a multiple of 2 or 3."""
    k = min(k, 24 - k)
    sign, k = (-1, 12 - k) if k > 6 else (1, k)
    squared = {0: 4, 2: 3, 3: 2, 4: 1, 6: 0}[k]  # (2 cos)^2
    return scaled(root(ring, {0: squared} if squared else {}, 2), QQ(sign, 2))


def _arc(
    ring: Ring, name: str, args: tuple[Polynomial, ...]
) -> tuple[Polynomial, Polynomial] | None:
    """Cosine and sine of asin x, acos x, atan x, atan2(y, x)."""
    x = args[0]
    if name in ("asin", "acos"):
        other = root(ring, plus(ONE, ring.mul(x, x), -1), 2)
        return (other, x) if name == "asin" else (x, other)
    if name not in ("atan", "atan2"):
        return None
    along = ONE if name == "atan" else args[1]
    length = root(ring, plus(ring.mul(x, x), ring.mul(along, along)), 2)
    over = reciprocal(ring, length)
    return ring.mul(along, over), ring.mul(x, over)


# --------------------------------------------------------------- other functions

ODD = (
    "asin",
    "atan",
    "sinh",
    "tanh",
    "asinh",
    "atanh",
    "erf",
    "erf_inv",
    "sign",
    "cbrt",
)
EVEN = ("abs", "cosh")


def function(ring: Ring, name: str, *args: Polynomial) -> Polynomial:
    """A function without algebra of its own, as one generator."""
    sign = 1
    if name in ODD or name in EVEN:
        sign, argument = unsigned(args[0])
        args, sign = (argument,), sign if name in ODD else 1
        if not argument and name != "cosh":
            return {}
    key: Hashable = (name, *map(key_of, args))
    g = ring.generator("function", key, (name, args), **_rule(ring, name, args))
    return scaled(g.polynomial, sign)


def _rule(ring: Ring, name: str, args: tuple[Polynomial, ...]) -> dict[str, Any]:
    if name == "abs":
        return {"power": 2, "value": ring.mul(args[0], args[0]), "positive": True}
    if name == "cbrt":
        return {"power": 3, "value": args[0]}
    if name == "sinh":
        cosh = function(ring, "cosh", args[0])
        return {"power": 2, "value": plus(ring.mul(cosh, cosh), ONE, -1)}
    return {}


def absolute(ring: Ring, p: Polynomial) -> Polynomial:
    if len(p) == 1:
        ((m, c),) = p.items()
        if is_positive(ring, m):
            return {m: abs(c)}
        return scaled(function(ring, "abs", {m: 1}), abs(c))
    return function(ring, "abs", p)


def hyperbolic(ring: Ring, name: str, p: Polynomial) -> Polynomial:
    if not p:
        return ONE if name == "cosh" else {}
    return function(ring, name, p)
