"""The four forms of one rigid body's equations, and the one for any other observer.

    M V' + C V = F

    form   about             rates seen from   C
    1      the mass centre   the world         [Omega] M_c - M_c [Omega]
    2      the mass centre   the body          [Omega] M_c
    3      any point o       the world         T^T M_c T' + T^T C_1 T
    4      any point o       the body          C_3 + M_o [Omega]
    -      any point o       an observer A     C_3 + M_o [Omega_A]

V is always the velocity in the world; only its rate V' is one that somebody sees, so
every function asks for `rates`: "inertial", "body", or the angular velocity (3,) of the
observer in the world. A body is given by its `Moments` about o: mass, arm r from o to
the mass centre c, and central inertia J_c. All arrays are written along one set of
axes, whichever; leading axes are bodies. Source: Ploen, Hadaegh and Scharf, Rigid body
equations of motion for modeling and control of spacecraft formations, Table 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, matvec, namespace
from polhode.errors import ModelError
from polhode.formulation.spatial_forms.transfer import (
    blocks,
    moved_inertia,
    spin,
    transfer,
    transfer_rate,
)
from polhode.geometry.se3 import ad
from polhode.geometry.vector import cross, skew
from polhode.matter.moments import Moments

RATES = ("inertial", "body")


def observer_spin(rates: Array, w: Array) -> Any:
    """w_A (..., 3): the angular velocity in the world of whoever sees the rates."""
    if isinstance(rates, str):
        if rates not in RATES:
            raise ModelError(
                f"rates cannot be seen from {rates!r}.",
                "The same velocity has another rate before each observer that turns.",
                f'Give "{RATES[0]}", "{RATES[1]}", or the angular velocity of the'
                " observer in the world.",
            )
        return 0.0 * w if rates == "inertial" else w
    return rates


def central_matrix(body: Moments) -> Any:
    """M_c = diag(J_c, m 1) (..., 6, 6)."""
    J_c = body.inertia
    zero = 0.0 * J_c
    return blocks([[J_c, zero], [zero, _scalar(body.mass) * np.eye(3) + zero]])


def matrix_about(body: Moments) -> Any:
    """M_o = [[J_c - m [r][r], m [r]], [-m [r], m 1]] (..., 6, 6)."""
    return moved_inertia(central_matrix(body), body.centre)


def coriolis_1(body: Moments, w: Array) -> Any:
    """Form 1: C_1 = [Omega] M_c - M_c [Omega], which is the rate of M_c."""
    M_c, turning = central_matrix(body), spin(w)
    return turning @ M_c - M_c @ turning


def coriolis_2(body: Moments, w: Array) -> Any:
    """Form 2: C_2 = C_1 + M_c [Omega] = [Omega] M_c."""
    return spin(w) @ central_matrix(body)


def coriolis_3(body: Moments, w: Array) -> Any:
    """Form 3: C_3 = T^T M_c T' + T^T C_1 T."""
    T, M_c = transfer(body.centre), central_matrix(body)
    T_T = T.swapaxes(-1, -2)
    return T_T @ M_c @ transfer_rate(w, body.centre) + T_T @ coriolis_1(body, w) @ T


def coriolis_3_blocks(body: Moments, w: Array) -> Any:
    """Form 3, block by block; the right column is zero: no v, no Coriolis term.

    C_3 = [[ [w] J_c - J_c [w] - m [r][w x r],  0 ],  [ -m [w x r],  0 ]]
    """
    m, r, J_c = _scalar(body.mass), body.centre, body.inertia
    moved, turning = skew(cross(w, r)), skew(w)
    upper = turning @ J_c - J_c @ turning - m * skew(r) @ moved
    zero = 0.0 * J_c
    # The left column acts on w, with (w x r) x w = -w x (w x r).
    return blocks([[upper, zero], [-m * moved, zero]])


def bias_3(body: Moments, w: Array) -> Any:
    """Form 3 in vectors: C_3 V = [w x J_o w; m w x (w x r)]."""
    m, r = _scalar(body.mass)[..., 0], body.centre
    J_o = matrix_about(body)[..., :3, :3]
    return _column(cross(w, matvec(J_o, w)), m * cross(w, cross(w, r)))


def coriolis_4(body: Moments, w: Array) -> Any:
    """Form 4, first representation: C_4 = C_3 + M_o [Omega], block by block.

    C_4 = [[ [w] J_c - m [r][w][r],  m [r][w] ],  [ -m [w][r],  m [w] ]]
    """
    m, J_c = _scalar(body.mass), body.inertia
    lever, turning = skew(body.centre), skew(w)
    return blocks(
        [
            [turning @ J_c - m * lever @ turning @ lever, m * lever @ turning],
            [-m * turning @ lever, m * turning],
        ]
    )


def bias_4(body: Moments, V: Array) -> Any:
    """Form 4 in vectors, v = v_o:

    C_4 V = [w x J_o w + m r x (w x v);  m w x v + m w x (w x r)]
    """
    w, v = V[..., :3], V[..., 3:]
    m, r = _scalar(body.mass)[..., 0], body.centre
    carried = _column(m * cross(r, cross(w, v)), m * cross(w, v))
    return bias_3(body, w) + carried


def coriolis_4_lie(M_o: Array, V: Array) -> Any:
    """Form 4, second representation: C_4 = -ad_V^T M_o, for any symmetric M_o.

        -ad_V^T = [[ [w], [v] ], [ 0, [w] ]]

    This is Euler and Poincaré's equation on the group of displacements, and Kirchhoff's
    of a body with the added mass of a fluid.
    """
    return -ad(V).swapaxes(-1, -2) @ M_o


def seen_by(C_B: Array, M: Array, w: Array, *, rates: Array) -> Any:
    """The Coriolis dyadic for the rates of an observer, from that for body rates.

        C_A = C_B - M ([Omega] - [Omega_A])

    since V' seen from the body is V' seen from A less [Omega - Omega_A] V.
    """
    return C_B - M @ spin(w - observer_spin(rates, w))


def rate_of_inertia(M: Array, w: Array, *, rates: Array) -> Any:
    """M' as the observer of the rates sees it; from the body it is zero, not small.

    M' = [Omega - Omega_A] M - M [Omega - Omega_A]
    """
    turning = spin(w - observer_spin(rates, w))
    return turning @ M - M @ turning


def _scalar(mass: Scalar) -> Any:
    return namespace(mass).asarray(mass)[..., None, None]


def _column(angular: Any, linear: Any) -> Any:
    return namespace(angular, linear).concatenate([angular, linear], axis=-1)
