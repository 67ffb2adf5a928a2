"""Energies, parts of the force, and the power of everything that acts or drives.

    H = y . dT/dy - T + V,      f = f_stored + f_applied

The reactions A^T l of a constraint have the power l . (A z). For one that does not
depend on time it is zero; for a driver it is what the driver gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from polhode.actions.action import Action
from polhode.actions.gravitation import Gravitation
from polhode.actions.motion_arrays import power
from polhode.actions.weight import WeightOf
from polhode.arrays import Array, Scalar
from polhode.formulation.shared.shares import share_function
from polhode.formulation.shared.spatial import momenta
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations


class Energies(NamedTuple):
    """T, V and Hamilton's function H (generalised energy, Jacobi's integral)."""

    kinetic: Any
    potential: Any
    hamiltonian: Any


class Parts(NamedTuple):
    """The parts (k,) of a force: what is stored, what is applied, what gravity gives.

    Gravity is of `Weight` and `Gravitation`, which are among what is stored.
    """

    stored: Any
    applied: Any
    gravity: Any


def energy_function(equations: Equations) -> Callable[..., Energies]:
    """(t, q, y, table) -> `Energies`."""
    core, system = equations.functions, equations.system

    def energies(t: Scalar, q: Array, y: Array, table: Table) -> Energies:
        def T(y: Array) -> Any:
            z = core.speeds(t, q, y, table)
            return system.kinetic_energy(t, q, z, table)

        V = system.potential_energy(t, q, table)
        kinetic, slope = jax.value_and_grad(T)(1.0 * y)
        return Energies(kinetic, V, y @ slope - kinetic + V)

    return energies


def momentum_at_rest(equations: Equations) -> Callable[..., Any]:
    """(t, q, y, table) -> the momenta (k,) at y = 0.

    Where the speeds are z = E y + s, that is E^T M s; zero for all other velocities.
    """
    core, system = equations.functions, equations.system

    def rest(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        still = jnp.zeros_like(y)
        z, pull = jax.vjp(lambda y: core.speeds(t, q, y, table), still)
        h = momenta(system.inertias(table), system.body_twists(t, q, z, table))
        (rotors,) = pull(system.rotor_inertias(table) * z)
        return core.along(t, q, still, h, table) + rotors

    return rest


def part_function(equations: Equations) -> Callable[..., Parts]:
    """(t, q, y, table) -> `Parts`."""
    shares, actions = share_function(equations), equations.system.actions

    def parts(t: Scalar, q: Array, y: Array, table: Table) -> Parts:
        each = shares(t, q, y, table)

        def total(chosen: Iterable[Action]) -> Any:
            return sum((each[a.name] for a in chosen), jnp.zeros_like(y))

        return Parts(
            total(a for a in actions if a.is_conservative),
            total(a for a in actions if not a.is_conservative),
            total(a for a in actions if isinstance(a, WeightOf | Gravitation)),
        )

    return parts


def power_function(equations: Equations) -> Callable[..., dict[str, Any]]:
    """(t, q, y, table) -> by action and by constraint: its power on the system."""
    core, system = equations.functions, equations.system

    def powers(t: Scalar, q: Array, y: Array, table: Table) -> dict[str, Any]:
        z = core.speeds(t, q, y, table)
        twists = system.twists(t, q, z, table)
        each = system.wrenches(t, q, z, table).items()
        found = {name: power(wrenches, twists) for name, wrenches in each}
        if not system.constraints:
            return found
        A, _ = system.constraint_rows(t, q, z, table)
        intensities = core.accelerations(t, q, y, table)[1][-len(system.row_names) :]
        given, start = intensities * (A @ z), 0
        for constraint in system.constraints:
            stop = start + len(constraint.rows)
            found[constraint.name] = given[start:stop].sum()
            start = stop
        return found

    return powers
