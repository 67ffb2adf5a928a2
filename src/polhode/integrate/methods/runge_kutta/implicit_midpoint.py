"""The implicit midpoint rule, along the motions of the joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import newton
from polhode.integrate.methods.method import Attempt, FixedStep


@final
@dataclass(frozen=True)
class ImplicitMidpoint(FixedStep):
    """Order 2 and symmetric; configurations stay on their manifold.

        q' = local(q, d/2),      y' = (y + y1)/2
        d = h z(t', q', y'),     y1 = y + h y_dot(t', q', y'),     q1 = local(q, d)

    What is quadratic in y and constant stays so: the energy and |L| of a body that
    turns freely. With Hamilton's equations and joints of one freedom it is symplectic.
    """

    name: ClassVar[str] = "implicit midpoint"
    order: ClassVar[int] = 2
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n, middle = field.coordinates, t + h / 2
        q, y = x[:n], x[n:]
        d = newton.way(field, t, x, x_dot, h)
        k = len(d)
        size_q, size_y = newton.sizes(x, x_dot, h, n)
        unit = jnp.concatenate([jnp.full(k, size_q), jnp.full(len(y), size_y)])

        def residual(u: Array) -> Any:
            d, gain = u[:k] * size_q, u[k:] * size_y
            there, mean = field.local(q, d / 2), y + gain / 2
            d1 = h * field.speeds(middle, there, mean)
            gain1 = h * field.accelerations(middle, there, mean)
            return u - jnp.concatenate([d1, gain1]) / unit

        start = jnp.concatenate([d, h * x_dot[n:]]) / unit
        found = newton.solve(residual, start, 1.0)
        q = field.local(q, found.u[:k] * size_q)
        y = y + found.u[k:] * size_y
        return Attempt(jnp.concatenate([q, y]), is_solved=found.is_solved)
