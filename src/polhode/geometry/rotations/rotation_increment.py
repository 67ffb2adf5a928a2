"""Small rotations: how a rotation changes to first order.

    dR Rᵀ = [δ],     R + dR = (1 + [δ]) R          δ in the observer's axes
    Rᵀ dR = [δ'],    δ' = Rᵀ δ                     δ' in the body's

δ is no differential of anything: three increments do not integrate to three numbers.
But to first order increments add, in any order, and δ/dt is the angular velocity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.arrays import namespace
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import rotation_chain
from polhode.geometry.vector import skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, LinkColumns, Links, Matrices3

__all__ = ["along_chain", "body", "spatial", "updated"]


def spatial(matrix: Matrices3, change: Matrices3) -> Columns3:
    """δ (..., 3) in the observer's axes, of a change dR: [δ] = dR Rᵀ."""
    return spatial_components(matrix, change)


def body(matrix: Matrices3, change: Matrices3) -> Columns3:
    """δ' (..., 3) in the body's axes, of a change dR: [δ'] = Rᵀ dR."""
    return body_components(matrix, change)


def updated(matrix: Matrices3, increment: Columns3) -> Matrices3:
    """(1 + [δ]) R, moved to first order; `so3.boxplus` moves it exactly."""
    return (namespace(matrix).eye(3) + skew(increment)) @ matrix


def along_chain(links: Links, increments: LinkColumns) -> LinkColumns:
    """δ_1/0, ..., δ_n/0 (n, 3) in the axes of 0: δ_2/0 = δ_2/1 + δ_1/0.

    `links` (n, 3, 3) as in `rotation_chain`. Row k of `increments` is the variation of
    link k at fixed source axes, (δ_k R) Rᵀ = [δ], written in those.
    """
    return rotation_chain.angular_velocities(links, increments)
