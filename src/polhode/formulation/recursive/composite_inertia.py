"""The mass matrix by composite inertias: what lies beyond a joint moves as one body.

M_c = M + sum over children of X^T M_c X,     F = M_c S
M_ij = S_j^T X^T ... X^T F_i        for every j between the world and i
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.formulation.recursive.links import inertia_up, links, wrench_up
from polhode.matter.parameter import Table
from polhode.system.system import System
from polhode.system.tree import Edge, inward


def mass_matrix(system: System, q: Any, table: Table) -> Any:
    """M (nz, nz); joints that do not carry each other have zeros."""
    tree = system.tree
    all_links = links(system, q, jnp.zeros(system.speeds), table)

    def gather(edge: Edge, carrier: Any, child: Any) -> Any:
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
    return _assembled(system, blocks) + jnp.eye(system.speeds) * (
        system.rotor_inertias(table)
    )


def _assembled(system: System, blocks: dict[tuple[int, int], Any]) -> Any:
    edges = [edge for edge in system.tree.edges if edge.joint.speeds]
    rows = []
    for a in edges:
        row = []
        for b in edges:
            i, j = sorted((a.child, b.child))
            block = blocks.get((i, j))
            if block is None:
                row.append(jnp.zeros((a.joint.speeds, b.joint.speeds)))
            else:
                row.append(block if a.child <= b.child else block.T)
        rows.append(jnp.concatenate(row, axis=1))
    return jnp.concatenate(rows)
