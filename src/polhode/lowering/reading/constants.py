"""Closed forms of doubles: 0.333... is 1/3, 0.7071... is sqrt(2)/2, 3.14... is pi.

A form is believed if it agrees to a few units in the last place and is so simple that
chance would hardly produce it: of doubles drawn at random fewer than one in a million
would be taken for such a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

TOLERANCE = 4 * 2.0**-52  # of a number: what folding a few constants may have rounded
# Of the fractions that are tried. Two with larger ones than these would be as near to a
# double by chance, and then what is read would look exact and not be.
DENOMINATOR = 10_000
UNDER_ROOT = 1_000  # of the square of a number
OF_PI = 720  # of a number over a power of pi: half degrees
LONG = 10**6  # fractions with greater denominators are shown as decimals
DIGITS = 12  # a number that prints in so few digits was typed as a decimal


@dataclass(frozen=True)
class Constant:
    """rational * sqrt(radicand) * pi^power; not `exact` if best shown as digits."""

    rational: Fraction
    radicand: int = 1
    pi: int = 0
    exact: bool = True


@cache
def recover(number: float) -> Constant:
    """The simplest closed form of a finite double."""
    if number == int(number):
        return Constant(Fraction(int(number)))
    found = simple(number, DENOMINATOR)
    if found is None and len(repr(abs(number)).split("e")[0].strip("0.")) <= DIGITS + 1:
        found = Fraction(repr(number))
    if found is not None:
        return Constant(found, exact=found.denominator <= LONG)
    return (
        _root(number)
        or _multiple_of_pi(number)
        or Constant(Fraction(number), exact=False)
    )


def simple(number: float, denominator: int) -> Fraction | None:
    """The fraction with a denominator up to the given one that a double stands for."""
    found = Fraction(number).limit_denominator(denominator)
    if abs(found - Fraction(number)) <= TOLERANCE * abs(number) and found != 0:
        return found
    return None


def _multiple_of_pi(number: float) -> Constant | None:
    for power in (1, -1, 2, -2):
        found = simple(number / math.pi**power, OF_PI)
        if found is not None and abs(found.numerator) <= OF_PI:
            return Constant(found, pi=power)
    return None


def _root(number: float) -> Constant | None:
    """sqrt(p/q), as r sqrt(n)."""
    square = simple(number * number, UNDER_ROOT)
    if square is None or square.numerator > UNDER_ROOT**2:
        return None
    outside, inside = square_part(square.numerator * square.denominator)
    sign = 1 if number > 0 else -1
    return Constant(Fraction(sign * outside, square.denominator), inside)


def square_part(n: int) -> tuple[int, int]:
    """(a, b) with n = a^2 b and b free of squares of small primes."""
    outside, inside = 1, n
    whole = math.isqrt(n)
    if whole * whole == n:
        return whole, 1
    for p in range(2, 1000):
        while inside % (p * p) == 0:
            inside //= p * p
            outside *= p
        if p * p > inside:
            break
    return outside, inside
