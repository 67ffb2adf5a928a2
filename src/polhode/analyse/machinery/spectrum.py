"""The eigenvalues of x' = A x, zeros counted by rank and not by smallness.

A zero eigenvalue with a Jordan block is found only to the root of the rounding error by
any eigenvalue routine. So the null space of A is taken off first, then that of what is
left, and so on: a step for each size of block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable, number

RANK = 1e-11  # of the largest singular value: nothing
ON_AXIS = 1e-8  # real part over size of an eigenvalue that is on the imaginary axis


@final
@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Answer):
    """Eigenvalues, and what they say of x' = A x.

    values    the eigenvalues that are not zero (k,), 1/s, the least damped first
    zeros     how many are zero
    block     the size of the largest Jordan block of zero: 2 or more is a drift
    defective eigenvalues on the imaginary axis with a Jordan block: they grow as t
    """

    values: np.ndarray
    zeros: int
    block: int
    defective: np.ndarray

    @property
    def all(self) -> np.ndarray:
        """All eigenvalues, zeros last."""
        return np.concatenate([self.values, np.zeros(self.zeros)])

    @property
    def abscissa(self) -> float:
        """The largest real part of those that are not zero; -inf if there are none."""
        return float(np.max(self.values.real, initial=-np.inf))

    @property
    def growing(self) -> np.ndarray:
        """Eigenvalues with a positive real part."""
        return self.values[self.values.real > ON_AXIS * np.abs(self.values)]

    @property
    def lasting(self) -> np.ndarray:
        """Eigenvalues on the imaginary axis, zero apart."""
        return self.values[np.abs(self.values.real) <= ON_AXIS * np.abs(self.values)]

    @property
    def kind(self) -> str:
        """ "unstable", "asymptotic", "drifting" or "marginal", of the linear system."""
        if len(self.growing) or len(self.defective):
            return "unstable"
        if self.block > 1:
            return "drifting"
        return "marginal" if self.zeros or len(self.lasting) else "asymptotic"

    def plot(self) -> Any:
        """The eigenvalues in the plane: a `Picture`."""
        from polhode.show.plots.answers import spectrum_picture

        return spectrum_picture(self.all, f"eigenvalues: {self.kind}")

    def __repr__(self) -> str:
        largest = float(np.max(np.abs(self.values), initial=0.0))
        shown = ", ".join(number(value, largest) for value in self.values)
        zeros = f"; {self.zeros} zero" if self.zeros else ""
        block = f" with a Jordan block of {self.block}" if self.block > 1 else ""
        return f"Spectrum({self.kind}: {shown}{zeros}{block})"

    def as_table(self) -> AnswerTable:
        """What is printed."""
        rows = [(k + 1, s) for k, s in enumerate(self.all)]
        return AnswerTable(repr(self), ("", "s, 1/s"), rows)


def spectrum_of(A: np.ndarray, sizes: np.ndarray | None = None) -> Spectrum:
    """The spectrum of a real matrix (n, n).

    `sizes` (n,) are weights in which the entries of x have one unit. Balancing would
    find weights too, but in those rounding errors are as large as all else.
    """
    weights = np.ones(len(A)) if sizes is None else sizes
    rest, steps = without_zeros(weights[:, None] * A / weights)
    values = np.linalg.eigvals(rest)
    order = np.lexsort((-values.imag, np.abs(values.imag), -values.real))
    values = values[order]
    noise = 1e-13 * np.max(np.abs(values), initial=0.0)
    values = np.where(np.abs(values.real) > noise, values, 1j * values.imag)
    values, defective = _with_blocks(rest, values)
    return Spectrum(values, sum(steps), len(steps), defective)


def without_zeros(A: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """A (k, k) with the eigenvalues that are not zero, and null spaces taken off."""
    steps: list[int] = []
    largest = np.linalg.norm(A, 2) if A.size else 0.0
    while len(A):
        _, sizes, V = np.linalg.svd(A)
        nothing = int(np.sum(sizes <= RANK * largest))
        if not nothing:
            break
        steps.append(nothing)
        Q = np.concatenate([V[len(V) - nothing :], V[: len(V) - nothing]])
        A = (Q @ A @ Q.T)[nothing:, nothing:]
    return A, steps


def _with_blocks(A: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, and those on the axis with fewer eigenvectors than their number.

    A block is found split by the root of the rounding error: its members are put
    together again, so that none seems to grow.
    """
    found, together = [], values.copy()
    near = 1e-5 * np.max(np.abs(values), initial=0.0)
    taken = np.zeros(len(values), bool)
    for k, value in enumerate(values):
        cluster = np.abs(values - value) < near
        if taken[k] or np.sum(cluster) < 2:
            continue
        taken |= cluster
        middle = np.mean(values[cluster])
        sizes = np.linalg.svd(A - middle * np.eye(len(A)), compute_uv=False)
        vectors = int(np.sum(sizes <= 1e-7 * sizes[0]))
        is_on_axis = abs(middle.real) <= ON_AXIS * abs(middle)
        if is_on_axis and vectors < np.sum(cluster):
            found.append(1j * middle.imag)
            together[cluster] = found[-1]
    return together, np.array(found, complex)
