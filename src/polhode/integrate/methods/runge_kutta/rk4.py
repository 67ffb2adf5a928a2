"""The classical method of Runge and Kutta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep


@final
@dataclass(frozen=True)
class RungeKutta4(FixedStep):
    """Order 4, four slopes a step, steps of one size (s).

    x1 = x + h (k1 + 2 k2 + 2 k3 + k4)/6
    """

    name: ClassVar[str] = "Runge-Kutta 4"
    order: ClassVar[int] = 4

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        k2 = field.x_dot(t + h / 2, x + h / 2 * x_dot)
        k3 = field.x_dot(t + h / 2, x + h / 2 * k2)
        k4 = field.x_dot(t + h, x + h * k3)
        return Attempt(x + h / 6 * (x_dot + 2 * k2 + 2 * k3 + k4))
