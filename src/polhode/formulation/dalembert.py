"""d'Alembert's principle as a weak form: what is lost to inertia has no virtual power.

    sum over bodies of  (R - Q_dot) . v' + (M - G_dot) . w'  =  0

for every virtual velocity (w', v') that joints and constraints allow at a frozen time.
Q and G are the momentum of a body and its moment about a fixed pole, v' the virtual
velocity of the body there, R and M what acts; all along the world's axes. The pole is
where the body's origin is now: about a far one, such as the world's origin, moments
would be differences of large numbers.

Virtual speeds z' span the motions of the joints. Constraints leave A z' = 0 of them,
z' = P z', and reactions have no power on these: none appears. They are found when the
motion is, as what must act besides.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.linear_rows import require_linear
from polhode.formulation.shared.spatial import momenta, turned
from polhode.formulation.shared.speeds import in_speeds
from polhode.formulation.solve.equations_of_motion import (
    VANISHING,
    solve_definite,
    solve_rows,
)
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import NaturalSizes, natural_sizes
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


@dense_form
def dalembert(system: System) -> Equations:
    """d'Alembert's equations: virtual power zero, for all allowed virtual speeds."""
    require_linear(system, "D'Alembert's")

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Any = None
    ) -> Terms:
        still, u = jnp.zeros(system.speeds), z if comoving is None else comoving

        def inertial_power(z_dot: Array) -> Any:
            """The virtual power of inertia for each unit virtual speed, negative."""
            return jax.grad(
                lambda virtual: (
                    -inertia_power(system, StateArrays(t, q, u), z_dot, virtual, table)
                )
            )(still)

        given = jax.grad(
            lambda virtual: applied_power(system, StateArrays(t, q, z), virtual, table)
        )(still)
        return Terms(
            jax.jacfwd(inertial_power)(still),
            inertial_power(still),
            given,
            *system.constraint_rows(t, q, z, table),
        )

    def solve(found: Terms) -> tuple[Any, Any]:
        return _test(found, natural_sizes(system))

    return in_speeds("d'Alembert", system, terms, solve)


def virtual_power(
    system: System, state: StateArrays, z_dot: Array, virtual: Any, table: Table
) -> Any:
    """The power of actions and of inertia on virtual speeds z' (nz,).

    `state` is (t, q, z). Zero for every virtual velocity exactly where z_dot is true.
    """
    given = applied_power(system, state, virtual, table)
    return given + inertia_power(system, state, z_dot, virtual, table)


def applied_power(
    system: System, state: StateArrays, virtual: Any, table: Table
) -> Any:
    """sum of R . v' + M . w' of all actions, about bodies' origins."""
    t, q, z = state
    w, v = system.twists(t, q, virtual, table)
    given = list(system.wrenches(t, q, z, table).values())
    return sum(((g.torques * w + g.forces * v).sum() for g in given), jnp.zeros(()))


def inertia_power(
    system: System, state: StateArrays, z_dot: Array, virtual: Any, table: Table
) -> Any:
    """-sum of Q_dot . v' + G_dot . w', and of rotors along their joints."""
    t, q, z = state
    along = system.rates(t, q, z, table), z_dot
    poles = system.poses(t, q, table).origins
    _, rates = jax.jvp(
        lambda q, z: _momenta(system, StateArrays(t, q, z), poles, table), (q, z), along
    )
    w, v = system.twists(t, q, virtual, table)
    rotors = (system.rotor_inertias(table) * z_dot * virtual).sum()
    return -(rates[:, :3] * w).sum() - (rates[:, 3:] * v).sum() - rotors


def _momenta(system: System, state: StateArrays, poles: Any, table: Table) -> Any:
    """[G; Q] of all bodies (n, 6), G about fixed poles (n, 3), in the world's axes."""
    t, q, z = state
    R_WB, p_WoBo_W = system.poses(t, q, table)
    V = system.body_twists(t, q, z, table)
    h = turned(R_WB, momenta(system.inertias(table), V))
    moment = h[:, :3] + cross(p_WoBo_W - poles, h[:, 3:])
    return jnp.concatenate([moment, h[:, 3:]], axis=-1)


def _test(terms: Terms, natural: NaturalSizes) -> tuple[Any, Any]:
    """z_dot with P (M z_dot + b - f) = 0 and A z_dot = g, and what A^T l is left.

    P = 1 - A^+ A takes any z' to an allowed one; P M P + A^T A is definite. Which P
    depends on the units of speeds, so all is measured by natural sizes first.
    """
    M, b, f, A, g = terms
    if A.shape[0] == 0:
        return solve_definite(M, f - b), jnp.zeros(0)
    c, r = natural
    M, b, f, g = c[:, None] * M * c, c * b, c * f, g / r
    A, ones = A * c / r[:, None], np.ones(len(r))

    def least(right: Any) -> Any:
        return A.T @ solve_rows(A @ A.T, right, ones, VANISHING)

    n = M.shape[0]
    P = jnp.eye(n) - least(A)
    weight = jnp.trace(M) / (jnp.sum(A * A) + VANISHING)
    given = least(g)
    tested = solve_definite(P @ M @ P + weight * A.T @ A, P @ (f - b - M @ given))
    z_dot = given + P @ tested
    left = A @ (M @ z_dot + b - f)
    return c * z_dot, solve_rows(A @ A.T, left, ones, VANISHING) / r
