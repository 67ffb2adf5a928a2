"""The recursive form: walks along the tree, and rows for what closes loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.recursive import (
    articulated_body,
    composite_inertia,
    rolled_acting,
    rolled_constrained,
    rolled_reactions,
    rolled_terms,
)
from polhode.formulation.recursive.composite_inertia import mass_matrix
from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics
from polhode.formulation.recursive.links import Given, given
from polhode.formulation.shared.speeds import in_speeds
from polhode.formulation.solve.equations_of_motion import solve_ordered
from polhode.formulation.solve.ordering import ordered
from polhode.matter.parameter import Table
from polhode.system.checked_argument import system_argument
from polhode.system.natural_sizes import natural_sizes
from polhode.system.rolled.size import is_rolled
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

# Speeds for which the mass matrix is solved in fewer operations than articulated bodies
# take, and as exactly: of three and more hinges in a row these are the more exact.
FEW = 2


@system_argument
def recursive(system: System) -> Equations:
    """Joint speeds by recursion: the quickest form, and the default for trees.

    Accelerations of a tree by articulated bodies; of one or two speeds, and with
    constraints, by the composite mass matrix and the rows. Bias and force are inverse
    dynamics at rest and in motion.
    """

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Array | None = None
    ) -> Terms:
        acting = given(system, t, q, z, table)
        nothing = Given(
            jnp.zeros(6), [jnp.zeros(6)] * len(system.bodies), jnp.zeros(system.speeds)
        )
        still = jnp.zeros_like(z)
        u = z if comoving is None else comoving
        bias = inverse_dynamics(system, StateArrays(t, q, u), still, table, nothing)
        resting = inverse_dynamics(
            system, StateArrays(t, q, still), still, table, acting
        )
        rows = system.constraint_rows(t, q, z, table)
        return Terms(mass_matrix(system, q, table), bias, -resting, *rows)

    def of_tree(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        by = composite_inertia if system.speeds <= FEW else articulated_body
        return by.accelerations(system, t, q, z, table), jnp.zeros(0)

    if is_rolled(system):
        return _in_loops(system, terms)
    if not system.constraints:
        return in_speeds("recursive", system, terms, accelerations=of_tree)
    return in_speeds("recursive", system, terms, in_order(system))


def _in_loops(system: System, straight: Callable[..., Terms]) -> Equations:
    """The form of a large system: every question is loops over tables."""

    def of_tree(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        return rolled_acting.of_tree(system, t, q, z, table), jnp.zeros(0)

    def constrained(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        return rolled_constrained.accelerations(system, t, q, z, table)

    accelerations = constrained if system.constraints else of_tree
    if any(body.carries_fluid for body in system.bodies):
        # Inertia of a fluid is no mass: loops along the world's axes do not know it.
        return in_speeds("recursive", system, straight, accelerations=accelerations)

    def terms(
        t: Scalar, q: Array, z: Array, table: Table, comoving: Array | None = None
    ) -> Terms:
        return rolled_terms.terms(system, t, q, z, table, comoving)

    def columns(
        t: Scalar, q: Array, z: Array, unit: Any, table: Table
    ) -> tuple[Any, Any]:
        return rolled_terms.columns(system, t, q, unit, table)

    def bodies(t: Scalar, q: Array, z: Array, z_dot: Array, table: Table) -> Any:
        return rolled_reactions.body_accelerations(system, q, z, z_dot, table)

    def along(t: Scalar, q: Array, z: Array, W: Array, table: Table) -> Any:
        return rolled_terms.along(system, q, W, table)

    def joint_wrenches(
        t: Scalar, q: Array, z: Array, solution: Any, table: Table
    ) -> Any:
        state = StateArrays(t, q, z)
        return rolled_reactions.joint_wrenches(system, state, solution, table)

    return in_speeds(
        "recursive",
        system,
        terms,
        accelerations=accelerations,
        bodies=bodies,
        along=along,
        joint_wrenches=joint_wrenches,
        columns=columns,
    )


def in_order(system: System) -> Callable[[Terms], tuple[Any, Any]]:
    """Accelerations and intensities, eliminated in the order of least fill."""
    ordering, natural = ordered(system), natural_sizes(system)

    def solve(terms: Terms) -> tuple[Any, Any]:
        M, b, f, A, g = terms
        return solve_ordered(M, f - b, A, g, natural, ordering=ordering)

    return solve
