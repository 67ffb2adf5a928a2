"""The pair 5(4) of Dormand and Prince, with dense output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import (
    Adaptive,
    Attempt,
    Tableau,
    Weights,
    rk_step,
)

# |lambda h| at the edge of stability, on the negative axis (Hairer and Wanner, IV.2).
STABLE = 3.25

NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
STAGES: tuple[Weights, ...] = (
    {0: 1 / 5},
    {0: 3 / 40, 1: 9 / 40},
    {0: 44 / 45, 1: -56 / 15, 2: 32 / 9},
    {0: 19372 / 6561, 1: -25360 / 2187, 2: 64448 / 6561, 3: -212 / 729},
    {0: 9017 / 3168, 1: -355 / 33, 2: 46732 / 5247, 3: 49 / 176, 4: -5103 / 18656},
)
END: Weights = {0: 35 / 384, 2: 500 / 1113, 3: 125 / 192, 4: -2187 / 6784, 5: 11 / 84}
ERROR: Weights = {
    0: 71 / 57600,
    2: -71 / 16695,
    3: 71 / 1920,
    4: -17253 / 339200,
    5: 22 / 525,
    6: -1 / 40,
}
# Shampine's quartic as Hairer, Norsett and Wanner write it (Solving ODEs I, II.6).
BEND: Weights = {
    0: -12715105075 / 11282082432,
    2: 87487479700 / 32700410799,
    3: -10690763975 / 1880347072,
    4: 701980252875 / 199316789632,
    5: -1453857185 / 822651844,
    6: 69997945 / 29380423,
}
TABLEAU = Tableau(NODES, STAGES, END, STABLE)


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
    dense_terms: ClassVar[int] = 1

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        step = rk_step(field, t, x, x_dot, h, tableau=TABLEAU)
        return step.attempt(h, (ERROR,), step.dense(h, (BEND,)))
