"""Runge and Kutta's classical method in a chart about the start of each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.shared.chart import speeds_in_chart
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep

# Each term of the inverse of E gains a power of h: enough for order 4.
TERMS = 3


@final
@dataclass(frozen=True)
class MuntheKaas4(FixedStep):
    """Order 4 on the manifolds of the joints, by Munthe-Kaas's way with charts.

        q = local(q0, u),      u_dot = E(u)^-1 z,      z = E(u) u_dot

    u and y step as in the classical method, u from zero. For rotations E is the
    derivative of the exponential. Quaternions need no renormalising.
    Munthe-Kaas, BIT 38 (1998) 92.
    """

    name: ClassVar[str] = "Munthe-Kaas 4"
    order: ClassVar[int] = 4

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n, middle = field.coordinates, t + h / 2
        q, y = x[:n], x[n:]

        def stage(t: Scalar, u: Array, y: Array) -> tuple[Any, Any]:
            there = field.local(q, u)
            z, a = field.speeds(t, there, y), field.accelerations(t, there, y)
            return h * _rates(field, t, q, u, z), h * a

        k1, a1 = h * field.speeds(t, q, y), h * x_dot[n:]
        k2, a2 = stage(middle, k1 / 2, y + a1 / 2)
        k3, a3 = stage(middle, k2 / 2, y + a2 / 2)
        k4, a4 = stage(t + h, k3, y + a3)
        q = field.local(q, (k1 + 2 * k2 + 2 * k3 + k4) / 6)
        y = y + (a1 + 2 * a2 + 2 * a3 + a4) / 6
        return Attempt(jnp.concatenate([q, y]))


def _rates(field: Field, t: Scalar, q: Array, u: Array, z: Array) -> Any:
    """E(u)^-1 z, where E - 1 is small with u."""
    rates = z
    for _ in range(TERMS):
        rates = rates + z - speeds_in_chart(field.system, t, q, u, rates)
    return rates
