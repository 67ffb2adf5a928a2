"""Principal axes: the directions in which spin and angular momentum agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, namespace, removable
from polhode.geometry.vector import cross
from polhode.matter.repeat import repeat

# Cyclic Jacobi on 3x3 converges quadratically; six sweeps reach rounding for any input.
SWEEPS = 6


def principal_axes(inertia: Array) -> tuple[Any, Any]:
    """Principal moments, ascending, and a right-handed triad of axes as columns.

        I = sum_k I_k E_k E_k,      I_1 <= I_2 <= I_3,      E_3 = E_1 x E_2

    inertia (3, 3) is symmetric; only its symmetric part counts. Equal moments leave
    their axes free: any orthonormal choice in that plane may come back. Cyclic Jacobi
    rotations, a fixed number of them, without branches.

    >>> principal_axes(np.diag([3.0, 1.0, 2.0]))[0]
    array([1., 2., 3.])
    """
    xp = namespace(inertia)
    scale = xp.max(xp.abs(inertia))
    scale = removable(scale == 0, 1.0, scale)
    even = 0.5 * (inertia + inertia.T) / scale
    start = xp.stack([even, xp.asarray(np.eye(3), dtype=even.dtype)])
    tensor, triad = repeat(_sweep, start, SWEEPS)
    moments = [tensor[k, k] for k in range(3)]
    moments, axes = _ascending(xp, moments, [triad[:, k] for k in range(3)])
    right_handed = xp.stack([*axes[:2], cross(*axes[:2])], axis=-1)
    return xp.stack(moments) * scale, right_handed


def _sweep(state: Array) -> Any:
    """One rotation in each of the three planes; state holds the tensor and the axes."""
    xp = namespace(state)
    a = [[state[0, i, j] for j in range(3)] for i in range(3)]
    e = [[state[1, i, j] for j in range(3)] for i in range(3)]
    for p, q in ((0, 1), (0, 2), (1, 2)):
        _annihilate(xp, a, e, p, q)
    rows = [xp.stack([xp.stack(row) for row in matrix]) for matrix in (a, e)]
    return xp.stack(rows)


def _annihilate(xp: Any, a: Any, e: Any, p: int, q: int) -> None:
    """Turn axes p and q, in place, so that the product of inertia a[p][q] goes."""
    product, gap = a[p][q], a[q][q] - a[p][p]
    sign = xp.where(gap < 0, -1.0, 1.0)
    square = gap * gap + 4.0 * product * product
    done = square == 0
    reach = xp.abs(gap) + xp.sqrt(removable(done, 1.0, square))
    tan = removable(done, 0.0, 2.0 * sign * product / reach)
    cos = 1.0 / xp.sqrt(1.0 + tan * tan)
    sin = tan * cos
    r = 3 - p - q
    a[p][p], a[q][q] = a[p][p] - tan * product, a[q][q] + tan * product
    a[p][q] = a[q][p] = xp.zeros_like(product)
    a[r][p], a[r][q] = cos * a[r][p] - sin * a[r][q], sin * a[r][p] + cos * a[r][q]
    a[p][r], a[q][r] = a[r][p], a[r][q]
    for row in e:
        row[p], row[q] = cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]


def _ascending(xp: Any, moments: list[Any], axes: list[Any]) -> tuple[Any, Any]:
    """Sort three moments with their axes by three exchanges."""
    for i, j in ((0, 1), (1, 2), (0, 1)):
        swap = moments[j] < moments[i]
        low, high = moments[i], moments[j]
        moments[i], moments[j] = xp.where(swap, high, low), xp.where(swap, low, high)
        low, high = axes[i], axes[j]
        axes[i], axes[j] = xp.where(swap, high, low), xp.where(swap, low, high)
    return moments, axes
