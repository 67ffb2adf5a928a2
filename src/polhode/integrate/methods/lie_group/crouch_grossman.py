"""A method on the group whose stages are products of exponentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep

# Owren and Marthinsen, BIT 39 (1999) 116; their order is shown by the tests.
STAGES = (
    (0.8177227988124852,),
    (0.3199876375476427, 0.0659864263556022),
    (0.9214417194464946, 0.4997857776773573, -1.0969984448371582),
    (0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113565),
)
END = (
    *(0.1370831520630755, -0.0183698531564020, 0.7397813985370780),
    *(-0.1907142565505889, 0.3322195591068374),
)


@final
@dataclass(frozen=True)
class CrouchGrossman4(FixedStep):
    """Order 4 on the manifolds of the joints: quaternions need no renormalising.

    With k_i the speeds at the stages, times h, and q exp(k) = local(q, k):

        q_i = q exp(a_i1 k_1) exp(a_i2 k_2) ...
        q' = q exp(b_1 k_1) ... exp(b_5 k_5)

    Five stages; where exponentials add it is a method of Runge and Kutta's kind.
    Crouch and Grossman, J. Nonlinear Sci. 3 (1993) 1.
    """

    name: ClassVar[str] = "Crouch-Grossman 4"
    order: ClassVar[int] = 4

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n = field.coordinates
        q, y = x[:n], x[n:]
        k, a = [h * field.speeds(t, q, y)], [h * x_dot[n:]]
        for weights in STAGES:
            there = _along_stages(field, q, y, (k, a), weights)
            then = t + sum(weights) * h
            k.append(h * field.speeds(then, *there))
            a.append(h * field.accelerations(then, *there))
        return Attempt(jnp.concatenate(_along_stages(field, q, y, (k, a), END)))


def _along_stages(
    field: Field, q: Array, y: Array, stages: Any, weights: tuple[float, ...]
) -> tuple[Any, Any]:
    for weight, k, a in zip(weights, *stages, strict=True):
        q, y = field.local(q, weight * k), y + weight * a
    return q, y
