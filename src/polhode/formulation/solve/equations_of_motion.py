"""Linear equations of motion, with and without constraint rows.

    M a = f + A^T l,      A a = g

Compiled code never decides a rank. Two fixed steps make every solvable system regular:

- with w > 0, (M + w A^T A) a = f + w A^T g + A^T l has the same solutions, and its
  matrix is definite even where only the constraints hold a massless body;
- the Schur complement S of the rows is solved by a few proximal iterations on S + e 1:
  redundant but consistent rows share the load, and each iteration shortens the error of
  the others by e.

After k iterations a share x^k of the gap is left, x = e / (s + e), where S has the
eigenvalue s. Rows that are redundant only where they are kept have an s that is nearly
zero beside: a load k gap / e would grow there at once with what is missed. So the last
iteration is taken -k times,

    s l / gap = 1 - x^k - k x^k (1 - x)

still exact to x^k where s is large, and flat where it vanishes: such rows bear nothing.

Both steps are taken as if velocities and rows were measured by their natural sizes c
and r: M -> c M c, A -> A c / r. Elimination without pivots rounds alike in all units,
so only w and e need to know of them: w_i = w / r_i^2, e_i = e r_i^2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, traced_once
from polhode.formulation.solve.banded import band_of, factored_band
from polhode.formulation.solve.ordering import FEW, Ordering
from polhode.formulation.solve.sparse import factored_sparse
from polhode.system.natural_sizes import NaturalSizes

if TYPE_CHECKING:
    from polhode.public.shapes import (
        ConstraintRows,
        GeneralisedForces,
        MassMatrix,
        RowColumn,
        RowMatrix,
    )

RELATIVE = 1e-7
# How often each iteration after the first is taken.
FURTHER = (1, 1, 1, -4)
# Rows below 1e-9 of their natural size are rounding: all of them may vanish, where
# every row is redundant. It is a square, and has no unit: see `NaturalSizes`.
VANISHING = 1e-18
# Above this size straight code is longer than a loop over columns is slow.
STRAIGHT = 20

Solver = Callable[[Any], Any]


def factored(M: MassMatrix) -> Solver:
    """b -> x with M x = b, for a symmetric definite M (n, n); b is (n,) or (n, k).

    M = L diag(d) L^T is factored once. Only the lower half of M is read.
    """
    return _straight(M) if M.shape[0] <= STRAIGHT else _in_loops(M)


def solve_definite(M: MassMatrix, b: Array) -> Any:
    """x with M x = b for a symmetric definite M; b (n,) or (n, k)."""
    return factored(M)(b)


def solve_constrained(
    M: MassMatrix,
    f: GeneralisedForces,
    A: ConstraintRows,
    g: RowColumn,
    natural: NaturalSizes,
) -> tuple[GeneralisedForces, RowColumn]:
    """Accelerations a (n,) and the intensities l (m,) of the reactions A^T l."""
    if A.shape[0] == 0:
        return solve_definite(M, f), jnp.zeros((0,))
    mass = mean_inertia(M, natural)
    squares = 1.0 / natural.rows**2
    weight = mass / (jnp.sum(row_squares(A, natural)) + VANISHING) * squares
    solve = factored(M + A.T @ (weight[:, None] * A))
    free = solve(f + A.T @ (weight * g))
    yielding = solve(A.T)
    intensity = solve_rows(A @ yielding, g - A @ free, natural.rows, VANISHING / mass)
    return free + yielding @ intensity, intensity


def mean_inertia(M: MassMatrix, natural: NaturalSizes) -> Any:
    """The mean of the diagonal of M (k, k) at natural sizes of the velocities, J s2."""
    return jnp.sum(jnp.diagonal(M) * natural.speeds**2) / M.shape[0]


def row_squares(A: ConstraintRows, natural: NaturalSizes) -> RowColumn:
    """The squared lengths (m,) of rows at natural sizes: numbers near one."""
    return jnp.sum((A * natural.speeds / natural.rows[:, None]) ** 2, axis=1)


def solve_ordered(
    M: MassMatrix,
    f: GeneralisedForces,
    A: ConstraintRows,
    g: RowColumn,
    natural: NaturalSizes,
    *,
    ordering: Ordering,
) -> tuple[GeneralisedForces, RowColumn]:
    """As `solve_constrained`, both kinds of unknowns eliminated in a given order.

        [M + A^T w A   A^T] [ a]   [f + A^T w g]
        [A              -e] [-l] = [g - e l_before]

    Straight code for few unknowns, in which zeros cost nothing, and for few entries; a
    loop along a band for many of both.
    """
    k, m = M.shape[0], A.shape[0]
    mass = mean_inertia(M, natural)
    squares = natural.rows**2
    mean = jnp.sum(row_squares(A, natural)) / m
    weight = mass / (mean + VANISHING) / squares
    held = M + _squared(A, weight, ordering)
    yields = jnp.sum(A * A / jnp.diagonal(held), axis=1) / squares
    yielding = (RELATIVE * jnp.sum(yields) / m + VANISHING / mass) * squares
    entries = jnp.concatenate([held.reshape(-1), A.reshape(-1), -yielding, np.zeros(1)])
    order = ordering.order
    places = _places(k, m)[order[:, None], order]
    if ordering.below is not None:
        solve = factored_sparse(entries, places, ordering.below)
    elif k + m <= FEW:
        solve = _straight(entries[places])
    else:
        solve = factored_band(band_of(entries[places], ordering.width))
    back = np.argsort(order)

    def solved(top: Array, bottom: Array) -> tuple[Any, Any]:
        x = solve(jnp.concatenate([top, bottom])[order])[back]
        return x[:k], -x[k:]

    a, intensity = solved(f + A.T @ (weight * g), g)
    for times in FURTHER:
        da, more = solved(jnp.zeros(k), g - A @ a)
        a, intensity = a + times * da, intensity + times * more
    return a, intensity


def _places(k: int, m: int) -> np.ndarray:
    """Where each entry of K (k + m, k + m) is in the list [M; A; -e (m,); 0]."""
    M = np.arange(k * k).reshape(k, k)
    A = k * k + np.arange(m * k).reshape(m, k)
    yielding = (k + m) * k
    corner = np.full((m, m), yielding + m)
    np.fill_diagonal(corner, yielding + np.arange(m))
    return np.block([[M, A.T], [A, corner]])


def _squared(A: Array, weight: Array, ordering: Ordering) -> Any:
    """A^T w A, from what each constraint feels."""
    k = A.shape[1]
    total = jnp.zeros((k, k))
    for rows, speeds in ordering.blocks:
        own = A[rows][:, speeds]
        heavy = weight[rows][:, None] * own
        total = total.at[speeds[:, None], speeds].add(own.T @ heavy)
    return total


def solve_rows(
    S: RowMatrix, gap: RowColumn, sizes: RowColumn, least: Scalar = 0.0
) -> Any:
    """l with S l = gap, for S (m, m) symmetric, that may be singular but consistent.

    `sizes` (m,) are the natural ones of the rows; what S has below `least`, with rows
    measured by them, counts as nothing.
    """
    m, squares = S.shape[0], sizes**2
    yielding = RELATIVE * jnp.sum(jnp.diagonal(S) / squares) / m + least
    proximal = factored(S + jnp.diag(yielding * squares))
    intensity = proximal(gap)
    for times in FURTHER:
        intensity = intensity + times * proximal(gap - S @ intensity)
    return intensity


def _straight(M: Array) -> Solver:
    n, parts = M.shape[0], _eliminated(M)
    return lambda b: _back(b, *parts) if n else b


@traced_once
def _eliminated(M: Array) -> list[Any]:
    """The columns of L below its diagonal, then the inverse pivots."""
    columns, inverses, rest = [], [], M
    for _ in range(M.shape[0]):
        inverse, below = 1 / rest[0, 0], rest[1:, 0]
        column = below * inverse
        columns.append(column)
        inverses.append(inverse)
        rest = rest[1:, 1:] - column[:, None] * below[None, :]
    return columns + inverses


@traced_once
def _back(b: Array, *parts: Array) -> Any:
    """x with L diag(d) L^T x = b, of the columns of L and the inverse pivots."""
    columns, inverses = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    y = []
    for column in columns:
        y.append(b[0])
        b = b[1:] - _times(column, b[0])
    x = b  # empty
    for column, inverse, y_j in [*zip(columns, inverses, y, strict=True)][::-1]:
        x = jnp.concatenate([(y_j * inverse - column @ x)[None], x])
    return x


def _in_loops(M: Array) -> Solver:
    n = M.shape[0]

    def eliminate(j: jnp.ndarray, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        lower, d, rest = state
        pivot = rest[j, j]
        # Rows that are done are zero, so this is a column of L as it stands.
        column = rest[:, j] / pivot
        rest = rest - column[:, None] * rest[j][None, :]
        return lower.at[:, j].set(column), d.at[j].set(pivot), rest

    start = (jnp.zeros((n, n)), jnp.zeros(n), M)
    lower, d, _ = lax.fori_loop(0, n, eliminate, start)
    strict = lower - jnp.eye(n)

    def solve(b: Array) -> Any:
        def forward(j: jnp.ndarray, y: Array) -> Any:
            return y - _times(strict[:, j], y[j])

        def backward(k: jnp.ndarray, x: jnp.ndarray) -> Any:
            return x - _times(strict[n - 1 - k], x[n - 1 - k])

        y = lax.fori_loop(0, n, forward, b)
        return lax.fori_loop(0, n, backward, (y.T / d).T)

    return solve


def _times(column: Array, row: Array) -> Any:
    """column x row: (n,) by a number, or (n, k) by (k,)."""
    return jnp.tensordot(column, row, axes=0)
