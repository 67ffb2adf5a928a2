"""The pair 8(5,3) of Dormand and Prince, with dense output of order 7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from polhode.arrays import Array, Scalar, shared
from polhode.integrate.field.inertial_axes import Knot
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.deferred_dense import StepStart
from polhode.integrate.methods.method import Adaptive, Attempt, Tableau, axpy, rk_step
from polhode.integrate.methods.tableaux.dop853 import (
    BEND,
    END,
    ERROR_3,
    ERROR_5,
    NODES,
    NODES_BETWEEN,
    STAGES,
    STAGES_BETWEEN,
)

# |lambda h| at the edge of stability (Hairer's DOP853).
STABLE = 6.1
# Of the slopes after the first, dense output knows those from this one on.
FIRST_FOR_DENSE = 5
TABLEAU = Tableau(NODES, STAGES, END, STABLE)


@final
@dataclass(frozen=True)
class DormandPrince8(Adaptive):
    """Order 8 with steps chosen so that each errs by less than the tolerance.

    Twelve slopes a step, and three more for dense output of order 7: for smooth motions
    at tight tolerances, where its steps are several times longer than those of
    `DormandPrince`. Two estimates, of orders 5 and 3, make one (see `step_size`);
    tolerances are as for `DormandPrince`.
    """

    name: ClassVar[str] = "Dormand-Prince 8(5,3)"
    order: ClassVar[int] = 8
    dense_terms: ClassVar[int] = 4

    slopes_for_dense: ClassVar[int] = 8

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        moved = self.attempt_without_dense(field, t, x, x_dot, h)
        start = StepStart(t, x, x_dot, h)
        return moved._replace(dense=self.dense(field, start, moved.dense))

    def attempt_without_dense(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, and in place of its terms the slopes from which they are found."""
        step = rk_step(field, t, x, x_dot, h, tableau=TABLEAU)
        kept = tuple(step.slopes[FIRST_FOR_DENSE:])
        return step.attempt(h, (ERROR_5, ERROR_3), kept)

    def dense(self, field: Field, start: StepStart, slopes: Any) -> tuple[Any, ...]:
        """The terms of dense output of a step, by three slopes more.

        A function of its own in compiled code, so that its bits do not depend on where
        the slopes come from: this step, or one that was kept.
        """

        def terms(
            t: Scalar, x: Array, x_dot: Array, h: Scalar, slopes: Array
        ) -> tuple[Any, ...]:
            axes = field.axes
            c, slope = axes.column(x), axes.slopes(field.x_dot)
            k = [axes.slope(c, x, x_dot), *[None] * (FIRST_FOR_DENSE - 1), *slopes]
            start, end = Knot(c, k[0]), Knot(axpy(h, END, k, c), k[-1])
            for node, weights in zip(NODES_BETWEEN, STAGES_BETWEEN, strict=True):
                k.append(slope(t + node * h, axpy(h, weights, k, c)))
            bends = tuple(axpy(h, weights, k) for weights in BEND)
            return axes.dense(h, start, end, bends)

        return shared(terms)(*start, tuple(slopes))
