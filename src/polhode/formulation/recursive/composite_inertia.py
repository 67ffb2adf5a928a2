"""The mass matrix by composite inertias: what lies beyond a joint moves as one body.

M_c = M + sum over children of X^T M_c X,     F = M_c S
M_ij = S_j^T X^T ... X^T F_i        for every j between the world and i
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics
from polhode.formulation.recursive.links import given, inertia_up, links, wrench_up
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge, inward


def mass_matrix(system: System, q: Array, table: Table) -> Any:
    """M (nz, nz); joints that do not carry each other have zeros."""
    tree = system.tree
    all_links = links(system, q, jnp.zeros(system.speeds), table)

    def gather(edge: Edge, carrier: Array, child: Array) -> Any:
        return carrier + inertia_up(all_links[edge.child].steps, child)

    composite = inward(tree, [link.inertia for link in all_links], gather)
    blocks: dict[tuple[int, int], Any] = {}
    for edge in tree.edges:
        i = j = edge.child
        forces = [composite[i] @ column for column in jnp.asarray(all_links[i].S).T]
        while j >= 0:
            S_j = all_links[j].S
            block = [jnp.asarray(S_j).T @ F for F in forces]
            blocks[j, i] = jnp.stack(block, axis=-1) if block else None
            forces = [wrench_up(all_links[j].steps, F) for F in forces]
            j = tree.edges[j].parent
    return _assemble(system, blocks) + jnp.eye(system.speeds) * (
        system.rotor_inertias(table)
    )


def accelerations(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """z_dot (nz,) of a tree without constraints: M z_dot is what its motion lacks.

    The last joints are eliminated first, so that M fills in nowhere, and the pivots are
    what articulated bodies would divide by.
    """
    acting, still = given(system, t, q, z, table), jnp.zeros_like(z)
    missing = inverse_dynamics(system, StateArrays(t, q, z), still, table, acting)
    M = mass_matrix(system, q, table)
    return solve_definite(M[::-1, ::-1], -missing[::-1])[::-1]


def _assemble(system: System, blocks: dict[tuple[int, int], Any]) -> Any:
    """The matrix of its blocks, each written once and read on both sides."""
    edges = system.tree.edges
    places = np.zeros((system.speeds, system.speeds), dtype=int)
    parts, size = [np.zeros(1)], 1
    for (j, i), block in blocks.items():
        if block is None:
            continue
        own = size + np.arange(block.size).reshape(block.shape)
        places[edges[i].z, edges[j].z] = own.T
        places[edges[j].z, edges[i].z] = own
        parts.append(block.reshape(-1))
        size += block.size
    return jnp.concatenate(parts)[places]
