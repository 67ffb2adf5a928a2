"""Collocation at Gauss's points: the methods of two and of three stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import newton
from polhode.integrate.methods.implicit.collocation import (
    diagonal_stages,
    factored,
    solved,
)
from polhode.integrate.methods.method import Attempt, FixedStep


class Collocation(NamedTuple):
    """A method that integrates the polynomial through the slopes at its nodes exactly.

    a_ij = int_0^c_i l_j,      b_j = int_0^1 l_j,      l_j(c_i) = 1 if i = j, else 0
    """

    nodes: np.ndarray
    matrix: np.ndarray
    weights: np.ndarray


def collocation(nodes: np.ndarray) -> Collocation:
    """The collocation method of some nodes in (0, 1)."""
    powers = np.arange(len(nodes))
    values = nodes[:, None] ** powers
    # Columns of the inverse are the coefficients of the l_j.
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    matrix = np.linalg.solve(values.T, integrals.T).T
    weights = np.linalg.solve(values.T, 1.0 / (powers + 1))
    return Collocation(nodes, matrix, weights)


def gauss_points(count: int) -> np.ndarray:
    """Gauss's points in (0, 1)."""
    return (np.polynomial.legendre.leggauss(count)[0] + 1) / 2


TWO, THREE = collocation(gauss_points(2)), collocation(gauss_points(3))


@final
@dataclass(frozen=True)
class GaussLegendre4(FixedStep):
    """Order 4 and symmetric, two implicit stages.

        Z_i = h sum_j a_ij f(t + c_j h, x + Z_j),      x1 = x + h sum_j b_j f(...)

    What is quadratic in x = [q; y] and constant stays so to rounding: the length of
    quaternions, the energy and |L| of a body that turns freely. With Hamilton's
    equations and joints of one freedom it is symplectic. One exact Jacobian a step.
    """

    name: ClassVar[str] = "Gauss-Legendre 4"
    order: ClassVar[int] = 4
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        return _collocated(TWO, field, h, t=t, x=x, x_dot=x_dot)


@final
@dataclass(frozen=True)
class GaussLegendre6(FixedStep):
    """Order 6 and symmetric, three implicit stages; else as `GaussLegendre4`."""

    name: ClassVar[str] = "Gauss-Legendre 6"
    order: ClassVar[int] = 6
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        return _collocated(THREE, field, h, t=t, x=x, x_dot=x_dot)


def _collocated(
    rule: Collocation, field: Field, h: Scalar, *, t: Scalar, x: Array, x_dot: Array
) -> Attempt:
    (nodes, A, b) = rule
    n = field.coordinates
    jacobian = field.jacobian or jax.jacfwd(field.x_dot, 1)
    J = jacobian(t + h / 2, x + h / 2 * x_dot)
    stages = diagonal_stages(A)
    factors, size = factored(stages, J, h), newton.sizes(x, x_dot, h, n)
    across = stages.back @ stages.inverse

    def slopes(Z: Any) -> Any:
        pairs = zip(nodes, Z, strict=True)
        return jnp.stack([field.x_dot(t + c * h, x + z) for c, z in pairs])

    def residual(Z: Any) -> Any:
        return Z - h * jnp.asarray(A) @ slopes(Z)

    def increment(Z: Any) -> Any:
        # What is missed is small: in any basis it is known as well.
        return solved(stages, factors, jnp.asarray(-across) @ residual(Z) / h)

    def measure(step: Any) -> Any:
        q, y = newton.spread(step[:, :n]), newton.spread(step[:, n:])
        return jnp.maximum(q / size[0], y / size[1])

    start = h * jnp.asarray(nodes)[:, None] * x_dot
    found = newton.iterated(increment, start, measure)
    # Of the stages, not of slopes asked anew: their rounding is what x1 then has.
    weights = np.linalg.solve(A.T, b)
    Z = newton.implicit(found.u, residual)
    return Attempt(x + jnp.asarray(weights) @ Z, is_solved=found.is_solved)
