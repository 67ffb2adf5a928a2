"""Which reactions the motion determines, where constraints are redundant.

    M y_dot + b = f + A^T l,      N A = 0

l and l + N^T c give the same motion for every c. What is determined are the
combinations C l with C N^T = 0; N and C are written with as many zeros as they allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from polhode.matter.parameter import Table
from polhode.system import numeric_constraints

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State

DEPENDENT = 1e-8  # a singular value of rows of unit length that is not one
SMALL = 1e-9  # an entry of a combination that is rounding


@final
@dataclass(frozen=True, eq=False, repr=False)
class Determinacy:
    """What the motion says of the multipliers at a state.

    rows         their names (m,)
    rank         how many are independent
    undetermined N (m - rank, m): adding these to the multipliers changes no motion
    determined   C (rank, m): combinations of multipliers that are unique
    values       C l (rank,)
    """

    rows: tuple[str, ...]
    rank: int
    undetermined: np.ndarray
    determined: np.ndarray
    values: np.ndarray

    @property
    def unique(self) -> tuple[str, ...]:
        """The rows whose multipliers are unique on their own."""
        free = np.any(self.undetermined != 0.0, axis=0)
        return tuple(n for n, f in zip(self.rows, free, strict=True) if not f)

    @property
    def shared(self) -> tuple[str, ...]:
        """The rows that share their loads in no unique way."""
        return tuple(name for name in self.rows if name not in self.unique)

    def __repr__(self) -> str:
        head = f"{len(self.rows)} rows of rank {self.rank}"
        if not len(self.undetermined):
            return f"Determinacy({head}: all multipliers are unique)"
        lines = [f"Determinacy({head}); not unique: {', '.join(self.shared)}"]
        pairs = zip(self.determined, self.values, strict=True)
        for combination, value in pairs:
            if np.any(combination[np.any(self.undetermined != 0.0, axis=0)]):
                lines.append(
                    f"  determined: {self._sum_text(combination)} = {value:.6g}"
                )
        lines += [f"  free: {self._sum_text(each)}" for each in self.undetermined]
        return "\n".join(lines)

    def _sum_text(self, combination: np.ndarray) -> str:
        parts = [
            f"{'-' if c < 0 else '+'} {_factor(abs(c))}[{name}]"
            for c, name in zip(combination, self.rows, strict=True)
            if c
        ]
        return " ".join(parts).removeprefix("+ ")


def effective_rows(equations: Equations, state: State, table: Table) -> np.ndarray:
    """A (m, k) of a formulation; rows that feel no motion of the system are zero.

    Where joints are rows too, bodies are free, and every row feels them.
    """
    A, _ = equations.rows(state, table)
    if equations.row_names != equations.system.row_names:
        return A
    moving = numeric_constraints.moving_rows(equations.system, state, table)
    return np.where(moving[:, None], A, 0.0)


def allowed_motions(A: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Velocities (k, free) that span A y = 0, in any units of them and of rows.

    `sizes` (k,) are natural ones of the velocities. Each row counts by its direction
    alone: metres beside radians are no reason to overlook it.
    """
    lengths = np.linalg.norm(A * sizes, axis=1)
    held = lengths > 0
    unit = (A * sizes)[held] / lengths[held, None]
    if not len(unit):
        return np.diag(sizes)
    _, values, right = np.linalg.svd(unit)
    rank = int(np.sum(values > DEPENDENT))
    return sizes[:, None] * right[rank:].T


def inertial_sizes(M: np.ndarray) -> np.ndarray:
    """Natural sizes (k,) of velocities by their inertias; of one without, the least."""
    inertia = np.diag(M)
    some = inertia[inertia > 0]
    least = float(np.min(some)) if len(some) else 1.0
    return 1.0 / np.sqrt(np.where(inertia > 0, inertia, least))


def determinacy(equations: Equations, state: State, table: Table) -> Determinacy:
    """The rank of a formulation's rows, and what its multipliers determine."""
    A = effective_rows(equations, state, table)
    l, m = equations.multipliers(state, table), len(A)
    if not m:
        return Determinacy((), 0, np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0))
    columns = np.max(np.abs(A), axis=0)
    # Rows are compared by the motions that they feel, whatever these are measured in.
    unit = A / np.where(columns > 0, columns, 1.0)
    lengths = np.linalg.norm(unit, axis=1)
    sizes = np.where(lengths > 0, lengths, 1.0)
    left, values, _ = np.linalg.svd(unit / sizes[:, None])
    rank = int(np.sum(values > DEPENDENT))
    # Zeros are told from rounding among numbers without units, then units come back.
    N = _led_by_ones(row_echelon(left[:, rank:].T) / sizes)
    C = _led_by_ones(row_echelon(left[:, :rank].T) * sizes)
    return Determinacy(equations.row_names, rank, N, C, C @ l)


def row_echelon(rows: np.ndarray) -> np.ndarray:
    """Rows (k, m) of full rank that span the same, with k columns of a unit matrix.

    Gauss-Jordan with the largest pivots.
    """
    R, done = np.array(rows, float), 0
    for column in range(R.shape[1]):
        if done == len(R):
            break
        pivot = done + int(np.argmax(np.abs(R[done:, column])))
        if abs(R[pivot, column]) <= SMALL * max(1.0, np.max(np.abs(R[done:]))):
            continue
        R[[done, pivot]] = R[[pivot, done]]
        R[done] /= R[done, column]
        others = np.arange(len(R)) != done
        R[others] -= np.outer(R[others, column], R[done])
        done += 1
    return np.where(np.abs(R) < SMALL, 0.0, R)


def _led_by_ones(rows: np.ndarray) -> np.ndarray:
    """Rows (k, m), each divided by its first entry that is not zero."""
    first = np.argmax(rows != 0.0, axis=1)
    return rows / rows[np.arange(len(rows)), first][:, None]


def _factor(size: float) -> str:
    return "" if abs(size - 1.0) < SMALL else f"{size:.4g} "
