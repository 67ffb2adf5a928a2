"""Boltzmann and Hamel: Lagrange's equations in velocities that are no one's rates.

    d/dt dT/dz_a - e_a(T) + g^b_ac z^c dT/dz_b = Q_a

T(q, z) is the kinetic energy in the speeds z = E(x) x_dot, e_a the slope along the
motion that z_a alone makes, and at x = 0, where E = 1,

    g^b_ac = d_c E^b_a - d_a E^b_c

the structure coefficients: they say by how much two small motions fail to commute.
For a body's angular velocity they are g^b_ac z^c p_b = (z x p)_a.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.shared.chart import origin, speeds_in_chart
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.speeds import along, in_speeds
from polhode.formulation.shared.velocities import Velocities, in_velocities, rows_in
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

LINEAR = 1e-9  # of the speeds: what doubling the velocities may change of twice them


def structure_coefficients(system: System, t: Scalar, q: Array) -> Any:
    """g (b, a, c) of the system's speeds at a configuration, (nz, nz, nz)."""
    x = origin(system)

    def E(x: Array) -> Any:
        return jax.jacfwd(lambda v: speeds_in_chart(system, t, q, x, v))(
            jnp.zeros_like(x)
        )

    slope = jax.jacfwd(E)(x)
    return slope - slope.swapaxes(1, 2)


@dense_form
def boltzmann_hamel(system: System, velocities: Velocities | None = None) -> Equations:
    """The equations of Boltzmann and Hamel in the system's speeds, or in a user's own.

    A user's velocities must be linear in the speeds, y = Y(q) z, and as many.
    """
    if velocities is not None:
        _require_linear(system, velocities)
        return in_velocities(
            "Boltzmann-Hamel", system, velocities, _terms_in(system, velocities)
        )

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Any = None
    ) -> Terms:
        u = z if comoving is None else comoving

        def T(x: Array, z: Array) -> Any:
            return system.kinetic_energy(t, system.local(q, x), z, table)

        x = origin(system)
        momentum = jax.grad(T, 1)
        growth = jax.jvp(lambda x: momentum(x, u), (x,), (1.0 * u,))[1]
        g = structure_coefficients(system, t, q)
        turning = jnp.einsum("bac,c,b->a", g, u, momentum(x, u))
        stored = jax.grad(
            lambda x: system.potential_energy(t, system.local(q, x), table)
        )(x)
        given = along(
            system, t, q, system.nonconservative_wrenches(t, q, z, table), table
        )
        return Terms(
            jax.jacfwd(momentum, 1)(x, u),
            growth - jax.grad(T, 0)(x, u) + turning,
            given - stored,
            *system.constraint_rows(t, q, z, table),
        )

    return in_speeds("Boltzmann-Hamel", system, terms)


def _terms_in(system: System, chosen: Velocities) -> Callable[..., Terms]:
    """Hamel's terms in velocities y = Y(q) z, with T(q, y) and its own coefficients.

    y = E(x) x_dot in the chart about q, and e_a is the slope along x_dot = E^-1 e_a.
    """

    def terms(t: Scalar, q: Array, y: Array, table: Table) -> Terms:
        x = origin(system)

        def quasi(x: Array, x_dot: Array) -> Any:
            place = system.local(q, x)
            return chosen.inverse(t, place, speeds_in_chart(system, t, q, x, x_dot))

        def T(x: Array, y: Array) -> Any:
            place = system.local(q, x)
            return system.kinetic_energy(t, place, chosen.zeta(t, place, y), table)

        def E(x: Array) -> Any:
            return jax.jacfwd(lambda v: quasi(x, v))(jnp.zeros_like(x))

        z = chosen.zeta(t, q, y)  # x_dot, where the chart begins
        D = jax.jacfwd(chosen.zeta, 2)(t, q, y)  # its columns: x_dot of unit y_a
        slope = jax.jacfwd(E)(x)
        g = jnp.einsum("bij,ia,jc->bac", slope - slope.swapaxes(1, 2), D, D)
        momentum = jax.grad(T, 1)
        growth = jax.jvp(lambda x: momentum(x, y), (x,), (1.0 * z,))[1]
        turning = jnp.einsum("bac,c,b->a", g, y, momentum(x, y))
        Q = along(system, t, q, system.applied(t, q, z, table), table)
        return Terms(
            jax.jacfwd(momentum, 1)(x, y),
            growth - D.T @ jax.grad(T, 0)(x, y) + turning,
            D.T @ Q,
            *rows_in(system, chosen, StateArrays(t, q, y), table),
        )

    return terms


def _require_linear(system: System, chosen: Velocities) -> None:
    """Refuse velocities that move in time or are not linear in the speeds."""
    rng, ask = np.random.default_rng(0), doubled(chosen.zeta)
    n, size = system.speeds, len(chosen.names)
    for _ in range(4):
        t, y = float(rng.uniform()), rng.normal(size=size)
        q = system.local(system.rest().q, rng.uniform(-0.5, 0.5, n))
        once, twice, later = ask(t, q, y), ask(t, q, 2 * y), ask(t + 0.7, q, y)
        scale = LINEAR * np.max(np.abs(once))
        gaps = np.abs(2 * np.asarray(once) - twice), np.abs(np.subtract(once, later))
        if not max(map(np.max, gaps)) <= scale or size != n:
            raise ModelError(
                f"Boltzmann and Hamel's equations of {system.name!r} cannot be in"
                f" {', '.join(chosen.names)}.",
                "Their coefficients are of velocities linear in the speeds, without"
                " time, and as many.",
                "Use ph.gauss, which takes any velocities.",
            )
