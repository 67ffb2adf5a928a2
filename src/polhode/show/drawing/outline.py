"""Flat polygons cut into triangles."""

from __future__ import annotations

import numpy as np


def ears(outline: np.ndarray) -> list[tuple[int, int, int]]:
    """Triangles (numbers of corners) that fill a simple anticlockwise polygon (n, 2).

    An ear is a corner that turns left and whose triangle holds no other corner; every
    simple polygon has one, and what is left without it is simple again.

    >>> ears(np.array([[0, 0], [2, 0], [2, 2], [0, 2]]))
    [(3, 0, 1), (1, 2, 3)]
    """
    left = list(range(len(outline)))
    found = []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(outline, left, k)), 0)
        before, here, after = left[k - 1], left[k], left[(k + 1) % len(left)]
        found.append((before, here, after))
        left.pop(k)
    return [*found, (left[0], left[1], left[2])]


def _is_ear(outline: np.ndarray, left: list[int], k: int) -> bool:
    numbers = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = outline[list(numbers)]
    if _wedge(b - a, c - a) <= 0:
        return False
    others = outline[[i for i in left if i not in numbers]]
    sides = ((a, b), (b, c), (c, a))
    within = [_wedge(end - start, others - start) >= 0 for start, end in sides]
    return not np.any(np.all(within, axis=0))


def _wedge(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
