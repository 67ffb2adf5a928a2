"""Udwadia and Kalaba: the explicit equation of constrained motion, no multipliers.

    a = a_free + M^-1/2 (A M^-1/2)^+ (g - A a_free),      M a_free = f - b

The pseudo-inverse makes redundant rows harmless: what nature adds to the free motion is
the least, in the measure of the masses, that keeps the constraints. Here M = L L^T
stands for the root, which changes nothing, and K^+ = K^T (K K^T)^+ comes from
eigenvalues, of which those below a millionth of a millionth count as zero.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.gauss import gauss
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.regular import require_regular
from polhode.formulation.shared.speeds import in_speeds
from polhode.formulation.solve.equations_of_motion import mean_inertia
from polhode.lowering.linear_algebra import cholesky, eigh, triangular_solve
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import natural_sizes
from polhode.system.system import System

NOTHING = 1e-12


@dense_form
def udwadia_kalaba(system: System) -> Equations:
    """The fundamental equation in the system's speeds, for what joints leave over."""
    if not system.constraints:
        raise ModelError(
            f"Udwadia and Kalaba's equation says nothing of {system.name!r}:"
            " it has no constraints.",
            "Joints are coordinates here, and without rows the free motion is all.",
            "Use any other form, or close a loop.",
        )
    require_regular(system, "Udwadia and Kalaba's equation does")
    whole, natural = gauss(system).functions.terms, natural_sizes(system)

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Any = None
    ) -> Terms:
        inertia = whole(t, q, z if comoving is None else comoving, table)
        return whole(t, q, z, table)._replace(bias=inertia.bias)

    def solve(found: Terms) -> tuple[Any, Any]:
        M, b, f, A, g = found
        L = cholesky(M)
        half = triangular_solve(L, (f - b)[:, None], lower=True, unit=False)[:, 0]
        K = triangular_solve(L, A.T, lower=True, unit=False).T
        gap = g - K @ half
        S = K @ K.T * mean_inertia(M, natural) / np.outer(*[natural.rows] * 2)
        pressed = _pseudo_inverse(S) @ (gap / natural.rows)
        pressed = pressed * mean_inertia(M, natural) / natural.rows
        total = (half + K.T @ pressed)[:, None]
        a = triangular_solve(L.T, total, lower=False, unit=False)[:, 0]
        return a, pressed

    return in_speeds("Udwadia-Kalaba", system, terms, solve)


def _pseudo_inverse(S: Array) -> Any:
    """S^+ of a symmetric matrix by its eigenvalues."""
    values, vectors = eigh(S)
    least = NOTHING * jnp.maximum(values[-1], NOTHING)
    kept = values > least
    inverse = jnp.where(kept, 1.0 / jnp.where(kept, values, 1.0), 0.0)
    return (vectors * inverse) @ vectors.T
