"""Exact moments of polyhedra and prisms: sums over tetrahedra and triangles.

Everything is taken about the mean corner first, so that a shape far from the origin
loses no digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.vector import cross, dot, outer
from polhode.matter.spread import column, symmetric


def inertia_of_second_moment(second: Array) -> Any:
    """The inertia of the second moment C = sum m r r: I = tr(C) 1 - C."""
    return (second[0, 0] + second[1, 1] + second[2, 2]) * np.eye(3) - second


def polyhedron(corners: Array) -> tuple[Any, Any, Any]:
    """Volume, mass centre and central inertia of unit mass within closed triangles.

    corners (k, 3, 3): k triangles of three corners, anticlockwise seen from outside.
    Each makes with the mean corner a tetrahedron (0, a, b, c) of volume d/6 with
    d = a . (b x c), so that

        V = sum d/6,   V g = sum d (a + b + c)/24,
        C = sum d (a a + b b + c c + s s)/120,   s = a + b + c

    Volumes are signed: an inward-facing part is a cavity.
    """
    xp = namespace(corners)
    base = xp.mean(corners, axis=(0, 1))
    a, b, c = (corners[:, k] - base for k in range(3))
    s = a + b + c
    weight = dot(a, cross(b, c))
    volume = xp.sum(weight) / 6
    centre = xp.sum(weight[:, None] * s, axis=0) / (24 * volume)
    dyads = outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)
    second = xp.sum(weight[:, None, None] * dyads, axis=0) / (120 * volume)
    second = second - outer(centre, centre)
    return volume, base + centre, inertia_of_second_moment(second)


def tetrahedron(corners: Array) -> tuple[Any, Any, Any]:
    """Volume, mass centre and central inertia of unit mass between corners (4, 3).

    C = 1/20 sum_k (r_k - g)(r_k - g)
    """
    xp = namespace(corners)
    centre = xp.mean(corners, axis=0)
    arms = corners - centre
    second = xp.sum(outer(arms, arms), axis=0) / 20
    edges = corners[1:] - corners[0]
    volume = xp.abs(dot(edges[0], cross(edges[1], edges[2]))) / 6
    return volume, centre, inertia_of_second_moment(second)


def prism(outline: Array, height: Scalar) -> tuple[Any, Any, Any]:
    """Volume, mass centre and central inertia of unit mass of an upright prism.

    outline (n, 2) are the corners of a polygon in the plane z = 0, anticlockwise; the
    prism reaches from -height/2 to height/2. With w = x y' - x' y for each side,

        A = sum w/2,   A g = sum w (r + r')/6,
        C = sum w (r r + r' r' + (r + r')(r + r'))/24
    """
    xp = namespace(outline, height)
    base = xp.mean(outline, axis=0)
    here = outline - base
    there = xp.concatenate([here[1:], here[:1]])
    w = here[:, 0] * there[:, 1] - there[:, 0] * here[:, 1]
    s = here + there
    area = xp.sum(w) / 2
    g = xp.sum(w[:, None] * s, axis=0) / (6 * area)
    dyads = outer(here, here) + outer(there, there) + outer(s, s)
    C = xp.sum(w[:, None, None] * dyads, axis=0) / (24 * area) - outer(g, g)
    second = symmetric((C[0, 0], C[1, 1], height**2 / 12), (0.0, 0.0, C[0, 1]))
    centre = column(base[0] + g[0], base[1] + g[1], 0.0)
    return area * height, centre, inertia_of_second_moment(second)
