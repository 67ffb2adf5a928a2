"""The method of Stormer and Verlet: half a kick, a drift, half a kick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep

# Where accelerations depend on speeds the first kick is implicit; each iteration gains
# a power of h. Where they do not, all are one expression and cost nothing.
ITERATIONS = 4


@final
@dataclass(frozen=True)
class StormerVerlet(FixedStep):
    """Order 2 and symmetric; configurations stay on their manifold.

        y' = y + h/2 y_dot(t, q, y')
        q1 = local(q, h z')
        y1 = y' + h/2 y_dot(t + h, q1, y')

    Symplectic where the mass matrix is constant, so that energy does not drift there.
    """

    name: ClassVar[str] = "Stormer-Verlet"
    order: ClassVar[int] = 2
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n = field.coordinates
        q, y = x[:n], x[n:]
        half = y + h / 2 * x_dot[n:]
        for _ in range(ITERATIONS - 1):
            half = y + h / 2 * field.accelerations(t, q, half)
        # The drift is symmetric if both ends see the speeds of its middle.
        q = field.local(q, h * field.speeds(t + h / 2, q, half))
        y = half + h / 2 * field.accelerations(t + h, q, half)
        return Attempt(jnp.concatenate([q, y]))
