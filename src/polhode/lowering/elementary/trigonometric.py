"""Sine, cosine and tangent.

Of a reduced angle r = high - low, |r| <= pi/4, z = high^2 (see `angle`):

    sin r = high - (high z S(z) + low)            S ~ (r - sin r) / r^3
    cos r = (1 - z/2) + (z^2 C(z) + high low)     C ~ (cos r - 1 + z/2) / z^2

The quarter turn then says which of the two is wanted, and its sign. Sine and cosine of
one argument share all but the last few operations.
"""

from __future__ import annotations

from polhode.lowering.elementary.angle import reduced_angle
from polhode.lowering.elementary.bits import flip
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import Pair, fast_two_sum, quotient
from polhode.lowering.elementary.polynomial import polynomial

# (r - sin r) / r^3 in z = r^2 on [0, 1.0001 (pi/4)^2]
SINE = (
    0.16666666666666666,
    -0.008333333333330948,
    0.00019841269836756774,
    -2.7557316101617874e-06,
    2.505113165023518e-08,
    -1.5918115263265974e-10,
)
# (cos r - 1 + z/2) / z^2 in z = r^2 on [0, 1.0001 (pi/4)^2]
COSINE = (
    0.041666666666666664,
    -0.0013888888888887398,
    2.480158729876456e-05,
    -2.7557317271145144e-07,
    2.087614614655861e-09,
    -1.1382623647474604e-11,
)


def sin(b: Build, x: Element) -> Element:
    """sin x, within 1 ulp for every double; sin(-0) = -0, sin(inf) = nan."""
    sine, cosine, quarter = _both(b, x)
    chosen = b.select(_is_odd(b, quarter), cosine, sine, "float64")
    return flip(b, chosen, _second_bit(b, quarter))


def cos(b: Build, x: Element) -> Element:
    """cos x, within 1 ulp for every double; cos(inf) = nan."""
    sine, cosine, quarter = _both(b, x)
    chosen = b.select(_is_odd(b, quarter), sine, cosine, "float64")
    return flip(b, chosen, _second_bit(b, b.add(quarter, 1, "int64")))


def tan(b: Build, x: Element) -> Element:
    """tan x = sin x / cos x, or -cos r / sin r in odd quarters; 1.4 ulp."""
    high, low, quarter = reduced_angle(b, x)
    main, rest = _sine_parts(b, high, low)
    sine = fast_two_sum(b, main, b.neg(rest))
    cosine = fast_two_sum(b, *_cosine_parts(b, high, low))
    odd = _is_odd(b, quarter)
    above, below = (
        (b.select(odd, s, t, "float64"), b.select(odd, s_low, t_low, "float64"))
        for (s, s_low), (t, t_low) in ((cosine, sine), (sine, cosine))
    )
    sign = b.apply("shift_left", "int64", quarter, 63)
    return flip(b, quotient(b, above, below), sign)


def _both(b: Build, x: Element) -> tuple[Element, Element, Element]:
    high, low, quarter = reduced_angle(b, x)
    sine, cosine = _sine_parts(b, high, low), _cosine_parts(b, high, low)
    return b.sub(*sine), b.add(*cosine), quarter


def _sine_parts(b: Build, high: Element, low: Element) -> Pair:
    """(u, v) with sin r = u - v; v is +0 at a zero of either sign, so u keeps it."""
    z = b.mul(high, high)
    return high, b.fma(b.mul(high, z), polynomial(b, z, SINE), low)


def _cosine_parts(b: Build, high: Element, low: Element) -> Pair:
    """(u, v) with cos r = u + v, where u is 1 - z/2 rounded."""
    z = b.mul(high, high)
    half = b.mul(z, 0.5)
    main = b.sub(1.0, half)
    error = b.sub(b.sub(1.0, main), half)
    rest = b.fma(b.mul(z, z), polynomial(b, z, COSINE), b.fma(high, low, error))
    return main, rest


def _is_odd(b: Build, quarter: Element) -> Element:
    return b.compare("ne", b.apply("and", "int64", quarter, 1), 0, "int64")


def _second_bit(b: Build, quarter: Element) -> Element:
    """The second lowest bit, moved to the sign's place, alone."""
    bit = b.apply("and", "int64", quarter, 2)
    return b.apply("shift_left", "int64", bit, 62)
