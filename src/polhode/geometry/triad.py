"""Bases of space: triads, reciprocal bases, and components between them.

A basis is an array (..., 3, 3) whose columns are its vectors, all in common axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.arrays import namespace
from polhode.geometry.vector import cross, dot

if TYPE_CHECKING:
    from polhode.public.shapes import Matrices3


def components_between(old: Matrices3, new: Matrices3) -> Matrices3:
    """R_ij = a_i · b_j, the components of the new basis along the old triad.

    For orthonormal triads this is the rotation matrix with b_k = R a_k, and its
    inverse is its transpose. For oblique bases use `change_of_basis`.
    """
    return namespace(old).swapaxes(old, -1, -2) @ new


def reciprocal(basis: Matrices3) -> Matrices3:
    """The basis uⁱ with uⁱ · u_j = 1 if i = j, else 0.

    u¹ = u₂ × u₃ / (u₁ · u₂ × u₃),  and cyclic. The basis must span space.
    """
    xp = namespace(basis)
    one, two, three = basis[..., 0], basis[..., 1], basis[..., 2]
    across = [cross(two, three), cross(three, one), cross(one, two)]
    volume = dot(one, across[0])[..., None, None]
    return xp.stack(across, axis=-1) / volume


def change_of_basis(old: Matrices3, new: Matrices3) -> Matrices3:
    """T with v_j = Tⁱ_j u_i,  Tⁱ_j = uⁱ · v_j, for bases that need not be square.

    Components of one vector follow: those along u are T times those along v.
    """
    return components_between(reciprocal(old), new)
