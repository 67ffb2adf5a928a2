"""The derivative of a scalar with respect to a rotation: a moment.

A scalar S(R) changes by dS/dt = σ · ω, with ω in the observer's axes; σ is its
derivative with respect to the rotation. If S is a potential energy, -σ is the moment
it exerts. However S is extended off the rotations, σ is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.arrays import Array, namespace
from polhode.geometry.rotations.parametrisation import Parametrisation, dual_basis
from polhode.geometry.vector import alternator, cross

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3, Quaternions


def tensor_from_matrix(matrix: Matrices3, slope: Matrices3) -> Matrices3:
    """Σ = 1/2 (∂S/∂R Rᵀ - R (∂S/∂R)ᵀ), skew (..., 3, 3).

    `slope` is ∂S/∂R_ij (..., 3, 3), of any extension of S to all matrices.
    """
    product = slope @ namespace(matrix).swapaxes(matrix, -1, -2)
    return (product - namespace(product).swapaxes(product, -1, -2)) / 2


def from_matrix(matrix: Matrices3, slope: Matrices3) -> Columns3:
    """σ = -ε[Σ] (..., 3), from the derivative by the matrix entries."""
    return -alternator(tensor_from_matrix(matrix, slope))


def from_parameters(
    chart: Parametrisation, parameters: Array, slope: Array
) -> Columns3:
    """σ = ∂S/∂γⁱ gⁱ (..., 3), from the derivative by the parameters (..., n)."""
    dual = dual_basis(chart, parameters)
    return (slope[..., None, :] @ dual)[..., 0, :]


def from_quaternion(q: Quaternions, slope: Quaternions) -> Columns3:
    """σ = 1/2 (w S_v - S_w v + v × S_v), from ∂S/∂(w, x, y, z) of any extension."""
    w, v = q[..., :1], q[..., 1:]
    slope_w, slope_v = slope[..., :1], slope[..., 1:]
    return (w * slope_v - slope_w * v + cross(v, slope_v)) / 2
