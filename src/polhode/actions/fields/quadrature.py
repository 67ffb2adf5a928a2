"""Points and weights that replace integrals over lines, surfaces and volumes.

    integral f dV  ~  sum_k w_k f(x_k)

Rules are made on the host, once; their arrays then serve inside kernels.
`order` counts Gauss points along an edge: a rule is exact for polynomials of degree
2 order - 1 on straight-sided shapes (2 order - 2 on triangles, 2 order - 3 on
tetrahedra), and converges geometrically with the order for smooth functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import admit


@final
@dataclass(frozen=True, eq=False)
class Quadrature:
    """Where to sample (n, 3), and how much each sample counts (n,).

    >>> rule = segment([0, 0, 0], [0, 0, 2], order=3)
    >>> round(rule.measure, 12)
    2.0
    """

    points: np.ndarray
    weights: np.ndarray

    def __post_init__(self) -> None:
        count = len(self.points)
        points = admit(self.points, (count, 3), "the points of a quadrature")
        weights = admit(self.weights, (count,), "the weights of a quadrature")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "weights", weights)

    @property
    def measure(self) -> float:
        """The length, area or volume of the shape: the integral of 1."""
        return float(self.weights.sum())

    def integrate(self, values: Array) -> Any:
        """sum_k w_k f_k, for the values (n, ...) of a function at the points."""
        return namespace(values).tensordot(self.weights, values, axes=1)

    def __add__(self, other: Quadrature) -> Quadrature:
        """The rule for two shapes together."""
        points = np.concatenate([self.points, other.points])
        return Quadrature(points, np.concatenate([self.weights, other.weights]))

    def __repr__(self) -> str:
        return f"Quadrature({len(self.points)} points, measure {self.measure:.6g})"


def unit_rule(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss and Legendre's points and weights on the interval from 0 to 1."""
    if order < 1:
        raise ModelError(
            f"a quadrature cannot have order {order}.",
            "The order counts the points along an edge.",
            "Give a whole number, 1 or more; 8 serves most smooth loads.",
        )
    x, w = np.polynomial.legendre.leggauss(order)
    return (x + 1) / 2, w / 2


def segment(start: Any, end: Any, order: int = 8) -> Quadrature:
    """A straight line from `start` to `end`."""
    a, b = admit(start, (3,), "a segment's start"), admit(end, (3,), "a segment's end")
    x, w = unit_rule(order)
    return Quadrature(a + np.outer(x, b - a), w * np.linalg.norm(b - a))


def triangle(corners: Array, order: int = 8) -> Quadrature:
    """A flat triangle given by its corners (3, 3).

    x = a + s (b - a) + s t (c - b), with the area element 2 A s ds dt.
    """
    a, b, c = admit(corners, (3, 3), "the corners of a triangle")
    x, w = unit_rule(order)
    s, t = (g.ravel() for g in np.meshgrid(x, x, indexing="ij"))
    area2 = np.linalg.norm(np.cross(b - a, c - a))
    points = a + np.outer(s, b - a) + np.outer(s * t, c - b)
    return Quadrature(points, np.outer(w, w).ravel() * s * area2)


def tetrahedron(corners: Array, order: int = 8) -> Quadrature:
    """A tetrahedron given by its corners (4, 3).

    x = a + r (b - a) + r s (c - b) + r s t (d - c), volume element 6 V r^2 s dr ds dt.
    """
    a, b, c, d = admit(corners, (4, 3), "the corners of a tetrahedron")
    x, w = unit_rule(order)
    r, s, t = (g.ravel() for g in np.meshgrid(x, x, x, indexing="ij"))
    volume6 = abs(np.dot(np.cross(b - a, c - a), d - a))
    points = (
        a + np.outer(r, b - a) + np.outer(r * s, c - b) + np.outer(r * s * t, d - c)
    )
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * r**2 * s * volume6
    return Quadrature(points, weights)


def rectangle(corner: Any, first: Any, second: Any, order: int = 8) -> Quadrature:
    """A parallelogram spanned by two edges from a corner."""
    names = ("a plate's corner", "a plate's first edge", "a plate's second edge")
    given = zip((corner, first, second), names, strict=True)
    o, a, b = (admit(value, (3,), name) for value, name in given)
    x, w = unit_rule(order)
    s, t = (g.ravel() for g in np.meshgrid(x, x, indexing="ij"))
    area = np.linalg.norm(np.cross(a, b))
    return Quadrature(
        o + np.outer(s, a) + np.outer(t, b), np.outer(w, w).ravel() * area
    )


def box(sides: Any, order: int = 8) -> Quadrature:
    """A solid box centred at the origin, its sides (3,) along the axes."""
    a = admit(sides, (3,), "the sides of a box")
    x, w = unit_rule(order)
    grid = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * np.prod(a)
    return Quadrature((grid - 0.5) * a, weights)


def sphere(radius: float, order: int = 8) -> Quadrature:
    """The surface of a sphere centred at the origin.

    Gauss points in the height, equal steps round the axis (twice as many): exact for
    polynomials of degree 2 order - 1.
    """
    x, w = unit_rule(order)
    height, turn = 2 * x - 1, np.arange(2 * order) * np.pi / order
    z, angle = (g.ravel() for g in np.meshgrid(height, turn, indexing="ij"))
    ring = np.sqrt(1 - z**2)
    points = np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=-1)
    weights = np.repeat(w * 2 * np.pi / order, 2 * order)
    return Quadrature(radius * points, weights * radius**2)


def ball(radius: float, order: int = 8, *, hollow: float = 0.0) -> Quadrature:
    """A solid ball centred at the origin, from the radius `hollow` outward."""
    x, w = unit_rule(order)
    radii = hollow + (radius - hollow) * x
    unit = sphere(1.0, order)
    points = (radii[:, None, None] * unit.points).reshape(-1, 3)
    weights = np.outer(w * (radius - hollow) * radii**2, unit.weights).ravel()
    return Quadrature(points, weights)


def disc(radius: float, order: int = 8) -> Quadrature:
    """A flat disc in the XY plane, centred at the origin."""
    x, w = unit_rule(order)
    turn = np.arange(2 * order) * np.pi / order
    r, angle = (g.ravel() for g in np.meshgrid(radius * x, turn, indexing="ij"))
    points = np.stack([r * np.cos(angle), r * np.sin(angle), 0 * r], axis=-1)
    return Quadrature(points, np.repeat(w, 2 * order) * radius * r * np.pi / order)
