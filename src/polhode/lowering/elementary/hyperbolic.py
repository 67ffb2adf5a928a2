"""Hyperbolic sine, cosine, tangent.

    |x| = k ln 2 + r,      P = 2^k,  Q = 2^-k
    2 sinh |x| = (P - Q) cosh r + (P + Q) sinh r
    2 cosh |x| = (P + Q) cosh r + (P - Q) sinh r

Nothing large cancels, for r >= 0 when k = 0; and the two share all but their last sums.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    choose,
    flip,
    less,
    nearest,
    negated,
    power_of_two,
    sign_bit,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import (
    Pair,
    fast_two_sum,
    quotient,
    two_product,
)
from polhode.lowering.elementary.exponential import (
    FLOAT,
    L1,
    L2,
    LOG2_E,
    NORMAL,
    extreme_exp,
)
from polhode.lowering.elementary.polynomial import polynomial

# (sinh r - r) / r^3 in z = r^2 on [0, 1.0001 (ln 2)^2 / 4]
HYPERBOLIC_SINE = (
    0.16666666666666669,
    0.008333333333330063,
    0.0001984126986304708,
    2.755726847015456e-06,
    2.5100380663793766e-08,
)
# (cosh r - 1) / r^2 in z = r^2 on [0, 1.0001 (ln 2)^2 / 4]
HYPERBOLIC_COSINE = (
    0.5,
    0.04166666666666668,
    0.0013888888888879077,
    2.4801587336431777e-05,
    2.755726329028275e-07,
    2.0918133596097454e-09,
)


def sinh(b: Build, x: Element) -> Element:
    """sinh x, within 1.1 ulp; sinh(-0) = -0."""
    sine, _ = _twice_both(b, b.abs(x))
    return flip(b, _or_exponential(b, x, sine), sign_bit(b, x))


def cosh(b: Build, x: Element) -> Element:
    """cosh x, within 1.1 ulp."""
    _, cosine = _twice_both(b, b.abs(x))
    return _or_exponential(b, x, cosine)


def tanh(b: Build, x: Element) -> Element:
    """tanh x = sinh x / cosh x, within 1 ulp; 1 in double from 20 on."""
    size = b.abs(x)
    sine, cosine = _twice_both(b, choose(b, less(b, 30.0, size), 30.0, size))
    ratio = quotient(b, fast_two_sum(b, *sine), fast_two_sum(b, *cosine))
    return flip(b, ratio, sign_bit(b, x))


def _or_exponential(b: Build, x: Element, twice: Pair) -> Element:
    """Half a sum; or e^|x| / 2 where the other exponential has long vanished."""
    size = b.abs(x)

    def slow() -> list[Element]:
        return b.call("extreme_exp", extreme_exp, [size, 1.0], FLOAT)

    fast = b.mul(b.add(*twice), 0.5)
    return b.rare(negated(b, less(b, size, NORMAL)), slow, [fast], FLOAT)[0]


def _twice_both(b: Build, x: Element) -> tuple[Pair, Pair]:
    """2 sinh x and 2 cosh x of x >= 0, each as the sum of two."""
    k, k_bits = nearest(b, x, LOG2_E)
    rest = b.fma(k, -L1, x)
    r = b.fma(k, -L2, rest)
    z = b.mul(r, r)
    tail = b.fma(k, -L2, b.sub(rest, r))
    tail = b.fma(b.mul(r, z), polynomial(b, z, HYPERBOLIC_SINE), tail)
    bulge = b.mul(z, polynomial(b, z, HYPERBOLIC_COSINE))

    power = power_of_two(b, k_bits)
    inverse = power_of_two(b, b.sub(0, k_bits, "int64"))
    plus = fast_two_sum(b, power, inverse)
    minus = fast_two_sum(b, power, b.neg(inverse))
    sine = _combined(b, minus, plus, (r, tail, bulge))
    cosine = _combined(b, plus, minus, (r, tail, bulge))
    return sine, cosine


def _combined(
    b: Build, u: Pair, v: Pair, parts: tuple[Element, Element, Element]
) -> Pair:
    """u (1 + bulge) + v (r + tail); u is the larger, or is 0."""
    (u_high, u_low), (v_high, v_low) = u, v
    r, tail, bulge = parts
    product, error = two_product(b, v_high, r)
    total, low = fast_two_sum(b, u_high, product)
    low = b.add(low, b.add(error, b.fma(v_low, r, u_low)))
    return total, b.fma(u_high, bulge, b.fma(v_high, tail, low))
