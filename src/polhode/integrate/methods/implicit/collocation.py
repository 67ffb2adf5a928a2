"""Implicit stages in the eigenbasis of their matrix: one equation for each root.

    (A^-1/h x 1 - 1 x J) Z = R,      A^-1 = T L T^-1

In the basis T the stages of a collocation method stand alone, or two together where a
root is complex (Butcher's device; Hairer and Wanner, Solving ODEs II, IV.8): matrices
of n unknowns are factored, and not of s n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Scalar
from polhode.integrate.field.sparse_jacobian import SparseJacobian
from polhode.integrate.methods.implicit.lu import Solver, eliminated_pair, lu_solver


class DiagonalStages(NamedTuple):
    """The matrix of two or three stages in its eigenbasis.

    inverse   A^-1
    basis     T: first the column of the real root, if there are three stages
    back      T^-1
    real      the real root, None for two stages
    pair      (a, b) of the complex roots a +- i b
    """

    inverse: np.ndarray
    basis: np.ndarray
    back: np.ndarray
    real: float | None
    pair: tuple[float, float]


class Factors(NamedTuple):
    """b -> (g/h - J)^-1 b of the real root, and the same of the complex pair."""

    real: Solver | None
    pair: Callable[[Any, Any], tuple[Any, Any]]


def diagonal_stages(matrix: np.ndarray) -> DiagonalStages:
    """The matrix (2, 2) or (3, 3) of some stages, with one pair of complex roots."""
    inverse = np.linalg.inv(matrix)
    roots, vectors = np.linalg.eig(inverse)
    k = np.argmax(roots.imag)
    columns = [vectors[:, k].real, -vectors[:, k].imag]
    real = None
    if len(matrix) == 3:
        alone = np.argmin(np.abs(roots.imag))
        columns.insert(0, vectors[:, alone].real)
        real = float(roots[alone].real)
    T = np.stack(columns, axis=1)
    pair = (float(roots[k].real), float(roots[k].imag))
    return DiagonalStages(inverse, T, np.linalg.inv(T), real, pair)


def factored(stages: DiagonalStages, J: Any, h: Scalar) -> Factors:
    """The matrices of all roots, factored for a Jacobian and a step."""
    if isinstance(J, SparseJacobian):
        a, b = stages.pair
        alone = None if stages.real is None else J.solver(stages.real / h)
        return Factors(alone, J.pair_solver(a / h, b / h))
    one, (a, b) = jnp.eye(J.shape[0]), stages.pair
    alone = None if stages.real is None else lu_solver(stages.real / h * one - J)
    return Factors(alone, eliminated_pair(a / h * one - J, b / h))


def solved(stages: DiagonalStages, factors: Factors, right: Any) -> Any:
    """Z (s, n) with (A^-1/h x 1 - 1 x J) Z = T R, for R (s, n) in the basis T."""
    alone = [] if factors.real is None else [factors.real(right[0])]
    parts = [*alone, *factors.pair(right[-2], right[-1])]
    return jnp.asarray(stages.basis) @ jnp.stack(parts)
