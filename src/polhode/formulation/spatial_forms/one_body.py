"""Dynamics of one free body in any of the spatial forms, forwards and backwards.

    M V' + C V = F

about any point of the body, with rates seen by any observer and by any choice of C. M,
V and F are about that point, along one set of axes; leading axes are bodies. `FORMS`
are the four of the paper's Table 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode.arrays import Array, matvec
from polhode.formulation.spatial_forms.choices import DEFAULT, coriolis_dyadic
from polhode.formulation.spatial_forms.transfer import solved


class Form(NamedTuple):
    """What a form is about, and who sees its rates."""

    about: str
    rates: str


FORMS = {
    1: Form("mass centre", "inertial"),
    2: Form("mass centre", "body"),
    3: Form("point", "inertial"),
    4: Form("point", "body"),
}


def needed_wrench(
    M: Array, V: Array, V_dot: Array, *, rates: Array, choice: Any = DEFAULT
) -> Any:
    """Inverse dynamics: the wrench (..., 6) that a motion needs, F = M V' + C V.

    V_dot is the rate of V that the observer of the `rates` sees.
    """
    return matvec(M, V_dot) + matvec(
        coriolis_dyadic(M, V, rates=rates, choice=choice), V
    )


def velocity_rate(
    M: Array, V: Array, F: Array, *, rates: Array, choice: Any = DEFAULT
) -> Any:
    """Forward dynamics: V' (..., 6) as the observer sees it, M V' = F - C V."""
    C = coriolis_dyadic(M, V, rates=rates, choice=choice)
    return solved(M, F - matvec(C, V))


def residual(  # limit: an equation of motion has M, V, V' and F
    M: Array, V: Array, V_dot: Array, F: Array, *, rates: Array, choice: Any = DEFAULT
) -> Any:
    """M V' + C V - F (..., 6): zero along the motion that the wrench F gives."""
    return needed_wrench(M, V, V_dot, rates=rates, choice=choice) - F
