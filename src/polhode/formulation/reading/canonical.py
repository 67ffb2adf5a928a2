"""Hamilton's equations in coordinates of one's choice.

    p = dL/ds_dot,      H(t, s, p) = p.s_dot - L,      s_dot = dH/dp
    p_dot + dH/ds - E^T f - (A E)^T l = 0

E takes the rates of s to the speeds of the joints, f are the forces that have no
potential, A the rows of constraints on the rates of speeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.reading.coordinates import Chart
from polhode.formulation.reading.where_lines import quantities
from polhode.formulation.shared.speeds import along
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.matter.parameter import Table
from polhode.system import rows
from polhode.system.system import System


def canonical_balance(system: System, chart: Chart) -> Callable[..., Any]:
    """The parts of a reading, of ((t, s, p), s_dot, p_dot, multipliers, parameters)."""

    def balance(
        at: tuple[Any, Any, Any], s_dot: Any, p_dot: Any, held: Any, table: Table
    ) -> Any:
        t, s, p = at
        L, rates = canonical_rates(system, chart, table)
        s_now = rates(t, s, p)
        q, z = chart.place(s), chart.speeds(t, s, s_now)
        E = jax.jacfwd(lambda v: chart.speeds(t, s, v))(s_now)
        wrenches = system.nonconservative_wrenches(t, q, z, table)
        # dH/ds at given momenta is -dL/ds at given rates: no inverse is differentiated.
        pushed = jax.grad(L, 1)(t, s, s_now)
        motion = p_dot - pushed - E.T @ along(system, t, q, wrenches, table)
        one = jnp.eye(len(p))
        named = quantities(system, system.poses(t, q, table).rotations, one)
        said = L(t, s, s_dot)
        if not held.shape[0]:
            return (motion, 0.0 * p_dot, one, said, 0.0 * p_dot), named
        A, gamma = system.constraint_rows(t, q, z, table)

        def speeds(t: Scalar, s: Array, p: Array) -> Any:
            return chart.speeds(t, s, rates(t, s, p))

        z_dot = jax.jvp(speeds, (t, s, p), (jnp.ones_like(t), s_now, p_dot))[1]
        on_rates, places = A @ z_dot - gamma, rows.positions(system, t, q, table)
        return (motion - (A @ E).T @ held, on_rates, one, said, places), named

    return balance


def canonical_rates(
    system: System, chart: Chart, table: Table
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """L(t, s, s_dot), and s_dot(t, s, p) = dH/dp by its Legendre transform."""

    def L(t: Scalar, s: Array, s_dot: Array) -> Any:
        q, z = chart.place(s), chart.speeds(t, s, s_dot)
        stored = system.potential_energy(t, q, table)
        return system.kinetic_energy(t, q, z, table) - stored

    def rates(t: Scalar, s: Array, p: Array) -> Any:
        still = jnp.zeros_like(p)
        E = jax.jacfwd(lambda v: chart.speeds(t, s, v))(still)
        M = E.T @ system.mass_matrix(t, chart.place(s), table) @ E
        return solve_definite(M, p - jax.grad(L, 2)(t, s, still))

    return L, rates
