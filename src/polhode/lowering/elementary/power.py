"""Powers and roots.

    x^y = e^(y log x),      x = 2^k (1 + f),  s = f / (2 + f)
    log x = k ln 2 + 2 s + (2/3) s^3 + s^5 Q(s^2)

The exponent may be as large as 745 and its error becomes the relative error of the
power: the logarithm is therefore carried as high + low, good to 2^-65 of itself.
"""

from __future__ import annotations

from polhode.lowering.elementary.bits import (
    INFINITY,
    NAN,
    TINY,
    bits_of,
    both,
    choose,
    either,
    equal,
    flip,
    float_of,
    halves_of_power,
    is_nan,
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
from polhode.lowering.elementary.exponential import (
    FLOAT,
    L1,
    L2,
    LOG2_E,
    NORMAL,
    reduced_exponent,
)
from polhode.lowering.elementary.logarithm import is_not_normal, split
from polhode.lowering.elementary.polynomial import polynomial

TWO_THIRDS = 0.6666666666666666
TWO_THIRDS_ERROR = 3.700743415417188e-17

# (2 artanh s - 2 s - 2/3 s^3) / s^5 in z = s^2 on [0, 1.0001 (3 - sqrt 8)^2]
REMAINDER = (
    0.4,
    0.28571428571429364,
    0.22222222221655885,
    0.18181818335392802,
    0.1538459496251843,
    0.1333480469384731,
    0.11706236339491206,
    0.11723178623876518,
)
# m^(-1/3) in m on [1/2, 4]
INVERSE_ROOT = (
    1.863292226939474,
    -1.8014807815629674,
    1.5070652810892966,
    -0.7572091019168168,
    0.2187794143645443,
    -0.033481340744897385,
    0.0020992887130498335,
)


def pow(b: Build, x: Element, y: Element) -> Element:
    """x^y, within 1.6 ulp; its special values are those of C99."""
    exponent, low = _exponent(b, x, 0.0, y)
    k_bits, rise, tail = reduced_exponent(b, exponent, low)
    fast = scaled(b, b.add(b.add(rise, tail), 1.0), k_bits)
    large = negated(b, less(b, b.abs(exponent), NORMAL))

    def slow() -> list[Element]:
        return b.call("extreme_pow", extreme_pow, [x, y], FLOAT)

    return b.rare(either(b, is_not_normal(b, x), large), slow, [fast], FLOAT)[0]


def extreme_pow(b: Build, x: Element, y: Element) -> list[Element]:
    """x^y for every x and y."""
    size = b.abs(x)
    whole = equal(b, b.apply("floor", "float64", y), y)
    half = b.mul(y, 0.5)
    odd = both(b, whole, negated(b, equal(b, b.apply("floor", "float64", half), half)))

    result = _magnitude(b, size, y)
    sign = b.select(odd, sign_bit(b, x), 0, "int64")
    result = flip(b, result, sign)
    ordinary = both(b, less(b, 0.0, size), less(b, size, INFINITY))
    fraction = both(b, ordinary, less(b, x, 0.0), negated(b, whole))
    result = choose(b, either(b, fraction, is_nan(b, x), is_nan(b, y)), NAN, result)
    unit = either(b, equal(b, x, 1.0), equal(b, y, 0.0))
    return [choose(b, unit, 1.0, result)]


def _magnitude(b: Build, size: Element, y: Element) -> Element:
    """size^y for size >= 0."""
    subnormal = less(b, size, TINY)
    inside = choose(b, subnormal, b.mul(size, 2.0**54), size)
    also = choose(b, subnormal, -54.0, 0.0)
    exponent, low = _exponent(b, inside, also, y)
    within = less(b, b.abs(exponent), 800.0)
    low = choose(b, within, low, 0.0)
    exponent = choose(b, less(b, exponent, -800.0), -800.0, exponent)
    exponent = choose(b, less(b, 800.0, exponent), 800.0, exponent)
    _, rise, tail = reduced_exponent(b, exponent, low)
    k, _ = nearest(b, exponent, LOG2_E)
    first, second = halves_of_power(b, k)
    ordinary = b.mul(b.mul(b.add(b.add(rise, tail), 1.0), first), second)

    endless = equal(b, b.abs(y), INFINITY)
    extreme = either(b, equal(b, size, 0.0), equal(b, size, INFINITY), endless)
    same = b.apply("xor", "bool", less(b, 1.0, size), less(b, y, 0.0))
    limit = choose(b, same, INFINITY, 0.0)
    limit = choose(b, equal(b, size, 1.0), 1.0, limit)
    return choose(b, extreme, limit, ordinary)


def _exponent(b: Build, x: Element, also: Element, y: Element) -> Pair:
    """y log(x 2^also) as high + low, of a positive normal x."""
    log_x, log_low = _log_pair(b, x, also)
    product, error = two_product(b, y, log_x)
    return product, b.fma(y, log_low, error)


def _log_pair(b: Build, x: Element, also: Element) -> Pair:
    k, m = split(b, x)
    k = b.add(k, also)
    f = b.sub(m, 1.0)
    s, less_s = quotient_pair(b, (f, 0.0), fast_two_sum(b, 2.0, f))
    z, z_low = two_product(b, s, s)
    z_low = b.fma(b.mul(s, -2.0), less_s, z_low)
    cube, cube_low = two_product(b, z, s)
    cube_low = b.add(cube_low, b.fma(z_low, s, b.neg(b.mul(z, less_s))))
    third, third_low = two_product(b, cube, TWO_THIRDS)
    third_low = b.add(
        third_low, b.fma(cube, TWO_THIRDS_ERROR, b.mul(cube_low, TWO_THIRDS))
    )
    tail = b.fma(b.mul(z, cube), polynomial(b, z, REMAINDER), third_low)
    near, low = fast_two_sum(b, b.add(s, s), third)
    low = b.add(low, b.fma(less_s, -2.0, tail))
    start, start_low = two_product(b, k, L1)
    total, error = fast_two_sum(b, start, near)
    low = b.add(error, b.add(b.fma(k, L2, start_low), low))
    return fast_two_sum(b, total, low)


def cbrt(b: Build, x: Element) -> Element:
    """The real cube root, within 0.6 ulp."""
    size = b.abs(x)

    def slow() -> list[Element]:
        return b.call("extreme_cbrt", extreme_cbrt, [size], FLOAT)

    fast = _cbrt_normal(b, size)
    root = b.rare(is_not_normal(b, size), slow, [fast], FLOAT)[0]
    return flip(b, root, sign_bit(b, x))


def extreme_cbrt(b: Build, x: Element) -> list[Element]:
    """The cube root of a subnormal number; zero, infinity and NaN are their own."""
    root = b.mul(_cbrt_normal(b, b.mul(x, 2.0**54)), 2.0**-18)
    subnormal = both(b, less(b, 0.0, x), less(b, x, TINY))
    return [choose(b, subnormal, root, x)]


def _cbrt_normal(b: Build, x: Element) -> Element:
    """2^k m^(1/3) with x = 2^3k m, 1/2 <= m < 4.

    r ~ m^(-1/3) is improved twice by e = 1 - m r^3, the last step on m r^2 itself with
    the rest m - (m r^2)^3 in twice the precision.
    """
    bits = bits_of(b, x)
    biased = b.apply("shift_right_logical", "int64", bits, 52)
    exponent = float_of(b, b.apply("or", "int64", biased, 0x4330000000000000))
    _, k_bits = nearest(b, b.sub(exponent, 2.0**52 + 1023.0), 1 / 3)
    thrice = b.add(b.add(k_bits, k_bits, "int64"), k_bits, "int64")
    thrice = b.apply("shift_left", "int64", thrice, 52)
    m = float_of(b, b.sub(bits, thrice, "int64"))

    r = polynomial(b, m, INVERSE_ROOT)
    e = b.fma(b.mul(b.mul(r, r), b.neg(r)), m, 1.0)
    step = b.fma(b.fma(e, 14 / 81, 2 / 9), e, 1 / 3)
    r = b.fma(b.mul(r, e), step, r)
    e = b.fma(b.mul(b.mul(r, r), b.neg(r)), m, 1.0)
    r = b.fma(b.mul(r, e), 1 / 3, r)
    weight = b.mul(r, r)
    y = b.mul(m, weight)
    square, square_low = two_product(b, y, y)
    rest = b.sub(b.fma(b.neg(square), y, m), b.mul(square_low, y))
    return scaled(b, b.fma(b.mul(rest, weight), 1 / 3, y), k_bits)


def rsqrt(b: Build, x: Element) -> Element:
    """1 / sqrt(x), within 1.5 ulp; rsqrt(-0) = -inf."""
    return b.div(1.0, b.sqrt(x))
