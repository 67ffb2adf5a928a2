"""Mass, mass centre and central inertia together: what a body's motion depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from polhode.arrays import Array
from polhode.matter.spread import rotated, spread


class Moments(NamedTuple):
    """The three moments of a spread of mass, as arrays written in one frame.

    mass     scalar   zeroth moment
    centre   (3,)     mass centre G, from the frame's origin
    inertia  (3, 3)   second moment about G
    """

    mass: Any
    centre: Any
    inertia: Any


def about(moments: Moments, r_OQ: Array) -> Any:
    """The inertia (3, 3) about a point Q: I_Q = I_G + m S(r_QG)."""
    return moments.inertia + moments.mass * spread(moments.centre - r_OQ)


def placed_moments(moments: Moments, R_AB: Array, p_AoBo_A: Array) -> Moments:
    """The moments of frame B's matter, seen from and written in frame A."""
    centre = R_AB @ moments.centre + p_AoBo_A
    return Moments(moments.mass, centre, rotated(moments.inertia, R_AB))


def sum_of_moments(parts: Sequence[Moments], signs: Sequence[float]) -> Moments:
    """The moments of parts rigidly joined (sign +1) and cut away (sign -1).

    m = sum m_k,   m c = sum m_k c_k,   I_G = sum [I_k + m_k S(c_k - c)]
    """
    mass = sum(s * part.mass for s, part in zip(signs, parts, strict=True))
    first = sum(s * p.mass * p.centre for s, p in zip(signs, parts, strict=True))
    centre = first / mass
    inertia = sum(s * about(p, centre) for s, p in zip(signs, parts, strict=True))
    return Moments(mass, centre, inertia)
