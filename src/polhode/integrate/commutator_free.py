"""A method on the group: Runge and Kutta's, with exponentials and no commutators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.integrate.field import Field
from polhode.integrate.method import Attempt, FixedStep


@final
@dataclass(frozen=True)
class CommutatorFree4(FixedStep):
    """Order 4 on the manifolds of the joints: quaternions need no renormalising.

    With k_i the speeds at the stages, times h, and q exp(k) = local(q, k):

        q2 = q exp(k1/2),    q3 = q exp(k2/2),    q4 = q2 exp(k3 - k1/2)
        q' = q exp((3 k1 + 2 k2 + 2 k3 - k4)/12) exp((-k1 + 2 k2 + 2 k3 + 3 k4)/12)

    Speeds y step as in the classical method, to which all reduces if exponentials add.
    Celledoni, Marthinsen, Owren, Future Gen. Comp. Sys. 19 (2003) 341.
    """

    name: ClassVar[str] = "commutator-free 4"
    order: ClassVar[int] = 4

    def attempt(self, field: Field, t: Any, x: Any, slope: Any, h: Any) -> Attempt:
        """One step, traced."""
        n, move, middle = field.coordinates, field.local, t + h / 2
        q, y = x[:n], x[n:]

        def stage(t: Any, q: Any, y: Any) -> tuple[Any, Any]:
            return h * field.speeds(t, q, y), h * field.accelerations(t, q, y)

        k1, a1 = h * field.speeds(t, q, y), h * slope[n:]
        q2 = move(q, k1 / 2)
        k2, a2 = stage(middle, q2, y + a1 / 2)
        k3, a3 = stage(middle, move(q, k2 / 2), y + a2 / 2)
        k4, a4 = stage(t + h, move(q2, k3 - k1 / 2), y + a3)
        q = move(q, (3 * k1 + 2 * k2 + 2 * k3 - k4) / 12)
        q = move(q, (-k1 + 2 * k2 + 2 * k3 + 3 * k4) / 12)
        y = y + (a1 + 2 * a2 + 2 * a3 + a4) / 6
        return Attempt(jnp.concatenate([q, y]))
