"""What formulations share that keep all six velocities of every body.

Joints are constraints on velocities. With V_FM the twist of a joint's second frame M in
its first frame F, and B a basis of the wrenches that the joint can carry,

    B^T V_FM = 0,      and B l is the reaction on the second body

y are velocities from which the twists V of all bodies in their own axes follow, linear
in y; a formulation says how.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Twists
from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Core, Equations, Terms
from polhode.formulation.shared.spatial import turned
from polhode.formulation.shared.uniform_motion import has_rotor
from polhode.formulation.solve.equations_of_motion import (
    solve_constrained,
    solve_definite,
)
from polhode.geometry.vector import cross
from polhode.joints.joint import freedoms
from polhode.matter.parameter import Table
from polhode.system import rows
from polhode.system.kinematics import placement
from polhode.system.natural_sizes import NaturalSizes, length_at_rest
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge

AXES = (".wx", ".wy", ".wz", ".vx", ".vy", ".vz")
Mass = Callable[..., tuple[Any, Any, Any]]


def joint_motion(edge: Edge, q: Array, V: Array, table: Table) -> Any:
    """V_FM_M (6,): the twist of a joint from the twists of all bodies (n, 6)."""
    R_PC, p_PoCo_P = placement(edge, q, table)
    child = V[edge.child]
    parent = V[edge.parent] if edge.parent >= 0 else np.zeros(6)
    # Of the child C on its carrier P, about Co in C's axes.
    w = child[:3] - R_PC.T @ parent[:3]
    v = child[3:] - R_PC.T @ (parent[3:] + cross(parent[:3], p_PoCo_P))
    if edge.is_reversed:
        # The second body is P: the opposite motion, about Po in P's axes.
        w, v = -(R_PC @ w), -(R_PC @ v) - cross(p_PoCo_P, R_PC @ w)
    R_CM, p_CoMo_C = edge.joint.second_frame(table)
    return jnp.concatenate([R_CM.T @ w, R_CM.T @ (v + cross(w, p_CoMo_C))])


def joint_speeds(system: System, q: Array, V: Array, table: Table) -> Any:
    """z (nz,) from the twists of all bodies: what lies along the joints' freedoms."""
    table = system.table(table)
    parts = [jnp.zeros(0)]
    for edge in system.tree.edges:
        if edge.joint.speeds:
            S = freedoms(edge.joint, q[edge.q], table)
            motion = joint_motion(edge, q, V, table)
            parts.append(solve_definite(S.T @ S, S.T @ motion))
    return jnp.concatenate(parts)


def held(system: System, t: Scalar, q: Array, V: Array, table: Table) -> Any:
    """phi (rows,): zero where joints and constraints allow the twists V (n, 6)."""
    known = system.table(table)
    parts = [jnp.zeros(0)]
    for edge in system.tree.edges:
        B = edge.joint.reaction(q[edge.q], known)
        parts.append(B.T @ joint_motion(edge, q, V, known))
    if system.constraints:
        in_world = turned(system.poses(t, q, table).rotations, V)
        twists = Twists(in_world[:, :3], in_world[:, 3:])
        z = joint_speeds(system, q, V, table)
        parts.append(rows.of_motion(system, t, q, twists, z, table=table))
    return jnp.concatenate(parts)


def in_twists(
    name: str,
    system: System,
    to_body: Callable,
    from_body: Callable,
    mass: Mass,
    *,
    arms: Callable | None = None,
    accelerations: Callable | None = None,
) -> Equations:
    """Equations of all bodies' velocities, held together by multipliers.

    to_body(t, q, y, table) gives V (n, 6) and from_body(t, q, V, table) gives y (6 n,);
    mass(t, q, y, table) gives M, the bias and the force of free bodies. `arms(table)`
    (n, 3) go from bodies' origins to the points that y is about, if not there.
    `accelerations` are those of a form that does not solve its terms as they are.
    """

    def speeds(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return joint_speeds(system, q, to_body(t, q, y, table), table)

    def rates(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return system.rates(t, q, speeds(t, q, y, table), table)

    def terms(t: Scalar, q: Array, y: Array, table: Table) -> Terms:
        return terms_of_bodies(system, to_body, mass, StateArrays(t, q, y), table)

    def bodies(t: Scalar, q: Array, y: Array, y_dot: Array, table: Table) -> Any:
        now = 1.0 * jnp.asarray(t), q, y
        along = jnp.ones_like(now[0]), rates(t, q, y, table), y_dot
        return jax.jvp(lambda t, q, y: to_body(t, q, y, table), now, along)[1]

    def joint_wrenches(
        t: Scalar, q: Array, y: Array, solution: Any, table: Table
    ) -> Any:
        return carried(system, q, solution[1], table)

    def along(t: Scalar, q: Array, y: Array, W: Array, table: Table) -> Any:
        return jax.vjp(lambda y: to_body(t, q, y, table), y)[1](W)[0]

    def start(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return from_body(t, q, system.body_twists(t, q, z, table), table)

    solve = accelerations or by_their_rows(system, terms)
    found = start, speeds, rates, terms, solve, bodies, along, joint_wrenches
    names = velocity_names(system), row_names(system)
    return Equations(name, system, *names, Core(*found, arms=arms))


def by_their_rows(
    system: System, terms: Callable[..., Terms]
) -> Callable[..., tuple[Any, Any]]:
    """Accelerations and intensities where all bodies are free but for their rows."""
    solve = solver_of_rows(system)

    def accelerations(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        return solve(terms(t, q, y, table))

    return accelerations


def solver_of_rows(system: System) -> Callable[[Terms], tuple[Any, Any]]:
    """Accelerations and intensities from terms in velocities of bodies.

    Every row feels them, and none is rounding: its length is its natural size.
    """
    length = length_at_rest(system)
    speeds = np.tile(np.repeat([1.0, length], 3), len(system.bodies))

    def solve(terms: Terms) -> tuple[Any, Any]:
        M, b, f, A, g = terms
        natural = NaturalSizes(speeds, jnp.sqrt(jnp.sum((A * speeds) ** 2, axis=1)))
        return solve_constrained(M, f - b, A, g, natural)

    return solve


def terms_of_bodies(
    system: System, to_body: Callable, mass: Mass, state: StateArrays, table: Table
) -> Terms:
    """Terms at (t, q, y) of free bodies, rotors between them and all that holds them.

    to_body and mass as for `in_twists`.
    """

    def speeds(t: Scalar, q: Array, y: Array) -> Any:
        return joint_speeds(system, q, to_body(t, q, y, table), table)

    def phi(t: Scalar, q: Array, y: Array) -> Any:
        return held(system, t, q, to_body(t, q, y, table), table)

    t, q, y = 1.0 * jnp.asarray(state[0]), state[1], state[2]
    q_dot = system.rates(t, q, speeds(t, q, y), table)
    rest = jnp.ones_like(t), q_dot, jnp.zeros_like(y)
    A, gamma = jax.jacfwd(phi, 2)(t, q, y), -jax.jvp(phi, (t, q, y), rest)[1]
    M, b, f = mass(t, q, y, table)
    if has_rotors(system):
        r, at = system.rotor_inertias(table), (t, q, y)
        M, b = with_rotors(
            M, b, r, lambda y_dot: jax.jvp(speeds, at, (*rest[:2], y_dot))[1]
        )
    return Terms(M, b, f, A, gamma)


def with_rotors(M: Array, b: Array, r: Array, z_dot: Callable) -> tuple[Any, Any]:
    """M and bias with rotors r (nz,) along the joints, z_dot = Z y_dot + what is left.

    M + Z^T r Z,      b + Z^T r z_dot(0)
    """
    still = jnp.zeros_like(b)
    Z = jax.jacfwd(z_dot)(still)
    return M + Z.T @ (r[:, None] * Z), b + Z.T @ (r * z_dot(still))


def carried(system: System, q: Array, intensities: Array, table: Table) -> Any:
    """The wrenches B l (n, 6) of the joints, from the first of the multipliers."""
    table, start, found = system.table(table), 0, []
    for edge in system.tree.edges:
        B = edge.joint.reaction(q[edge.q], table)
        stop = start + B.shape[1]
        found.append(jnp.asarray(B) @ intensities[start:stop])
        start = stop
    return jnp.stack(found)


def velocity_names(system: System) -> tuple[str, ...]:
    """Six a body: 'rod.wx', ..., 'rod.vz'."""
    return tuple(body.name + axis for body in system.bodies for axis in AXES)


def row_names(system: System) -> tuple[str, ...]:
    """Those of the joints, then those of the constraints."""
    held = [
        f"{edge.joint.name}: row {k + 1}"
        for edge in system.tree.edges
        for k in range(6 - edge.joint.speeds)
    ]
    return (*held, *system.row_names)


def has_rotors(system: System) -> bool:
    """Whether any joint has a motor with a rotor; a bare zero is none."""
    return any(has_rotor(joint) for joint in system.joints)
