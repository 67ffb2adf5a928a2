"""Polynomials, by Horner's rule in a few interleaved chains.

Where the coefficients come from. Every table of coefficients in this package is the
polynomial that interpolates its function at the Chebyshev nodes of the stated interval,

    x_j = (u + v)/2 + (v - u)/2 cos(pi (j + 1/2) / n),    j = 0 ... n - 1,

computed with 80 digits, written in powers of its argument, each coefficient rounded to
double. That is within a small factor of the best polynomial, and anyone can repeat it:
tests/lowering/test_elementary.py does, and compares.
"""

from __future__ import annotations

from collections.abc import Sequence

from polhode.lowering.elementary.build import Build, Element


def polynomial(b: Build, x: Element, coefficients: Sequence[Element]) -> Element:
    """c0 + c1 x + c2 x^2 + ...

    In one, two or four chains in powers of x, x^2 or x^4: a chain waits for each of its
    products, so that a single argument would leave the multipliers idle.
    """
    if len(coefficients) < 5:
        return _horner(b, x, coefficients)
    square = b.mul(x, x)
    if len(coefficients) < 11:
        even, odd = (_horner(b, square, coefficients[i::2]) for i in range(2))
        return b.fma(odd, x, even)
    fourth = b.mul(square, square)
    parts = [_horner(b, fourth, coefficients[i::4]) for i in range(4)]
    low = b.fma(parts[1], x, parts[0])
    return b.fma(b.fma(parts[3], x, parts[2]), square, low)


def _horner(b: Build, x: Element, coefficients: Sequence[Element]) -> Element:
    result: Element = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        result = b.fma(result, x, c)
    return result
