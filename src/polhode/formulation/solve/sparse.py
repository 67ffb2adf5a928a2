"""Symmetric matrices with few entries, at known places, factored in straight code.

    K = L diag(d) L^T

Which entries of L can differ from zero follows from those of K when the system is
built; no other is written. What a pivot costs depends on what it is coupled with, not
on how many unknowns there are: loops in a row cost as many times one loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array

Below = tuple[tuple[int, ...], ...]


def below_pivots(pattern: np.ndarray) -> Below:
    """For each pivot the later unknowns in its column of L, from the entries of K.

    Eliminating one couples all that it was coupled with; the first of them passes on.
    """
    columns = [set(np.flatnonzero(row[:j]).tolist()) for j, row in enumerate(pattern)]
    reached: list[set[int]] = [set() for _ in columns]
    for i, before in enumerate(columns):
        for j in before:
            reached[j].add(i)
    for own in reached:
        if own:
            reached[min(own)] |= own - {min(own)}
    return tuple(tuple(sorted(own)) for own in reached)


def products(below: Below) -> int:
    """Multiplications of one elimination and one solve."""
    return sum(len(own) * (len(own) + 5) // 2 for own in below)


def factored_sparse(
    entries: Array, places: np.ndarray, below: Below
) -> Callable[[Any], Any]:
    """b -> x with K x = b, for one column b (n,); K = entries[places] is factored once.

    K has no entries but on the diagonal and at `below`; its lower half is read.
    """
    lower, pivots = _eliminated(_numbers(entries, places, below), below)
    # JAX traces a jitted function once, however often it is called.
    solve = jax.jit(partial(_solved, below))
    return lambda b: solve(lower, pivots, b)


def _numbers(
    entries: Array, places: np.ndarray, below: Below
) -> dict[tuple[int, int], Any]:
    """The entries (i, j) of the lower half, i >= j, each a number."""
    pairs = [(i, j) for j, own in enumerate(below) for i in (j, *own)]
    i, j = np.array(pairs).T
    return dict(zip(pairs, jnp.unstack(entries[places[i, j]]), strict=True))


def _eliminated(
    entries: dict[tuple[int, int], Any], below: Below
) -> tuple[list[list[Any]], list[Any]]:
    """The columns of L below its unit diagonal, and d."""
    lower, pivots = [], []
    for j, own in enumerate(below):
        pivot = entries[j, j]
        column = [entries[i, j] / pivot for i in own]
        for a, i in enumerate(own):
            for h in own[a:]:
                entries[h, i] = entries[h, i] - column[a] * entries[h, j]
        lower.append(column)
        pivots.append(pivot)
    return lower, pivots


def _solved(below: Below, lower: list[list[Any]], pivots: list[Any], b: Array) -> Any:
    x = list(jnp.unstack(b))
    for j, own in enumerate(below):
        for i, factor in zip(own, lower[j], strict=True):
            x[i] = x[i] - factor * x[j]
    for j, own in reversed(list(enumerate(below))):
        x[j] = x[j] / pivots[j]
        for i, factor in zip(own, lower[j], strict=True):
            x[j] = x[j] - factor * x[i]
    return jnp.stack(x)
