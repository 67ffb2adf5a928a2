"""Logarithms.

    x = 2^k (1 + f),  sqrt(1/2) <= 1 + f < sqrt(2),      s = f / (2 + f),  z = s^2
    log(1 + f) = 2 artanh s = f - s (f - z R(z)),        R ~ 2 (artanh s - s) / s^3

f is exact, and what is subtracted from it is at most a fifth of it.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    INFINITY,
    MANTISSA,
    NAN,
    TINY,
    bits_of,
    choose,
    equal,
    float_of,
    less,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import fast_two_sum, two_sum
from polhode.lowering.elementary.exponential import FLOAT, L1, L2
from polhode.lowering.elementary.polynomial import polynomial

ONE_BITS = 0x3FF0000000000000
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # of sqrt(1/2)
TINY_BITS = 0x0010000000000000
INFINITY_BITS = 0x7FF0000000000000

# 2 (artanh s - s) / s^3 in z = s^2 on [0, 1.0001 (3 - sqrt 8)^2]
LOGARITHM = (
    0.666666666666667,
    0.39999999999899444,
    0.2857142862600327,
    0.22222211130259878,
    0.18182889455674947,
    0.15331710618210773,
    0.14616585424888623,
)


def log(b: Build, x: Element) -> Element:
    """The natural logarithm, within 1 ulp; log(0) = -inf, log(x < 0) = nan."""
    fast = log_normal(b, x, 0.0)
    return b.rare(is_not_normal(b, x), lambda: _extreme(b, x), [fast], FLOAT)[0]


def log1p(b: Build, x: Element) -> Element:
    """log(1 + x), within 1.2 ulp, near 0 too; log1p(-0) = -0."""
    total, error = two_sum(b, 1.0, x)
    fast = choose(b, equal(b, x, 0.0), x, log_of_pair(b, total, error))
    slow = is_not_normal(b, total)
    return b.rare(slow, lambda: _extreme(b, total), [fast], FLOAT)[0]


def extreme_log(b: Build, x: Element) -> list[Element]:
    """log x for every x."""
    subnormal = less(b, x, TINY)
    inside = choose(b, subnormal, b.mul(x, 2.0**54), x)
    result = log_normal(b, inside, choose(b, subnormal, -54.0, 0.0))
    result = choose(b, equal(b, x, INFINITY), x, result)
    result = choose(b, less(b, 0.0, x), result, NAN)
    return [choose(b, equal(b, x, 0.0), -INFINITY, result)]


def _extreme(b: Build, x: Element) -> list[Element]:
    return b.call("extreme_log", extreme_log, [x], FLOAT)


def is_not_normal(b: Build, x: Element) -> Element:
    """Whether x is anything but a positive normal number."""
    above = b.sub(bits_of(b, x), TINY_BITS, "int64")
    above = b.bitcast(above, "int64", "uint64")
    return b.compare("ge", above, INFINITY_BITS - TINY_BITS, "uint64")


def split(b: Build, x: Element) -> tuple[Element, Element]:
    """(k, m) with x = 2^k m and sqrt(1/2) <= m < sqrt(2), of a positive normal x."""
    moved = b.add(bits_of(b, x), ONE_BITS - ROOT_HALF_BITS, "int64")
    biased = b.apply("shift_right_logical", "int64", moved, 52)
    # These bits under the exponent of 2^52 are 2^52 + k + 1023.
    k = float_of(b, b.apply("or", "int64", biased, 0x4330000000000000))
    m = b.apply("and", "int64", moved, MANTISSA)
    m = float_of(b, b.add(m, ROOT_HALF_BITS, "int64"))
    return b.sub(k, 2.0**52 + 1023.0), m


def log_normal(b: Build, x: Element, also: Element) -> Element:
    """log(x 2^also) of a positive normal x."""
    k, m = split(b, x)
    k = b.add(k, also)
    f = b.sub(m, 1.0)
    return b.fma(k, L1, b.sub(f, b.fma(*_curve(b, f), b.mul(k, -L2))))


def log_of_pair(b: Build, x: Element, low: Element) -> Element:
    """log(x + low) of a positive normal x and a `low` of its last place, or x = 1.

    low moves f by f_low, and the logarithm by f_low / (1 + f).
    """
    k, m = split(b, x)
    rise = b.sub(m, 1.0)
    f, f_low = fast_two_sum(b, rise, b.mul(low, b.div(m, x)))
    slope = b.fma(f, f, b.sub(1.0, f))
    rest = b.fma(b.neg(f_low), slope, b.mul(k, -L2))
    return b.fma(k, L1, b.sub(f, b.fma(*_curve(b, f), rest)))


def _curve(b: Build, f: Element) -> tuple[Element, Element]:
    """Two factors whose product is f - log(1 + f)."""
    s = b.div(f, b.add(f, 2.0))
    z = b.mul(s, s)
    return s, b.fma(b.neg(z), polynomial(b, z, LOGARITHM), f)
