"""What formulations in the system's own speeds share: y = z, joints as coordinates.

    V = J(q) z,      V_dot = J z_dot + c,      c = V_dot at z_dot = 0

V are the twists of all bodies in their own axes (n, 6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Core, Equations, Terms
from polhode.formulation.questions.reactions import by_balance
from polhode.formulation.shared.uniform_motion import without_uniform_motion
from polhode.formulation.solve.equations_of_motion import solve_constrained
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import natural_sizes
from polhode.system.system import System


def drift(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """c = V_dot (n, 6) at z_dot = 0, along q_dot."""
    q_dot = system.rates(t, q, z, table)
    return jax.jvp(lambda q: system.body_twists(t, q, z, table), (q,), (q_dot,))[1]


def along(system: System, t: Scalar, q: Array, wrenches: Array, table: Table) -> Any:
    """The power (nz,) of wrenches (n, 6) on the bodies for each unit speed."""
    return _project(system.jacobians(t, q, table), wrenches)


def in_speeds(
    name: str,
    system: System,
    terms: Callable[..., Terms],
    solve: Callable[[Terms], tuple[Any, Any]] | None = None,
    *,
    accelerations: Callable[..., Any] | None = None,
    **others: Callable[..., Any],
) -> Equations:
    """Equations in the system's own speeds, from their terms.

    terms(t, q, z, table, comoving) takes mass matrix and bias at the comoving speeds
    (`uniform_motion`), at z where they are not given; forces and rows at z.
    `solve` gives accelerations and intensities from terms, by elimination unless given;
    `accelerations` are those of a form that does not go by its terms, `others` further
    functions of a `Core` that it answers in its own way.
    """

    def eliminated(terms: Terms) -> tuple[Any, Any]:
        M, b, f, A, g = terms
        return solve_constrained(M, f - b, A, g, natural_sizes(system))

    terms, by_terms = without_uniform_motion(system, terms, solve or eliminated)

    def bodies(t: Scalar, q: Array, z: Array, z_dot: Array, table: Table) -> Any:
        return system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)

    def speeds(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return z

    core = Core(
        start=speeds,
        speeds=speeds,
        rates=system.rates,
        terms=terms,
        accelerations=accelerations or by_terms,
        bodies=bodies,
        along=lambda t, q, z, W, table: along(system, t, q, W, table),
        joint_wrenches=by_balance(system, speeds, bodies),
    )
    core = core._replace(**others)
    return Equations(name, system, system.speed_names, system.row_names, core)


def _project(J: Array, wrenches: Array) -> Any:
    k = J.shape[-1]
    return J.reshape(-1, k).T @ jnp.reshape(wrenches, -1)
