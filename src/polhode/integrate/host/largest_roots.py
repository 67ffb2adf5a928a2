"""The largest roots of a matrix of which only products are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import (
    ArpackError,
    ArpackNoConvergence,
    LinearOperator,
    eigs,
)

# So many, to so much: it is their order of magnitude that is asked for.
LARGEST, ROUGHLY = 6, 1e-2
RESTARTS = 3


def largest_roots(product: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """Some roots (k,) of largest size of a matrix (n, n); none where they do not come.

    >>> sizes = np.arange(1.0, 101.0)
    >>> float(np.max(largest_roots(lambda x: sizes * x, 100).real)) > 99.0
    True
    """
    operator = LinearOperator((n, n), matvec=product, dtype=np.dtype(float))
    # A fixed start: the same run takes the same method.
    start = np.random.default_rng(1).normal(size=n)
    try:
        return eigs(
            operator,
            LARGEST,
            v0=start,
            tol=ROUGHLY,
            maxiter=RESTARTS,
            return_eigenvectors=False,
        )
    except ArpackNoConvergence as some:
        return some.eigenvalues
    except ArpackError:
        return np.zeros(0)
