"""The motions that constraint rows allow, as fields of rates of q, and their brackets.

    X_k(q) = psi(q, S(q) e_k),    A S = 0,      [X, Y] = (dY/dq) X - (dX/dq) Y

The growth of a distribution adds to it what its brackets reach, again and again:

    D_1 = span X,      D_(m+1) = D_m + [D_1, D_m]

Its ranks are the growth vector; the rows that vanish on the last, the end of the
derived flag, are those that are rates of functions of the place. Derivatives are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array
from polhode.lowering.compile import compile
from polhode.system import numeric_constraints, rows

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System

DEPENDENT = 1e-9  # of the largest: rows, and fields, that the others give
FLAT = 1e-6  # of the terms of a bracket: rows with roots in them round to 1e-8

Fields = Callable[[Any], Any]


class Chosen(NamedTuple):
    """Rows that give all others, and the speeds that these determine, by number.

    The k-th row is solved for the k-th speed held.
    """

    rows: tuple[int, ...]
    held: tuple[int, ...]
    free: tuple[int, ...]


class Brackets(NamedTuple):
    """[D_1, what is newest]: speeds (n, pairs), the size of their terms, fields."""

    values: np.ndarray
    size: float
    fields: Fields


@final
@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """Fields q -> rates of q (nq, k) in parts, all independent at a place.

    parts    the fields allowed, then those that each level of brackets added
    widths   how many each part has
    values   (n, r): the speeds that they all are at the place
    """

    state: State
    parts: tuple[Fields, ...]
    widths: tuple[int, ...]
    values: np.ndarray

    @property
    def rank(self) -> int:
        """How many there are."""
        return self.values.shape[1]

    def fields(self, q: Array) -> Any:
        """All of them (nq, r), traced."""
        return jnp.concatenate([part(q) for part in self.parts], axis=1)


def allowed_motions(state: State) -> tuple[Distribution, np.ndarray]:
    """The motions that rows allow at a place, and the rows A (m, n) there."""
    system, t = state.system, float(state.t)
    still = replace(state, z=np.zeros(system.speeds))
    A = compile(lambda q: row_matrix(system, t, q), state.q)(state.q)
    A = np.where(numeric_constraints.moving_rows(system, still)[:, None], A, 0.0)
    chosen = _chosen(A)

    def fields(q: Array) -> Any:
        S = _free_motions(row_matrix(system, t, q), chosen)
        columns = [system.rates(t, q, S[:, k]) for k in range(S.shape[1])]
        return jnp.stack(columns, axis=1)

    S = np.asarray(_free_motions(A, chosen), float)
    return Distribution(state, (fields,), (S.shape[1],), S), A


def brackets(found: Distribution) -> Brackets:
    """What motions to and fro along two fields reach."""
    state, own, latest = found.state, found.parts[0], found.parts[-1]
    one, two = _pairs(found)

    def terms(q: Array) -> tuple[Any, Any]:
        def slope(fields: Fields, along: Array) -> tuple[Any, Any]:
            def one_way(v: Array) -> tuple[Any, Any]:
                return jax.jvp(fields, (q,), (v,))

            return jax.vmap(one_way, out_axes=(None, 0))(along.T)

        Y, there = slope(latest, own(q))
        if latest is own:
            return there[one, :, two].T, there[two, :, one].T
        _, back = slope(own, Y)
        return there[one, :, two].T, back[two, :, one].T

    def fields(q: Array) -> Any:
        there, back = terms(1.0 * q)
        return there - back

    if not len(one):
        return Brackets(np.zeros((len(found.values), 0)), 0.0, fields)
    there, back = compile(terms, state.q)(state.q)
    system, t = state.system, float(state.t)
    columns = [system.speeds_from(t, state.q, rate) for rate in (there - back).T]
    size = max(np.max(np.abs(there)), np.max(np.abs(back)))
    return Brackets(np.stack(columns, axis=1), float(size), fields)


def extension(found: Distribution, reached: Brackets) -> Distribution | None:
    """The distribution with what brackets reach beyond it; None if that is nothing."""
    basis = np.linalg.qr(found.values)[0]
    beyond = reached.values - basis @ (basis.T @ reached.values)
    picked = independent(beyond, rounding(found, reached))
    if not picked:
        return None
    take = np.array(picked)

    def latest(q: Array) -> Any:
        return reached.fields(q)[:, take]

    values = np.concatenate([found.values, reached.values[:, take]], axis=1)
    widths = (*found.widths, len(picked))
    parts = (*found.parts, latest)
    return replace(found, parts=parts, widths=widths, values=values)


def rounding(found: Distribution, reached: Brackets) -> float:
    """What a bracket may differ from nothing by."""
    size = float(np.max(np.abs(found.values), initial=0.0))
    return FLAT * max(reached.size, 1e-3 * size)


def _pairs(found: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """Numbers among the fields allowed, and among the newest, of each bracket."""
    k, new = found.widths[0], found.widths[-1]
    is_first = len(found.parts) == 1
    pairs = [(i, j) for j in range(new) for i in range(k) if not is_first or i < j]
    return np.array([i for i, _ in pairs], int), np.array([j for _, j in pairs], int)


def row_matrix(system: System, t: float, q: Array) -> Any:
    """A (m, n) at a place, traced: what all rows say of the speeds, time held."""

    def phi(z: Array) -> Any:
        return rows.velocities(system, t, q, z)

    return jax.jacfwd(phi)(jnp.zeros(system.speeds))


def independent(columns: np.ndarray, small: float) -> list[int]:
    """Numbers of columns that give all others, the largest first."""
    from scipy.linalg import qr

    if not columns.size:
        return []
    _, R, order = qr(columns, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    return [int(k) for k, size in zip(order, sizes, strict=False) if size > small]


def _chosen(A: np.ndarray) -> Chosen:
    """Pivots of a complete search: straight elimination in their order is safe."""
    rest = A / np.where((size := np.linalg.norm(A, axis=1)) > 0, size, 1.0)[:, None]
    own: list[int] = []
    held: list[int] = []
    while rest.size:
        i, j = np.unravel_index(np.argmax(np.abs(rest)), rest.shape)
        if abs(rest[i, j]) <= DEPENDENT:
            break
        own.append(int(i))
        held.append(int(j))
        rest = rest - np.outer(rest[:, j], rest[i]) / rest[i, j]
        rest[i], rest[:, j] = 0.0, 0.0
    free = tuple(k for k in range(A.shape[1]) if k not in held)
    return Chosen(tuple(own), tuple(held), free)


def _free_motions(A: Array, chosen: Chosen) -> Any:
    """S (n, k) with A S = 0: one free speed at a time, the held ones as they must.

    Gauss and Jordan's elimination of [A_held | A_free] by the pivots chosen.
    """
    table = [A[i][np.array([*chosen.held, *chosen.free], int)] for i in chosen.rows]
    for k in range(len(table)):
        table[k] = table[k] / table[k][k]
        table = [
            row if i == k else row - row[k] * table[k] for i, row in enumerate(table)
        ]
    columns: dict[int, Any] = dict(
        zip(chosen.free, np.eye(len(chosen.free)), strict=True)
    )
    for j, row in zip(chosen.held, table, strict=True):
        columns[j] = -row[len(table) :]
    return jnp.stack([columns[k] for k in range(A.shape[1])])
