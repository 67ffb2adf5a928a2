"""Bodies of which only the moments are known: bars to what holds them, and a block.

The block is the even box, or the even cylinder, that has the moments:

    box        a² = 6 (J_y + J_z - J_x)/m
    cylinder   r² = 2 J_axis/m,   h² = 12 J_across/m - 3 r²

Where bars reach out from the mass centre the block is drawn at a share of its size, so
that bodies that turn about a joint do not stand in each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SAME = 1e-6  # of the largest moment: two that differ by less are those of a cylinder
THIN = 0.04  # of the longest side, which a flat block has at least
SHARE = 0.42  # of its size: the block of a body that has bars
THICK = 0.05  # of the longest bar: the radius of bars
NEAR = 0.08  # of the farthest point: points as near to the mass centre have no bar


def block_sizes(mass: float, inertia: Any) -> tuple[str, np.ndarray, np.ndarray]:
    """The kind, the sizes and the axes (columns) of the block of some moments.

    A box has three sides; a cylinder, about its third axis, a radius and a length.
    """
    J, axes = np.linalg.eigh(np.asarray(inertia, float))
    if np.linalg.det(axes) < 0:
        axes = -axes
    low, high = (abs(J[1] - J[0]) < SAME * J[2], abs(J[2] - J[1]) < SAME * J[2])
    if low != high:  # two are equal: turned about the third
        k = 2 if low else 0
        radius = np.sqrt(2 * J[k] / mass)
        length = np.sqrt(max(12 * J[1] / mass - 3 * radius**2, 0.0))
        longest = max(2 * radius, length)
        sizes = np.maximum([radius, length], [THIN * longest / 2, THIN * longest])
        return "cylinder", sizes, np.roll(axes, 2 - k, axis=1)
    sides = np.sqrt(np.maximum(6 * (J.sum() - 2 * J) / mass, 0.0))
    return "box", np.maximum(sides, THIN * sides.max()), axes


def bars(
    centre: np.ndarray, points: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Both ends and the radius of the bars from the mass centre to points (k, 3)."""
    arms = np.linalg.norm(points - centre, axis=1)
    longest = float(np.max(arms, initial=0.0))
    return [
        (centre, point, THICK * longest)
        for point, arm in zip(points, arms, strict=True)
        if arm > NEAR * longest
    ]
