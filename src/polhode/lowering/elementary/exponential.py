"""Exponentials.

    x = k ln 2 + r,  |r| <= (ln 2)/2,      e^x = 2^k (1 + (r + r^2 E(r)))

x - k L1 is exact in a fused product (it is a multiple of both last places, and small).
Where 2^k is not a normal number, the power is applied in two factors.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    choose,
    halves_of_power,
    less,
    nearest,
    negated,
    scaled,
)
from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.polynomial import polynomial

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
    """e^x, within 1 ulp, subnormal results included."""
    _, k_bits, mantissa = _parts(b, x)
    fast = scaled(b, mantissa, k_bits)
    extreme = negated(b, less(b, b.abs(x), NORMAL))

    def slow() -> list[Element]:
        return b.call("extreme_exp", extreme_exp, [x], ["float64"])

    return b.rare(extreme, slow, [fast], ["float64"])[0]


def extreme_exp(b: Build, x: Element) -> list[Element]:
    """e^x for every x: rounded to subnormals, 0 and infinity where they are due."""
    inside = choose(b, less(b, x, -750.0), -750.0, x)
    inside = choose(b, less(b, 710.0, inside), 710.0, inside)
    k, _, mantissa = _parts(b, inside)
    first, second = halves_of_power(b, k)
    return [b.mul(b.mul(mantissa, first), second)]


def _parts(b: Build, x: Element) -> tuple[Element, Element, Element]:
    """k, bits that end in k, and e^r."""
    k, k_bits = nearest(b, x, LOG2_E)
    r = b.fma(k, -L2, b.fma(k, -L1, x))
    rise = b.fma(b.mul(r, r), polynomial(b, r, EXPONENTIAL), r)
    return k, k_bits, b.add(rise, 1.0)
