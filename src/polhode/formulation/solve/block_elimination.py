r"""Matrices with few entries, not symmetric, eliminated without pivots.

    K = L U

Where their places are known when a program is made, straight code for these entries
alone. Where they follow from what touches, loops over blocks of six: a block that is
zero is looked at and left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import IN_MEMORY, Array, Scalar, scanned, shared
from polhode.formulation.solve.active_contacts import row_of, with_row
from polhode.formulation.solve.ordering import by_degree
from polhode.formulation.solve.sparse import Below, below_pivots

# Products up to which an elimination is straight code.
STRAIGHT = 6000
SIDE = 6  # of a block: the speeds of a free body

Solver = Callable[[Any], Any]


def eliminated(K: Any, pattern: np.ndarray) -> Solver | None:
    """b (n,) -> x with K x = b, in straight code; None where that is too long.

    `pattern` (n, n) is symmetric and says which entries are read.
    """
    order = by_degree(pattern)
    assert order is not None
    below = below_pivots(pattern[np.ix_(order, order)])
    if sum(len(own) * (len(own) + 2) for own in below) > STRAIGHT:
        return None
    pairs = [(i, j) for j, own in enumerate(below) for i in own]
    factor = _eliminated(K, order, below, pairs)
    back, place = np.argsort(order), {pair: k for k, pair in enumerate(pairs)}

    @shared
    def solve(lower: Any, upper: Any, inverses: Any, b: Array) -> Any:
        x, lower, upper = (list(jnp.unstack(a)) for a in (b[order], lower, upper))
        for j, own in enumerate(below):
            for i in own:
                x[i] = x[i] - lower[place[i, j]] * x[j]
        for j, inverse in reversed(list(enumerate(jnp.unstack(inverses)))):
            for i in below[j]:
                x[j] = x[j] - upper[place[i, j]] * x[i]
            x[j] = x[j] * inverse
        return jnp.stack(x)[back]

    return lambda b: solve(*factor, b)


def _eliminated(
    K: Array, order: np.ndarray, below: Below, pairs: list[tuple[int, int]]
) -> tuple[Any, Any, Any]:
    """L below its diagonal and U above it, at the pairs (i, j); 1 / diagonal of U."""
    n = len(order)
    whole = [*((k, k) for k in range(n)), *pairs, *((j, i) for i, j in pairs)]
    i, j = np.array(whole).T
    rows = dict(zip(whole, jnp.unstack(K[order[i], order[j]]), strict=True))
    inverses = []
    for j, own in enumerate(below):
        inverses.append(1.0 / rows[j, j])
        for i in own:
            rows[i, j] = rows[i, j] * inverses[j]
            for h in own:
                rows[i, h] = rows[i, h] - rows[i, j] * rows[j, h]
    if not pairs:
        return jnp.ones(1), jnp.ones(1), jnp.stack(inverses)
    lower = jnp.stack([rows[pair] for pair in pairs])
    upper = jnp.stack([rows[j, i] for i, j in pairs])
    return lower, upper, jnp.stack(inverses)


def blocks_of(n: int) -> int:
    """How many blocks n unknowns have."""
    return -(-n // SIDE)


def eliminated_in_blocks(K: Array, flags: Any) -> Solver:
    """b (n,) -> x with K x = b, in loops over blocks.

    n is a multiple of `SIDE`; `flags` (m, m), symmetric, says which blocks of K are not
    zero. Blocks that few others are coupled with come first: balls at the edge of a
    pile then fill in little, where the order of their numbers would fill in most.
    """
    count = flags.shape[0]
    numbers = np.arange(count)
    order = _by_degree(flags)
    start = _in_order(flags, order)

    def row(k: Scalar, i: Any, K: Array, F: Array) -> tuple[Any, Any]:
        above, pivot = row_of(order, i), row_of(order, k)
        share = _block(K, above, pivot) @ _block(K, pivot, pivot)

        def column(state: Any, j: Any) -> tuple[Any, None]:
            def reduced() -> tuple[Any, Any]:
                K, F = state
                place = row_of(order, j)
                left = _block(K, above, place) - share @ _block(K, pivot, place)
                return _with_block(K, left, above, place), F.at[i, j].set(True)

            is_live = (j > k) & state[1][k, j]
            return lax.cond(is_live, reduced, lambda: state), None

        return scanned(column, (_with_block(K, share, above, pivot), F), numbers)[0]

    def pivot(state: Any, pair: Any) -> tuple[Any, None]:
        i, k, is_first = pair
        place = row_of(order, k)
        state = lax.cond(is_first, lambda: _inverted(place, *state), lambda: state)
        is_live = state[1][i, k]
        return lax.cond(is_live, lambda: row(k, i, *state), lambda: state), None

    # Pairs (i, k), i > k, pivot by pivot: half of the blocks are never looked at.
    k, i = np.triu_indices(count, 1)
    state = scanned(pivot, (K, start), (i, k, i == k + 1))[0]
    last = row_of(order, count - 1)
    LU, F = _inverted(last, *state)

    def solve(b: Array) -> Any:
        def reduced(x: Array, i: Any, j: Any) -> Any:
            return _reduced(x, LU, row_of(order, i), row_of(order, j))

        def forward(x: Array, pair: Any) -> tuple[Any, None]:
            i, j = pair
            return lax.cond(F[i, j], lambda: reduced(x, i, j), lambda: x), None

        def backward(x: Array, pair: Any) -> tuple[Any, None]:
            i, j, is_last = pair
            x = lax.cond(F[i, j], lambda: reduced(x, i, j), lambda: x)
            place = row_of(order, i)
            return lax.cond(is_last, lambda: _divided(x, LU, place), lambda: x), None

        i, j = np.tril_indices(count, -1)
        x = _divided(scanned(forward, b, (i, j))[0], LU, last)
        upper = np.array(
            [
                (i, j, j == count - 1)
                for i in reversed(range(count - 1))
                for j in range(i + 1, count)
            ]
        ).reshape(-1, 3)
        rows = (upper[:, 0], upper[:, 1], upper[:, 2].astype(bool))
        return scanned(backward, x, rows)[0]

    return solve


def _by_degree(flags: Any) -> Any:
    """The numbers of m blocks, those coupled with few others first; then any."""
    count = flags.shape[0]

    def degree(_: object, row: Any) -> Any:
        return None, jnp.sum(jnp.where(row, 1, 0))

    degrees = scanned(degree, None, flags)[1]
    numbers = np.arange(count)

    def placed(order: Any, row: Any) -> Any:
        i, own = row
        is_before = (degrees < own) | ((degrees == own) & (numbers < i))
        return with_row(order, i, jnp.sum(jnp.where(is_before, 1, 0))), None

    # As long as lets it lie in memory.
    none = jnp.zeros(max(count, IN_MEMORY), jnp.int64)
    return scanned(placed, none, (numbers, degrees))[0]


def _in_order(flags: Any, order: Any) -> Any:
    """The flags of blocks in their order."""
    count = flags.shape[0]
    i, j = (each.reshape(-1) for each in np.indices((count, count)))

    def one(F: Any, pair: Any) -> tuple[Any, None]:
        i, j = pair
        return F.at[i, j].set(flags[row_of(order, i), row_of(order, j)]), None

    return scanned(one, jnp.zeros((count, count), bool), (i, j))[0]


def _inverted(k: Scalar, K: Array, F: Array) -> tuple[Any, Any]:
    return _with_block(K, _inverse(_block(K, k, k)), k, k), F


def _reduced(x: Array, LU: Any, i: Any, j: Any) -> Any:
    """x with the share of part j taken from part i."""
    left = _part(x, i) - _block(LU, i, j) @ _part(x, j)
    return lax.dynamic_update_slice(x, left, (SIDE * i,))


def _divided(x: Array, LU: Any, i: Any) -> Any:
    """x with part i divided by its pivot."""
    own = _block(LU, i, i) @ _part(x, i)
    return lax.dynamic_update_slice(x, own, (SIDE * i,))


def _block(K: Array, i: Any, j: Any) -> Any:
    return lax.dynamic_slice(K, (SIDE * i, SIDE * j), (SIDE, SIDE))


def _with_block(K: Array, block: Any, i: Any, j: Any) -> Any:
    return lax.dynamic_update_slice(K, block, (SIDE * i, SIDE * j))


def _part(x: Array, i: Any) -> Any:
    return lax.dynamic_slice(x, (SIDE * i,), (SIDE,))


def _inverse(B: Array) -> Any:
    """By Gauss and Jordan, without pivots."""
    n = B.shape[0]
    rows = [jnp.concatenate([B[i], np.eye(n)[i]]) for i in range(n)]
    for k in range(n):
        rows[k] = rows[k] * (1.0 / rows[k][k])
        for i in range(n):
            if i != k:
                rows[i] = rows[i] - rows[i][k] * rows[k]
    return jnp.stack([row[n:] for row in rows])
