"""Newton-Euler: every body's twist seen from the world, about the world's origin.

    d/dt (M_W V_W) = F_W + reactions,      V_W = [w; v at the world's origin]

Momentum and moment of momentum about one fixed pole change as what acts says, with no
term beside: the motion is in M_W, which turns and moves with the body.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.formulation.equations import Equations
from polhode.formulation.maximal import in_twists
from polhode.formulation.spatial import block_diagonal, momenta
from polhode.geometry.vector import skew
from polhode.system.system import System
from polhode.system.taking import of_system


def to_body_matrices(system: System, t: Any, q: Any, table: Any) -> Any:
    """Ad(X_WB)^-1 (n, 6, 6):  V_B = Ad^-1 V_W,   F_W = Ad^-T F_B."""
    R_WB, p_WoBo_W = system.poses(t, q, table)
    R_BW = R_WB.swapaxes(-1, -2)
    zero = jnp.zeros_like(R_BW)
    upper = jnp.concatenate([R_BW, zero], axis=-1)
    lower = jnp.concatenate([-R_BW @ skew(p_WoBo_W), R_BW], axis=-1)
    return jnp.concatenate([upper, lower], axis=-2)


@of_system
def newton_euler(system: System) -> Equations:
    """The balances of momentum of all bodies, joints and loops as constraints."""
    n = len(system.bodies)

    def to_body(t: Any, q: Any, y: Any, table: Any) -> Any:
        X = to_body_matrices(system, t, q, table)
        return momenta(X, y.reshape(n, 6))

    def from_body(t: Any, q: Any, V: Any, table: Any) -> Any:
        R_WB, p_WoBo_W = system.poses(t, q, table)
        w = (R_WB @ V[:, :3, None])[..., 0]
        v = (R_WB @ V[:, 3:, None])[..., 0]
        there = v - (skew(w) @ p_WoBo_W[..., None])[..., 0]
        return jnp.concatenate([w, there], axis=-1).reshape(-1)

    def inertias(t: Any, q: Any, table: Any) -> Any:
        X = to_body_matrices(system, t, q, table)
        return X.swapaxes(-1, -2) @ system.inertias(table) @ X

    def mass(t: Any, q: Any, y: Any, table: Any) -> tuple[Any, Any, Any]:
        z = equations.functions.speeds(t, q, y, table)
        q_dot = system.rates(t, q, z, table)
        M, M_dot = jax.jvp(lambda q: inertias(t, q, table), (q,), (q_dot,))
        F_B = system.applied(t, q, z, table)
        X_T = to_body_matrices(system, t, q, table).swapaxes(-1, -2)
        growth = momenta(M_dot, y.reshape(n, 6))
        return block_diagonal(M), growth.reshape(-1), momenta(X_T, F_B).reshape(-1)

    equations = in_twists("Newton-Euler", system, to_body, from_body, mass)
    return equations
