"""Articulated bodies: accelerations of a tree in as many steps as it has bodies.

    outward   V = X V_p + S z,     c = V x S z + S_dot z,     p = V x* M V - W
    inward    U = M S,   D = S^T U,   u = tau - S^T p
              M_p += X^T (M - U D^-1 U^T) X,     p_p += X^T (p + M' c + U D^-1 u)
    outward   A' = X A_p + c,     z_dot = D^-1 (u - U^T A'),     A = A' + S z_dot

M is the inertia that a joint feels of all that hangs on it and is free to move
(Featherstone). Weight is an acceleration of the world.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive.links import (
    Link,
    given,
    inertia_up,
    links,
    symmetric,
    twist_down,
    wrench_up,
)
from polhode.formulation.shared.spatial import cross_twist, momentum_rate
from polhode.formulation.shared.uniform_motion import is_all_freedom, still
from polhode.formulation.solve.equations_of_motion import Solver, factored
from polhode.matter.parameter import Table
from polhode.system.system import System
from polhode.system.tree import Edge, inward, outward


class Articulated(NamedTuple):
    """What a joint feels: the inertia and the bias wrench of all that hangs on it."""

    inertia: Any
    bias: Any


class Hinge(NamedTuple):
    """U (6, k), the solver of D (k, k), and u (k,) of a joint."""

    U: Any
    solve: Solver
    u: Any


def accelerations(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """z_dot (nz,) of a tree without constraints."""
    upward, wrenches, efforts = given(system, t, q, z, table)
    # From here on nothing moves as a whole: masses feel no uniform motion.
    z, shift = still(system, z)
    tree, all_links = system.tree, links(system, q, z, table)

    def move(edge: Edge, carrier: Array | None) -> Any:
        link = all_links[edge.child]
        own = link.S @ z[edge.z]
        return own if carrier is None else twist_down(link.steps, carrier) + own

    V = outward(tree, None, move)
    c = [
        cross_twist(V[e.child], all_links[e.child].S @ z[e.z])
        + all_links[e.child].S_dot_z
        for e in tree.edges
    ]
    own = [
        Articulated(link.inertia, momentum_rate(link.inertia, v) - W)
        for link, v, W in zip(all_links, V, wrenches, strict=True)
    ]

    def gather(edge: Edge, carrier: Articulated, child: Articulated) -> Articulated:
        link, k = all_links[edge.child], edge.child
        passed = hand_on(link, child, hinge(link, child, efforts[edge.z]), c[k])
        return Articulated(carrier.inertia + passed.inertia, carrier.bias + passed.bias)

    articulated = inward(tree, own, gather)
    hinges = [
        hinge(all_links[e.child], articulated[e.child], efforts[e.z])
        for e in tree.edges
    ]

    def accelerate(edge: Edge, carrier: tuple[Any, Any]) -> tuple[Any, Any]:
        link, joint = all_links[edge.child], hinges[edge.child]
        A = twist_down(link.steps, carrier[0]) + c[edge.child]
        if edge.joint.speeds == 0:
            return A, jnp.zeros(0)
        if is_all_freedom(edge):
            # S = 1 and U = D: what carries the body does not reach it, and would
            # only be rounded on its way through D and back.
            total = joint.solve(joint.u)
            return total, total - A
        z_dot = joint.solve(joint.u - joint.U.T @ A)
        return A + link.S @ z_dot, z_dot

    found = outward(tree, (upward, None), accelerate)
    return jnp.concatenate([z_dot for _, z_dot in found]) - shift


def hinge(link: Link, articulated: Articulated, effort: Array) -> Hinge:
    """How a joint feels what hangs on it, along its freedoms."""
    U = articulated.inertia @ link.S
    D = link.S.T @ U + jnp.eye(len(link.rotors)) * link.rotors
    return Hinge(U, factored(D), effort - link.S.T @ articulated.bias)


def hand_on(
    link: Link, articulated: Articulated, joint: Hinge, c: Scalar
) -> Articulated:
    """What the parent feels of a child through the joint that lets it move."""
    inertia, bias = articulated
    if link.S.shape[1]:
        inertia = symmetric(inertia - joint.U @ joint.solve(joint.U.T))
        bias = bias + inertia @ c + joint.U @ joint.solve(joint.u)
    else:
        bias = bias + inertia @ c
    return Articulated(inertia_up(link.steps, inertia), wrench_up(link.steps, bias))
