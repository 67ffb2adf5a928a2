"""Gauss's function itself, and its least value found directly.

    C = 1/2 sum over particles of  m |a - F/m|^2

For rigid bodies, up to what no acceleration changes, with momenta h = M V,

    C = 1/2 sum over bodies of  (V_dot - A)^T M (V_dot - A),    M A = F - V x* M V

A is the acceleration that the forces would give each body if nothing held it. Among the
accelerations that joints and constraints allow, the true ones make C least.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.formulation.questions.determinacy import allowed_motions, inertial_sizes
from polhode.formulation.shared.spatial import momenta, momentum_rate
from polhode.formulation.shared.speeds import drift
from polhode.formulation.solve.equations_of_motion import factored
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import numeric_constraints
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


def deviation(
    system: System, state: StateArrays, z_dot: Array, table: Table = NOMINAL
) -> Any:
    """C of all bodies at accelerations z_dot (nz,); `state` is (t, q, z). Traced."""
    t, q, z = state
    M, free = system.inertias(table), _free(system, state, table)
    V_dot = system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)
    gap = V_dot - free
    rotors = (system.rotor_inertias(table) * z_dot**2).sum()
    return ((gap * momenta(M, gap)).sum() + rotors) / 2


def least_deviation(state: State, table: Table = NOMINAL) -> np.ndarray:
    """z_dot (nz,) where Gauss's function is least, as a quadratic programme.

        minimise |r z_dot - s|^2 / 2      with      A z_dot = gamma

    r^T r is the mass matrix. No equation of motion is formed: the residual of every
    body is squared, and its least found among what the rows allow.
    """
    system, at = state.system, (state.t, state.q, state.z)

    def parts(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        M, free = system.inertias(table), _free(system, StateArrays(t, q, z), table)
        gap = free - drift(system, t, q, z, table)
        return M, system.jacobians(t, q, table), gap

    found = system.remembered("deviation", lambda: doubled(parts))(*at, dict(table))
    M, J, gap = (np.asarray(x) for x in found)
    values, axes = np.linalg.eigh(M)
    roots = np.sqrt(np.maximum(values, 0.0))[..., None] * axes.swapaxes(-1, -2)
    rotors = np.diag(np.sqrt(system.rotor_inertias(table) * np.ones(system.speeds)))
    r = np.concatenate([(roots @ J).reshape(-1, system.speeds), rotors])
    s = np.concatenate([(roots @ gap[..., None]).reshape(-1), np.zeros(system.speeds)])
    A, gamma = map(np.asarray, system.constraint_rows(*at, table))
    moving = numeric_constraints.moving_rows(system, state, table)
    return _least(r, s, A[moving], gamma[moving])


def _least(r: np.ndarray, s: np.ndarray, A: np.ndarray, g: np.ndarray) -> np.ndarray:
    """x with least |r x - s| among A x = g, redundant rows or not."""
    if not len(A):
        return np.linalg.lstsq(r, s, rcond=None)[0]
    sizes = inertial_sizes(r.T @ r)
    N = allowed_motions(A, sizes)
    lengths = np.linalg.norm(A * sizes, axis=1)
    unit = A * sizes / lengths[:, None]
    given = sizes * np.linalg.lstsq(unit, g / lengths, rcond=1e-10)[0]
    return given + N @ np.linalg.lstsq(r @ N, s - r @ given, rcond=None)[0]


def _free(system: System, state: StateArrays, table: Table) -> Any:
    """The accelerations (n, 6) that forces would give bodies that nothing holds.

    Of a body with no inertia along some axis, which cannot be set free, only what has
    inertia is asked: particles do not turn.
    """
    t, q, z = state
    M, V = system.inertias(table), system.body_twists(t, q, z, table)
    lacking = system.applied(t, q, z, table) - momentum_rate(M, V)
    found = [_solve(m, w) for m, w in zip(M, lacking, strict=True)]
    return jnp.stack(found)


def _solve(M: Array, wrench: Array) -> Any:
    # Moments of inertia and masses have units of their own, and a trifle of each.
    turning, mass = jnp.trace(M[:3, :3]), jnp.trace(M[3:, 3:])
    least = jnp.where(turning > 0, turning, mass)  # a particle's: any will do
    size = 1e-14 * jnp.repeat(jnp.stack([least, mass]), 3)
    solve = factored(M + jnp.diag(size))
    x = solve(wrench)
    return x + solve(wrench - M @ x)
