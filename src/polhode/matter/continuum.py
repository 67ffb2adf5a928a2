"""Continuous bodies by quadrature: a density over a line, a surface or a volume.

The chart is sampled at Gauss points, and its stretch follows from the same samples by
differentiating their interpolating polynomial. What comes out is a cloud, so every
quantity of particles is a quantity of continuous bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from polhode.errors import ModelError
from polhode.matter.cloud import Cloud

__all__ = ["sampled"]

Chart = Callable[..., Sequence[Any]]


def sampled(
    chart: Chart,
    bounds: Sequence[tuple[float, float]],
    density: Callable[..., Any] | float,
    points: int = 24,
) -> Cloud:
    """A cloud whose sums are integrals over a chart's image.

        sum m f(r)  ~  integral rho f dl, dA or dV

    chart(u), chart(u, v) or chart(u, v, w) -> (x, y, z) acts on arrays, smoothly;
    bounds are the limits of each variable, one to three of them; density is a number or
    a function of (x, y, z), in kg per m, m^2 or m^3. The error falls exponentially
    with the number of `points` a variable.

    >>> rod = sampled(lambda u: (0 * u, 0 * u, u), [(0.0, 2.0)], 1.5)
    >>> round(float(rod.moments().inertia[0, 0]), 12)
    1.0
    """
    grid, weights, scales = _gauss_grid(bounds, points)
    place = np.stack([np.broadcast_to(x, grid[0].shape) for x in chart(*grid)])
    tangents = np.stack(
        [
            _along(_differentiation(points), place, axis + 1) / scale
            for axis, scale in enumerate(scales)
        ],
        axis=-1,
    )
    metric = np.einsum("i...a,i...b->...ab", tangents, tangents)
    stretch = np.sqrt(np.maximum(np.linalg.det(metric), 0.0))
    rho = density(*place) if callable(density) else density
    masses = np.broadcast_to(rho * stretch * weights, grid[0].shape)
    return Cloud(masses.ravel(), place.reshape(3, -1).T)


def _gauss_grid(
    bounds: Sequence[tuple[float, float]], points: int
) -> tuple[list[np.ndarray], np.ndarray, list[float]]:
    if not 1 <= len(bounds) <= 3 or points < 2:
        raise ModelError(
            f"cannot sample {len(bounds)} variables at {points} points each.",
            "A line has one variable, a surface two, a volume three.",
            "Give one to three pairs of bounds, and at least two points.",
        )
    nodes, weights = _gauss(points)
    scales = [(high - low) / 2 for low, high in bounds]
    axes = [low + s * (nodes + 1) for (low, _), s in zip(bounds, scales, strict=True)]
    grid = list(np.meshgrid(*axes, indexing="ij"))
    product = np.ones(())
    for scale in scales:
        product = np.multiply.outer(product, weights * abs(scale))
    return grid, product, scales


@cache
def _gauss(points: int) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights


@cache
def _differentiation(points: int) -> np.ndarray:
    """The matrix that differentiates a polynomial from its values at Gauss nodes."""
    nodes, weights = _gauss(points)
    # Barycentric weights of Gauss nodes; the signs alternate.
    bary = (-1.0) ** np.arange(points) * np.sqrt((1 - nodes**2) * weights)
    gaps = nodes[:, None] - nodes[None, :] + np.eye(points)
    matrix = bary[None, :] / bary[:, None] / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


def _along(matrix: np.ndarray, values: np.ndarray, axis: int) -> np.ndarray:
    return np.moveaxis(np.tensordot(matrix, values, axes=(1, axis)), 0, axis)
