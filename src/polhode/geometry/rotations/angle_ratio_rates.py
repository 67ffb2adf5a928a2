"""Derivatives of the angle ratios of SO(3), for the translations of SE(3).

Each is d/dx of a ratio in `angle_ratios`, x = θ². By the principle of transference a
Jacobian of SE(3) is the SO(3) one at the dual rotation vector φ + ε ρ, and its ε part
needs these. Below θ = 2 a series is used: the closed forms cancel like θ⁻⁴.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from typing import Any

from polhode.arrays import Array, namespace, removable
from polhode.geometry.rotations.angle_ratios import polynomial

SMALL = 4.0


def _bernoulli(count: int) -> list[Fraction]:
    """Bernoulli's numbers B_0 ... B_(count - 1), by their recurrence."""
    numbers: list[Fraction] = []
    for m in range(count):
        known = sum((comb(m + 1, k) * b for k, b in enumerate(numbers)), Fraction(0))
        numbers.append(Fraction(1) if m == 0 else -known / (m + 1))
    return numbers


_VERSINE = [(-1) ** n * n / factorial(2 * n + 2) for n in range(1, 14)]
_SINE_DEFECT = [(-1) ** n * n / factorial(2 * n + 3) for n in range(1, 13)]
# n |B_(2n + 2)| / (2n + 2)!
_COTANGENT_DEFECT = [
    float(n * abs(number) / factorial(2 * n + 2))
    for n, number in enumerate(_bernoulli(38)[2::2])
][1:]


def versine_ratio_rate(x: Array) -> Any:
    """d/dx of (1 - cos θ)/θ²; -1/24 at zero.

    ((θ/2) sin θ + cos θ - 1)/θ⁴
    """
    xp = namespace(x)
    small = x < SMALL
    safe = removable(small, SMALL, x)
    angle = xp.sqrt(safe)
    exact = (angle / 2 * xp.sin(angle) - 2 * xp.sin(angle / 2) ** 2) / safe**2
    return removable(small, polynomial(_VERSINE, xp.where(small, x, 0.0)), exact)


def sine_defect_ratio_rate(x: Array) -> Any:
    """d/dx of (θ - sin θ)/θ³; -1/120 at zero.

    (3 sin θ - 2 θ - θ cos θ)/(2 θ⁵)
    """
    xp = namespace(x)
    small = x < SMALL
    safe = removable(small, SMALL, x)
    angle = xp.sqrt(safe)
    sine, cosine = xp.sin(angle), xp.cos(angle)
    exact = (3 * sine - (2 + cosine) * angle) / (2 * angle * safe**2)
    return removable(small, polynomial(_SINE_DEFECT, xp.where(small, x, 0.0)), exact)


def cotangent_defect_ratio_rate(x: Array) -> Any:
    """d/dx of (1 - (θ/2) cot(θ/2))/θ²; 1/720 at zero, infinite at 2π.

    ((θ/2)²/sin²(θ/2) + (θ/2) cot(θ/2) - 2)/(2 θ⁴)
    """
    xp = namespace(x)
    small = x < SMALL
    safe = removable(small, SMALL, x)
    half = xp.sqrt(safe) / 2
    ratio = half / xp.sin(half)
    exact = (ratio**2 + ratio * xp.cos(half) - 2) / (2 * safe**2)
    series = polynomial(_COTANGENT_DEFECT, xp.where(small, x, 0.0))
    return removable(small, series, exact)
