"""Newton-Euler: every body's twist seen from the world, about the world's origin.

    d/dt (M_W V_W) = F_W + reactions,      V_W = [w; v at the world's origin]

Momentum and moment of momentum about one fixed pole change as what acts says, with no
term beside: the motion is in M_W, which turns and moves with the body.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.maximal import (
    in_twists,
    joint_speeds,
    solver_of_rows,
    terms_of_bodies,
)
from polhode.formulation.shared.spatial import (
    block_diagonal,
    momenta,
    momentum_rate,
    turned,
)
from polhode.formulation.spatial_forms.transfer import blocks
from polhode.geometry.vector import cross, skew
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


def to_body_matrices(system: System, t: Scalar, q: Array, table: Table) -> Any:
    """Ad(X_WB)^-1 (n, 6, 6):  V_B = Ad^-1 V_W,   F_W = Ad^-T F_B."""
    R_WB, p_WoBo_W = system.poses(t, q, table)
    R_BW = R_WB.swapaxes(-1, -2)
    zero = jnp.zeros_like(R_BW)
    upper = jnp.concatenate([R_BW, zero], axis=-1)
    lower = jnp.concatenate([-R_BW @ skew(p_WoBo_W), R_BW], axis=-1)
    return jnp.concatenate([upper, lower], axis=-2)


@dense_form
def newton_euler(system: System) -> Equations:
    """The balances of momentum of all bodies, joints and loops as constraints."""
    n, solve = len(system.bodies), solver_of_rows(system)

    def to_body(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        X = to_body_matrices(system, t, q, table)
        return momenta(X, y.reshape(n, 6))

    def from_body(t: Scalar, q: Array, V: Array, table: Table) -> Any:
        R_WB, p_WoBo_W = system.poses(t, q, table)
        w = (R_WB @ V[:, :3, None])[..., 0]
        v = (R_WB @ V[:, 3:, None])[..., 0]
        there = v - (skew(w) @ p_WoBo_W[..., None])[..., 0]
        return jnp.concatenate([w, there], axis=-1).reshape(-1)

    def mass(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        X = to_body_matrices(system, t, q, table)
        M = X.swapaxes(-1, -2) @ system.inertias(table) @ X
        b, F = (momenta(X.swapaxes(-1, -2), W) for W in wrenches(t, q, y, table))
        return block_diagonal(M), b.reshape(-1), F.reshape(-1)

    def wrenches(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        """dM_W/dt V_W and what acts (n, 6), about bodies' origins in their axes."""
        V = to_body(t, q, y, table)
        F = system.applied(t, q, joint_speeds(system, q, V, table), table)
        return momentum_rate(system.inertias(table), V), F

    def accelerations(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        """Solved about poles at the bodies: see `_about`."""
        poles = system.poses(t, q, table).origins
        near_y = _about(y.reshape(n, 6), poles).reshape(-1)

        def near(t: Scalar, q: Array, near_y: Array, table: Table) -> Any:
            return _near_to_body(system, StateArrays(t, q, near_y), poles, table)

        def near_mass(
            t: Scalar, q: Array, _: object, table: Table
        ) -> tuple[Any, Any, Any]:
            R_WB = system.poses(t, q, table).rotations
            both = blocks([[R_WB, 0.0 * R_WB], [0.0 * R_WB, R_WB]])
            M = both @ system.inertias(table) @ both.swapaxes(-1, -2)
            b, F = (turned(R_WB, W) for W in wrenches(t, q, y, table))
            return block_diagonal(M), b.reshape(-1), F.reshape(-1)

        at = t, q, near_y
        rates, intensities = solve(
            terms_of_bodies(system, near, near_mass, StateArrays(*at), table)
        )
        return _about(rates.reshape(n, 6), -poles).reshape(-1), intensities

    own = {"accelerations": accelerations}
    return in_twists("Newton-Euler", system, to_body, from_body, mass, **own)


def _about(V: Array, poles: Array) -> Any:
    """Twists, or their rates, (n, 6) about fixed poles, from those about the origin.

    Masses far from the origin have moments m p^2 about it, of which those of the bodies
    are the last digits, or none: accelerations are found about poles at the bodies.
    """
    w, v = V[:, :3], V[:, 3:]
    return jnp.concatenate([w, v + cross(w, poles)], axis=-1)


def _near_to_body(
    system: System, state: StateArrays, poles: Array, table: Table
) -> Any:
    """V (n, 6) in bodies' axes from twists about poles, along the world's axes."""
    t, q, y = state
    R_WB, p_WoBo_W = system.poses(t, q, table)
    return turned(R_WB.swapaxes(-1, -2), _about(y.reshape(-1, 6), p_WoBo_W - poles))
