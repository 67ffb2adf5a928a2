"""Linear equations of implicit steps, whose matrices need be neither symmetric nor
definite.

    P A = L U,      x = U^-1 L^-1 P b

by Gauss's elimination, the largest entry of each column taken as its pivot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from polhode.formulation.solve import ITERATIONS, RELATIVE, VANISHING

# Above this size straight code is longer than a loop over columns is slow.
STRAIGHT = 8

Solver = Callable[[Any], Any]


def eliminated(A: Any) -> Solver:
    """b -> x with A x = b for any regular A (n, n); b is (n,) or (n, k)."""
    return _straight(A) if A.shape[0] <= STRAIGHT else _in_loops(A)


def solve_held(K: Any, r: Any, rows: tuple[Any, Any], g: Any) -> tuple[Any, Any]:
    """x (n,) and l (m,) with  K x = r + B^T l,  A x = g;  `rows` is (A, B).

    K need not be symmetric, nor A be B. As for accelerations (see `solve`) no rank is
    decided: rows may be redundant.
    """
    A, B = rows
    if A.shape[0] == 0:
        return eliminated(K)(r), jnp.zeros(0)
    m = A.shape[0]
    size = jnp.trace(jnp.abs(K)) / K.shape[0]
    weight = size / (jnp.sum(jnp.abs(A * B)) + VANISHING)
    right = [(r + weight * B.T @ g)[:, None], B.T]
    both = eliminated(K + weight * B.T @ A)(jnp.concatenate(right, axis=1))
    free, yielding = both[:, 0], both[:, 1:]
    S, gap = A @ yielding, g - A @ free
    small = RELATIVE * jnp.trace(jnp.abs(S)) / m + VANISHING / size
    proximal = eliminated(S + small * jnp.eye(m))
    intensity = proximal(gap)
    for _ in range(ITERATIONS - 1):
        intensity = intensity + proximal(gap - S @ intensity)
    return free + yielding @ intensity, intensity


def _straight(A: Any) -> Solver:
    n = A.shape[0]
    rows = [A[i] for i in range(n)]
    swaps = []
    for k in range(n):
        sizes = jnp.stack([jnp.abs(row[k]) for row in rows[k:]])
        swaps.append(k + jnp.argmax(sizes))
        rows = _exchanged(rows, k, swaps[k])
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rest = rows[i][k + 1 :] - factor * rows[k][k + 1 :]
            rows[i] = jnp.concatenate([rows[i][:k], factor[None], rest])

    def solve(b: Any) -> Any:
        y = [b[i] for i in range(n)]
        for k in range(n):
            y = _exchanged(y, k, swaps[k])
        for k in range(n):
            for i in range(k + 1, n):
                y[i] = y[i] - rows[i][k] * y[k]
        for k in reversed(range(n)):
            for j in range(k + 1, n):
                y[k] = y[k] - rows[k][j] * y[j]
            y[k] = y[k] / rows[k][k]
        return jnp.stack(y)

    return solve


def _exchanged(rows: list[Any], k: int, chosen: Any) -> list[Any]:
    """Rows k and `chosen` >= k exchanged, which one being known only when run."""
    new = list(rows)
    for i in range(k + 1, len(rows)):
        hit = chosen == i
        new[k] = jnp.where(hit, rows[i], new[k])
        new[i] = jnp.where(hit, rows[k], rows[i])
    return new


def _in_loops(A: Any) -> Solver:
    n = A.shape[0]
    place = jnp.arange(n)

    def eliminate(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        rest, swaps = state
        sizes = jnp.where(place >= k, jnp.abs(rest[:, k]), -1.0)
        chosen = jnp.argmax(sizes)
        rest = _swapped(rest, place, k, chosen)
        below = place > k
        factor = jnp.where(below, rest[:, k] / rest[k, k], 0.0)
        right = jnp.where(below, rest[k], 0.0)
        rest = rest - factor[:, None] * right[None, :]
        # What is done keeps the factors, where the zeros would be.
        kept = jnp.where(below[:, None] & (place == k)[None, :], factor[:, None], rest)
        return kept, swaps.at[k].set(chosen)

    start = (jnp.asarray(A), jnp.zeros(n, place.dtype))
    packed, swaps = lax.fori_loop(0, n, eliminate, start)

    def solve(b: Any) -> Any:
        columns = b if b.ndim == 2 else b[:, None]

        def ordered(k: Any, y: Any) -> Any:
            return _swapped(y, place, k, swaps[k])

        def forward(k: Any, y: Any) -> Any:
            factor = jnp.where(place > k, packed[:, k], 0.0)
            return y - factor[:, None] * y[k][None, :]

        def backward(i: Any, y: Any) -> Any:
            k = n - 1 - i
            x = y[k] / packed[k, k]
            y = jnp.where((place == k)[:, None], x[None, :], y)
            above = jnp.where(place < k, packed[:, k], 0.0)
            return y - above[:, None] * x[None, :]

        y = lax.fori_loop(0, n, ordered, columns)
        y = lax.fori_loop(0, n, forward, y)
        x = lax.fori_loop(0, n, backward, y)
        return x if b.ndim == 2 else x[:, 0]

    return solve


def _swapped(rows: Any, place: Any, k: Any, chosen: Any) -> Any:
    """Rows k and `chosen` exchanged; the second is picked by weights, not by index.

    Runs that go side by side in one vector choose different pivots.
    """
    other = jnp.sum(jnp.where((place == chosen)[:, None], rows, 0.0), axis=0)
    new = jnp.where((place == chosen)[:, None], rows[k][None, :], rows)
    return jnp.where((place == k)[:, None], other[None, :], new)
