"""Boltzmann and Hamel: Lagrange's equations in velocities that are no one's rates.

    d/dt dT/dz_a - e_a(T) + g^b_ac z^c dT/dz_b = Q_a

T(q, z) is the kinetic energy in the speeds z = E(x) x_dot, e_a the slope along the
motion that z_a alone makes, and at x = 0, where E = 1,

    g^b_ac = d_c E^b_a - d_a E^b_c

the structure coefficients: they say by how much two small motions fail to commute.
For a body's angular velocity they are g^b_ac z^c p_b = (z x p)_a.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.formulation.chart import origin, speeds_in_chart
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.speeds import along, in_speeds
from polhode.system.system import System


def structure_coefficients(system: System, t: Any, q: Any) -> Any:
    """g (b, a, c) of the system's speeds at a configuration, (nz, nz, nz)."""
    x = origin(system)

    def E(x: Any) -> Any:
        return jax.jacfwd(lambda v: speeds_in_chart(system, t, q, x, v))(
            jnp.zeros_like(x)
        )

    slope = jax.jacfwd(E)(x)
    return slope - slope.swapaxes(1, 2)


def boltzmann_hamel(system: System) -> Equations:
    """The equations of Boltzmann and Hamel in the system's speeds."""

    def terms(t: Any, q: Any, z: Any, table: Any) -> Terms:
        def T(x: Any, z: Any) -> Any:
            return system.kinetic_energy(t, system.local(q, x), z, table)

        x = origin(system)
        momentum = jax.grad(T, 1)
        growth = jax.jvp(lambda x: momentum(x, z), (x,), (1.0 * z,))[1]
        g = structure_coefficients(system, t, q)
        turning = jnp.einsum("bac,c,b->a", g, z, momentum(x, z))
        stored = jax.grad(
            lambda x: system.potential_energy(t, system.local(q, x), table)
        )(x)
        given = along(system, t, q, system.unstored(t, q, z, table), table)
        return Terms(
            jax.jacfwd(momentum, 1)(x, z),
            growth - jax.grad(T, 0)(x, z) + turning,
            given - stored,
            *system.constraint_rows(t, q, z, table),
        )

    return in_speeds("Boltzmann-Hamel", system, terms)
