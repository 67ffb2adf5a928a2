"""Matrices that need no pivots, eliminated row by row: straight code, or loops.

    K = L U

Rows of a step of contacts are scaled, and an inertia is definite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar, scanned

# Above this size straight code is longer than a loop over columns is slow.
STRAIGHT = 14


def solve_rows_in_order(K: Array, b: Array) -> Any:
    """x with K x = b by elimination in the order of the rows, without pivots.

    b is (n,) or (n, k). Rows of Newton's step are scaled by rho, and open ones are
    those of 1; an inertia is definite but for the step's share of what turns.
    """
    return eliminated_in_order(K)(b)


def eliminated_in_order(K: Array) -> Callable[[Any], Any]:
    """b -> x with K x = b, as often as it is asked; see `solve_rows_in_order`."""
    straight = K.shape[0] <= STRAIGHT
    eliminate: Callable[..., Any] = _straight if straight else _in_loops
    return eliminate(K)


def _straight(K: Array) -> Callable[[Any], Any]:
    n = K.shape[0]
    rows = [K[i] for i in range(n)]
    inverses: list[Any] = []
    shares: list[list[Any]] = []  # of column j, those of the rows below
    for j in range(n):
        inverses.append(1.0 / rows[j][0])
        shares.append([rows[i][0] * inverses[j] for i in range(j + 1, n)])
        for i in range(j + 1, n):
            # What is left of the column is zero, and is not written.
            rows[i] = rows[i][1:] - shares[j][i - j - 1] * rows[j][1:]

    def solve(b: Array) -> Any:
        right = [b[i] for i in range(n)]
        for j in range(n):
            for i in range(j + 1, n):
                right[i] = right[i] - shares[j][i - j - 1] * right[j]
        x: list[Any] = [None] * n
        for i in reversed(range(n)):
            rest = right[i]
            for j in range(i + 1, n):
                rest = rest - rows[i][j - i] * x[j]
            x[i] = rest * inverses[i]
        return jnp.stack(x)

    return solve


def _in_loops(K: Array) -> Callable[[Any], Any]:
    """Loops over rows: shares of rows take the place of what they eliminate."""
    n = K.shape[0]
    index = jnp.arange(n)

    def eliminate(j: Any, rest: Any) -> Any:
        inverse, pivot = 1.0 / rest[j, j], jnp.where(index > j, rest[j], 0.0)

        def reduce(i: Any, rest: Any) -> Any:
            share = rest[i, j] * inverse
            row = jnp.where(index == j, share, rest[i] - share * pivot)
            return rest.at[i].set(jnp.where(i > j, row, rest[i]))

        return for_rows(n, reduce, rest)

    lu = for_rows(n, eliminate, K)

    def solve(b: Array) -> Any:
        def forward(i: Any, y: Any) -> Any:
            return y.at[i].add(-jnp.where(index < i, lu[i], 0.0) @ y)

        def backward(k: Scalar, x: Any) -> Any:
            j = n - 1 - k
            known = jnp.where(index > j, lu[j], 0.0) @ x
            return x.at[j].set((x[j] - known) / lu[j, j])

        return for_rows(n, backward, for_rows(n, forward, b))

    return solve


def for_rows(n: int, turn: Callable[[Any, Any], Any], start: Any) -> Any:
    """`turn(i, state)` of n rows or sweeps: a loop in programs too, however few."""
    return scanned(lambda state, i: (turn(i, state), None), start, jnp.arange(n))[0]
