"""The pair 7(5) of Calvo, Franco, Montijano and Randez, for what oscillates.

M. Calvo, J. M. Franco, J. I. Montijano, L. Randez, Explicit Runge-Kutta methods for
initial value problems with oscillating solutions, J. Comput. Appl. Math. 76 (1996)
195-212. Of x_dot = i w x a step keeps the phase to (w h)^11 and the size to (w h)^10.
"""

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

# |lambda h| at the edge of stability, on the negative axis.
STABLE = 4.7

NODES = (4 / 63, 2 / 21, 1 / 7, 7 / 17, 13 / 24, 7 / 9, 91 / 100, 1.0)
STAGES: tuple[Weights, ...] = (
    {0: 4 / 63},
    {0: 1 / 42, 1: 1 / 14},
    {0: 1 / 28, 2: 3 / 28},
    {0: 12551 / 19652, 2: -48363 / 19652, 3: 10976 / 4913},
    {
        0: -36616931 / 27869184,
        2: 2370277 / 442368,
        3: -255519173 / 63700992,
        4: 226798819 / 445906944,
    },
    {
        0: -10401401 / 7164612,
        2: 47383 / 8748,
        3: -4914455 / 1318761,
        4: -1498465 / 7302393,
        5: 2785280 / 3739203,
    },
    {
        0: 181002080831 / 17500000000,
        2: -14827049601 / 400000000,
        3: 23296401527134463 / 857600000000000,
        4: 2937811552328081 / 949760000000000,
        5: -243874470411 / 69355468750,
        6: 2857867601589 / 3200000000000,
    },
    {
        0: -228380759 / 19257212,
        2: 4828803 / 113948,
        3: -331062132205 / 10932626912,
        4: -12727101935 / 3720174304,
        5: 22627205314560 / 4940625496417,
        6: -268403949 / 461033608,
        7: 3600000000000 / 19176750553961,
    },
)
END: Weights = {
    0: 95 / 2366,
    3: 3822231133 / 16579123200,
    4: 555164087 / 2298419200,
    5: 1279328256 / 9538891505,
    6: 5963949 / 25894400,
    7: 50000000000 / 599799373173,
    8: 28487 / 712800,
}
# The formula of order 5 less that of order 7.
ERROR: Weights = {
    0: -322549667 / 50104356120,
    3: 322549667 / 16579123200,
    4: -2449060976137 / 44248372439040,
    5: 123859072128 / 2082079863955,
    6: -78379569081 / 3046450265600,
    7: 18326685625000 / 2138357468316069,
}
# Of all terms that make dense output of order 5 without another slope, those for which
# what is left of order 6 is least in the mean square over the step.
BEND: tuple[Weights, ...] = (
    {
        0: -3.770730883777646,
        3: 6.404236576544501,
        4: -2.0126389552735606,
        5: -0.9780409576766058,
        6: -0.8430626743358958,
        7: 1.121183864216177,
        8: 1.0790530303030303,
        9: -1.0,
    },
    {
        0: 3.7448275158338884,
        3: -7.864603512525686,
        4: 5.293720191495554,
        5: 1.6318681739370506,
        6: -2.1573012074529334,
        7: -4.2914572892340015,
        8: -3.357053872053872,
        9: 7.0,
    },
)
TABLEAU = Tableau(NODES, STAGES, END, STABLE)


@final
@dataclass(frozen=True)
class Calvo7(Adaptive):
    """Order 7 with steps chosen so that each errs by less than the tolerance.

    Nine slopes a step, with little error of phase: for what swings and spins, at
    errors of a hundredth to a millionth, where it asks fewer slopes than
    `DormandPrince8`. Dense output is of order 5; tolerances are as for `DormandPrince`.
    """

    name: ClassVar[str] = "Calvo 7(5)"
    order: ClassVar[int] = 7
    error_order: ClassVar[int] = 6
    dense_terms: ClassVar[int] = 2

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        step = rk_step(field, t, x, x_dot, h, tableau=TABLEAU)
        return step.attempt(h, (ERROR,), step.dense(h, BEND))
