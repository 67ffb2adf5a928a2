"""Poinsot's picture: a free body's inertia ellipsoid rolls on a plane that rests.

           ________
         /    ·<---\\---- x = w / sqrt(2 T), the pole, draws the polhode on the body
        |     o     |
    ____ \\____|____/____  the invariable plane, square to H, at h = sqrt(2 T) / |H|
              `--- and on the plane the herpolhode

x . J x = 1 by the definition of T, and x . H = sqrt(2 T); so the pole is on both, and
it is at rest for it is on the axis of turning.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode.arrays import Array, namespace
from polhode.geometry.vector import dot


class Poinsot(NamedTuple):
    """Both curves of a motion, about the mass centre; leading axes are rows.

    polhode     (n, 3)  along the body's axes, in 1/sqrt(kg m^2)
    herpolhode  (n, 3)  the same poles along the world's axes
    normal      (n, 3)  of the plane, along H; one vector in a free motion
    distance    (n,)    of the plane from the mass centre; one number in a free motion
    """

    polhode: Any
    herpolhode: Any
    normal: Any
    distance: Any


def poinsot(inertia: Array, rotations: Array, spins: Array) -> Poinsot:
    """Polhode and herpolhode of spins (n, 3) in the world's axes.

        x = w / sqrt(w . J w),    h = sqrt(w . J w) / |J w|

    inertia (3, 3) is about the mass centre in the body's axes, rotations R_WB
    (n, 3, 3). A body that does not turn has no pole: NaN.
    """
    xp = namespace(inertia, rotations, spins)
    w_B = xp.einsum("...ji,...j->...i", rotations, spins)
    H_B = w_B @ inertia
    double = xp.sqrt(dot(w_B, H_B))
    length = xp.sqrt(dot(H_B, H_B))
    turns = double > 0
    root = xp.where(turns, double, xp.nan)[..., None]
    normal = xp.einsum("...ij,...j->...i", rotations, H_B)
    safe = xp.where(turns, length, xp.nan)
    return Poinsot(w_B / root, spins / root, normal / safe[..., None], double / safe)
