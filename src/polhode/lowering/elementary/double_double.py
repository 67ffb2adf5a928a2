"""Sums and products whose rounding error is kept: the value is high + low."""

from __future__ import annotations

from polhode.lowering.elementary.build import Build, Element

Pair = tuple[Element, Element]


def two_sum(b: Build, x: Element, y: Element) -> Pair:
    """x + y exactly (Knuth)."""
    s = b.add(x, y)
    part = b.sub(s, x)
    return s, b.add(b.sub(x, b.sub(s, part)), b.sub(y, part))


def fast_two_sum(b: Build, x: Element, y: Element) -> Pair:
    """x + y exactly, where |x| >= |y| (Dekker)."""
    s = b.add(x, y)
    return s, b.add(b.sub(x, s), y)


def two_product(b: Build, x: Element, y: Element) -> Pair:
    """x y exactly, barring underflow."""
    p = b.mul(x, y)
    return p, b.fma(x, y, b.neg(p))


def quotient(b: Build, numerator: Pair, denominator: Pair) -> Element:
    """The quotient of two pairs, with little more error than its last rounding.

    A zero keeps its sign: the correction is subtracted, and is +0 for a zero numerator.
    """
    high, low = quotient_pair(b, numerator, denominator)
    return b.sub(high, low)


def quotient_pair(b: Build, numerator: Pair, denominator: Pair) -> Pair:
    """(q, c) with numerator / denominator = q - c, c small."""
    (n, n_low), (d, d_low) = numerator, denominator
    inverse = b.div(1.0, d)
    q = b.mul(n, inverse)
    rest = b.add(b.fma(q, d, b.neg(n)), b.sub(b.mul(q, d_low), n_low))
    return q, b.mul(rest, inverse)
