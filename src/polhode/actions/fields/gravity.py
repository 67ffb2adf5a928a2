"""Newton's gravitation of point masses: force, field, potential, energy of many.

    F_on1 = G m1 m2 (P2 - P1) / |P2 - P1|^3,      V = -G m1 m2 / |P2 - P1|

Two masses at one place pull with no definite force: the kernels give NaN there, and the
nouns of this room say so in words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace, removable
from polhode.geometry.vector import dot

# CODATA 2018, in N m^2/kg^2.
GRAVITATIONAL_CONSTANT = 6.67430e-11


def inverse_distance(separation: Array) -> Any:
    """1/|r| for r (..., 3); NaN at r = 0, and no division by zero."""
    xp = namespace(separation)
    square = dot(separation, separation)
    closed = square == 0
    safe = removable(closed, 1.0, square)
    return removable(closed, np.nan, 1.0 / xp.sqrt(safe))


def pair_force(first: Array, second: Array, strength: Scalar) -> Any:
    """The pull on the mass at `first` by the one at `second`, strength = G m1 m2.

    F = strength (P2 - P1) / |P2 - P1|^3
    """
    separation = second - first
    near = inverse_distance(separation)[..., None]
    return strength * near * near * near * separation


def pair_energy(first: Array, second: Array, strength: Scalar) -> Any:
    """The energy of two masses, zero when far apart.   V = -strength / |P2 - P1|"""
    return -strength * inverse_distance(second - first)


def field_of_points(x: Array, points: Array, parameters: Array) -> Any:
    """The acceleration that masses at points (n, 3) give to anything at x (..., 3).

        g(x) = sum_k mu_k (P_k - x) / |P_k - x|^3

    `parameters` (n,) are the gravitational parameters mu_k = G m_k in m^3/s^2.
    """
    separation = points - x[..., None, :]
    near = inverse_distance(separation)
    return ((parameters * near**3)[..., None] * separation).sum(-2)


def potential_of_points(x: Array, points: Array, parameters: Array) -> Any:
    """The energy of a unit mass at x among masses at points, zero far away.

    phi(x) = - sum_k mu_k / |P_k - x|,        g = -grad phi
    """
    near = inverse_distance(points - x[..., None, :])
    return -(parameters * near).sum(-1)


def pulls(
    points: Array, masses: Array, constant: Scalar = GRAVITATIONAL_CONSTANT
) -> Any:
    """The force on each of n masses by all the others, (n, 3).

    F_i = sum_{k != i} G m_i m_k (P_k - P_i) / |P_k - P_i|^3
    """
    xp = namespace(points, masses)
    separation = points[..., None, :, :] - points[..., :, None, :]
    near = _inverse_of_pairs(points, separation)
    strength = constant * masses[..., :, None] * masses[..., None, :]
    factor = xp.where(_itself(points), 0.0, strength * near**3)
    return (factor[..., None] * separation).sum(-2)


def energy_of_masses(
    points: Array, masses: Array, constant: Scalar = GRAVITATIONAL_CONSTANT
) -> Any:
    """The energy of n masses, zero when all are far apart: the work to take them there.

        V = - sum_{i < k} G m_i m_k / r_ik

    Printed without the minus sign in places; then the masses would repel.
    """
    return energies_of_masses(points, masses, constant).sum(-1) / 2


def energies_of_masses(
    points: Array, masses: Array, constant: Scalar = GRAVITATIONAL_CONSTANT
) -> Any:
    """The energy of each mass in the field of the others, (n,): twice the total's sum.

    V_i = - sum_{k != i} G m_i m_k / r_ik
    """
    xp = namespace(points, masses)
    separation = points[..., None, :, :] - points[..., :, None, :]
    near = _inverse_of_pairs(points, separation)
    strength = constant * masses[..., :, None] * masses[..., None, :]
    return -xp.where(_itself(points), 0.0, strength * near).sum(-1)


def _itself(points: Array) -> np.ndarray:
    return np.eye(points.shape[-2], dtype=bool)


def _inverse_of_pairs(points: Array, separation: Array) -> Any:
    # A mass is at no distance from itself: any number serves, its term is dropped.
    xp = namespace(points)
    itself = _itself(points)
    return inverse_distance(xp.where(itself[..., None], 1.0, separation))
