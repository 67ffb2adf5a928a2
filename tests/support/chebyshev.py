"""The coefficients that `polhode.lowering.elementary.polynomial` describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath


def interpolant(
    f: Callable[[Any], Any], low: Any, high: Any, count: int
) -> list[float]:
    """Coefficients, in powers of x, that fit f at `count` Chebyshev nodes."""
    with mpmath.workdps(80):
        middle, half = (mpmath.mpf(low) + high) / 2, (mpmath.mpf(high) - low) / 2
        nodes = [
            middle + half * mpmath.cos(mpmath.pi * (2 * j + 1) / (2 * count))
            for j in range(count)
        ]
        differences = [f(x) for x in nodes]  # Newton's divided differences
        for level in range(1, count):
            for j in range(count - 1, level - 1, -1):
                rise = differences[j] - differences[j - 1]
                differences[j] = rise / (nodes[j] - nodes[j - level])
        powers = [differences[-1]]
        for d, node in zip(differences[-2::-1], nodes[-2::-1], strict=True):
            powers = [d, *powers]
            for j in range(len(powers) - 1):
                powers[j] -= node * powers[j + 1]
        # What symmetry makes zero is left as noise of the eightieth digit.
        return [float(c) if abs(c) > mpmath.mpf(10) ** -60 else 0.0 for c in powers]
