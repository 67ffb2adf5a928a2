"""Hybrid equations: angular velocity along the body's axes, velocity along the world's.

    Q_dot = R,      Q = m (v + w x c)                                  world's axes
    G_dot + w x G + v x Q = M_O,      G = I_O w + m c x v              body's axes

Q is the momentum and G the moment of momentum about the body's origin O.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar, matvec
from polhode.formulation.equations import Equations
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.maximal import in_twists
from polhode.formulation.shared.spatial import block_diagonal, momentum_rate
from polhode.matter.parameter import Table
from polhode.system.system import System


@dense_form
def hybrid(system: System) -> Equations:
    """The hybrid equations of all bodies, joints and loops as constraints."""
    n = len(system.bodies)

    def to_body(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        R_WB = system.poses(t, q, table).rotations
        w_B, v_W = y.reshape(n, 2, 3).swapaxes(0, 1)
        return jnp.concatenate([w_B, matvec(R_WB.swapaxes(-1, -2), v_W)], axis=-1)

    def from_body(t: Scalar, q: Array, V: Array, table: Table) -> Any:
        R_WB = system.poses(t, q, table).rotations
        return jnp.concatenate([V[:, :3], matvec(R_WB, V[:, 3:])], axis=-1).reshape(-1)

    def momenta_of(
        q: Array, w_B: Array, v_W: Array, t: Scalar, table: Table
    ) -> tuple[Any, Any]:
        """G along the bodies' axes and Q along the world's."""
        R_WB = system.poses(t, q, table).rotations
        h = matvec(system.inertias(table), to_body(t, q, _column(w_B, v_W), table))
        return h[:, :3], matvec(R_WB, h[:, 3:])

    def mass(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        w_B, v_W = y.reshape(n, 2, 3).swapaxes(0, 1)
        z = equations.functions.speeds(t, q, y, table)
        R_WB = system.poses(t, q, table).rotations
        q_dot = system.rates(t, q, z, table)
        growth = jax.jvp(lambda q: momenta_of(q, w_B, v_W, t, table), (q,), (q_dot,))[1]
        R_BW = R_WB.swapaxes(-1, -2)
        # w x G + v x Q, without m v x v.
        V = to_body(t, q, y, table)
        turning = momentum_rate(system.inertias(table), V)[:, :3]
        F = system.applied(t, q, z, table)
        one = jnp.broadcast_to(jnp.eye(3), R_WB.shape)
        zero = jnp.zeros_like(R_WB)
        E = jnp.concatenate(
            [jnp.concatenate([one, zero], -1), jnp.concatenate([zero, R_BW], -1)], -2
        )
        M = E.swapaxes(-1, -2) @ system.inertias(table) @ E
        bias = _column(growth[0] + turning, growth[1])
        return block_diagonal(M), bias, _column(F[:, :3], matvec(R_WB, F[:, 3:]))

    equations = in_twists("hybrid", system, to_body, from_body, mass)
    return equations


def _column(angular: Array, linear: Array) -> Any:
    return jnp.concatenate([angular, linear], axis=-1).reshape(-1)
