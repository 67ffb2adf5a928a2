"""The pair 5(4) of Dormand and Prince, with dense output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.integrate.field import Field
from polhode.integrate.method import Attempt
from polhode.integrate.tolerance import Adaptive

# |lambda h| at the edge of stability, on the negative axis (Hairer and Wanner, IV.2).
STABLE = 3.25

NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (
    *(71 / 57600, 0.0, -71 / 16695, 71 / 1920),
    *(-17253 / 339200, 22 / 525, -1 / 40),
)
# Shampine's quartic as Hairer, Norsett and Wanner write it (Solving ODEs I, II.6).
BEND = (
    *(-12715105075 / 11282082432, 0.0, 87487479700 / 32700410799),
    *(-10690763975 / 1880347072, 701980252875 / 199316789632),
    *(-1453857185 / 822651844, 69997945 / 29380423),
)


@final
@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """Order 5 with steps chosen so that each errs by less than the tolerance.

        error_i  <=  atol_i + rtol |x_i|,       in the mean square over i

    `atol` is a number for all of x = [q; y]; by default it is `rtol` of the system's
    own scales of length and rate. Dense output is of order 4.
    """

    name: ClassVar[str] = "Dormand-Prince 5(4)"
    order: ClassVar[int] = 5
    bends: ClassVar[int] = 1

    def attempt(self, field: Field, t: Any, x: Any, slope: Any, h: Any) -> Attempt:
        """One step, traced."""
        k, there = [slope], x
        for node, weights in zip(NODES, STAGES, strict=True):
            before, there = there, x + h * _mix(weights, k)
            k.append(field.slope(t + node * h, there))
        error, bend = (h * _mix(ERROR, k),), (h * _mix(BEND, k),)
        return Attempt(there, error, bend, edge=(before, k[-2], STABLE))


def _mix(weights: tuple[float, ...], slopes: list[Any]) -> Any:
    parts = [w * k for w, k in zip(weights, slopes, strict=True) if w]
    return sum(parts[1:], parts[0]) if parts else jnp.zeros(())
