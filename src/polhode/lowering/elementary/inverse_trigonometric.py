"""Arcsine, arccosine, arctangent.

Arcs are measured from a convenient multiple of pi/4 or pi/2, the small rest by

    arcsin s = s + s z A(z),    arctan t = t - t z T(z),    z = s^2 or t^2 <= 1/4
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    INFINITY,
    NAN,
    SIGN,
    bits_of,
    both,
    choose,
    either,
    equal,
    flip,
    is_nan,
    less,
    negated,
    sign_bit,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import (
    Pair,
    fast_two_sum,
    quotient_pair,
)
from polhode.lowering.elementary.exponential import FLOAT
from polhode.lowering.elementary.polynomial import polynomial

QUARTER_PI = 0.7853981633974483
QUARTER_PI_ERROR = 3.061616997868383e-17
HALF_PI, HALF_PI_ERROR = 2 * QUARTER_PI, 2 * QUARTER_PI_ERROR
LEAST_BITS = (1023 - 500) << 52  # of 2^-500
RANGE_BITS = 1000 << 52  # from there to 2^500

# (arcsin s - s) / s^3 in z = s^2 on [0, 1/4]
ARCSINE = (
    0.16666666666666669,
    0.07499999999998433,
    0.04464285714635543,
    0.030381944138531247,
    0.02237217294214989,
    0.017352392720869973,
    0.013971212973552933,
    0.011479177415184906,
    0.01032281435018578,
    0.005457506718640358,
    0.01740087944269402,
    -0.014851887071247204,
    0.028757851367421566,
)
# (t - arctan t) / t^3 in z = t^2 on [0, 1/4]
ARCTANGENT = (
    0.3333333333333333,
    -0.19999999999999488,
    0.14285714285599188,
    -0.11111111100917376,
    0.09090908620322523,
    -0.07692294712540285,
    0.06666435677235948,
    -0.05879578429582425,
    0.05240099507994713,
    -0.04628024868570153,
    0.03806653672057366,
    -0.025006503566489507,
    0.009215792047089858,
)


def asin(b: Build, x: Element) -> Element:
    """arcsin x, within 1.2 ulp; above 1/2 it is pi/2 - 2 arcsin sqrt((1 - x)/2)."""
    large, s, rest = _small_arc(b, x)
    below = b.sub(HALF_PI, s)
    error = b.sub(b.sub(HALF_PI, below), s)
    far = b.add(below, b.sub(b.add(error, HALF_PI_ERROR), rest))
    return flip(b, choose(b, large, far, b.add(s, rest)), sign_bit(b, x))


def acos(b: Build, x: Element) -> Element:
    """arccos x, within 1.2 ulp, near 1 too."""
    large, s, rest = _small_arc(b, x)
    sign = sign_bit(b, x)
    start = choose(b, less(b, x, 0.0), 2.0, 0.0)
    start = choose(b, large, start, 1.0)
    sign = b.apply("xor", "int64", sign, b.select(large, 0, SIGN, "int64"))
    s, rest = flip(b, s, sign), flip(b, rest, sign)
    total, low = fast_two_sum(b, b.mul(start, HALF_PI), s)
    return b.add(total, b.add(low, b.fma(start, HALF_PI_ERROR, rest)))


def _small_arc(b: Build, x: Element) -> tuple[Element, Element, Element]:
    """(large, s, rest): arcsin |x|, or if large arccos |x|, is s + rest."""
    size = b.abs(x)
    large = b.compare("ge", size, 0.5, "float64")
    z = choose(b, large, b.mul(b.sub(1.0, size), 0.5), b.mul(x, x))
    root = b.sqrt(z)
    s = choose(b, large, b.add(root, root), size)
    return large, s, b.mul(b.mul(s, z), polynomial(b, z, ARCSINE))


def atan(b: Build, x: Element) -> Element:
    """arctan x, within 1 ulp; arctan(-0) = -0."""
    size = b.abs(x)
    size = choose(b, less(b, 2.0**100, size), 2.0**100, size)
    steep = less(b, 1.0, size)
    low, high = choose(b, steep, 1.0, size), choose(b, steep, size, 1.0)
    return flip(b, _arc(b, (low, high), (steep, False)), sign_bit(b, x))


def atan2(b: Build, y: Element, x: Element) -> Element:
    """The angle of the point (x, y) from the x axis, within 1.2 ulp; C99 at zeros."""
    across, up = b.abs(x), b.abs(y)
    steep = less(b, across, up)
    low, high = choose(b, steep, across, up), choose(b, steep, up, across)
    left = b.compare("lt", bits_of(b, x), 0, "int64")
    fast = flip(b, _arc(b, (low, high), (steep, left)), sign_bit(b, y))
    above = b.sub(bits_of(b, high), LEAST_BITS, "int64")
    above = b.bitcast(above, "int64", "uint64")
    extreme = b.compare("ge", above, RANGE_BITS, "uint64")

    def slow() -> list[Element]:
        return b.call("extreme_atan2", extreme_atan2, [y, x], FLOAT)

    return b.rare(extreme, slow, [fast], FLOAT)[0]


def extreme_atan2(b: Build, y: Element, x: Element) -> list[Element]:
    """atan2 for every y and x: they are scaled, infinities and zeros replaced."""
    across, up = b.abs(x), b.abs(y)
    steep = less(b, across, up)
    low, high = choose(b, steep, across, up), choose(b, steep, up, across)
    left = b.compare("lt", bits_of(b, x), 0, "int64")
    slope = b.div(low, high)

    scale = choose(b, less(b, high, 1.0), 2.0**600, 2.0**-600)
    endless, nothing = equal(b, high, INFINITY), equal(b, high, 0.0)
    corner = choose(b, equal(b, low, INFINITY), 1.0, 0.0)
    low = choose(b, endless, corner, b.mul(low, scale))
    high = choose(b, either(b, endless, nothing), 1.0, b.mul(high, scale))
    angle = _arc(b, (low, high), (steep, left))
    # A small slope is its own angle, and scaling may have cost it digits.
    flat = both(b, less(b, slope, 2.0**-30), negated(b, either(b, steep, left)))
    angle = choose(b, flat, slope, angle)
    angle = choose(b, either(b, is_nan(b, x), is_nan(b, y)), NAN, angle)
    return [flip(b, angle, sign_bit(b, y))]


def _arc(b: Build, sides: Pair, turned: tuple[Element, Element]) -> Element:
    """arctan(low / high) seen from the axis: in a `steep` triangle from the other one.

    The arc is n pi/4 + arctan t or n pi/4 - arctan t, with t = low/high up to 1/2 and
    (low - high)/(low + high) above, where the difference is exact.
    """
    low, high = sides
    steep, left = turned
    near = b.compare("ge", b.add(low, low), high, "float64")
    total, error = fast_two_sum(b, high, low)
    top = choose(b, near, b.sub(low, high), low)
    bottom = choose(b, near, total, high), choose(b, near, error, 0.0)
    t, less_t = quotient_pair(b, (top, 0.0), bottom)
    z = b.mul(t, t)
    less_t = b.fma(b.mul(t, z), polynomial(b, z, ARCTANGENT), less_t)

    n = choose(b, near, 1.0, 0.0)
    n = choose(b, steep, b.sub(2.0, n), n)
    n = choose(b, left, b.sub(4.0, n), n)
    start = b.mul(n, QUARTER_PI)
    start_low = b.fma(n, QUARTER_PI_ERROR, b.fma(n, QUARTER_PI, b.neg(start)))
    sign = b.select(b.apply("xor", "bool", steep, left), SIGN, 0, "int64")
    t, less_t = flip(b, t, sign), flip(b, less_t, sign)
    angle, rounding = fast_two_sum(b, start, t)
    return b.add(angle, b.sub(b.add(rounding, start_low), less_t))
