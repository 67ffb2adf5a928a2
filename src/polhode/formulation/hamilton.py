"""Hamilton's equations: momenta by Legendre transform, joints as coordinates.

    p = dL/dx_dot,      H(t, x, p) = p.x_dot - L
    x_dot = dH/dp,      p_dot = -dH/dx + Q + A^T l

x are the coordinates of a chart about the present configuration (see `chart`). A chart
does not last; the momenta that do are those along the system's speeds, with
p = E(x)^T y and E(0) = 1. So y = p now, and

    y_dot = p_dot - (dE/dt)^T y
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Core, Equations, Terms
from polhode.formulation.questions.reactions import by_balance
from polhode.formulation.shared.chart import (
    energies,
    lagrangian,
    origin,
    speeds_in_chart,
)
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.regular import require_regular
from polhode.formulation.shared.speeds import along, drift
from polhode.formulation.shared.uniform_motion import removable_edges, still
from polhode.formulation.solve.equations_of_motion import (
    VANISHING,
    factored,
    mean_inertia,
    solve_definite,
    solve_rows,
)
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import NaturalSizes, natural_sizes
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


def hamiltonian(system: System, q: Array, table: Table) -> Callable[..., Any]:
    """H(t, x, p) in the chart about q, by the Legendre transform of L.

    L is quadratic in x_dot, so x_dot solves (d^2 L/dx_dot^2) x_dot = p - dL/dx_dot(0).
    """
    L = lagrangian(system, q, table)
    momentum = jax.grad(L, 2)

    def H(t: Scalar, x: Array, p: Array) -> Any:
        still = jnp.zeros_like(p)
        hessian = jax.jacfwd(momentum, 2)(t, x, still)
        x_dot = solve_definite(hessian, p - momentum(t, x, still))
        return p @ x_dot - L(t, x, x_dot)

    return H


@dense_form
def hamilton(system: System) -> Equations:
    """Hamilton's canonical equations, with rows for what is not a joint."""

    def speeds(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return jax.grad(hamiltonian(system, q, table), 2)(t, origin(system), y)

    def start(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return jax.grad(lagrangian(system, q, table), 2)(t, origin(system), z)

    def terms(t: Scalar, q: Array, y: Array, table: Table) -> Terms:
        """1 y_dot + b = f + A^T l;  the rows on y_dot are A M^-1."""
        z = speeds(t, q, y, table)
        given = along(
            system, t, q, system.nonconservative_wrenches(t, q, z, table), table
        )
        stored = jax.grad(energies(system, q, table)[1], 1)(t, origin(system))
        bias = bias_of_momenta(system, slope, StateArrays(t, q, z), y, table)
        rows = rows_on_momenta(system, t, q, z, table)
        return Terms(jnp.eye(len(y)), bias, given - stored, *rows)

    def slope(t: Scalar, q: Array, y: Array, z: Array, table: Table) -> Any:
        """dH/dx less that of V, and how the chart's momenta leave the lasting ones."""
        H, x = hamiltonian(system, q, table), origin(system)
        stored = jax.grad(energies(system, q, table)[1], 1)(t, x)
        lasting = jax.jvp(lambda x: _momenta(system, t, q, x, y), (x,), (z,))[1]
        return jax.grad(H, 1)(t, x, y) - stored + lasting

    return in_momenta("Hamilton", system, (start, speeds), terms)


def bias_of_momenta(
    system: System, bias: Callable[..., Any], state: StateArrays, y: Array, table: Table
) -> Any:
    """The bias (k,) of momenta y = M z without the square of a uniform velocity.

        bias(y) = bias(M z0) + M s - dM/dt (z - z0)

    z0 and s as in `uniform_motion`; the given bias takes t, q, y, z and the table.
    """
    t, q, z = state
    if not removable_edges(system):
        return bias(t, q, y, z, table)
    z0, s = still(system, z)
    M = system.mass_matrix(t, q, table)

    def carried(q: Array) -> Any:
        return system.mass_matrix(t, q, table) @ (z - z0)

    # What is displaced with all it carries turns no joint of it: dM/dt is of z0.
    growth = jax.jvp(carried, (q,), (system.rates(t, q, z0, table),))[1]
    return bias(t, q, M @ z0, z0, table) + M @ s - growth


def in_momenta(
    name: str,
    system: System,
    transform: tuple[Callable[..., Any], Callable[..., Any]],
    terms: Callable[..., Terms],
) -> Equations:
    """Equations of the momenta along the speeds; `transform` is (y of z, z of y)."""
    require_regular(system, f"{name}'s equations do")
    natural = natural_sizes(system)
    start, speeds = transform

    def bodies(t: Scalar, q: Array, y: Array, y_dot: Array, table: Table) -> Any:
        z = speeds(t, q, y, table)
        solve = factored(system.mass_matrix(t, q, table))
        z_dot = solve(y_dot - _growth(system, t, q, z, table))
        return system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)

    core = Core(
        start=start,
        speeds=speeds,
        rates=lambda t, q, y, table: system.rates(t, q, speeds(t, q, y, table), table),
        terms=terms,
        accelerations=lambda t, q, y, table: _solve(
            system.mass_matrix(t, q, table), terms(t, q, y, table), natural
        ),
        bodies=bodies,
        along=lambda t, q, y, W, table: along(system, t, q, W, table),
        joint_wrenches=by_balance(system, speeds, bodies),
    )
    names = tuple(f"p({name})" for name in system.speed_names)
    return Equations(name, system, names, system.row_names, core)


def rows_on_momenta(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> tuple[Any, Any]:
    """A M^-1 and gamma + A M^-1 (dM/dt z): the rows on the rates of momenta."""
    A, gamma = system.constraint_rows(t, q, z, table)
    if not A.shape[0]:
        return A, gamma
    yielding = solve_definite(system.mass_matrix(t, q, table), A.T).T
    return yielding, gamma + yielding @ _growth(system, t, q, z, table)


def _solve(M: Array, terms: Terms, natural: NaturalSizes) -> tuple[Any, Any]:
    """y_dot and l, where reactions are A^T l and the rows on y_dot are A M^-1."""
    _, b, f, rows, right = terms
    free = f - b
    if rows.shape[0] == 0:
        return free, jnp.zeros(0)
    A, least = rows @ M, VANISHING / mean_inertia(M, natural)
    gap = right - rows @ free
    intensities = solve_rows(rows @ A.T, gap, natural.rows, least)
    return free + A.T @ intensities, intensities


def _momenta(system: System, t: Scalar, q: Array, x: Array, y: Array) -> Any:
    """E(x)^T y: the chart's momenta of the lasting ones."""
    return jax.grad(lambda v: y @ speeds_in_chart(system, t, q, x, v))(
        jnp.zeros_like(y)
    )


def _growth(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """dM/dt z: how the momenta grow at constant speeds."""

    def momenta(q: Array) -> Any:
        return system.mass_matrix(t, q, table) @ z

    return jax.jvp(momenta, (q,), (system.rates(t, q, z, table),))[1]
