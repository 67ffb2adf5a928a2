"""Spherical harmonics of any degree at any place, poles included, in one short loop.

    E_nm = V_nm + i W_nm = (R/r)^(n+1) P_nm(z/r) e^(i m longitude)      normalised

    E_mm = k_m (x + i y) R/r^2 E_m-1,m-1
    E_nm = a_nm z R/r^2 E_n-1,m - b_nm R^2/r^2 E_n-2,m

x, y, z enter as they are (Cunningham): nothing is divided by the distance from the
axis. Orders m are gone through one after the other and degrees within each, where the
recursion is stable to far beyond degree 1000 in the normalised functions (Holmes and
Featherstone). A sum of harmonics and its gradient,

    U = sum C_nm V_nm + S_nm W_nm,      R grad U = sum over (n + 1, k) of c V + s W

are sums over one table: the gradient's coefficients c, s are made once, from C and S.
The program is a loop over that table, as long for degree 70 as for degree 2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError


class Harmonics(NamedTuple):
    """Tables of a field: rows are (n, m) in the order in which they are gone through.

    steps       (rows, 4): k, a, b of the recursion, and 1 where a column begins
    gradient    (rows, 6): what V and W give to x, y, z
    potential   (rows, 2): C and S
    """

    steps: np.ndarray
    gradient: np.ndarray
    potential: np.ndarray


def admit_coefficients(name: str, C: Array, S: Array) -> tuple[np.ndarray, np.ndarray]:
    """C and S (n + 1, n + 1) as arrays; what is above the diagonal is dropped."""
    try:
        tables = [np.array(each, dtype=float) for each in (C, S)]
    except (TypeError, ValueError):
        tables = [np.zeros(0), np.zeros(1)]
    shapes = [each.shape for each in tables]
    sound = shapes[0] == shapes[1] and len(shapes[0]) == 2
    if not sound or shapes[0][0] != shapes[0][1] or shapes[0][0] < 2:
        raise ModelError(
            f"the coefficients of {name!r} have shapes {shapes[0]} and {shapes[1]}.",
            "C[n, m] and S[n, m] are two square tables of one size, of degrees 0 and"
            " above.",
            "Give both with n + 1 rows and columns; zeros above the diagonal.",
        )
    if not all(np.all(np.isfinite(each)) for each in tables):
        raise ModelError(
            f"the coefficients of {name!r} are not all finite.",
            "A field is a sum over all of them.",
            "Give zero where one is not known.",
        )
    C, S = (np.tril(each) for each in tables)
    for each in (C, S):
        each.setflags(write=False)
    return C, S


@lru_cache(maxsize=32)
def _recursion(highest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n, m and the recursion's numbers of all rows up to a degree, (0, 0) left out."""
    pairs = [(n, m) for m in range(highest + 1) for n in range(max(m, 1), highest + 1)]
    n, m = np.array(pairs, dtype=float).T
    first = (n == m) & (m > 0)
    k = np.where(first, np.sqrt((2 * m + 1) / np.maximum(2 * m, 1)), 0.0)
    k = np.where(m == 1, k * np.sqrt(2.0), k)
    gap = np.where(first, 1.0, (n - m) * (n + m))
    a = np.where(first, 0.0, np.sqrt((2 * n + 1) * (2 * n - 1) / gap))
    last = np.maximum((2 * n + 1) * (n + m - 1) * (n - m - 1), 0.0)
    b = np.where(first | (n == 1), 0.0, np.sqrt(last / (np.abs(2 * n - 3) * gap)))
    return n.astype(int), m.astype(int), np.stack([k, a, b, first], axis=1)


def harmonic_tables(C: np.ndarray, S: np.ndarray) -> Harmonics:
    """The tables of fully normalised coefficients; C[0, 0] is not in them."""
    degree = len(C) - 1
    n, m, steps = _recursion(degree + 1)
    X, Y, Z = (np.zeros((2, degree + 2, degree + 2)) for _ in range(3))
    for i in range(1, degree + 1):
        scale = (2 * i + 1) / (2 * i + 3)
        for j in range(i + 1):
            c, s = C[i, j], S[i, j]
            up = np.sqrt((1 if j else 0.5) * scale * (i + j + 2) * (i + j + 1))
            up = up / 2 if j else up
            X[:, i + 1, j + 1] += up * np.array([-c, -s])
            Y[:, i + 1, j + 1] += up * np.array([s, -c])
            along = np.sqrt(scale * (i + j + 1) * (i - j + 1))
            Z[:, i + 1, j] += along * np.array([-c, -s])
            if j:
                down = np.sqrt((2 if j == 1 else 1) * scale * (i - j + 2) * (i - j + 1))
                X[:, i + 1, j - 1] += down / 2 * np.array([c, s])
                Y[:, i + 1, j - 1] += down / 2 * np.array([s, -c])
    gradient = np.stack([each[part, n, m] for each in (X, Y, Z) for part in (0, 1)], 1)
    inside = n <= degree
    rows, columns = np.minimum(n, degree), np.minimum(m, degree)
    own = [np.where(inside, each[rows, columns], 0.0) for each in (C, S)]
    return Harmonics(steps, gradient, np.stack(own, axis=1))


def harmonic_gradient(x: Array, radius: Scalar, tables: Harmonics) -> Any:
    """R grad U (3,) at x (3,), for use inside a trace."""
    return _sums(x, radius, tables.steps, tables.gradient)


def harmonic_sum(x: Array, radius: Scalar, tables: Harmonics) -> Any:
    """U at x (3,), without the part of degree zero."""
    return _sums(x, radius, tables.steps, tables.potential)[0]


def _sums(x: Array, radius: Scalar, steps: np.ndarray, weights: np.ndarray) -> Any:
    import jax
    import jax.numpy as jnp

    x = jnp.asarray(x)
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    across, along = radius * x[:2] / square, radius * x[2] / square
    less = radius * radius / square
    count = weights.shape[1] // 2

    def step(carry: Any, row: Array) -> tuple[Any, None]:
        E, before, first, total = carry
        k, a, b, begins = row[0], row[1], row[2], row[3]
        turned = jnp.stack(
            [
                across[0] * first[0] - across[1] * first[1],
                across[0] * first[1] + across[1] * first[0],
            ]
        )
        # Where a column begins a and b are zero, elsewhere k is: no branch is needed.
        new = k * turned + (a * along) * E - (b * less) * before
        first = jnp.where(begins > 0, new, first)
        own = row[4:].reshape(count, 2)
        return (new, E, first, total + own[:, 0] * new[0] + own[:, 1] * new[1]), None

    start = jnp.stack([radius / jnp.sqrt(square), 0.0 * square])
    rows = jnp.asarray(np.concatenate([steps, weights], axis=1))
    carry = (start, 0.0 * start, start, jnp.zeros(count, start.dtype))
    return jax.lax.scan(step, carry, rows)[0][3]
