"""Whether accelerations are unique, and how firmly.

    M = d^2C/dz_dot^2 = sum over particles of  m dv/dz . dv/dz

Where M is definite on the motions that the rows leave free, Gauss's function has one
minimum and the initial value problem one solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from polhode.formulation.equations import Equations
from polhode.formulation.questions.determinacy import allowed_motions, effective_rows
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.geometry.vector import shown
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.state import State

ROUNDING = 1e-13


@final
@dataclass(frozen=True, eq=False, repr=False)
class Solvability:
    """The spectrum of a mass matrix on its free motions, scaled to a unit diagonal.

    eigenvalues   ascending (k,), free of the units of the velocities
    weakest       the change (k,) of the velocities that is resisted least
    """

    eigenvalues: np.ndarray
    weakest: np.ndarray
    names: tuple[str, ...]

    @property
    def condition(self) -> float:
        """The largest eigenvalue over the least."""
        return float(self.eigenvalues[-1] / self.eigenvalues[0])

    @property
    def is_unique(self) -> bool:
        """Whether forces determine the accelerations, beyond rounding."""
        return bool(self.eigenvalues[0] > ROUNDING * self.eigenvalues[-1])

    @property
    def digits_lost(self) -> float:
        """How many decimal digits of the forces the accelerations may lose."""
        return float(np.log10(self.condition))

    def __repr__(self) -> str:
        if not self.is_unique:
            return f"Solvability(not unique along {shown(self.weakest)})"
        return (
            f"Solvability(unique: condition {self.condition:.3g},"
            f" {self.digits_lost:.1f} digits lost at most;"
            f" weakest along {shown(self.weakest)} of {', '.join(self.names)})"
        )


@equations_argument
def solvability(
    equations: Equations, state: State, table: Table = NOMINAL
) -> Solvability:
    """How well the accelerations of some equations are determined at a state."""
    M = equations.mass_matrix(state, table)
    sizes = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    A = effective_rows(equations, state, table) / sizes
    N = allowed_motions(A, np.ones(len(M)))
    values, vectors = np.linalg.eigh(N.T @ (M / np.outer(sizes, sizes)) @ N)
    weakest = (N @ vectors[:, 0]) / sizes
    weakest = weakest / np.max(np.abs(weakest))
    return Solvability(values, weakest, equations.velocity_names)
