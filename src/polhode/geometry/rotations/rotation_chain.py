"""Frames that turn in frames: orientation, angular velocity and acceleration.

    0 --R01--> 1 --R12--> 2 --R23--> ... --> n

Link k leads from frame k to frame k+1. Its matrix [R_k,k+1] has the axes of k+1 in
components of k; its angular velocity and acceleration are those seen from k, in the
axes of k. As matrices, each in its own source axes, they multiply outwards,

    [R_02] = [R_01] [R_12]           as tensors: R_02 = R_12 R_01

All arrays have the links along their first axis: (n, 3, 3) and (n, 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.arrays import namespace
from polhode.geometry.vector import cross, skew

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, LinkColumns, Links, Matrices3

__all__ = [
    "angular_accelerations",
    "angular_velocities",
    "ground_accelerations",
    "in_ground_axes",
    "intermediate_tensor_rate",
    "orientations",
]


def orientations(links: Links) -> Links:
    """[R_01], [R_02], ..., [R_0n] (n, 3, 3): each frame's axes in frame 0's."""
    xp = namespace(links)
    reached = [links[0]]
    for link in links[1:]:
        reached.append(reached[-1] @ link)
    return xp.stack(reached)


def in_ground_axes(links: Links, columns: LinkColumns) -> LinkColumns:
    """A column per link (n, 3), each in its source axes, rewritten in frame 0's."""
    xp = namespace(links, columns)
    sources = xp.concatenate([xp.eye(3)[None], orientations(links)[:-1]])
    return (sources @ columns[..., None])[..., 0]


def angular_velocities(links: Links, relative: LinkColumns) -> LinkColumns:
    """ω_1/0, ω_2/0, ..., ω_n/0 (n, 3) in the axes of 0: ω_2/0 = ω_2/1 + ω_1/0."""
    return namespace(links, relative).cumsum(in_ground_axes(links, relative), axis=0)


def ground_accelerations(
    links: Links, relative: LinkColumns, relative_rates: LinkColumns
) -> LinkColumns:
    """The rate of each link's own ω_k+1/k as frame 0 sees it (n, 3), axes of 0.

        (d/dt)₀ ω_2/1 = α_2/1 + ω_1/0 × ω_2/1

    `relative_rates` are the α_k+1/k seen from frame k. These add up along the chain;
    the α as seen from their own frames do not.
    """
    own = in_ground_axes(links, relative)
    before = angular_velocities(links, relative) - own
    return in_ground_axes(links, relative_rates) + cross(before, own)


def angular_accelerations(
    links: Links, relative: LinkColumns, relative_rates: LinkColumns
) -> LinkColumns:
    """α_1/0, ..., α_n/0 (n, 3) in the axes of 0.

    α_n/0 = Σ α_k+1/k + Σ ω_k/0 × ω_k+1/k
    """
    seen = ground_accelerations(links, relative, relative_rates)
    return namespace(seen).cumsum(seen, axis=0)


def intermediate_tensor_rate(
    tensor_12: Matrices3, spin_21: Columns3, spin_10: Columns3
) -> Matrices3:
    """The rate that frame 0 sees of the tensor R_12, which takes axes of 1 to 2.

        d/dt R_12 = (Ω_2/1 + Ω_1/0) R_12 - R_12 Ω_1/0

    The tensor and the angular velocities ω_2/1, ω_1/0 are all written in frame 0.
    """
    return skew(spin_21 + spin_10) @ tensor_12 - tensor_12 @ skew(spin_10)
