"""Lagrange's equations of the first kind: free bodies, joints and loops as g = 0.

    d/dt dL/dx_dot - dL/dx = Q + (dg/dx)^T l,      g(t, x) = 0

Every body has six coordinates x of its own, about its present pose X_WB:

    R = R_WB exp(phi),      p = p_WoBo + R_WB u,      x = (phi, u)

Energies are functions of poses and of their rates, g what joints and constraints say of
poses; all derivatives are found from those. Multipliers are the reactions. At x = 0 the
rates of x are the body's twist V in its own axes, and V_dot = x_ddot + bend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.actions.motion_arrays import Poses
from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Core, Equations, Terms
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.free_bodies import FreeBodies, near_poses, twists_at
from polhode.formulation.shared.maximal import (
    by_their_rows,
    carried,
    has_rotors,
    joint_speeds,
    row_names,
    velocity_names,
)
from polhode.formulation.shared.uniform_motion import comoving_velocities
from polhode.matter.parameter import Table
from polhode.system.system import System


@dense_form
def lagrange_first_kind(system: System) -> Equations:
    """Lagrange's equations of the first kind of all bodies."""
    n = len(system.bodies)

    def terms(t: Scalar, q: Array, y: Array, table: Table) -> Terms:
        t, poses = 1.0 * jnp.asarray(t), system.poses(t, q, table)
        free = FreeBodies(system, q, poses, near_poses(system, t, q, table), table)
        x, x_dot = jnp.zeros((n, 6)), y.reshape(n, 6)
        comoving, shift = comoving_velocities(system, x_dot, x_dot[:, :3])
        M, bias = _inertia(free.kinetic_energy, poses, comoving)
        bias += M @ shift.reshape(-1)
        if has_rotors(system):
            rotors, turning = _inertia(free.rotor_energy, poses, x_dot)
            M, bias = M + rotors, bias + turning
        stored = jax.grad(free.potential_energy, 1)(t, x)
        given = system.nonconservative_wrenches(
            t, q, joint_speeds(system, q, x_dot, table), table
        )
        A, right = _rows(free.velocity_rows, t, x, x_dot)
        bent = right + A @ _bend(poses, x_dot)
        return Terms(M, bias, (given - stored).reshape(-1), A, bent)

    def speeds(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return joint_speeds(system, q, y.reshape(n, 6), table)

    core = Core(
        start=lambda t, q, z, table: system.body_twists(t, q, z, table).reshape(-1),
        speeds=speeds,
        rates=lambda t, q, y, table: system.rates(t, q, speeds(t, q, y, table), table),
        terms=terms,
        accelerations=by_their_rows(system, terms),
        bodies=lambda t, q, y, y_dot, table: y_dot.reshape(n, 6),
        along=lambda t, q, y, W, table: W.reshape(-1),
        joint_wrenches=lambda t, q, y, solution, table: carried(
            system, q, solution[1], table
        ),
    )
    names = velocity_names(system), row_names(system)
    return Equations("Lagrange, first kind", system, *names, core)


def _inertia(energy: Callable[..., Any], poses: Poses, x_dot: Array) -> tuple[Any, Any]:
    """M (6 n, 6 n) and bias (6 n,) for V_dot, of an energy T(x, x_dot) at x = 0."""
    x = jnp.zeros_like(x_dot)
    momentum = jax.grad(energy, 1)
    growth = jax.jvp(lambda x: momentum(x, x_dot), (x,), (x_dot,))[1]
    M = jax.jacfwd(momentum, 1)(x, x_dot).reshape(x.size, x.size)
    left = growth - jax.grad(energy, 0)(x, x_dot)
    return M, left.reshape(-1) - M @ _bend(poses, x_dot)


def _bend(poses: Poses, x_dot: Array) -> Any:
    """V_dot - x_ddot (6 n,) at x = 0."""
    x = jnp.zeros_like(x_dot)
    rate = jax.jvp(lambda x: twists_at(poses, x, x_dot)[1], (x,), (x_dot,))[1]
    return rate.reshape(-1)


def _rows(
    velocities: Callable[..., Any], t: Scalar, x: Array, x_dot: Array
) -> tuple[Any, Any]:
    """A (m, 6 n) and g (m,) with A x_ddot = g, from dg/dt(t, x, x_dot) = 0."""
    along = jnp.ones_like(t), x_dot, jnp.zeros_like(x)
    A = jax.jacfwd(velocities, 2)(t, x, x_dot)
    right = -jax.jvp(velocities, (t, x, x_dot), along)[1]
    return A.reshape(-1, x.size), right
