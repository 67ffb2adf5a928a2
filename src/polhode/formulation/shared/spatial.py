"""Spatial algebra of bodies, angular part first; leading axes are bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, matvec, traced_once
from polhode.geometry.vector import cross

if TYPE_CHECKING:
    from polhode.public.shapes import (
        BodyColumns,
        BodyMatrices,
        Columns6,
        Matrices3,
        Matrices6,
    )


@traced_once
def cross_twist(V: Columns6, U: Columns6) -> Columns6:
    """V x U: how a twist U changes that is carried along with V.

    V = [w; v],  U = [a; b]:   [w x a;  w x b + v x a]
    """
    w, v = V[..., :3], V[..., 3:]
    a, b = U[..., :3], U[..., 3:]
    return jnp.concatenate([cross(w, a), cross(w, b) + cross(v, a)], axis=-1)


@traced_once
def cross_wrench(V: Columns6, h: Columns6) -> Columns6:
    """V x* h: how a momentum or wrench turns with the axes it is written in.

    V = [w; v],  h = [moment; linear]:   [w x moment + v x linear;  w x linear]
    """
    w, v = V[..., :3], V[..., 3:]
    moment, linear = h[..., :3], h[..., 3:]
    turned = cross(w, moment) + cross(v, linear)
    return jnp.concatenate([turned, cross(w, linear)], axis=-1)


@traced_once
def momentum_rate(M: Matrices6, V: Columns6) -> Columns6:
    """V x* M V: how the momentum of a body turns with its axes.

        M = [[A, B], [B^T, D]]:   [w x (A w + B v) + v x (B^T w + D v);
                                   w x (B^T w + D v)]

    Of a mass D = m 1 and v x m v is zero, but not when it is rounded: at the speed of
    an orbit it would turn a craft. Only what D has beyond m 1, the added mass of a
    fluid, is taken there.
    """
    w, v = V[..., :3], V[..., 3:]
    A, B, D = M[..., :3, :3], M[..., :3, 3:], M[..., 3:, 3:]
    turning = matvec(B.swapaxes(-1, -2), w)
    linear = turning + matvec(D, v)
    beyond = matvec(D - D[..., :1, :1] * np.eye(3), v)
    moment = matvec(A, w) + matvec(B, v)
    torque = cross(w, moment) + cross(v, turning + beyond)
    return jnp.concatenate([torque, cross(w, linear)], axis=-1)


def momenta(inertias: BodyMatrices, V: BodyColumns) -> BodyColumns:
    """h = M V of each body, about its origin in its own axes; (n, 6)."""
    return (inertias @ V[..., None])[..., 0]


def inertial_wrenches(
    inertias: BodyMatrices, V: BodyColumns, V_dot: BodyColumns
) -> BodyColumns:
    """d h/dt of each body as its own axes turn:  M V_dot + V x* M V; (n, 6)."""
    return momenta(inertias, V_dot) + momentum_rate(inertias, V)


def turned(R: Matrices3, V: Columns6) -> Columns6:
    """Both halves of spatial vectors (n, 6) along other axes, R (n, 3, 3)."""
    halves = V.reshape(*V.shape[:-1], 2, 3)
    return (halves @ R.swapaxes(-1, -2)).reshape(V.shape)


def block_diagonal(blocks: Array) -> Any:
    """Blocks (n, k, k) on the diagonal of one matrix (n k, n k)."""
    n, k = blocks.shape[:2]
    rows = [
        jnp.concatenate(
            [jnp.zeros((k, i * k)), blocks[i], jnp.zeros((k, (n - 1 - i) * k))], 1
        )
        for i in range(n)
    ]
    return jnp.concatenate(rows)
