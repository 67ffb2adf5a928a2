"""Many bodies as one: block-diagonal equations, and their reduction.

    M V' + C V = F,      M = diag(M_1, ..., M_N),  C = diag(C_1, ..., C_N)

Blocks are kept as (N, 6, 6), never as one matrix: what N bodies cost grows with N. Each
has a point, an observer and a Coriolis choice of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from polhode.arrays import Array, Scalar, matvec, namespace
from polhode.formulation.spatial_forms.choices import (
    DEFAULT,
    CoriolisChoice,
    coriolis_dyadic,
    skew_defect,
)
from polhode.formulation.spatial_forms.forms import matrix_about, rate_of_inertia
from polhode.formulation.spatial_forms.transfer import solved
from polhode.matter.moments import Moments


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class FreeBody:
    """The equations of one spacecraft: M V' + C V = F about its own point.

    body    mass, arm from the point to the mass centre, and central inertia
    rates   "inertial", "body", or the angular velocity (3,) of the observer
    choice  the name of a Coriolis choice, or a `CoriolisChoice`

    Arms, inertia and velocities are along one set of axes, of its own choosing.
    """

    body: Moments
    rates: Any
    choice: str | CoriolisChoice = DEFAULT


class Stacked(NamedTuple):
    """The blocks of N bodies: M, C and M', each (N, 6, 6).

    M' is what each body's observer sees.
    """

    inertias: Any
    dyadics: Any
    inertia_rates: Any


class Reduced(NamedTuple):
    """In fewer velocities y, V = J y:  C, M and M' (k, k)."""

    coriolis: Any
    mass: Any
    mass_rate: Any


def stacked(bodies: Sequence[FreeBody], V: Array) -> Stacked:
    """The equations of all bodies that move at V (N, 6), block by block."""
    found = [_one(each, V_i) for each, V_i in zip(bodies, V, strict=True)]
    xp = namespace(V)
    return Stacked(*(xp.stack(part) for part in zip(*found, strict=True)))


def stacked_rates(stack: Stacked, V: Array, F: Array) -> Any:
    """V' (N, 6), as each body's observer sees it: M V' = F - C V, body by body."""
    return solved(stack.inertias, F - matvec(stack.dyadics, V))


def stacked_defect(stack: Stacked) -> float:
    """The norm of the symmetric part of M' - 2 C of all bodies; zero if passive."""
    each = skew_defect(stack.inertia_rates, stack.dyadics)
    return float(np.sqrt(np.sum(each**2)))


def reduced(M: Array, C: Array, J: Array, J_dot: Array, M_dot: Scalar = 0.0) -> Reduced:
    """The equations in velocities y with V = J y, summed over bodies.

        J^T M J y' + J^T (M J' + C J) y = J^T F

    M, C and M' (..., a, a); J and its rate (..., a, k). A passive C stays passive:
    M' - 2 C becomes J^T (M' - 2 C) J + (J'^T M J - J^T M J'), skew as before.
    """
    J_T = J.swapaxes(-1, -2)
    half = J_T @ M @ J_dot
    coriolis = half + J_T @ C @ J
    rate = half + half.swapaxes(-1, -2) + J_T @ (M_dot + 0.0 * M) @ J
    return Reduced(*(_sum(part) for part in (coriolis, J_T @ M @ J, rate)))


def reduced_force(F: Array, J: Array) -> Any:
    """J^T F (k,), summed over bodies: its power on y is that of F (..., a) on J y."""
    generalised = matvec(J.swapaxes(-1, -2), F)
    return generalised.reshape(-1, generalised.shape[-1]).sum(0)


def _one(each: FreeBody, V: Array) -> tuple[Any, Any, Any]:
    M, w, rates = matrix_about(each.body), V[:3], each.rates
    C = coriolis_dyadic(M, V, rates=rates, choice=each.choice)
    return M, C, rate_of_inertia(M, w, rates=rates)


def _sum(matrices: Array) -> Any:
    return matrices.reshape(-1, *matrices.shape[-2:]).sum(0)
