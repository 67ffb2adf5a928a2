"""The error function and its complement.

    |x| < 1      erf x  = x (C + z N(z)),  z = x^2,  C = 2/sqrt(pi)
    x >= 1/2     erfc x = e^(-x^2) (M + t T(t)) / (1 + 2 x),  t = (x - 4)/(x + 4)

(1 + 2x) e^(x^2) erfc x varies only between 1 and 1.3, and t brings all x >= 0 into
[-1, 1]. The square's rounding error goes into the exponential.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    choose,
    flip,
    halves_of_power,
    less,
    nearest,
    negated,
    scaled,
    sign_bit,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.double_double import (
    Pair,
    fast_two_sum,
    quotient_pair,
    two_product,
)
from polhode.lowering.elementary.exponential import FLOAT, LOG2_E, reduced_exponent
from polhode.lowering.elementary.polynomial import polynomial

SLOPE = 1.1283791670955126  # 2/sqrt(pi)
SLOPE_ERROR = 1.533545961316588e-17

# (erf x / x - 2/sqrt(pi)) / z in z = x^2 on [0, 1]
NEAR = (
    -0.37612638903183754,
    0.11283791670955111,
    -0.026866170645123838,
    0.005223977625303518,
    -0.0008548327010033328,
    0.00012055332214716276,
    -1.4925622504489842e-05,
    1.6461446656928561e-06,
    -1.6355118610877705e-07,
    1.4692484859133263e-08,
    -1.1500357159785296e-09,
    6.174097221305255e-11,
)
MIDDLE = 1.2329951186255526  # 9 e^16 erfc 4, the value at t = 0
MIDDLE_ERROR = -4.625318921008717e-17
# ((1 + 2 x) e^(x^2) erfc x - 9 e^16 erfc 4) / t in t, for x in [1/2, 28]
TAIL = (
    -0.1396211168405625,
    0.015379652102619861,
    0.06809705425469241,
    -0.1010390660363019,
    0.09373283499835175,
    -0.06633036581252887,
    0.037167515537470545,
    -0.016197734050540896,
    0.005031969979083916,
    -0.000757773368321565,
    -0.00019925671579706664,
    0.00015062217456056533,
    -2.4399033041211028e-05,
    -1.1223940018470143e-05,
    5.708875222980966e-06,
    2.983737213655921e-07,
    -8.230390065337862e-07,
    6.800528182838551e-08,
    1.0616730170847714e-07,
    -1.2569518353916208e-08,
    -1.067497856243474e-08,
)


def erf(b: Build, x: Element) -> Element:
    """erf x, within 2 ulp; erf(-0) = -0. It is 1 in double from 6 on."""
    size = b.abs(x)
    size = choose(b, less(b, 6.0, size), 6.0, size)
    mantissa, k_bits = _tail(b, size)
    far = b.sub(1.0, scaled(b, mantissa, k_bits))
    near = b.add(*_near(b, size))
    return flip(b, choose(b, less(b, size, 1.0), near, far), sign_bit(b, x))


def erfc(b: Build, x: Element) -> Element:
    """1 - erf x, within 2 ulp, far to the right too, subnormal results included."""
    size = b.abs(x)
    size = choose(b, less(b, x, -6.0), 6.0, size)
    mantissa, k_bits = _tail(b, size)
    far = scaled(b, mantissa, k_bits)
    far = choose(b, less(b, x, 0.0), b.sub(2.0, far), far)
    main, rest = _near(b, x)
    high, low = fast_two_sum(b, 1.0, b.neg(main))
    fast = choose(b, less(b, size, 0.5), b.add(high, b.sub(low, rest)), far)

    def slow() -> list[Element]:
        return b.call("far_erfc", far_erfc, [size], FLOAT)

    return b.rare(negated(b, less(b, size, 26.0)), slow, [fast], FLOAT)[0]


def far_erfc(b: Build, x: Element) -> list[Element]:
    """erfc x for x >= 1, where it may be subnormal or 0."""
    x = choose(b, less(b, 28.0, x), 28.0, x)
    mantissa, _ = _tail(b, x)
    k, _ = nearest(b, b.mul(x, b.neg(x)), LOG2_E)
    first, second = halves_of_power(b, k)
    return [b.mul(b.mul(mantissa, first), second)]


def _near(b: Build, x: Element) -> Pair:
    """erf x for |x| < 1 as the sum of two."""
    z = b.mul(x, x)
    main, low = two_product(b, x, SLOPE)
    slope = b.fma(z, polynomial(b, z, NEAR), SLOPE_ERROR)
    return main, b.fma(x, slope, low)


def _tail(b: Build, x: Element) -> tuple[Element, Element]:
    """erfc x = mantissa 2^k for x >= 1/2: the mantissa, and bits that end in k."""
    square, error = two_product(b, x, b.neg(x))
    k_bits, rise, tail = reduced_exponent(b, square, error)
    t = b.div(b.sub(x, 4.0), b.add(x, 4.0))
    slope = b.fma(t, polynomial(b, t, TAIL), MIDDLE_ERROR)
    above = fast_two_sum(b, MIDDLE, slope)
    below = fast_two_sum(b, b.add(x, x), 1.0)
    ratio, less_ratio = quotient_pair(b, above, below)
    growth = b.add(rise, tail)
    change = b.fma(growth, b.sub(ratio, less_ratio), b.neg(less_ratio))
    return b.add(ratio, change), k_bits
