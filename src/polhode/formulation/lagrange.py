"""Lagrange's equations of the second kind: energies alone, joints as coordinates.

    d/dt dL/dx_dot - dL/dx = Q,       L = T - V

x are the coordinates of a chart about the present configuration (see `chart`), so
x_dot = z and, where the chart bends, z_dot = x_ddot + bend.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.shared.chart import bend, energies, origin
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.speeds import along, in_speeds
from polhode.matter.parameter import Table
from polhode.system.system import System


@dense_form
def lagrange(system: System) -> Equations:
    """Lagrange's equations of the second kind, with rows for what is not a joint."""

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Array | None = None
    ) -> Terms:
        u = z if comoving is None else comoving
        T, V = energies(system, q, table)
        x = origin(system)
        momentum = jax.grad(T, 2)
        M = symmetric(jax.jacfwd(lambda x_dot: momentum(t, x, x_dot))(u))
        growth = jax.jvp(lambda x: momentum(t, x, u), (x,), (1.0 * u,))[1]
        x_ddot_part = growth - jax.grad(T, 1)(t, x, u)
        given = along(
            system, t, q, system.nonconservative_wrenches(t, q, z, table), table
        )
        return Terms(
            M,
            x_ddot_part - M @ bend(system, t, q, u),
            given - jax.grad(V, 1)(t, x),
            *system.constraint_rows(t, q, z, table),
        )

    return in_speeds("Lagrange, second kind", system, terms)


def symmetric(M: Array) -> Any:
    """A second derivative by its upper half: the lower would differ by rounding."""
    return jnp.triu(M) + jnp.triu(M, 1).T
