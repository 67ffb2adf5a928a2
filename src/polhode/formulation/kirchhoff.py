"""Kirchhoff's equations: every body's twist along its own axes (left-invariant).

    M V_dot + V x* M V = F + reactions,      V = [w; v of the origin]

M is constant. With T(w, v) and momenta T_w, T_v this is

    d/dt T_v + w x T_v = R,      d/dt T_w + w x T_w + v x T_v = M_O
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.maximal import in_twists
from polhode.formulation.shared.spatial import (
    block_diagonal,
    cross_wrench,
    momentum_rate,
)
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.matter.parameter import Table
from polhode.system.system import System


def twist_rate(energy: Callable[[Any], Any], V: Array, wrench: Array) -> Any:
    """V_dot (6,) of one body whose kinetic energy is any function T(V), V = [w; v].

        d/dt T_V + V x* T_V = W,      T_V = dT/dV

    W = [M_O; R] in the body's axes, about any point O of it. Of a mass or of a mass
    and the fluid around it; T need not be quadratic, only convex.
    """
    momentum = jax.grad(energy)
    growth = jax.jacfwd(momentum)(V)
    return solve_definite(growth, wrench - cross_wrench(V, momentum(V)))


@dense_form
def kirchhoff(system: System) -> Equations:
    """Kirchhoff's equations of all bodies, joints and loops as constraints."""
    n = len(system.bodies)

    def to_body(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return y.reshape(n, 6)

    def from_body(t: Scalar, q: Array, V: Array, table: Table) -> Any:
        return V.reshape(-1)

    def mass(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        M, V = system.inertias(table), y.reshape(n, 6)
        bias = momentum_rate(M, V)
        F = system.applied(t, q, equations.functions.speeds(t, q, y, table), table)
        return block_diagonal(M), bias.reshape(-1), F.reshape(-1)

    equations = in_twists("Kirchhoff", system, to_body, from_body, mass)
    return equations
