"""Exponentials.

    x = k ln 2 + r,  |r| <= (ln 2)/2,      e^x = 2^k (1 + (r + r^2 E(r)))

x - k L1 is exact in a fused product (it is a multiple of both last places, and small).
Where 2^k is not a normal number, the power is applied in two factors.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    choose,
    equal,
    halves_of_power,
    less,
    nearest,
    negated,
    power_of_two,
    scaled,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import (
    Pair,
    fast_two_sum,
    quotient,
)
from polhode.lowering.elementary.polynomial import polynomial

Triple = tuple[Element, Element, Element]
FLOAT = ["float64"]
LOG2_E = 1.4426950408889634
L1 = 0.6931471805599453
L2 = 2.3190468138462996e-17  # ln 2 - L1
NORMAL = 708.0  # e^x is normal for |x| below this

# (e^r - 1 - r) / r^2 in r on 1.0001 [-(ln 2)/2, (ln 2)/2]
EXPONENTIAL = (
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326136,
    0.0013888888888883748,
    0.00019841269874820627,
    2.4801587325547743e-05,
    2.7557255400206422e-06,
    2.75572736431103e-07,
    2.5105217004720745e-08,
    2.0914686968086876e-09,
)


def exp(b: Build, x: Element) -> Element:
    """e^x, within 1.1 ulp, subnormal results included."""
    k, k_bits = nearest(b, x, LOG2_E)
    r = b.fma(k, -L2, b.fma(k, -L1, x))
    fast = scaled(b, _exp_near_zero(b, r), k_bits)
    return b.rare(_is_extreme(b, x), lambda: [_extreme_exp(b, x)], [fast], FLOAT)[0]


def exp2(b: Build, x: Element) -> Element:
    """2^x, within 1.1 ulp, subnormal results included; exact for integers."""
    k, k_bits = nearest(b, x, 1.0)
    fast = scaled(b, _exp_near_zero(b, b.mul(b.sub(x, k), L1)), k_bits)
    extreme = negated(b, less(b, b.abs(x), 1021.0))

    def slow() -> list[Element]:
        return b.call("extreme_exp2", extreme_exp2, [x], FLOAT)

    return b.rare(extreme, slow, [fast], FLOAT)[0]


def expm1(b: Build, x: Element) -> Element:
    """e^x - 1 = 2^k high + (2^k - 1) + 2^k (low + r^2 E(r)), within 1.5 ulp."""
    k_bits, high, tail = reduced_exponent(b, x, None)
    power = power_of_two(b, k_bits)
    fast = b.fma(power, tail, b.fma(power, high, b.sub(power, 1.0)))
    fast = choose(b, equal(b, x, 0.0), x, fast)

    def slow() -> list[Element]:
        return [b.sub(_extreme_exp(b, x), 1.0)]

    return b.rare(_is_extreme(b, x), slow, [fast], FLOAT)[0]


def logistic(b: Build, x: Element) -> Element:
    """1 / (1 + e^-x) = e^x / (1 + e^x), by the smaller exponential; within 1.1 ulp."""
    power, low = exp_pair(b, b.neg(b.abs(x)))
    total, error = fast_two_sum(b, 1.0, power)
    left = less(b, x, 0.0)
    above = choose(b, left, power, 1.0), choose(b, left, low, 0.0)
    fast = quotient(b, above, (total, b.add(error, low)))

    def slow() -> list[Element]:
        return [choose(b, less(b, 0.0, x), 1.0, _extreme_exp(b, x))]

    return b.rare(_is_extreme(b, x), slow, [fast], FLOAT)[0]


def exp_pair(b: Build, x: Element) -> Pair:
    """e^x as high + low, to about 2^-58 of itself, for |x| < NORMAL."""
    k_bits, high, tail = reduced_exponent(b, x, None)
    near_one, low = fast_two_sum(b, 1.0, high)
    near_one, low = fast_two_sum(b, near_one, b.add(low, tail))
    power = power_of_two(b, k_bits)
    return b.mul(near_one, power), b.mul(low, power)


def reduced_exponent(b: Build, x: Element, x_low: Element | None) -> Triple:
    """(bits that end in k, r, tail) with e^(x + x_low) = 2^k (1 + (r + tail))."""
    k, k_bits = nearest(b, x, LOG2_E)
    rest = b.fma(k, -L1, x)
    r = b.fma(k, -L2, rest)
    low = b.fma(k, -L2, b.sub(rest, r))
    if x_low is not None:
        r, low = fast_two_sum(b, r, b.add(low, x_low))
    return k_bits, r, b.fma(b.mul(r, r), polynomial(b, r, EXPONENTIAL), low)


def extreme_exp(b: Build, x: Element, halvings: Element) -> list[Element]:
    """e^x / 2^halvings for every x: rounded to subnormals, 0, infinity where due."""
    inside = choose(b, less(b, x, -750.0), -750.0, x)
    inside = choose(b, less(b, 720.0, inside), 720.0, inside)
    k, _ = nearest(b, inside, LOG2_E)
    r = b.fma(k, -L2, b.fma(k, -L1, inside))
    first, second = halves_of_power(b, b.sub(k, halvings))
    return [b.mul(b.mul(_exp_near_zero(b, r), first), second)]


def extreme_exp2(b: Build, x: Element) -> list[Element]:
    """2^x for every x."""
    inside = choose(b, less(b, x, -1080.0), -1080.0, x)
    inside = choose(b, less(b, 1030.0, inside), 1030.0, inside)
    k, _ = nearest(b, inside, 1.0)
    first, second = halves_of_power(b, k)
    mantissa = _exp_near_zero(b, b.mul(b.sub(inside, k), L1))
    return [b.mul(b.mul(mantissa, first), second)]


def _extreme_exp(b: Build, x: Element) -> Element:
    return b.call("extreme_exp", extreme_exp, [x, 0.0], FLOAT)[0]


def _is_extreme(b: Build, x: Element) -> Element:
    return negated(b, less(b, b.abs(x), NORMAL))


def _exp_near_zero(b: Build, r: Element) -> Element:
    rise = b.fma(b.mul(r, r), polynomial(b, r, EXPONENTIAL), r)
    return b.add(rise, 1.0)
