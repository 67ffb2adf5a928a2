"""An angle less its nearest multiple of a quarter turn, without loss.

    x = k pi/2 + r,    |r| <= pi/4,    r = high - low

For |x| < 2^22 (Cody and Waite, with fused products): pi/2 = P1 + P2 + P3, where P2 has
31 bits. x - k P1 is exact in double: a multiple of both last places, and small. So is
k P2; the rounding of the next difference is kept in `low`, and k P3 added to it. No
double of this range lies within 2^-56 of a multiple, and the three parts are pi/2 to
2^-138: r is right to 2^-60 of itself.

Beyond (Payne and Hanek), only 2/pi's bits of weights near 1/ulp(x) matter. With
x = m 2^E, m an integer below 2^68, the turn x 2/pi modulo 4 needs (2^E 2/pi) modulo 4,
which the table holds for every sixteenth E as the sum of four doubles.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from polhode.lowering.elementary.bits import (
    INFINITY,
    NAN,
    SHIFT,
    bits_of,
    choose,
    float_of,
    less,
    nearest,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import fast_two_sum, two_product, two_sum

LIMIT = 2.0**22
TWO_OVER_PI = 0.6366197723675814
P1 = 1.5707963267948966
P2 = 6.12323399409214e-17
P3 = 1.6446256936324258e-26
P1_ERROR = 6.123233995736766e-17  # pi/2 - P1

TYPES = ["float64", "float64", "int64"]
SMALLEST_EXPONENT = 1023 + 22  # of LIMIT, as its bits have it
STEP = 16


def reduced_angle(b: Build, x: Element) -> tuple[Element, Element, Element]:
    """(high, low, bits): x is bits pi/2 + high - low, bits modulo 4 in the last two."""
    k, k_bits = nearest(b, x, TWO_OVER_PI)
    rest = b.fma(k, -P1, x)
    high = b.fma(k, -P2, rest)
    low = b.fma(k, P3, b.fma(k, P2, b.sub(high, rest)))
    huge = b.compare("ge", b.abs(x), LIMIT, "float64")

    def slow() -> list[Element]:
        return b.call("reduced_huge_angle", reduced_huge_angle, [x], TYPES)

    high, low, k_bits = b.rare(huge, slow, [high, low, k_bits], TYPES)
    return high, low, k_bits


def reduced_huge_angle(b: Build, x: Element) -> list[Element]:
    """The same for |x| >= 2^22; NaN for infinity and NaN."""
    factors, whole = _turning_factors(b, x)
    first, first_low = two_product(b, whole, factors[0])
    second, second_low = two_product(b, whole, factors[1])
    third, third_low = two_product(b, whole, factors[2])
    fourth = b.mul(whole, factors[3])

    turns, error = two_sum(b, _modulo_four(b, first), _modulo_four(b, first_low))
    turns, error_2 = two_sum(b, turns, _modulo_four(b, second))
    quarter = b.apply("round_even", "float64", turns)
    terms = [
        b.sub(turns, quarter),
        error_2,
        error,
        second_low,
        third,
        third_low,
        fourth,
    ]
    fraction, low = _distilled(b, terms)

    angle, angle_low = two_product(b, fraction, P1)
    angle_low = b.add(angle_low, b.fma(fraction, P1_ERROR, b.mul(low, P1)))
    high, low = fast_two_sum(b, angle, angle_low)
    high = choose(b, less(b, b.abs(x), INFINITY), high, NAN)
    return [high, b.neg(low), bits_of(b, b.add(quarter, SHIFT))]


def _turning_factors(b: Build, x: Element) -> tuple[list[Element], Element]:
    """The parts of (2^E 2/pi) modulo 4, and the integer x 2^-E."""
    bits = bits_of(b, x)
    exponent = b.apply("shift_right_logical", "int64", bits, 52)
    exponent = b.apply("and", "int64", exponent, 0x7FF)
    above = b.sub(exponent, SMALLEST_EXPONENT, "int64")
    above = b.apply("max", "int64", above, 0)
    row = b.apply("shift_right_logical", "int64", above, 4)
    by = b.sub(b.mul(row, STEP, "int64"), 30, "int64")
    by = b.apply("shift_left", "int64", by, 52)
    whole = float_of(b, b.sub(bits, by, "int64"))
    return [b.table(part, row) for part in TURNS], whole


def _modulo_four(b: Build, x: Element) -> Element:
    """x less its nearest multiple of 4: exact."""
    return b.fma(b.apply("round_even", "float64", b.mul(x, 0.25)), -4.0, x)


def _distilled(b: Build, terms: list[Element]) -> tuple[Element, Element]:
    """A sum of doubles, however they cancel, as high + low: two passes upwards."""
    for _ in range(2):
        total, errors = terms[-1], []
        for term in reversed(terms[:-1]):
            total, error = two_sum(b, term, total)
            errors.append(error)
        terms = [total, *reversed(errors)]
    low = terms[-1]
    for term in reversed(terms[1:-1]):
        low = b.add(low, term)
    return fast_two_sum(b, terms[0], low)


def _turn_table() -> np.ndarray:
    """Column j: four doubles whose sum is (2^E 2/pi) modulo 4, for E = 16 j - 30."""
    columns = 1 + (0x7FF - SMALLEST_EXPONENT) // STEP
    parts = np.zeros((4, columns))
    for column in range(columns):
        turn = TWO_OVER_PI_EXACT * Fraction(2) ** (STEP * column - 30) % 4
        for part in range(4):
            parts[part, column] = float(turn)
            turn -= Fraction(float(turn))
    return parts


# 2/pi to 1216 bits.
TWO_OVER_PI_EXACT = Fraction(
    int(
        "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a"
        "424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e41"
        "3991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf"
        "27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08"
        "56033046fc7b6bab",
        16,
    ),
    2**1216,
)
TURNS = _turn_table()
