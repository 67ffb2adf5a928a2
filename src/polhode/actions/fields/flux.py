"""Flux through closed surfaces: Gauss's law as a check of gravity.

    integral over S of g . n dS = -4 pi G (mass inside)

A point outside counts nothing; one on the surface counts the fraction of the directions
from it that lead inside: a half on a face, a quarter on a cube's edge, an eighth at its
corner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.actions.fields.gravity_of_solids import solid_angle
from polhode.actions.fields.quadrature import unit_rule
from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.geometry.admission import admit, is_traced

__all__ = [
    "ClosedSurface",
    "box_triangles",
    "enclosed_fraction",
    "flux_of_point",
    "star_surface",
]


@final
@dataclass(frozen=True, eq=False)
class ClosedSurface:
    """A closed surface by samples: places and outward area vectors n dS, (n, 3)."""

    points: np.ndarray
    areas: np.ndarray

    def flux(self, values: Array) -> float:
        """The flux of a field given by its values (n, 3) at the surface's points.

        sum_k g_k . (n dS)_k
        """
        return float(np.sum(np.asarray(values) * self.areas))

    def __repr__(self) -> str:
        area = np.linalg.norm(self.areas, axis=-1).sum()
        return f"ClosedSurface({len(self.points)} points, area {area:.6g})"


def star_surface(
    radius: Callable[[Any], Any], centre: Any = (0.0, 0.0, 0.0), order: int = 40
) -> ClosedSurface:
    """The surface at the distance radius(u) from the centre in each direction u.

    `radius` takes directions (n, 3) to distances (n,); traceable, smooth and positive.
    With a smooth radius the flux converges geometrically with the order.
    """
    import jax

    from polhode.double import doubled

    x, w = unit_rule(order)
    turn = np.arange(2 * order) * np.pi / order
    z, angle = (g.ravel() for g in np.meshgrid(2 * x - 1, turn, indexing="ij"))
    weights = np.repeat(w * 2 * np.pi / order, 2 * order)

    def sheet(height: Array, along: Array) -> Any:
        xp = jax.numpy
        ring = xp.sqrt(1 - height**2)
        unit = xp.stack([ring * xp.cos(along), ring * xp.sin(along), height])
        return radius(unit[None])[0] * unit

    def sampled(heights: Array, turns: Array) -> Any:
        places = jax.vmap(sheet)(heights, turns)
        up = jax.vmap(jax.jacfwd(sheet, argnums=0))(heights, turns)
        round_ = jax.vmap(jax.jacfwd(sheet, argnums=1))(heights, turns)
        return places, jax.numpy.cross(round_, up)

    places, areas = doubled(sampled)(z, angle)
    shift = admit(centre, (3,), "the centre of a surface")
    return ClosedSurface(places + shift, areas * weights[:, None])


def enclosed_fraction(point: Any, corners: Array) -> Any:
    """How much of a point mass a closed surface of triangles encloses, from 0 to 1.

        theta = (1/4 pi) sum over triangles of the solid angle

    corners (n, 3, 3), outward. 1 inside, 0 outside, between on the surface itself.
    """
    x = admit(point, (3,), "a point")
    triangles = admit(corners, np.shape(corners), "the triangles of a surface")
    _refuse_open(triangles)
    return solid_angle(x, triangles).sum() / (4 * np.pi)


def flux_of_point(point: Any, parameter: Scalar, corners: Array) -> Any:
    """The flux of a point mass through a closed surface of triangles.

    -4 pi mu theta, exact: theta is the enclosed fraction, mu = G m.
    """
    return -4.0 * np.pi * parameter * enclosed_fraction(point, corners)


def box_triangles(sides: Any) -> np.ndarray:
    """The twelve outward triangles (12, 3, 3) of a box centred at the origin."""
    half = admit(sides, (3,), "the sides of a box") / 2
    faces = []
    for axis in range(3):
        u, v = np.roll(np.eye(3), -axis, axis=0)[1:]
        for side in (-1.0, 1.0):
            n = side * np.eye(3)[axis]
            square = [n - u - v, n + u - v, n + u + v, n - u + v]
            a, b, c, d = square if side > 0 else square[::-1]
            faces += [[a, b, c], [a, c, d]]
    return np.array(faces) * half


def _refuse_open(triangles: Array) -> None:
    if is_traced(triangles):
        return
    a, b, c = triangles.swapaxes(0, 1)
    gap = float(np.linalg.norm(np.cross(b - a, c - a).sum(0)))
    size = float(np.linalg.norm(np.cross(b - a, c - a), axis=-1).sum())
    if gap > 1e-9 * size:
        raise ModelError(
            f"the surface of {len(triangles)} triangles is not closed.",
            "The area vectors of a closed surface, all outward, sum to zero;"
            f" here their sum is {gap / size:.3g} of the whole area.",
            "Give every triangle, its corners anticlockwise seen from outside.",
        )
