"""Small dense linear algebra as plain `jax.numpy`, which scalarises.

Loops over rows run in Python when traced, so that structural zeros cost nothing. They
are what `jnp.linalg` traces to, replaced primitive by primitive, and they may be called
directly: `ldl` needs no pivoting for the mass matrices of mechanics.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

Array = Any


def cholesky(a: Array) -> Array:
    """Lower L with L L^T = a, from the lower half of a; all NaN if there is none."""
    n = a.shape[-1]
    rows: list[list[Array]] = [[jnp.zeros(()) for _ in range(n)] for _ in range(n)]
    good = jnp.array(True)
    for j in range(n):
        pivot = a[j, j] - sum_of([rows[j][k] * rows[j][k] for k in range(j)])
        good = good & (pivot > 0)
        rows[j][j] = jnp.sqrt(pivot)
        for i in range(j + 1, n):
            rest = a[i, j] - sum_of([rows[i][k] * rows[j][k] for k in range(j)])
            rows[i][j] = rest / rows[j][j]
    return jnp.where(good, matrix(rows), jnp.nan)


def ldl(a: Array) -> tuple[Array, Array]:
    """Unit lower L and diagonal d with L diag(d) L^T = a, for a definite a."""
    n = a.shape[-1]
    lower: list[list[Array]] = [[jnp.zeros(()) for _ in range(n)] for _ in range(n)]
    d: list[Array] = []
    for j in range(n):
        d.append(a[j, j] - sum_of([lower[j][k] * lower[j][k] * d[k] for k in range(j)]))
        lower[j][j] = jnp.ones(())
        for i in range(j + 1, n):
            terms = [lower[i][k] * lower[j][k] * d[k] for k in range(j)]
            lower[i][j] = (a[i, j] - sum_of(terms)) / d[j]
    return matrix(lower), jnp.stack(d)


def lu(a: Array) -> tuple[Array, Array, Array]:
    """L and U packed, the pivots, and the permutation, by partial pivoting."""
    m, n = a.shape
    rows = [a[i] for i in range(m)]
    order = [jnp.array(i, jnp.int32) for i in range(m)]
    pivots = []
    for k in range(min(m, n)):
        sizes = jnp.stack([jnp.abs(rows[i][k]) for i in range(k, m)])
        chosen = jnp.argmax(sizes).astype(jnp.int32) + k
        pivots.append(chosen)
        rows = exchange(rows, k, chosen)
        order = exchange(order, k, chosen)
        for i in range(k + 1, m):
            # A zero pivot means the whole column is zero: keep it so, as LAPACK does.
            safe = jnp.where(rows[k][k] == 0, 1.0, rows[k][k])
            factor = jnp.where(rows[k][k] == 0, rows[i][k], rows[i][k] / safe)
            rest = rows[i][k + 1 :] - factor * rows[k][k + 1 :]
            rows[i] = jnp.concatenate([rows[i][:k], factor[None], rest])
    empty = jnp.zeros((0,), jnp.int32)
    return jnp.stack(rows), jnp.stack(pivots) if pivots else empty, jnp.stack(order)


def exchange(rows: list[Array], k: int, chosen: Array) -> list[Array]:
    """Rows k and `chosen` swapped, `chosen` known only when run and >= k."""
    new = list(rows)
    for i in range(k + 1, len(rows)):
        hit = chosen == i
        new[k] = jnp.where(hit, rows[i], new[k])
        new[i] = jnp.where(hit, rows[k], rows[i])
    return new


def pivots_to_permutation(pivots: Array, size: int) -> Array:
    """The permutation that a sequence of exchanges makes."""
    order = [jnp.array(i, jnp.int32) for i in range(size)]
    for k in range(pivots.shape[0]):
        order = exchange(order, k, pivots[k])
    return jnp.stack(order)


def triangular_solve(a: Array, b: Array, lower: bool, unit: bool) -> Array:
    """x with a x = b for triangular a; b has one column a right-hand side."""
    n = a.shape[-1]
    x: dict[int, Array] = {}
    for i in range(n) if lower else reversed(range(n)):
        rest = b[i]
        for k in x:
            rest = rest - a[i, k] * x[k]
        x[i] = rest if unit else rest / a[i, i]
    return jnp.stack([x[i] for i in range(n)])


def eigh(a: Array, sweeps: int = 10) -> tuple[Array, Array]:
    """Eigenvalues ascending and orthonormal eigenvectors of a symmetric matrix.

    Cyclic Jacobi rotations, a fixed number of sweeps; ten bring any matrix of up to
    ten rows to rounding.
    """
    n = a.shape[-1]

    def sweep(_: object, state: tuple[Array, Array]) -> tuple[Array, Array]:
        s, v = state
        for p in range(n):
            for q in range(p + 1, n):
                s, v = rotate(s, v, p, q)
        return s, v

    symmetric = (a + a.T) / 2
    s, v = lax.fori_loop(0, sweeps, sweep, (symmetric, jnp.eye(n)))
    values = jnp.diagonal(s)
    order = jnp.argsort(values)
    return values[order], v[:, order]


def rotate(s: Array, v: Array, p: int, q: int) -> tuple[Array, Array]:
    """The rotation in the plane of p and q that makes s[p, q] zero."""
    zero = s[p, q] == 0
    off = jnp.where(zero, 1.0, s[p, q])
    theta = (s[q, q] - s[p, p]) / (2 * off)
    sign = jnp.where(theta >= 0, 1.0, -1.0)
    tangent = jnp.where(zero, 0.0, sign / (jnp.abs(theta) + jnp.hypot(theta, 1.0)))
    cosine = 1 / jnp.sqrt(1 + tangent * tangent)
    sine = tangent * cosine
    turn = jnp.eye(s.shape[0]).at[p, p].set(cosine).at[q, q].set(cosine)
    turn = turn.at[p, q].set(sine).at[q, p].set(-sine)
    return turn.T @ s @ turn, v @ turn


def sum_of(terms: list[Array]) -> Array:
    """The sum in the given order; zero of none."""
    return sum(terms[1:], start=terms[0]) if terms else jnp.zeros(())


def matrix(rows: list[list[Array]]) -> Array:
    """The matrix of its rows."""
    return jnp.stack([jnp.stack(row) for row in rows])
