"""From point to point of a body, and from observer to observer.

    V_c = T V_o,   F_o = T^T F_c,   H_o = T^T H_c,   M_o = T^T M_c T

          |  1    0 |
    T  =  |         |      r = r_oc goes from o to c
          | -[r]  1 |

Spatial vectors are angular first, V = [w; v], all written along one set of axes;
leading axes of the arrays are bodies.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, namespace
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.geometry.vector import skew


def blocks(rows: list[list[Any]]) -> Any:
    """One matrix (..., 6, 6) of two by two blocks (..., 3, 3)."""
    xp = namespace(*(block for row in rows for block in row))
    return xp.concatenate([xp.concatenate(row, axis=-1) for row in rows], axis=-2)


def transfer(r_oc: Array) -> Any:
    """The transfer dyadic T (..., 6, 6) with V_c = T V_o, and F_o = T^T F_c.

    T(a) T(b) = T(a + b) and T(-a) is the inverse of T(a).

    >>> transfer(np.array([1.0, 0.0, 0.0])) @ [0, 0, 2.0, 0, 0, 0]
    array([0., 0., 2., 0., 2., 0.])
    """
    lever = skew(r_oc)
    one, zero = np.eye(3) + 0.0 * lever, 0.0 * lever
    return blocks([[one, zero], [-lever, one]])


def spin(w: Array) -> Any:
    """[Omega] = diag([w], [w]) (..., 6, 6): both halves turn with the axes."""
    turning = skew(w)
    zero = 0.0 * turning
    return blocks([[turning, zero], [zero, turning]])


def spatial_dyadic_rate(rate_B: Array, w_AB: Array, dyadic: Array) -> Any:
    """The rate of a spatial dyadic (..., 6, 6) seen from A, from that seen from B.

        rate_A = rate_B + [Omega] D - D [Omega],      [Omega] = diag([w_AB], [w_AB])

    A body's inertia has no rate seen from the body: seen from elsewhere its rate is
    symmetric, a commutator of a skew and a symmetric dyadic.
    """
    turning = spin(w_AB)
    return rate_B + turning @ dyadic - dyadic @ turning


def transfer_rate(w_AB: Array, r_oc: Array) -> Any:
    """The rate of T seen from A, o and c being points of the body B.

    T' = [Omega] T - T [Omega] = [[0, 0], [-[w x r], 0]]
    """
    return spatial_dyadic_rate(np.zeros((6, 6)), w_AB, transfer(r_oc))


def moved_inertia(M_c: Array, r_oc: Array) -> Any:
    """The spatial inertia M_o = T^T M_c T (..., 6, 6) about o, from that about c."""
    T = transfer(r_oc)
    return T.swapaxes(-1, -2) @ M_c @ T


def solved(matrices: Array, columns: Array) -> Any:
    """x (..., k) with M x = b for definite M (..., k, k), each body for itself."""
    if namespace(matrices, columns) is np:
        return np.linalg.solve(matrices, columns[..., None])[..., 0]
    solve = jnp.vectorize(solve_definite, signature="(k,k),(k)->(k)")
    return solve(matrices, columns)
