"""The pair 8(5,3) of Dormand and Prince, with dense output of order 7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from polhode.integrate.dop853_table import (
    BEND,
    END,
    ERROR_3,
    ERROR_5,
    NODES,
    NODES_BETWEEN,
    STAGES,
    STAGES_BETWEEN,
    Weights,
)
from polhode.integrate.dormand_prince import RTOL, admit_tolerances
from polhode.integrate.field import Field
from polhode.integrate.method import Attempt


@final
@dataclass(frozen=True)
class DormandPrince8:
    """Order 8 with steps chosen so that each errs by less than the tolerance.

    Twelve slopes a step, and three more for dense output of order 7: for smooth motions
    at tight tolerances, where its steps are several times longer than those of
    `DormandPrince`. Two estimates, of orders 5 and 3, make one (see `step_size`);
    tolerances are as for `DormandPrince`.
    """

    rtol: float = RTOL
    atol: float | None = None
    name: ClassVar[str] = "Dormand-Prince 8(5,3)"
    order: ClassVar[int] = 8
    is_adaptive: ClassVar[bool] = True
    bends: ClassVar[int] = 4

    def __post_init__(self) -> None:
        rtol, atol = admit_tolerances(self.rtol, self.atol)
        object.__setattr__(self, "rtol", rtol)
        object.__setattr__(self, "atol", atol)

    def attempt(self, field: Field, t: Any, x: Any, slope: Any, h: Any) -> Attempt:
        """One step, traced."""
        k = [slope]
        for node, weights in zip(NODES, STAGES, strict=True):
            k.append(field.slope(t + node * h, x + h * _mix(weights, k)))
        there = x + h * _mix(END, k)
        error = h * _mix(ERROR_5, k), h * _mix(ERROR_3, k)
        k.append(field.slope(t + h, there))
        for node, weights in zip(NODES_BETWEEN, STAGES_BETWEEN, strict=True):
            k.append(field.slope(t + node * h, x + h * _mix(weights, k)))
        return Attempt(there, error, tuple(h * _mix(weights, k) for weights in BEND))


def _mix(weights: Weights, slopes: list[Any]) -> Any:
    first, *others = (weight * slopes[i] for i, weight in weights.items())
    return sum(others, first)
