"""Symmetric matrices with a band about the diagonal, factored and solved in loops.

    K = L diag(d) L^T,      band[j, s] = K[j, j + s],   s = 0 .. width

A loop goes down the diagonal with a window of `width` rows: what a row costs does not
depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array

TOGETHER = 4  # rows in one turn of a loop, so that turning costs little


def band_of(K: Array, width: int) -> Any:
    """The upper half of the band of K (n, n), row by row: (n, width + 1)."""
    n = K.shape[0]
    rows = np.arange(n)[:, None]
    columns = rows + np.arange(width + 1)
    inside = columns < n
    return jnp.where(inside, K[rows, np.minimum(columns, n - 1)], 0.0)


def factored_band(band: Array) -> Callable[[Any], Any]:
    """b -> x with K x = b, for one column b (n,); K is factored once."""
    n, width = band.shape[0], band.shape[1] - 1
    if width == 0:
        return lambda b: b / band[:, 0]
    d, columns = _eliminated(band)

    def solve(b: Array) -> Any:
        def down(pending: Array, at: tuple[Any, Any]) -> tuple[Any, Any]:
            column, b_j = at
            y = b_j - pending[0]
            later = jnp.concatenate([pending[1:], jnp.zeros(1)])
            return later + column * y, y

        def up(after: Array, at: tuple[Any, Any]) -> tuple[Any, Any]:
            column, y = at
            x = y - column @ after
            return jnp.concatenate([x[None], after[:-1]]), x

        nothing = jnp.zeros(width)
        padded = jnp.concatenate([b, jnp.zeros(d.shape[0] - n)])
        y = _walk(down, nothing, (columns, padded))
        return _walk(up, nothing, (columns, y / d), reverse=True)[:n]

    return solve


def _eliminated(band: Array) -> tuple[Any, Any]:
    """d (n,) and the columns (n, width) of L below its unit diagonal.

    Rows of a unit matrix follow the last, to a whole number of `TOGETHER`.
    """
    n, width = band.shape[0], band.shape[1] - 1
    # The product of entries i and j of a row falls on row i, j - i off the diagonal.
    i = np.arange(width)[:, None]
    j = i + np.arange(width + 1)
    reaches = j < width
    total = n + -n % TOGETHER
    beyond = np.eye(1, width + 1).repeat(width + total - n, axis=0)
    padded = jnp.concatenate([band, beyond])

    def step(window: Array, fresh: Array) -> tuple[Any, Any]:
        pivot, row = window[0, 0], window[0, 1:]
        column = row / pivot
        change = jnp.where(reaches, column[:, None] * row[np.minimum(j, width - 1)], 0)
        below = jnp.concatenate([window[1:], fresh[None]])
        return below - change, (pivot, column)

    return _walk(step, padded[:width], padded[width:])


def _walk(
    step: Callable[..., Any], start: Array, along: Any, reverse: bool = False
) -> Any:
    """What a step gives at every row, in a loop that takes several rows a turn."""
    parts = jax.tree.map(lambda x: x.reshape(-1, TOGETHER, *x.shape[1:]), along)
    order = range(TOGETHER)[::-1] if reverse else range(TOGETHER)

    def turn(carry: Array, rows: Any) -> tuple[Any, Any]:
        found: list[Any] = [None] * TOGETHER
        for k in order:
            carry, found[k] = step(carry, jax.tree.map(lambda x, k=k: x[k], rows))
        return carry, jax.tree.map(lambda *x: jnp.stack(x), *found)

    _, given = lax.scan(turn, start, parts, reverse=reverse)
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), given)
