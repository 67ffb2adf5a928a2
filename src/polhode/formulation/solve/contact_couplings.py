"""Which speeds contacts couple, and what answers to impulses on few of all speeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import IN_MEMORY, Array, scanned
from polhode.formulation.solve.active_contacts import row_of
from polhode.formulation.solve.block_elimination import SIDE, Solver

# Speeds that hang together up to which their inertia is inverted as it stands.
INVERTED = 2 * SIDE


class Couplings(NamedTuple):
    """What is known of n candidates when a program is made, NumPy's.

    speeds     (n, L) numbers of the speeds a candidate has rows over, k where fewer
    answering  (n, m) numbers of the speeds that answer to it, k where fewer; the first
               are `speeds`
    mass       (k, k) bool, entries of M'
    whole      (k, k) bool, those and what candidates may couple
    """

    speeds: np.ndarray
    answering: np.ndarray
    mass: np.ndarray
    whole: np.ndarray


def longer(v: Array) -> Any:
    """Speeds more, of nothing: rows that have fewer speeds read the first of them.

    There are as many as let loops keep all in memory.
    """
    return jnp.concatenate([v, jnp.zeros(max(1, IN_MEMORY - v.shape[0]))])


def answers_of(solve: Solver, couplings: Couplings) -> Callable[[Any, Any], Any]:
    """(i, rows (m, L) of contact i) -> X (answering, m): what speeds answer.

    Where few speeds hang together, the inverses of their inertias are found at once, a
    solution for the first speeds of all, one for the second, and so on.
    """
    own, k = couplings, couplings.mass.shape[0]
    part, rank = hanging_together(own.mass)
    if rank.max() >= INVERTED:
        none = longer(jnp.zeros(k))

        def solved(i: Any, applied: Any) -> Any:
            speeds, answering = row_of((own.speeds, own.answering), i)

            def one(_: object, row: Any) -> Any:
                return None, longer(solve(none.at[speeds].add(row)[:k]))[answering]

            return scanned(one, None, applied)[1].T

        return solved

    seeds = np.zeros((rank.max() + 1, k))
    seeds[rank, np.arange(k)] = 1.0
    inverse = scanned(lambda _, e: (None, longer(solve(e))), None, seeds)[1]
    rank, part = np.append(rank, 0), np.append(part, -1)
    together = part[own.answering][:, :, None] == part[own.speeds][:, None, :]
    ranks = rank[own.speeds]

    def multiplied(i: Any, applied: Any) -> Any:
        answering, ranks_i, near = row_of((own.answering, ranks, together), i)
        M = jnp.where(near, inverse[ranks_i[None, :], answering[:, None]], 0.0)
        return M @ applied.T

    return multiplied


def hanging_together(mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By speed its component of an inertia's pattern, and its number therein."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    part = connected_components(csr_array(mass.astype(np.int8)))[1]
    rank = np.zeros(len(part), int)
    for component in range(part.max() + 1):
        own = np.flatnonzero(part == component)
        rank[own] = np.arange(len(own))
    return part, rank


def block_tables(couplings: Couplings, k: int) -> tuple[np.ndarray, np.ndarray]:
    """By candidate the blocks of its speeds (n, b), and those of M' (m, m)."""
    m = k // SIDE + 1
    each = [sorted({int(s) // SIDE for s in row if s < k}) for row in couplings.speeds]
    widest = max(map(len, each))
    # A block twice is no harm.
    blocks = np.array([own + own[-1:] * (widest - len(own)) for own in each])
    first = np.eye(m, dtype=bool)
    i, j = np.nonzero(couplings.mass)
    first[i // SIDE, j // SIDE] = True
    return blocks, first


def entered_inertia(K: Array, M: Array, mass: np.ndarray) -> Any:
    """K + M', and ones where there are no speeds, in a loop over the entries."""
    k, size = M.shape[0], K.shape[0]
    i, j = np.nonzero(mass)
    rest = np.arange(k, size)
    values = jnp.concatenate([M[i, j], np.ones(size - k)])
    places = np.concatenate([i, rest]), np.concatenate([j, rest])

    def one(K: Any, row: Any) -> tuple[Any, None]:
        i, j, value = row
        return K.at[i, j].add(value), None

    return scanned(one, K, (*places, values))[0]
