"""Methods on the group: of Runge and Kutta's kind, exponentials and no commutators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.integrate.methods.tableaux.commutator_free import FIVE, Row


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

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n, move, middle = field.coordinates, field.local, t + h / 2
        q, y = x[:n], x[n:]

        def stage(t: Scalar, q: Array, y: Array) -> tuple[Any, Any]:
            return h * field.speeds(t, q, y), h * field.accelerations(t, q, y)

        k1, a1 = h * field.speeds(t, q, y), h * x_dot[n:]
        q2 = move(q, k1 / 2)
        k2, a2 = stage(middle, q2, y + a1 / 2)
        k3, a3 = stage(middle, move(q, k2 / 2), y + a2 / 2)
        k4, a4 = stage(t + h, move(q2, k3 - k1 / 2), y + a3)
        q = move(q, (3 * k1 + 2 * k2 + 2 * k3 - k4) / 12)
        q = move(q, (-k1 + 2 * k2 + 2 * k3 + 3 * k4) / 12)
        y = y + (a1 + 2 * a2 + 2 * a3 + a4) / 6
        return Attempt(jnp.concatenate([q, y]))


@final
@dataclass(frozen=True)
class CommutatorFree5(FixedStep):
    """Order 5 on the manifolds of the joints: quaternions need no renormalising.

    With k_i the speeds at the stages, times h, and q exp(k) = local(q, k):

        q_i = q exp(sum_j a_ij k_j) exp(sum_j b_ij k_j)
        q' = q exp(...) exp(...) exp(...) exp(...)

    Seven stages of two exponentials each, four at the end; three there cannot have
    order 5. Speeds y step with the sums of the numbers. These were found here, from the
    conditions for ordered trees (see `tableaux/commutator_free`). Of order 6 are
    `CommutatorFree6`, explicit, and `Composed(ImplicitMidpoint(step), 6)`,
    implicit and symmetric; neither has commutators.
    """

    name: ClassVar[str] = "commutator-free 5"
    order: ClassVar[int] = 5

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n = field.coordinates
        start = x[:n], x[n:]
        k, a = [h * field.speeds(t, *start)], [h * x_dot[n:]]
        for row in FIVE[:-1]:
            there = _carried(field, *start, (k, a), row)
            then = t + sum(map(sum, row)) * h
            k.append(h * field.speeds(then, *there))
            a.append(h * field.accelerations(then, *there))
        return Attempt(jnp.concatenate(_carried(field, *start, (k, a), FIVE[-1])))


def _carried(
    field: Field, q: Array, y: Array, stages: tuple[list, list], row: Row
) -> tuple[Any, Any]:
    """The start carried along the exponentials of a row, one after the other."""
    for weights in row:
        way, gain = (_mixed(weights, slopes) for slopes in stages)
        q, y = field.local(q, way), y + gain
    return q, y


def _mixed(weights: tuple[float, ...], slopes: list[Any]) -> Any:
    first, *others = (w * x_dot for w, x_dot in zip(weights, slopes, strict=True))
    return sum(others, first)
