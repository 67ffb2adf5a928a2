"""Doubles taken apart and put together: exponents, signs, nearest integers.

A double in [2^52, 2^53) has its units in its last bit. Adding SHIFT = 1.5 2^52 to a
small number therefore rounds it to an integer k, and the sum's bits end in k in two's
complement: both come without a conversion, which SIMD units lack or do slowly.
"""

from __future__ import annotations

import math

from polhode.lowering.elementary.build import Build, Element

SHIFT = 1.5 * 2.0**52
SIGN = -(2**63)  # the sign bit as an int64
MANTISSA = 2**52 - 1
BIAS = 1023
TINY = 2.0**-1022  # the least normal number
INFINITY = math.inf
NAN = math.nan


def bits_of(b: Build, x: Element) -> Element:
    return b.bitcast(x, "float64", "int64")


def float_of(b: Build, bits: Element) -> Element:
    return b.bitcast(bits, "int64", "float64")


def nearest(b: Build, x: Element, scale: float) -> tuple[Element, Element]:
    """k, the integer nearest to x `scale`; and bits that end in k, see above."""
    shifted = b.fma(x, scale, SHIFT)
    return b.sub(shifted, SHIFT), bits_of(b, shifted)


def power_of_two(b: Build, k_bits: Element) -> Element:
    """2^k for -1023 < k < 1024, from bits that end in k."""
    biased = b.add(k_bits, BIAS, "int64")
    return float_of(b, b.apply("shift_left", "int64", biased, 52))


def scaled(b: Build, y: Element, k_bits: Element) -> Element:
    """y 2^k where both y and the result are normal, from bits that end in k."""
    exponent = b.apply("shift_left", "int64", k_bits, 52)
    return float_of(b, b.add(bits_of(b, y), exponent, "int64"))


def halves_of_power(b: Build, k: Element) -> tuple[Element, Element]:
    """Two factors of 2^k for |k| < 2040: 2^k itself may be out of range.

    y 2^k is rounded at most once, as the first product is exact for y near 1.
    """
    half, half_bits = nearest(b, k, 0.5)
    _, rest_bits = nearest(b, b.sub(k, half), 1.0)
    return power_of_two(b, half_bits), power_of_two(b, rest_bits)


def sign_bit(b: Build, x: Element) -> Element:
    return b.apply("and", "int64", bits_of(b, x), SIGN)


def flip(b: Build, x: Element, sign: Element) -> Element:
    """x, its sign changed where the int64 `sign` has its top bit (alone) set."""
    return float_of(b, b.apply("xor", "int64", bits_of(b, x), sign))


def negated(b: Build, condition: Element) -> Element:
    return b.apply("not", "bool", condition)


def either(b: Build, *conditions: Element) -> Element:
    result, *rest = conditions
    for condition in rest:
        result = b.apply("or", "bool", result, condition)
    return result


def both(b: Build, *conditions: Element) -> Element:
    result, *rest = conditions
    for condition in rest:
        result = b.apply("and", "bool", result, condition)
    return result


def choose(b: Build, which: Element, yes: Element, no: Element) -> Element:
    return b.select(which, yes, no, "float64")


def less(b: Build, x: Element, y: Element) -> Element:
    return b.compare("lt", x, y, "float64")


def equal(b: Build, x: Element, y: Element) -> Element:
    return b.compare("eq", x, y, "float64")


def is_nan(b: Build, x: Element) -> Element:
    return b.compare("ne", x, x, "float64")
