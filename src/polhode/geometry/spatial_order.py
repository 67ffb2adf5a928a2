"""Six components, angular first as in this library, or linear first as elsewhere.

    angular first  [ω; v], [torque; force]     ours
    linear first   [v; ω], [force; torque]

The bridge is P = [[0, 1], [1, 0]] of 3x3 blocks, its own inverse: V' = P V, M' = P M P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.arrays import namespace

if TYPE_CHECKING:
    from polhode.public.shapes import Columns6, Matrices6

__all__ = ["exchange_matrix", "exchange_vector"]


def exchange_vector(column: Columns6) -> Columns6:
    """P V (..., 6): from either order to the other."""
    xp = namespace(column)
    return xp.concatenate([column[..., 3:], column[..., :3]], axis=-1)


def exchange_matrix(matrix: Matrices6) -> Matrices6:
    """P M P (..., 6, 6): from either order to the other."""
    xp = namespace(matrix)
    rows = xp.concatenate([matrix[..., 3:, :], matrix[..., :3, :]], axis=-2)
    return xp.concatenate([rows[..., 3:], rows[..., :3]], axis=-1)
