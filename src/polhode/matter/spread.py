"""Second moments of mass: the array kernels under inertia.

r_QP is the column from Q to P; G is the mass centre. All columns and matrices of one
call are written in one frame. Leading axes are batches.

     Q o-------> G          S_Q = -m [r_QG]            static moment, 003 sign
          r_QG              I_Q = sum m (r.r 1 - r r)  inertia
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.vector import dot, outer, skew


def column(x: Scalar, y: Scalar, z: Scalar) -> Any:
    """The column (3,) of three scalars."""
    xp = namespace(x, y, z)
    return xp.stack([xp.asarray(entry, dtype=float) for entry in (x, y, z)])


def symmetric(diagonal: Sequence[Any], products: Sequence[Any]) -> Any:
    """The symmetric matrix (3, 3) of (xx, yy, zz) and (yz, zx, xy)."""
    (xx, yy, zz), (yz, zx, xy) = diagonal, products
    xp = namespace(*diagonal, *products)
    return xp.stack([column(xx, xy, zx), column(xy, yy, yz), column(zx, yz, zz)])


def diagonal(x: Scalar, y: Scalar, z: Scalar) -> Any:
    """The matrix (3, 3) with three scalars on its diagonal."""
    return symmetric((x, y, z), (0.0, 0.0, 0.0))


def spread(r: Array) -> Any:
    """The inertia about its origin of a unit mass at r (..., 3).

        S(r) = (r.r) 1 - r r = -[r][r]

    >>> spread(np.array([0.0, 0.0, 2.0])).diagonal()
    array([4., 4., 0.])
    """
    return dot(r, r)[..., None, None] * np.eye(3) - outer(r, r)


def static_moment(mass: Scalar, r_QG: Array) -> Any:
    """The static-moment tensor about Q, with the sign of the linear momentum's term.

        S_Q = -sum m (P - Q)_x = -m [r_QG],       momentum = m v_Q + S_Q w

    The block (angular row, linear column) of a spatial inertia is its transpose.
    """
    return -mass * skew(r_QG)


def transport_static_moment(S_R: Array, mass: Scalar, r_QR: Array) -> Any:
    """The static moment about Q from that about R: S_Q = S_R - m [r_QR]."""
    return S_R - mass * skew(r_QR)


def huygens(I_R: Array, S_R: Array, mass: Scalar, r_QR: Array) -> Any:
    """The inertia about Q from inertia and static moment about any point R.

        I_Q = I_R + S_R [r] + [r] S_R - m [r][r],        r = R - Q

    R need not be the mass centre.
    """
    r_x = skew(r_QR)
    return I_R + S_R @ r_x + r_x @ S_R - mass * (r_x @ r_x)


def transport_inertia(I_O: Array, mass: Scalar, r_OG: Array, r_PG: Array) -> Any:
    """The inertia about P from that about O: I_P = I_O + m [S(r_PG) - S(r_OG)]."""
    return I_O + mass * (spread(r_PG) - spread(r_OG))


def rotated(I_B: Array, R_AB: Array) -> Any:
    """The same tensor along the axes of A: I_A = R_AB I_B R_AB^T."""
    return R_AB @ I_B @ R_AB.swapaxes(-1, -2)


def symmetrised(matrix: Array) -> Any:
    """The symmetric part, exactly symmetric."""
    return 0.5 * (matrix + matrix.swapaxes(-1, -2))
