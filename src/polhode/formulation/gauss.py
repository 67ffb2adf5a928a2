"""Gauss's principle: of all accelerations that the constraints allow, the true ones
deviate least, mass by mass, from those that the forces would give alone.

    minimise over z_dot   1/2 V_dot^T M V_dot - V_dot^T (F - V x* M V)

with V = V(t, q, z) the twists of all bodies. With J = dV/dz and V_dot = J z_dot + c,

    J^T M J z_dot + J^T (M c + V x* M V) = J^T F + A^T l

for any velocities z at all: those of the system, or a user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp

from polhode.formulation.equations import Core, Equations, Terms, solved
from polhode.formulation.reactions import by_balance
from polhode.formulation.spatial import inertial_wrenches
from polhode.formulation.speeds import drift, in_speeds
from polhode.system.system import System


def gauss(system: System, velocities: Velocities | None = None) -> Equations:
    """The equations from Gauss's principle, in the system's speeds or in others."""
    if velocities is not None:
        return _in_other_velocities(system, velocities)

    def terms(t: Any, q: Any, z: Any, table: Any) -> Terms:
        J, V = system.jacobians(t, q, table), system.body_twists(t, q, z, table)
        inertias, c = system.inertias(table), drift(system, t, q, z, table)
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


@final
@dataclass(frozen=True)
class Velocities:
    """Velocities y of the user's own: z = to_speeds(t, q, y), linear in y or not.

    `from_speeds(t, q, z)` is the inverse; both are traceable.
    """

    names: Sequence[str]
    to_speeds: Callable[[Any, Any, Any], Any]
    from_speeds: Callable[[Any, Any, Any], Any]


def _in_other_velocities(system: System, chosen: Velocities) -> Equations:
    """Gauss's equations for velocities y with z = zeta(t, q, y).

    V_dot = (J dz/dy) y_dot + c,    A dz/dy y_dot = gamma - A (zeta_t + zeta_q q_dot)
    """
    zeta = chosen.to_speeds

    def speeds(t: Any, q: Any, y: Any, y_dot: Any, table: Any) -> tuple[Any, Any]:
        """z, and z_dot along the motion."""
        q_dot = system.rates(t, q, zeta(t, q, y), table)
        return jax.jvp(zeta, (t, q, y), (jnp.ones_like(t), q_dot, y_dot))

    def terms(t: Any, q: Any, y: Any, table: Any) -> Terms:
        t = 1.0 * jnp.asarray(t)
        z, shift = speeds(t, q, y, jnp.zeros_like(y), table)
        E = jax.jacfwd(zeta, 2)(t, q, y)
        M, b, f, A, gamma = inner.functions.terms(t, q, z, table)
        return Terms(
            E.T @ M @ E, E.T @ (b + M @ shift), E.T @ f, A @ E, gamma - A @ shift
        )

    def bodies(t: Any, q: Any, y: Any, y_dot: Any, table: Any) -> Any:
        z, z_dot = speeds(1.0 * jnp.asarray(t), q, y, y_dot, table)
        return inner.functions.bodies(t, q, z, z_dot, table)

    def along(t: Any, q: Any, y: Any, W: Any, table: Any) -> Any:
        E = jax.jacfwd(zeta, 2)(t, q, y)
        return E.T @ inner.functions.along(t, q, zeta(t, q, y), W, table)

    def own(t: Any, q: Any, y: Any, table: Any) -> Any:
        return zeta(t, q, y)

    inner = gauss(system)
    core = Core(
        start=lambda t, q, z, table: chosen.from_speeds(t, q, z),
        speeds=own,
        rates=lambda t, q, y, table: system.rates(t, q, zeta(t, q, y), table),
        terms=terms,
        accelerations=solved(terms),
        bodies=bodies,
        along=along,
        joint_wrenches=by_balance(system, own, bodies),
    )
    return Equations("Gauss", system, tuple(chosen.names), system.row_names, core)
