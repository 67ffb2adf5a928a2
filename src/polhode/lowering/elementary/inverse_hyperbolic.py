"""Inverse hyperbolic sine, cosine, tangent.

    arsinh x = log(1 + t),  t = x + x^2 / (1 + sqrt(1 + x^2))
    arcosh x = log(1 + t),  t = (x - 1) + sqrt((x - 1) (x + 1))
    artanh x = 1/2 log((1 + x)/(1 - x))

The arguments of the logarithms keep their rounding errors.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    INFINITY,
    NAN,
    choose,
    equal,
    flip,
    less,
    negated,
    sign_bit,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import (
    Pair,
    fast_two_sum,
    quotient_pair,
    two_product,
    two_sum,
)
from polhode.lowering.elementary.exponential import FLOAT, L1, L2
from polhode.lowering.elementary.logarithm import (
    LOGARITHM,
    log_normal,
    log_of_pair,
    split,
)
from polhode.lowering.elementary.polynomial import polynomial

LARGE = 2.0**28  # from here on arsinh x and arcosh x are log 2x in double


def asinh(b: Build, x: Element) -> Element:
    """arsinh x, within 1.5 ulp; arsinh(-0) = -0."""
    size = b.abs(x)
    square = b.mul(x, x)
    root = b.sqrt(b.add(square, 1.0))
    t, t_low = fast_two_sum(b, size, b.div(square, b.add(root, 1.0)))
    total, error = two_sum(b, 1.0, t)
    fast = log_of_pair(b, total, b.add(error, t_low))

    def slow() -> list[Element]:
        return b.call("log_twice", log_twice, [size], FLOAT)

    large = negated(b, less(b, size, LARGE))
    return flip(b, b.rare(large, slow, [fast], FLOAT)[0], sign_bit(b, x))


def acosh(b: Build, x: Element) -> Element:
    """arcosh x, within 1.2 ulp, near 1 too; nan below 1."""
    below, above = two_sum(b, x, -1.0), fast_two_sum(b, x, 1.0)
    root, root_low = _root_of_product(b, below, above)
    t, t_low = fast_two_sum(b, root, below[0])
    total, error = two_sum(b, 1.0, t)
    low = b.add(b.add(error, t_low), b.add(root_low, below[1]))
    fast = choose(b, less(b, x, 1.0), NAN, log_of_pair(b, total, low))

    def slow() -> list[Element]:
        return b.call("log_twice", log_twice, [x], FLOAT)

    large = b.compare("ge", x, LARGE, "float64")
    return b.rare(large, slow, [fast], FLOAT)[0]


def _root_of_product(b: Build, u: Pair, v: Pair) -> Pair:
    """sqrt(u v) as high + low; a zero root has a zero low part."""
    product, error = two_product(b, u[0], v[0])
    error = b.add(error, b.fma(u[0], v[1], b.mul(u[1], v[0])))
    root = b.sqrt(product)
    rest = b.sub(error, b.fma(root, root, b.neg(product)))
    return root, b.div(rest, b.add(b.add(root, root), 2.0**-200))


def log_twice(b: Build, x: Element) -> list[Element]:
    """log 2x for x >= 1, infinity and NaN."""
    return [choose(b, less(b, x, INFINITY), log_normal(b, x, 1.0), x)]


def atanh(b: Build, x: Element) -> Element:
    """artanh x, within 1 ulp; artanh(-0) = -0, artanh(1) = inf, nan beyond.

    With (1 + x)/(1 - x) = 2^k m, this is k (ln 2)/2 + artanh s, s = (m - 1)/(m + 1):
    s = ((1 + x) - 2^k (1 - x)) / ((1 + x) + 2^k (1 - x)), its differences exact.
    """
    size = b.abs(x)
    up, up_low = fast_two_sum(b, 1.0, size)
    down, down_low = fast_two_sum(b, 1.0, b.neg(size))
    ratio = b.div(up, down)
    k, m = split(b, ratio)
    power = b.div(ratio, m)
    down, down_low = b.mul(down, power), b.mul(down_low, power)
    above = two_sum(b, b.sub(up, down), b.sub(up_low, down_low))
    total, error = two_sum(b, up, down)
    below = total, b.add(error, b.add(up_low, down_low))
    s, less_s = quotient_pair(b, above, below)

    z = b.mul(s, s)
    rest = b.sub(b.mul(b.mul(s, z), b.mul(polynomial(b, z, LOGARITHM), 0.5)), less_s)
    near = b.add(s, b.fma(k, L2 / 2, rest))
    result = b.fma(k, L1 / 2, near)
    pole = choose(b, equal(b, size, 1.0), INFINITY, NAN)
    return flip(b, choose(b, less(b, size, 1.0), result, pole), sign_bit(b, x))
