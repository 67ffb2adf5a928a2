"""Gibbs and Appell: forces are the slope of an energy of accelerations.

    dS/dz_dot = Q,     S = sum over bodies of  m a_G.a_G/2 + alpha.I_G alpha/2
                                               + alpha.(w x I_G w)

a_G is the acceleration of the mass centre, alpha that of the rotation, I_G the central
inertia; all along each body's own axes. S is quadratic in z_dot, so its second
derivative is the mass matrix and its slope at z_dot = 0 the bias.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.kane import require_central
from polhode.formulation.shared.dense_form import dense_form
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


def acceleration_energy(
    system: System, state: StateArrays, z_dot: Array, table: Table
) -> Any:
    """S of all bodies, and of rotors along their joints."""
    t, q, z = state
    q_dot = system.rates(t, q, z, table)
    V, V_dot = jax.jvp(
        lambda q, z: system.body_twists(t, q, z, table), (q, z), (q_dot, z_dot)
    )
    w, v, alpha, v_dot = V[:, :3], V[:, 3:], V_dot[:, :3], V_dot[:, 3:]
    energy = (system.rotor_inertias(table) * z_dot**2).sum() / 2
    for k, body in enumerate(system.bodies):
        m, c, I_G = body.moments(system.table(table))
        a_O = v_dot[k] + cross(w[k], v[k])
        a_G = a_O + cross(alpha[k], c) + cross(w[k], cross(w[k], c))
        spun = cross(w[k], I_G @ w[k])
        energy += m * (a_G @ a_G) / 2 + alpha[k] @ (I_G @ alpha[k] / 2 + spun)
    return energy


@dense_form
def gibbs_appell(system: System, velocities: Velocities | None = None) -> Equations:
    """Appell's equations in the system's speeds, or in a user's own velocities."""
    require_central(system, "Gibbs-Appell's")
    chosen = velocities or own_speeds(system)

    def terms(
        t: Scalar, q: Array, y: Array, table: Table, comoving: Any = None
    ) -> Terms:
        u = y if comoving is None else comoving

        def S(y_dot: Array) -> Any:
            here = StateArrays(t, q, u)
            z, z_dot = speeds_and_rates(system, chosen, here, y_dot, table)
            return acceleration_energy(system, StateArrays(t, q, z), z_dot, table)

        slope, still = jax.grad(S), jnp.zeros(system.speeds)
        z, E = chosen.zeta(t, q, y), jax.jacfwd(chosen.zeta, 2)(t, q, y)
        return Terms(
            jax.jacfwd(slope)(still),
            slope(still),
            E.T @ along(system, t, q, system.applied(t, q, z, table), table),
            *rows_in(system, chosen, StateArrays(t, q, y), table),
        )

    if velocities is None:
        return in_speeds("Gibbs-Appell", system, terms)
    return in_velocities("Gibbs-Appell", system, chosen, terms)
