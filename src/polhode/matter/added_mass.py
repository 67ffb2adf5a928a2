"""Added mass: the fluid that an ellipsoid must move in order to move itself.

In an unbounded ideal fluid at rest the fluid's kinetic energy is quadratic in the
body's twist. For an ellipsoid of half axes a, b, c Lamb's integrals give it exactly:

    alpha_i = abc int_0^inf dk / ((a_i^2 + k) D),     D^2 = (a^2+k)(b^2+k)(c^2+k)

Lamb, Hydrodynamics, 6th ed., art. 114, 115, 373. The rotational coefficients are
printed there as 0/0 for spheroids and spheres; here they are written with

    W_ij = (alpha_j - alpha_i)/(a_i^2 - a_j^2) = abc int dk / ((a_i^2+k)(a_j^2+k) D)

which has no such place. All six integrals come from one Landen-Carlson duplication of
the three squares: every term is positive, so nothing cancels for any shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.matter.repeat import repeat
from polhode.matter.spread import column, diagonal

# Each step brings the three squares four times nearer to each other, once they are of
# one size, and the closing mean errs by the square of their distance: 27 bits for
# ratios of axes up to 10^5 take about ten steps, and sixteen more are enough for all.
DUPLICATIONS = 26
PAIRS = ((1, 2), (2, 0), (0, 1))


def ellipsoid_integrals(half_axes: Array) -> tuple[Any, Any]:
    """alpha (3,) and W (3,) = (W_bc, W_ca, W_ab) of an ellipsoid's half axes (3,).

    The sum of alpha is 2; each is 2/3 for a sphere, and W is 2/(5 a^2).

    >>> alpha, W = ellipsoid_integrals(np.array([1.0, 1.0, 1.0]))
    >>> np.round(alpha * 3, 12), np.round(W * 5, 12)
    (array([2., 2., 2.]), array([2., 2., 2.]))
    """
    xp = namespace(half_axes)
    size = xp.max(half_axes)
    axes = half_axes / size
    zero = xp.zeros_like(axes)
    start = xp.stack([axes**2, zero, zero, zero + 1.0])
    x, single, double, weight = repeat(_duplicate, start, DUPLICATIONS)
    total = x[0] + x[1] + x[2]
    near, far = (total + 2 * x) / 5, (3 * total - 2 * x) / 7
    single = single + weight / (3 * near * xp.sqrt(near))
    double = double + weight**2 / (5 * far**2 * xp.sqrt(far))
    factor = 2 * axes[0] * axes[1] * axes[2]
    return factor * single, factor * double / size**2


def _duplicate(state: Array) -> Any:
    """One step: the squares x (3,), both sums (3,) and the weight 4^-n of the next.

    In the sums k the pair (i, j) is (k + 1, k + 2), cyclically.
    """
    xp = namespace(state)
    x, single, double, weight = state
    p = xp.sqrt(x)
    pi, pj, xi, xj = xp.roll(p, -1), xp.roll(p, -2), xp.roll(x, -1), xp.roll(x, -2)
    shift = p[0] * p[1] + p[1] * p[2] + p[2] * p[0]
    single = single + weight / (p * (x + shift))
    pair = (xi + pi * pj + xj + shift) / ((pi + pj) * pi * pj)
    double = double + weight**2 * pair / ((xi + shift) * (xj + shift))
    return xp.stack([0.25 * (x + shift), single, double, 0.25 * weight])


def added_mass_coefficients(half_axes: Array) -> tuple[Any, Any]:
    """Added mass and added moment of unit displaced mass, along the ellipsoid's axes.

        k_i  = alpha_i / (2 - alpha_i)
        k'_i = (a_j^2 - a_k^2)^2 W_jk / (5 (2 - (a_j^2 + a_k^2) W_jk))

    Both (3,). A sphere has k = 1/2 and k' = 0. The sum of alpha being 2, both
    denominators are computed as sums of positive terms.
    """
    xp = namespace(half_axes)
    alpha, W = ellipsoid_integrals(half_axes)
    masses, moments = [], []
    for i, (j, k) in enumerate(PAIRS):
        masses.append(alpha[i] / (alpha[j] + alpha[k]))
        a, b = half_axes[j], half_axes[k]
        # alpha_j - b^2 W = alpha_k - a^2 W; the first loses nothing where b is small.
        flat = xp.where(a >= b, alpha[j] - b**2 * W[i], alpha[k] - a**2 * W[i])
        gap = (a - b) * (a + b)
        moments.append(gap**2 * W[i] / (5 * (alpha[i] + 2 * flat)))
    return xp.stack(masses), xp.stack(moments)


def ellipsoid_added_mass(half_axes: Array, fluid_density: Scalar) -> Any:
    """The added spatial inertia (6, 6) about the ellipsoid's centre, in its axes.

    Diagonal, angular part first; displaced mass 4/3 pi abc rho times the coefficients.
    """
    xp = namespace(half_axes, fluid_density)
    masses, moments = added_mass_coefficients(half_axes)
    a, b, c = half_axes[0], half_axes[1], half_axes[2]
    displaced = 4 * np.pi / 3 * a * b * c * fluid_density
    zero = np.zeros((3, 3))
    angular, linear = (diagonal(k[0], k[1], k[2]) for k in (moments, masses))
    rows = [
        xp.concatenate([angular, zero], axis=1),
        xp.concatenate([zero, linear], axis=1),
    ]
    return displaced * xp.concatenate(rows, axis=0)


def spheroid_added_mass(axial: Scalar, radial: Scalar, fluid_density: Scalar) -> Any:
    """The added spatial inertia (6, 6) of a spheroid whose axis of symmetry is z."""
    return ellipsoid_added_mass(column(radial, radial, axial), fluid_density)
