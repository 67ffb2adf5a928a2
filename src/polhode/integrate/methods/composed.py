"""Symmetric methods composed to higher order: several steps that make one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStepMethod

# The first half of symmetric sequences and their middle, for methods of order 2: found
# by Kahan and Li (Math. Comp. 66 (1997) 1089), of nine steps and of seventeen.
SIX = (
    *(0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981),
    *(0.082213596293550800231, 0.79854399093482996340),
)
EIGHT = (
    *(0.13020248308889008088, 0.56116298177510838456, -0.38947496264484728641),
    *(0.15884190655515560090, -0.39590389413323757734, 0.18453964097831570709),
    *(0.25837438768632204729, 0.29501172360931029887, -0.60550853383003451170),
)
SEQUENCES = {6: SIX, 8: EIGHT}


@final
@dataclass(frozen=True)
class Composed:
    """A symmetric method made to a higher order by steps of chosen shares of its step.

        x1 = S(g_s h) ... S(g_2 h) S(g_1 h) x,      sum g_i = 1,     g_i = g_(s+1-i)

    The odd powers of the error cancel; what the method keeps of structure stays kept.
    From order p to p + 2 by Suzuki's five, 1/(4 - 4^(1/(p + 1))) four times around a
    step back; to 6 and 8 from 2 by the shorter sequences of Kahan and Li.

    >>> import polhode as ph
    >>> Composed(ph.methods.ImplicitMidpoint(step=0.01), order=4).name
    'implicit midpoint, composed to order 4'
    """

    method: FixedStepMethod
    order: int
    is_adaptive: ClassVar[bool] = False
    is_symmetric: ClassVar[bool] = True
    dense_terms: ClassVar[int] = 0

    def __post_init__(self) -> None:
        name = getattr(self.method, "name", repr(self.method))
        if not getattr(self.method, "is_symmetric", False):
            raise IntegrationError(
                f"{name} cannot be composed to a higher order.",
                "Only the error of a symmetric method, one that steps back as it"
                " stepped, has the powers that compositions cancel.",
                "Give ph.methods.ImplicitMidpoint, ph.methods.Variational,"
                " ph.methods.MoserVeselov, or for"
                " forces without speeds ph.methods.StormerVerlet.",
            )
        low = self.method.order
        if self.order not in range(low + 2, 11, 2):
            raise IntegrationError(
                f"{name} of order {low} cannot be composed to order {self.order}.",
                "Compositions of a symmetric method have even orders above its own; to"
                " more than 10 rounding takes what they give.",
                f"Give an order among {list(range(low + 2, 11, 2))}.",
            )

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.method.name}, composed to order {self.order}"

    @property
    def step(self) -> float:
        """The step that the parts make together (s)."""
        return self.method.step

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        shares = sequence(self.method.order, self.order)
        starts = np.concatenate([[0.0], np.cumsum(shares)[:-1]])

        def part(state: tuple[Any, Any], share: Any) -> tuple[tuple[Any, Any], None]:
            x, solved = state
            then, part = t + share[1] * h, share[0] * h
            moved = self.method.attempt(field, then, x, field.x_dot(then, x), part)
            return (moved.x, solved & moved.is_solved), None

        first = (x, jnp.ones((), bool))
        both = jnp.stack([jnp.asarray(shares), jnp.asarray(starts)], axis=1)
        (x, solved), _ = lax.scan(part, first, both)
        return Attempt(x, is_solved=solved)


def sequence(low: int, order: int) -> np.ndarray:
    """The shares of the step that raise a symmetric method from one order to another.

    >>> [round(float(share), 3) for share in sequence(2, 4)]
    [0.414, 0.414, -0.658, 0.414, 0.414]
    """
    if low == order:
        return np.ones(1)
    if low == 2 and order in SEQUENCES:
        half = np.array(SEQUENCES[order])
        return np.concatenate([half, half[-2::-1]])
    outer = 1 / (4 - 4 ** (1 / (order - 1)))
    five = np.array([outer, outer, 1 - 4 * outer, outer, outer])
    return np.kron(five, sequence(low, order - 2))
