"""Whether constraints on velocities are constraints on positions in disguise.

The motions that the rows A z = 0 allow are fields X_i = P e_i, P = 1 - A^+ A. By
Frobenius' theorem there are surfaces that contain them all exactly if their brackets
are allowed, too:

    A [X_i, X_j] = 0,      [X, Y] = (dY) X - (dX) Y     along the coordinates q

What is left, the curvature, is motion that the rows forbid at every instant and that
can be reached all the same: parking a car sideways. Time is held while asking.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from polhode.system import host_rows

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System

STEP = 1e-3
FLAT = 1e-6  # of the size of rows: curvature below is not told from none


@final
@dataclass(frozen=True, eq=False, repr=False)
class Integrability:
    """The curvature (pairs, rows) of the allowed motions at a configuration."""

    curvature: np.ndarray
    rows: tuple[str, ...]

    @property
    def is_holonomic(self) -> bool:
        """Whether all rows together are equations of position, near here."""
        return not self.curved

    @property
    def curved(self) -> tuple[str, ...]:
        """The rows along which forbidden motion can be reached."""
        felt = np.any(np.abs(self.curvature) > FLAT, axis=0)
        names = zip(self.rows, felt, strict=True)
        return tuple(name for name, is_felt in names if is_felt)

    def __repr__(self) -> str:
        if self.is_holonomic:
            return "Integrability(holonomic: the rows are equations of position)"
        return f"Integrability(not holonomic along {', '.join(self.curved)})"


def integrability(system: System, state: State | None = None) -> Integrability:
    """Frobenius' test of all rows of a system together, at a state or at rest."""
    at = state or system.rest()
    t, q = float(at.t), np.asarray(at.q)
    A, sizes = _rows(system, t, q)
    allowed = _allowed(A / sizes[:, None])
    basis = np.linalg.svd(allowed)[0][:, : round(np.trace(allowed))]
    # The fields P(q) b_i are smooth, and span what is allowed, near q.
    slopes = [_slope(system, t, q, basis, along) for along in basis.T]
    pairs = itertools.combinations(range(basis.shape[1]), 2)
    rates = [slopes[i][:, j] - slopes[j][:, i] for i, j in pairs]
    brackets = np.reshape(
        [system.speeds_from(t, q, rate) for rate in rates], (-1, system.speeds)
    )
    return Integrability(brackets @ (A / sizes[:, None]).T, system.row_names)


def _rows(system: System, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    still = np.zeros(system.speeds)
    rows = host_rows.velocities(system, host_rows.scene(system, t, q), still)
    return rows.slopes, rows.sizes


def _allowed(A: np.ndarray) -> np.ndarray:
    """The projector 1 - A^+ A on the motions that rows allow."""
    return np.eye(A.shape[1]) - np.linalg.pinv(A, rcond=1e-9) @ A


def _fields(system: System, t: float, q: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """The rates of q (coordinates, k) of the allowed fields at a configuration."""
    A, sizes = _rows(system, t, q)
    speeds = _allowed(A / sizes[:, None]) @ basis
    return np.stack([system.rates(t, q, z) for z in speeds.T], axis=-1)


def _slope(
    system: System, t: float, q: np.ndarray, basis: np.ndarray, along: np.ndarray
) -> np.ndarray:
    """The derivative (coordinates, k) of all fields along one motion."""

    def moved(h: float) -> np.ndarray:
        return _fields(system, t, system.local(q, h * along), basis)

    far = moved(2 * STEP) - moved(-2 * STEP)
    return (8 * (moved(STEP) - moved(-STEP)) - far) / (12 * STEP)
