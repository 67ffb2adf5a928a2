"""Coriolis dyadics: C V is one vector, C is not one dyadic.

C may be changed by any N(V) with N V = 0. Controllers need s^T (M' - 2 C) s = 0 for all
s, M' being seen by the observer of the rates; such a C is called passive.

    M'_A - 2 C_A = (D M + M D) - 2 C_B,      D = [Omega - Omega_A]

The bracket is skew, so C_A is passive for one observer if and only if C_B, the dyadic
for body rates, is skew: about any point, before any observer. Each choice is therefore
written once, as the C_B(M, V) of a body about o, and `seen_by` makes it that of others.

    natural       T^T [Omega] M_c T                               forms 1 to 4, not skew
    Lie group     -ad_V^T M                                       form 4, not skew
    spin          [[ [w] J_o + J_o [w],  m [r][w] ], [ -m [w][r],  m [w] ]]         skew
    gyroscopic    T^T diag(-[J_c w], m [w]) T                                       skew
    momentum      [[ -[h], -[p] ], [ -[p], 0 ]],      [h; p] = M V                  skew
    Christoffel   (M ad_V - ad_V^T M + momentum) / 2                                skew

Of these only the last comes from Christoffel's symbols: projected to any coordinates it
is the matrix that they give. It is the default. `natural`, `spin` and `gyroscopic` need
the inertia of a rigid mass; the others hold with the added mass of a fluid, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Array, matvec, namespace
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.formulation.spatial_forms.forms import (
    coriolis_4,
    coriolis_4_lie,
    rate_of_inertia,
    seen_by,
)
from polhode.formulation.spatial_forms.transfer import blocks
from polhode.geometry.se3 import ad
from polhode.geometry.vector import skew, vee
from polhode.matter.moments import Moments
from polhode.matter.momentum import momentum_transport

DEFAULT = "Christoffel"
ROUNDING = 1e-12  # relative: what sums of products lose


@final
@dataclass(frozen=True, eq=False)
class CoriolisChoice:
    """A named rule for C: dyadic(M, V) (..., 6, 6) with C V = [w x h + v x p; w x p].

    M (..., 6, 6) is the inertia about a point o of the body and V (..., 6) its velocity
    there, along one set of axes; rates are the body's. `needs_mass` says that M must be
    that of a rigid mass.
    """

    name: str
    dyadic: Callable[[Any, Any], Any]
    needs_mass: bool = False


def natural(M: Array, V: Array) -> Any:
    """C_4 of the first representation; about the mass centre it is C_2."""
    return coriolis_4(_moments(M), V[..., :3])


def spinning(M: Array, V: Array) -> Any:
    """[[ [w] J_o + J_o [w],  m [r][w] ], [ -m [w][r],  m [w] ]]"""
    turning, J_o = skew(V[..., :3]), M[..., :3, :3]
    return blocks(
        [
            [turning @ J_o + J_o @ turning, M[..., :3, 3:] @ turning],
            [turning @ M[..., 3:, :3], turning @ M[..., 3:, 3:]],
        ]
    )


def gyroscopic(M: Array, V: Array) -> Any:
    """T^T diag(-[J_c w], m [w]) T: the natural one but for w x J_c w = -(J_c w) x w."""
    w, J_c = V[..., :3], _moments(M).inertia
    zero = 0.0 * J_c
    change = -skew(matvec(J_c, w)) - skew(w) @ J_c
    return natural(M, V) + blocks([[change, zero], [zero, zero]])


def by_momentum(M: Array, V: Array) -> Any:
    """[[ -[h], -[p] ], [ -[p], 0 ]] with the momentum [h; p] = M V (Fossen)."""
    H = matvec(M, V)
    h, p = skew(H[..., :3]), skew(H[..., 3:])
    return blocks([[-h, -p], [-p, 0.0 * p]])


def by_christoffel(M: Array, V: Array) -> Any:
    """(M ad_V - ad_V^T M + momentum) / 2: the connection without torsion."""
    return (M @ ad(V) + coriolis_4_lie(M, V) + by_momentum(M, V)) / 2


CHOICES = {
    choice.name: choice
    for choice in (
        CoriolisChoice("Christoffel", by_christoffel),
        CoriolisChoice("momentum", by_momentum),
        CoriolisChoice("spin", spinning, needs_mass=True),
        CoriolisChoice("gyroscopic", gyroscopic, needs_mass=True),
        CoriolisChoice("natural", natural, needs_mass=True),
        CoriolisChoice("Lie group", coriolis_4_lie),
    )
}


def choice_named(choice: str | CoriolisChoice) -> CoriolisChoice:
    """The registered choice of this name, or the given one itself."""
    if isinstance(choice, CoriolisChoice):
        return choice
    if choice not in CHOICES:
        raise ModelError(
            f"there is no Coriolis choice {choice!r}.",
            "Many dyadics give the same C V; each has a name.",
            f"Choose one of {', '.join(map(repr, CHOICES))}, or give a CoriolisChoice.",
        )
    return CHOICES[choice]


def coriolis_dyadic(M: Array, V: Array, *, rates: Array, choice: Any = DEFAULT) -> Any:
    """C (..., 6, 6) about o for the rates of an observer, by a named choice.

    >>> M, V = np.diag([1.0, 2, 3, 4, 4, 4]), np.array([0, 0, 1.0, 2, 0, 0])
    >>> coriolis_dyadic(M, V, rates="body", choice="momentum") @ V
    array([0., 0., 0., 0., 8., 0.])
    """
    chosen = choice_named(choice)
    evaluate = chosen.dyadic if chosen.name in CHOICES else doubled(chosen.dyadic)
    C_B = evaluate(M, V)
    if namespace(M, V) is np:
        require_product(chosen, C_B, M, V)
    return seen_by(C_B, M, V[..., :3], rates=rates)


def require_product(
    choice: CoriolisChoice, C_B: Array, M: Array, V: Array, *, who: str = "a body"
) -> None:
    """Refuse a dyadic for which C_B V is not what the momentum of a body needs."""
    gap = np.max(
        np.abs(matvec(C_B, V) - momentum_transport(V, matvec(M, V))), initial=0.0
    )
    size = np.max(np.abs(M)) * np.max(np.abs(V), initial=0.0) ** 2
    if gap <= 1e3 * ROUNDING * size:
        return
    raise ModelError(
        f"the Coriolis choice {choice.name!r} of {who} is wrong by {gap:.3g} in C V.",
        "It needs the inertia of a rigid mass, and a fluid adds another."
        if choice.needs_mass
        else "With V = [w; v] and [h; p] = M V, C V must be [w x h + v x p; w x p].",
        'Choose "Christoffel", "momentum" or "Lie group", which hold for all.',
    )


def skew_defect(M_dot: Array, C: Array) -> Any:
    """The norm of the symmetric part of M' - 2 C (..., k, k): zero if C is passive."""
    gap = M_dot - 2 * C
    symmetric = (gap + gap.swapaxes(-1, -2)) / 2
    return namespace(gap).sqrt((symmetric**2).sum((-1, -2)))


def energy_defect(M_dot: Array, C: Array, V: Array) -> Any:
    """V^T (M' - 2 C) V: zero for every choice, passive or not, if C V is right."""
    return (V * matvec(M_dot - 2 * C, V)).sum(-1)


def is_passive(
    M: Array, C: Array, w: Array, *, rates: Array, rtol: float = ROUNDING
) -> bool:
    """Whether M' - 2 C is skew, M' being seen by the observer of the `rates`.

    Seen from the body, C itself must be skew; from elsewhere C + M [Omega - Omega_A].
    """
    defect = skew_defect(rate_of_inertia(M, w, rates=rates), C)
    size = np.linalg.norm(C) + np.linalg.norm(M) * np.linalg.norm(w)
    return bool(np.all(defect <= rtol * size))


def _moments(M: Array) -> Moments:
    """Mass, arm and central inertia of a rigid body's matrices (..., 6, 6)."""
    xp = namespace(M)
    mass = M[..., 3, 3]
    lever = M[..., :3, 3:] / xp.where(mass == 0, 1.0, mass)[..., None, None]
    static = M[..., :3, 3:]
    return Moments(mass, vee(lever), M[..., :3, :3] + static @ lever)
