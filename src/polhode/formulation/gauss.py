"""Gauss's principle: of all accelerations that the constraints allow, the true ones
deviate least, mass by mass, from those that the forces would give alone.

    minimise over z_dot   1/2 V_dot^T M V_dot - V_dot^T (F - V x* M V)

with V = V(t, q, z) the twists of all bodies. With J = dV/dz and V_dot = J z_dot + c,

    J^T M J z_dot + J^T (M c + V x* M V) = J^T F + A^T l

for any velocities z at all: those of the system, or a user's own.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.spatial import inertial_wrenches
from polhode.formulation.shared.speeds import drift, in_speeds
from polhode.formulation.shared.velocities import (
    Velocities,
    in_velocities,
    speeds_and_rates,
)
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


@dense_form
def gauss(system: System, velocities: Velocities | None = None) -> Equations:
    """The equations from Gauss's principle, in the system's speeds or in others."""
    if velocities is not None:
        return _in_other_velocities(system, velocities)

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Array | None = None
    ) -> Terms:
        u = z if comoving is None else comoving
        J, V = system.jacobians(t, q, table), system.body_twists(t, q, u, table)
        inertias, c = system.inertias(table), drift(system, t, q, u, table)
        n = system.speeds
        flat = J.reshape(-1, n).T
        rotors = jnp.eye(n) * system.rotor_inertias(table)
        return Terms(
            flat @ (inertias @ J).reshape(-1, n) + rotors,
            flat @ inertial_wrenches(inertias, V, c).reshape(-1),
            flat @ system.applied(t, q, z, table).reshape(-1),
            *system.constraint_rows(t, q, z, table),
        )

    return in_speeds("Gauss", system, terms)


def _in_other_velocities(system: System, chosen: Velocities) -> Equations:
    """Gauss's equations for velocities y:   V_dot = (J E) y_dot + J shift + c"""
    inner = gauss(system).functions.terms

    def terms(t: Scalar, q: Array, y: Array, table: Table) -> Terms:
        at = t, q, y
        z, shift = speeds_and_rates(
            system, chosen, StateArrays(*at), jnp.zeros_like(y), table
        )
        E = jax.jacfwd(chosen.zeta, 2)(t, q, y)
        M, b, f, A, gamma = inner(t, q, z, table)
        return Terms(
            E.T @ M @ E, E.T @ (b + M @ shift), E.T @ f, A @ E, gamma - A @ shift
        )

    return in_velocities("Gauss", system, chosen, terms)
