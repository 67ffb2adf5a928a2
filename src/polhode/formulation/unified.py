"""Newton-Euler, Lagrange and Kirchhoff in one line: any velocities, T and dv/dz.

    d/dt dT/dy - sum over particles of  m v . d/dt dv/dy  =  sum of F . dv/dy

Summed over a body with momentum Q, moment of momentum G about its origin O, and partial
velocities v_r = dv_O/dy_r and w_r = dw/dy_r,

    sum m v . d/dt dv/dy_r  =  Q . (d/dt v_r - w_r x v_O) + G . d/dt w_r

all along the world's axes, with inertial rates. Every choice of velocities y is
allowed, and each of the classical equations of a rigid body is one (Massa and Vignolo).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.spatial import momenta, turned
from polhode.formulation.shared.speeds import along, in_speeds
from polhode.formulation.shared.velocities import (
    Velocities,
    in_velocities,
    own_speeds,
    rows_in,
    speeds_and_rates,
)
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


@dense_form
def unified(system: System, velocities: Velocities | None = None) -> Equations:
    """The unified equation in the system's speeds or in any velocities."""
    chosen = velocities or own_speeds(system)

    def energy(t: Any, q: Array, y: Array, table: Table) -> Any:
        return system.kinetic_energy(t, q, chosen.zeta(t, q, y), table)

    def partial(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        """w_r, v_r of all bodies (n, 3, k) along the world's axes, and dz/dy (k, k)."""

        def velocity(y: Array) -> Any:
            z = chosen.zeta(t, q, y)
            return *system.twists(t, q, z, table), z

        return jax.jacfwd(velocity)(y)

    def terms(
        t: Scalar, q: Array, y: Array, table: Table, comoving: Any = None
    ) -> Terms:
        t, u = 1.0 * jnp.asarray(t), 1.0 * (y if comoving is None else comoving)
        z, _ = speeds_and_rates(
            system, chosen, StateArrays(t, q, u), jnp.zeros_like(u), table
        )
        q_dot = 1.0 * system.rates(t, q, z, table)

        def left_side(y_dot: Array) -> Any:
            now, rate = (t, q, u), (jnp.ones_like(t), q_dot, y_dot)
            momentum = jax.grad(energy, 2)
            growth = jax.jvp(lambda t, q, y: momentum(t, q, y, table), now, rate)[1]
            each = jax.jvp(lambda t, q, y: partial(t, q, y, table), now, rate)
            rates = _PartialRates(each[0][0], *each[1])
            return growth - _turning(system, StateArrays(t, q, z), rates, table)

        still = jnp.zeros_like(u)
        true_z, E = chosen.zeta(t, q, y), jax.jacfwd(chosen.zeta, 2)(t, q, y)
        return Terms(
            jax.jacfwd(left_side)(still),
            left_side(still),
            E.T @ along(system, t, q, system.applied(t, q, true_z, table), table),
            *rows_in(system, chosen, StateArrays(t, q, y), table),
        )

    if velocities is None:
        return in_speeds("unified", system, terms)
    return in_velocities("unified", system, chosen, terms)


class _PartialRates(NamedTuple):
    """Partial angular velocities w_r, and the rates of w_r, v_r and dz/dy."""

    w_r: Any
    w_dot: Any
    v_dot: Any
    E_dot: Any


def _turning(
    system: System, state: StateArrays, rates: _PartialRates, table: Table
) -> Any:
    """sum of m v . d/dt dv/dy over all bodies and rotors, which move along joints."""
    t, q, z = state
    w_r, w_dot, v_dot, E_dot = rates
    R_WB, V = system.poses(t, q, table).rotations, system.body_twists(t, q, z, table)
    h = turned(R_WB, momenta(system.inertias(table), V))
    G, Q, v_O = h[:, :3], h[:, 3:], turned(R_WB, V)[:, 3:]
    # Q . (w_r x v_O) = w_r . (v_O x Q)
    bodies = jnp.einsum("ni,nir->r", Q, v_dot) + jnp.einsum("ni,nir->r", G, w_dot)
    rotors = (system.rotor_inertias(table) * z) @ E_dot
    return bodies + rotors - jnp.einsum("ni,nir->r", cross(v_O, Q), w_r)
