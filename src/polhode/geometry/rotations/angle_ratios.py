"""Ratios of an angle's sines to its powers, whole and exact down to the angle zero.

Each is a function of x = θ², the squared angle, because that is smooth where the
rotation vector vanishes and θ itself is not. For small θ a series in x is used, long
enough for double precision and for its derivatives; above it the closed form is, and
neither branch divides by what it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, pi
from typing import Any

from polhode.arrays import Array, Scalar, namespace, removable

SMALL = 1.0
_SINE = [(-1) ** n / factorial(2 * n + 1) for n in range(10)]
_VERSINE = [(-1) ** n / factorial(2 * n + 2) for n in range(10)]
_SINE_DEFECT = [(-1) ** n / factorial(2 * n + 3) for n in range(9)]
# |B_2n| / (2n)! = 2 ζ(2n) / (2π)^2n, Bernoulli's numbers, n = 1, 2, ...; the fractions
# first, then ζ by as many terms as count. Enough for θ < 2, where the closed form's
# cancellation no longer spoils its derivatives.
_COTANGENT_DEFECT = [
    *(1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000),
    *(
        2 * sum(k ** (-2.0 * n) for k in range(1, 20)) / (2 * pi) ** (2 * n)
        for n in range(7, 19)
    ),
]
_ARCTANGENT = [(-1) ** n / (2 * n + 1) for n in range(14)]


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """c0 + c1 x + c2 x² + ..., by Horner's rule."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def sine_ratio(x: Array) -> Any:
    """sin θ / θ, with x = θ²; 1 at zero."""
    xp = namespace(x)
    small = x < SMALL
    angle = xp.sqrt(removable(small, SMALL, x))
    return removable(small, polynomial(_SINE, x), xp.sin(angle) / angle)


def versine_ratio(x: Array) -> Any:
    """(1 - cos θ) / θ², with x = θ²; 1/2 at zero."""
    xp = namespace(x)
    small = x < SMALL
    safe = removable(small, SMALL, x)
    half_sine = xp.sin(xp.sqrt(safe) / 2)
    return removable(small, polynomial(_VERSINE, x), 2 * half_sine**2 / safe)


def sine_defect_ratio(x: Array) -> Any:
    """(θ - sin θ) / θ³, with x = θ²; 1/6 at zero."""
    xp = namespace(x)
    small = x < SMALL
    safe = removable(small, SMALL, x)
    angle = xp.sqrt(safe)
    exact = (angle - xp.sin(angle)) / (safe * angle)
    return removable(small, polynomial(_SINE_DEFECT, x), exact)


def cotangent_defect_ratio(x: Array) -> Any:
    """(1 - (θ/2) cot(θ/2)) / θ², with x = θ²; 1/12 at zero, 1/π² at π.

    Infinite at θ = 2π, where a rotation vector passes through the identity again.
    """
    xp = namespace(x)
    small = x < 4 * SMALL
    safe = removable(small, 4 * SMALL, x)
    half = xp.sqrt(safe) / 2
    exact = (1 - half * xp.cos(half) / xp.sin(half)) / safe
    return removable(small, polynomial(_COTANGENT_DEFECT, x), exact)


def arctangent_ratio(sine: Scalar, cosine: Scalar) -> Any:
    """atan2(s, c) / s where s ≥ 0 is given by its square, c ≥ 0; 1/c at s = 0.

    `sine` is s². The two need not be normalised.
    """
    xp = namespace(sine, cosine)
    small = 16 * sine < cosine**2
    safe_cosine = removable(small, cosine, 1.0)
    tangent2 = removable(small, sine, 0.0) / safe_cosine**2
    length = xp.sqrt(removable(small, 1.0, sine))
    series = polynomial(_ARCTANGENT, tangent2) / safe_cosine
    return removable(small, series, xp.arctan2(length, cosine) / length)
