"""What constrained methods ask of a system, in its own speeds z.

    M z_dot + b = f + A^T l,      g(t, q) = 0,      phi(t, q, z) = 0

g are the equations of position, phi those of velocity: the rates of g, and what only
speeds keep.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Terms
from polhode.formulation.recursive.recursive import recursive
from polhode.formulation.shared.chart import speeds_in_chart
from polhode.formulation.shared.speeds import along
from polhode.integrate.field.vector_field import Field
from polhode.matter.parameter import Table
from polhode.system import rows
from polhode.system.system import System


def terms(field: Field, t: Scalar, q: Array, z: Array) -> Terms:
    """M, b, f, A and gamma at (t, q, z)."""
    return recursive(field.system).functions.terms(t, q, z, table(field, t, q, z))


def table(field: Field, t: Scalar, q: Array, z: Array) -> Table:
    """The values of parameters then and there."""
    return field.table_at(t, q, field.start(t, q, z))


def is_placed(system: System) -> tuple[bool, ...]:
    """For each row of the constraints, whether it is an equation of position."""
    return tuple(c.is_holonomic for c in system.constraints for _ in c.rows)


def positions(field: Field, t: Scalar, q: Array) -> Any:
    """g (rows of position,)."""
    still = jnp.zeros(field.system.speeds)
    return rows.positions(field.system, t, q, table(field, t, q, still))


def velocities(field: Field, t: Scalar, q: Array, z: Array) -> Any:
    """phi (rows,)."""
    return rows.velocities(field.system, t, q, z, table(field, t, q, z))


def velocity_rows(field: Field, t: Scalar, q: Array, z: Array) -> Any:
    """A = d phi/dz (rows, nz)."""
    return field.system.constraint_rows(t, q, z, table(field, t, q, z))[0]


def position_rows(field: Field, t: Scalar, q: Array, z: Array) -> Any:
    """The rows of A that belong to equations of position."""
    placed = [k for k, flag in enumerate(is_placed(field.system)) if flag]
    A = velocity_rows(field, t, q, z)
    return jnp.stack([A[k] for k in placed]) if placed else A[:0]


def mass(field: Field, t: Scalar, q: Array) -> Any:
    """M (nz, nz)."""
    still = jnp.zeros(field.system.speeds)
    return field.system.mass_matrix(t, q, table(field, t, q, still))


def potential_slope(field: Field, t: Scalar, q: Array, z: Array) -> Any:
    """d(T - V)/dq along the joints, z as it is, and what acts beside it (nz,).

    T and V at local(q, delta), by delta.
    """
    system, values = field.system, table(field, t, q, z)

    def lagrangian(delta: Array) -> Any:
        place = system.local(q, delta)
        stored = system.potential_energy(t, place, values)
        return system.kinetic_energy(t, place, z, values) - stored

    pushed = along(
        system, t, q, system.nonconservative_wrenches(t, q, z, values), values
    )
    return jax.grad(lagrangian)(jnp.zeros(system.speeds)) + pushed


def tangent(field: Field, t: Scalar, q: Array, xi: Array) -> Any:
    """E(xi) (nz, nz): as xi moves at x_dot, local(q, xi) has the speeds E x_dot."""
    still = jnp.zeros(field.system.speeds)
    return jax.jacfwd(lambda v: speeds_in_chart(field.system, t, q, xi, v))(still)
