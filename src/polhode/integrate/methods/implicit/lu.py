"""Linear equations of implicit steps, whose matrices need be neither symmetric nor
definite.

    P A = L U,      x = U^-1 L^-1 P b

by Gauss's elimination, the largest entry of each column taken as its pivot. A complex
matrix is two real ones: rows (2, n) of real and imaginary parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.formulation.solve.equations_of_motion import FURTHER, RELATIVE, VANISHING
from polhode.system.natural_sizes import NaturalSizes

# Above this size straight code is longer than a loop over columns is slow.
STRAIGHT = 8

Solver = Callable[[Any], Any]


def lu_solver(A: Array) -> Solver:
    """b -> x with A x = b for any regular A (n, n); b is (n,) or (n, k)."""
    return _straight(A) if A.shape[0] <= STRAIGHT else _in_loops(A)


def eliminated_pair(P: Array, s: Scalar) -> Callable[[Any, Any], tuple[Any, Any]]:
    """(b, c) -> (u, v) with (P + i s)(u + i v) = b + i c, for P (n, n) and a number s.

    Twice as many real equations would take twice the work.
    """
    n = P.shape[0]
    if 2 * n <= STRAIGHT:
        skew = s * jnp.eye(n)
        both = _straight(jnp.block([[P, -skew], [skew, P]]))

        def solve(b: Array, c: Scalar) -> tuple[Any, Any]:
            found = both(jnp.concatenate([b, c]))
            return found[:n], found[n:]

        return solve
    packed, swaps = _complex_in_loops(P, s)

    def solve_complex(b: Array, c: Scalar) -> tuple[Any, Any]:
        y = _complex_substituted(packed, swaps, jnp.stack([b, c], axis=1))
        return y[:, 0], y[:, 1]

    return solve_complex


def solve_held(
    K: Array, r: Array, A: Array, B: Array, *, g: Any, natural: NaturalSizes
) -> tuple[Any, Any]:
    """x (n,) and l (m,) with  K x = r + B^T l,  A x = g.

    K need not be symmetric, nor A be B. As for accelerations (see `solve`) no rank is
    decided: rows may be redundant. Pivots are compared, so that all is measured by
    natural sizes first: then it does not depend on units.
    """
    if A.shape[0] == 0:
        return lu_solver(K)(r), jnp.zeros(0)
    m, c, s = A.shape[0], natural.speeds, natural.rows
    K, r, g = c[:, None] * K * c, c * r, g / s
    A, B = (part * c / s[:, None] for part in (A, B))
    size = _signed_size(K)
    weight = size / (jnp.sum(jnp.abs(A * B)) + VANISHING)
    right = [(r + weight * B.T @ g)[:, None], B.T]
    both = lu_solver(K + weight * B.T @ A)(jnp.concatenate(right, axis=1))
    free, yielding = both[:, 0], both[:, 1:]
    S, gap = A @ yielding, g - A @ free
    small = RELATIVE * _signed_size(S) + VANISHING / size
    proximal = lu_solver(S + small * jnp.eye(m))
    intensity = proximal(gap)
    for times in FURTHER:
        intensity = intensity + times * proximal(gap - S @ intensity)
    return c * (free + yielding @ intensity), intensity / s


def _signed_size(K: Array) -> Any:
    """The mean size of a diagonal, with its sign: of a step back it is negative."""
    size = jnp.trace(jnp.abs(K)) / K.shape[0]
    return jnp.where(jnp.trace(K) < 0, -size, size)


def _straight(A: Array) -> Solver:
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

    def solve(b: Array) -> Any:
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


def _in_loops(A: Array) -> Solver:
    n = A.shape[0]
    place = jnp.arange(n)

    def eliminate(k: Scalar, state: tuple[Any, Any]) -> tuple[Any, Any]:
        rest, swaps = state
        chosen = _largest(lambda i: jnp.abs(rest[i, k]), k, n)
        top, old = _row(rest, chosen), rest[k]

        def below(i: Any, rest: Any) -> Any:
            row = jnp.where(i == chosen, old, rest[i])
            factor = row[k] / top[k]
            # What is done keeps the factors, where the zeros would be.
            left = jnp.where(place == k, factor, row)
            return rest.at[i].set(jnp.where(place > k, row - factor * top, left))

        rest = lax.fori_loop(k + 1, n, below, rest.at[k].set(top))
        return rest, swaps.at[k].set(chosen)

    start = (jnp.asarray(A), jnp.zeros(n, place.dtype))
    packed, swaps = rolled(n, eliminate, start)

    def solve(b: Array) -> Any:
        columns = b if b.ndim == 2 else b[:, None]
        x = _substituted(packed, swaps, columns)
        return x if b.ndim == 2 else x[:, 0]

    return solve


def _complex_in_loops(P: Array, s: Scalar) -> tuple[Any, Any]:
    """L and U of P + i s in one array (n, 2, n), pivots inverted; and the exchanges."""
    n = P.shape[0]
    place = jnp.arange(n)

    def eliminate(k: Scalar, state: tuple[Any, Any]) -> tuple[Any, Any]:
        rest, swaps = state
        chosen = _largest(lambda i: jnp.sum(jnp.abs(rest[i, :, k])), k, n)
        top, old = _row(rest, chosen), rest[k]
        inverse = _inverse(top[:, k])

        def below(i: Any, rest: Any) -> Any:
            row = jnp.where(i == chosen, old, rest[i])
            factor = _times(row[:, k], inverse)
            left = jnp.where(place == k, factor[:, None], row)
            less = row - _times(factor[:, None], top)
            return rest.at[i].set(jnp.where(place > k, less, left))

        top = jnp.where(place == k, inverse[:, None], top)
        rest = lax.fori_loop(k + 1, n, below, rest.at[k].set(top))
        return rest, swaps.at[k].set(chosen)

    start = jnp.stack([P, s * jnp.eye(n)], axis=1)
    return rolled(n, eliminate, (start, jnp.zeros(n, place.dtype)))


def _complex_substituted(packed: Any, swaps: Any, y: Array) -> Any:
    """U^-1 L^-1 P y, for y (n, 2) of real and imaginary parts."""
    n = packed.shape[0]

    def without(i: Any, k: Scalar, y: Any, done: Any) -> Any:
        return y.at[i].set(y[i] - _times(packed[i, :, k], done))

    def forward(k: Any, y: Any) -> Any:
        done = y[k]
        return lax.fori_loop(k + 1, n, lambda i, y: without(i, k, y, done), y)

    def backward(j: Any, y: Any) -> Any:
        k = n - 1 - j
        done = _times(y[k], packed[k, :, k])
        y = y.at[k].set(done)
        return lax.fori_loop(0, k, lambda i, y: without(i, k, y, done), y)

    y = rolled(n, lambda k, y: _swapped(k, swaps[k], y), y)
    return rolled(n, backward, rolled(n, forward, y))


def _times(a: Array, b: Array) -> Any:
    """The product of complex numbers (2, ...)."""
    return jnp.stack([a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]])


def _inverse(a: Array) -> Any:
    """1/a of a complex number (2,), whose square need not be a number."""
    size = jnp.max(jnp.abs(a))
    unit = a / size
    return unit * jnp.array([1.0, -1.0]) / (jnp.sum(unit * unit) * size)


def _swapped(k: Scalar, chosen: Any, y: Any) -> Any:
    """Rows k and `chosen` >= k exchanged."""
    old = y[k]
    y = y.at[k].set(_row(y, chosen))

    def put(i: Any, y: Any) -> Any:
        return y.at[i].set(jnp.where(i == chosen, old, y[i]))

    return lax.fori_loop(k + 1, y.shape[0], put, y)


def _substituted(packed: Any, swaps: Any, b: Array) -> Any:
    """U^-1 L^-1 P b, for b (n, k)."""
    n = packed.shape[0]

    def forward(k: Any, y: Any) -> Any:
        done = y[k]
        return lax.fori_loop(
            k + 1, n, lambda i, y: y.at[i].set(y[i] - packed[i, k] * done), y
        )

    def backward(j: Any, y: Any) -> Any:
        k = n - 1 - j
        done = y[k] / packed[k, k]
        y = y.at[k].set(done)
        return lax.fori_loop(
            0, k, lambda i, y: y.at[i].set(y[i] - packed[i, k] * done), y
        )

    y = rolled(n, lambda k, y: _swapped(k, swaps[k], y), b)
    return rolled(n, backward, rolled(n, forward, y))


def rolled(count: int, body: Callable[[Any, Any], Any], state: Any) -> Any:
    """`fori_loop` that stays a loop: of known length it would become straight code.

    The code of its inner loops stands once, where it would stand for every column.
    """

    def once(now: tuple[Any, Any]) -> tuple[Any, Any]:
        return now[0] + 1, body(*now)

    first = (jnp.zeros((), jnp.int64), state)
    return lax.while_loop(lambda now: now[0] < count, once, first)[1]


def _largest(size_of: Callable[[Any], Any], k: Scalar, n: int) -> Any:
    """Where a column is largest, from row k on."""

    def larger(i: Any, best: tuple[Any, Any]) -> tuple[Any, Any]:
        size = size_of(i)
        is_larger = size > best[1]
        return jnp.where(is_larger, i, best[0]), jnp.where(is_larger, size, best[1])

    return lax.fori_loop(k + 1, n, larger, (k, size_of(k)))[0]


def _row(rows: Any, chosen: Any) -> Any:
    """One row, found by going through them all.

    Runs that go side by side in one vector choose different pivots, and none can be
    found by its index.
    """

    def pick(i: Any, row: Any) -> Any:
        return jnp.where(i == chosen, rows[i], row)

    return lax.fori_loop(0, rows.shape[0], pick, rows[0])
