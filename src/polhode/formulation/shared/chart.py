"""A chart about the present configuration, for formulations that need coordinates.

    q = local(q0, x),      z = E(x) x_dot,      E(0) = 1

For hinges and slides x is the change of the joint's own coordinate, for rotations the
rotation vector from the present orientation, so that no configuration is singular. At
x = 0 the rates of x are the system's own speeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.matter.parameter import Table
from polhode.system.system import System


def speeds_in_chart(system: System, t: Scalar, q: Array, x: Array, x_dot: Array) -> Any:
    """The system's speeds z at local(q, x) as x moves at x_dot."""
    place, q_dot = jax.jvp(lambda x: system.local(q, x), (x,), (x_dot,))
    return system.speeds_from(t, place, q_dot)


def bend(system: System, t: Scalar, q: Array, z: Array) -> Any:
    """z_dot where x_ddot = 0:  (dE/dx x_dot) x_dot.   z_dot = x_ddot + bend"""
    still = origin(system)
    return jax.jvp(lambda x: speeds_in_chart(system, t, q, x, z), (still,), (1.0 * z,))[
        1
    ]


def lagrangian(system: System, q: Array, table: Table) -> Callable[..., Any]:
    """L(t, x, x_dot) = T - V in the chart about q."""
    kinetic, potential = energies(system, q, table)
    return lambda t, x, x_dot: kinetic(t, x, x_dot) - potential(t, x)


def energies(system: System, q: Array, table: Table) -> tuple[Callable, Callable]:
    """T(t, x, x_dot) and V(t, x) in the chart about q."""

    def kinetic(t: Scalar, x: Array, x_dot: Array) -> Any:
        z = speeds_in_chart(system, t, q, x, x_dot)
        return system.kinetic_energy(t, system.local(q, x), z, table)

    def potential(t: Scalar, x: Array) -> Any:
        return system.potential_energy(t, system.local(q, x), table)

    return kinetic, potential


def origin(system: System) -> Any:
    """x = 0: the present configuration."""
    return jnp.zeros(system.speeds)
