"""The rank of constraint rows at a place, and beside it.

Rows repeat each other only where all are kept: off by d, repeated rows are d apart. So
the rank is that at the nearest place that keeps them. A linkage in one line meets its
equations at a tangent, and is placed to the root of their rounding only; whether a
small singular value there is a row or none is seen at places beside, where one joint is
held a little away and the others follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polhode.system import assemble, numeric_constraints

if TYPE_CHECKING:
    from polhode.system.numeric_constraints import HostRows
    from polhode.system.system import System

DEPENDENT = 1e-8  # a singular value of rows of unit size that is not one
# One that may be rounding: above the root of what positions converge to, 1e-13.
DOUBTFUL = 1e-6
BESIDE = 0.05  # radians or lengths: how far from a place its neighbours are
DRAWS = 12  # at most so many neighbours are tried
ENOUGH = 3  # and so many that keep the constraints are looked at


class RowRank(NamedTuple):
    """The rank of constraint rows.

    rank      at the place
    beside    the largest of places beside; None if none of them keeps the constraints
    rows      the rows at the place
    left      their left singular vectors (m, m), those of the largest values first
    """

    rank: int
    beside: int | None
    rows: HostRows
    left: np.ndarray

    @property
    def is_singular(self) -> bool:
        """Whether more motions are open at the place than beside it."""
        free = self.rows.slopes.shape[1] - self.rank
        return free > 0 if self.beside is None else self.rank < self.beside


def row_rank(system: System, t: float, q: np.ndarray, z: np.ndarray) -> RowRank:
    """The rank at the place next to q that keeps the constraints, and beside it."""
    q = kept_place(system, t, q)
    rows = _rows(system, t, q, z)
    left, values, right = np.linalg.svd(rows.relative)
    sure = int(np.sum(values > DOUBTFUL))
    # Where all rows or all motions are used up, no place beside has a larger rank.
    if sure == min(rows.slopes.shape):
        return RowRank(sure, sure, rows, left)
    movable = np.flatnonzero(np.max(np.abs(right[sure:]), axis=0) > DOUBTFUL)
    near = [
        np.linalg.svd(_rows(system, t, place, z).relative, compute_uv=False)
        for place in places_beside(system, t, q, movable)
    ]
    if not near:
        return RowRank(sure, None, rows, left)
    ranks = [int(np.sum(each > DEPENDENT)) for each in near]
    most = int(np.argmax(ranks))
    # Rows that are weak beside, too, are rows; others were rounding, or grow there.
    weak = int(np.sum((near[most] > DEPENDENT) & (near[most] <= DOUBTFUL)))
    doubtful = int(np.sum((values > DEPENDENT) & (values <= DOUBTFUL)))
    return RowRank(sure + min(weak, doubtful), ranks[most], rows, left)


def plain_rank(system: System, t: float, q: np.ndarray) -> int | None:
    """The rank of the rows as they are there, without doubtful ones; None if they
    are no numbers.
    """
    rows = _rows(system, t, q, np.zeros(system.speeds))
    if not np.all(np.isfinite(rows.relative)):
        return None
    return int(np.sum(np.linalg.svd(rows.relative, compute_uv=False) > DOUBTFUL))


def kept_place(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """The place near q that keeps the constraints; q where there is none."""
    place = assemble.place(system, t, q, np.ones(system.speeds, dtype=bool))
    return q if assemble.position_misses(system, t, place) else place


def places_beside(
    system: System, t: float, q: np.ndarray, movable: np.ndarray
) -> list[np.ndarray]:
    """Some places near by that keep the constraints, each with one speed's way held.

    Without one held, the nearest place to any neighbour of a tangent is the tangent.
    """
    found: list[np.ndarray] = []
    rng = np.random.default_rng(2)
    order = rng.permutation(movable)
    along = _rows(system, t, q, np.zeros(system.speeds)).along
    for k in range(DRAWS if len(order) else 0):
        held, loose = order[k % len(order)], np.ones(system.speeds, dtype=bool)
        loose[held] = False
        share = rng.uniform(-1, 1, system.speeds)
        share[held] = np.sign(share[held])
        place = assemble.place(
            system, t, system.local(q, BESIDE * along * share), loose
        )
        if not assemble.position_misses(system, t, place):
            found.append(place)
        if len(found) == ENOUGH:
            break
    return found


def _rows(system: System, t: float, q: np.ndarray, z: np.ndarray) -> HostRows:
    now = numeric_constraints.scene(system, t, q)
    return numeric_constraints.velocities(system, now, z)
