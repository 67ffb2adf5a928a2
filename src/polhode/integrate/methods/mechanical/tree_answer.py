r"""How the speeds of trees answer to impulses, by the entries of their inertia alone.

    M' = M + h/2 dc/dz,      c = bias - force,      M' (z_f - z) = -h c

is M (1 - h/2 da/dz) without the accelerations a; S is that of `impulse_answer`. Speeds
are coupled where one moves what the other carries, and where an action reads both: only
these entries are written, and what hangs apart on the world is differentiated at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive.composite_inertia import mass_matrix
from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics
from polhode.formulation.recursive.links import given, is_an_acceleration
from polhode.formulation.solve.block_elimination import Solver, eliminated
from polhode.formulation.solve.row_elimination import eliminated_in_order
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.mechanical.impulse_answer import (
    Answer,
    loads,
    symmetric,
)
from polhode.matter.parameter import Table
from polhode.system.gather import driven_joints
from polhode.system.rolled.contact_tables import feeling
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System


def tree_answer(
    field: Field, t: Scalar, q: Array, z: Array, *, h: Scalar, table: Table
) -> Answer:
    """That of a step of h with its middle at (t, q); the system has no constraints."""
    system = field.system
    pattern = coupled_speeds(system, has_inputs=has_inputs(field, t, q, z))

    def lacks(z: Array) -> Any:
        own = field.table_at(t, q, z)
        acting = given(system, t, q, z, own)
        state = StateArrays(t, q, z)
        return inverse_dynamics(system, state, jnp.zeros_like(z), own, acting)

    first, slope = _differentiated(lacks, z, pattern)
    _, resistance = _differentiated(loads(field, t, q, table), z, pattern)
    M = mass_matrix(system, q, table)
    S = M + h / 2 * symmetric(resistance)

    def eliminate(K: Array) -> Solver:
        return eliminated(K, pattern) or eliminated_in_order(K)

    solve = eliminate(M + h / 2 * slope)

    def bend(after: Any) -> Any:
        way = (after - z) / 2
        return solve(-h * (lacks(z + way) - first - slope @ way))

    return Answer(solve(-h * first), bend, solve, eliminate(S), S)


def has_inputs(field: Field, t: Scalar, q: Array, z: Array) -> bool:
    """Whether parameters follow the state: then any speed may act on any other."""
    return field.table_at(t, q, z) is not field.table_at(t, q, z)


def coupled_speeds(system: System, *, has_inputs: bool) -> np.ndarray:
    """(nz, nz) bool: entries of M' that the tree and what acts allow."""
    nz, feels = system.speeds, feeling(system)
    found = np.eye(nz, dtype=bool) | has_inputs
    cliques = [*feels]
    for action in system.actions:
        if is_an_acceleration(system, action):
            continue
        own: set[int] = set()
        for joint in driven_joints(action):
            z = system.edge(joint.name).z
            own |= set(range(z.start, z.stop))
        if not driven_joints(action):
            own = set().union(*(feels[k] for k in system.places_of(action.bodies)))
        cliques.append(frozenset(own))
    for clique in cliques:
        numbers = np.array(sorted(clique), int)
        found[np.ix_(numbers, numbers)] = True
    return found


def _differentiated(lacks: Any, z: Array, pattern: np.ndarray) -> tuple[Any, Any]:
    """c (nz,) and dc/dz (nz, nz): a direction for the k-th speeds of all components."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count, part = connected_components(csr_array(pattern.astype(np.int8)))
    members = [np.flatnonzero(part == k) for k in range(count)]
    rank = np.zeros(len(z), int)
    for own in members:
        rank[own] = np.arange(len(own))
    seeds = np.zeros((max(map(len, members)), len(z)))
    seeds[rank, np.arange(len(z))] = 1.0
    first, along = jax.linearize(lacks, z)
    columns = jax.vmap(along)(jnp.asarray(seeds))
    i, j = np.nonzero(pattern)
    places = np.full(pattern.shape, columns.size)
    places[i, j] = rank[j] * len(z) + i
    entries = jnp.concatenate([columns.reshape(-1), np.zeros(1)])
    return first, entries[places]
