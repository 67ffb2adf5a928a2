"""Euler's method, the new speeds moving the coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep


@final
@dataclass(frozen=True)
class SemiImplicitEuler(FixedStep):
    """Order 1, one acceleration a step; configurations stay on their manifold.

        y1 = y + h y_dot(t, q, y),      q1 = local(q, h z1)

    Symplectic where the mass matrix is constant, so that energy does not drift there.
    """

    name: ClassVar[str] = "semi-implicit Euler"
    order: ClassVar[int] = 1

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n = field.coordinates
        q, y = x[:n], x[n:] + h * x_dot[n:]
        q = field.local(q, h * field.speeds(t + h, q, y))
        return Attempt(jnp.concatenate([q, y]))
