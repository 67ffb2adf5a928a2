"""Inverse dynamics by two walks: what must act along the joints for given rates.

outward   V = X V_p + S z,     A = X A_p + S z_dot + V x S z + S_dot z
inward    W = M A + V x* M V - W_given + sum over children of X^T W_child
at last   tau = S^T W + rotors z_dot - efforts
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive import rolled_terms
from polhode.formulation.recursive.links import (
    Given,
    given,
    links,
    twist_down,
    wrench_up,
)
from polhode.formulation.shared.spatial import cross_twist, momentum_rate
from polhode.formulation.shared.uniform_motion import still
from polhode.matter.parameter import Table
from polhode.system.kinematics import in_loops
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge, inward, outward


def inverse_dynamics(
    system: System,
    state: StateArrays,
    z_dot: Array,
    table: Table,
    acting: Given | None = None,
) -> Any:
    """tau (nz,): what must act beside the actions.

    `acting` stands for what the system's actions give, where that is known.
    """
    t, q, z = state
    if acting is None and _in_loops(system, q):
        return rolled_terms.inverse_dynamics(system, t, q, z, z_dot, table)
    upward, wrenches, efforts = acting or given(system, t, q, z, table)
    rotors = system.rotor_inertias(table) * z_dot
    # From here on nothing moves as a whole: masses feel no uniform motion.
    z, shift = still(system, z)
    z_dot = z_dot + shift
    tree, all_links = system.tree, links(system, q, z, table)

    def move(edge: Edge, carrier: tuple[Any, Any]) -> tuple[Any, Any]:
        link, (V, A) = all_links[edge.child], carrier
        own = link.S @ z[edge.z]
        V = own if edge.parent < 0 else twist_down(link.steps, V) + own
        bent = cross_twist(V, own) + link.S_dot_z
        return V, twist_down(link.steps, A) + link.S @ z_dot[edge.z] + bent

    motions = outward(tree, (jnp.zeros(6), upward), move)
    needed = [
        link.inertia @ A + momentum_rate(link.inertia, V) - W
        for link, (V, A), W in zip(all_links, motions, wrenches, strict=True)
    ]

    def gather(edge: Edge, carrier: Array, child: Array) -> Any:
        return carrier + wrench_up(all_links[edge.child].steps, child)

    carried = inward(tree, needed, gather)
    along = [link.S.T @ W for link, W in zip(all_links, carried, strict=True)]
    return jnp.concatenate(along) + rotors - efforts


def inertial_efforts(
    system: System, t: Scalar, q: Array, z_dot: Array, table: Table
) -> Any:
    """M z_dot (nz,): what rates need of a system at rest on which nothing acts."""
    if _in_loops(system, q):
        return rolled_terms.inertial_efforts(system, q, z_dot, table)
    still = jnp.zeros(system.speeds)
    nothing = Given(jnp.zeros(6), [jnp.zeros(6)] * len(system.bodies), still)
    return inverse_dynamics(system, StateArrays(t, q, still), z_dot, table, nothing)


def _in_loops(system: System, q: Array) -> bool:
    """Whether bodies are walked in loops, which know no inertia of fluids."""
    if any(body.carries_fluid for body in system.bodies):
        return False
    return in_loops(system, q)
