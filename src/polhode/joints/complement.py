"""A basis of what is square to given columns, by Householder's reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, namespace


def complement(columns: Array) -> Any:
    """An orthonormal basis (m, m - n) of the vectors square to n columns (m, n).

    The columns must be independent. The basis follows them smoothly, except where a
    reflection changes its sign.
    """
    xp = namespace(columns)
    size, count = columns.shape
    reflected, basis = columns, np.eye(size)
    for k in range(count):
        pivot = reflected[k, k]
        tail = reflected[:, k] * (np.arange(size) >= k)
        # Away from the pivot's own sign, so that nothing cancels.
        reach = xp.where(pivot < 0, -1.0, 1.0) * xp.sqrt(tail @ tail)
        mirror = tail + reach * np.eye(size)[k]
        mirror = mirror / xp.sqrt(mirror @ mirror)
        reflected = reflected - 2 * mirror[:, None] * (mirror @ reflected)
        basis = basis - 2 * (basis @ mirror)[:, None] * mirror
    return basis[:, count:]
