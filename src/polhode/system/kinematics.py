"""Where all bodies are and how they move, from coordinates and speeds.

One step out along the tree, from a body P to the body C that a joint carries on it:

    X_WC = X_WP X_PC(q)                        poses
    V_WC_C = Ad(X_PC)^-1 V_WP_P + V_PC_C       velocities, each in its body's axes

The joint between B (its first body) and C has the frame F fixed in B and M in C:

    X_BC = X_BF X_FM(q) X_CM^-1,      V_BC_C = Ad(X_CM) V_FM_M(q, z)

Walked backwards, the inverse pose and the opposite velocity serve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, matvec, namespace
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.tree import Edge, outward

if TYPE_CHECKING:
    from polhode.system.system import System


def placement(edge: Edge, q: Array, table: Table) -> tuple[Any, Any]:
    """The pose X_PC of a body on the one that carries it: R_PC and p_PoCo_P.

    `q` are the coordinates of the whole system.
    """
    joint = edge.joint
    R_BF, p_BoFo_B = joint.first_frame(table)
    R_FM, p_FoMo_F = joint.pose(q[edge.q], table)
    R_CM, p_CoMo_C = joint.second_frame(table)
    R_BM = R_BF @ R_FM
    R_BC = R_BM @ R_CM.T
    p_BoCo_B = p_BoFo_B + R_BF @ p_FoMo_F - R_BC @ p_CoMo_C
    if edge.is_reversed:
        return R_BC.T, -(R_BC.T @ p_BoCo_B)
    return R_BC, p_BoCo_B


def joint_twist(edge: Edge, q: Array, z_joint: Array, table: Table) -> tuple[Any, Any]:
    """The velocity of a body seen from the one that carries it, in its own axes.

    (w_PC_C, v_PCo_C), linear in the speeds `z_joint` of the joint.
    """
    joint = edge.joint
    R_CM, p_CoMo_C = joint.second_frame(table)
    V_FM_M = joint.twist(q[edge.q], z_joint, table)
    w_BC_C = R_CM @ V_FM_M[:3]
    v_BCo_C = R_CM @ V_FM_M[3:] - cross(w_BC_C, p_CoMo_C)
    if not edge.is_reversed:
        return w_BC_C, v_BCo_C
    # The child is B: its velocity seen from C is the opposite one, at Bo.
    R_BC, p_BoCo_B = _inverse(*placement(edge, q, table))
    w_BC_B = R_BC @ w_BC_C
    return -w_BC_B, cross(w_BC_B, p_BoCo_B) - R_BC @ v_BCo_C


def subspace(edge: Edge, q: Array, table: Table) -> Any:
    """S (6, speeds): the body's velocity on its carrier is S z, angular part first."""
    columns = [joint_twist(edge, q, unit, table) for unit in np.eye(edge.joint.speeds)]
    if not columns:
        return np.zeros((6, 0))
    xp = namespace(q, *(part for pair in columns for part in pair))
    return xp.stack([xp.concatenate(pair) for pair in columns], axis=-1)


def poses(system: System, t: Scalar, q: Array, table: Table = NOMINAL) -> Poses:
    """Where all bodies are, seen from the world: R_WB (n, 3, 3), p_WoBo_W (n, 3)."""
    if in_loops(system, q):
        from polhode.system.rolled.motion import motion

        placed = motion(system, q, None, table).poses
        return Poses(placed.rotations[:-1], placed.origins[:-1])
    table = system.table(table)

    def step(edge: Edge, carrier: tuple[Any, Any]) -> tuple[Any, Any]:
        R_PC, p_PoCo_P = placement(edge, q, table)
        R_WP, p_WoPo_W = carrier
        if edge.parent < 0:
            return R_PC, p_PoCo_P
        return R_WP @ R_PC, p_WoPo_W + R_WP @ p_PoCo_P

    found = outward(system.tree, (np.eye(3), np.zeros(3)), step)
    rotations, origins = zip(*found, strict=True)
    xp = namespace(q, *rotations, *origins)
    return Poses(xp.stack(rotations), xp.stack(origins))


def body_twists(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Any:
    """The velocities (n, 6) [w; v of the origin] of all bodies, in their own axes.

    w_C = R_PC^T w_P + w_PC,     v_C = R_PC^T (v_P + w_P x p_PoCo) + v_PC
    """
    if in_loops(system, q, z):
        from polhode.system.rolled.motion import body_twists as rolled

        return rolled(system, q, z, table)
    table = system.table(table)

    def step(edge: Edge, carrier: tuple[Any, Any]) -> tuple[Any, Any]:
        w_PC_C, v_PC_C = joint_twist(edge, q, z[edge.z], table)
        if edge.parent < 0:
            return w_PC_C, v_PC_C
        R_PC, p_PoCo_P = placement(edge, q, table)
        w_P, v_P = carrier
        v_there = v_P + cross(w_P, p_PoCo_P)
        return R_PC.T @ w_P + w_PC_C, R_PC.T @ v_there + v_PC_C

    found = outward(system.tree, (np.zeros(3), np.zeros(3)), step)
    xp = namespace(q, z, *(part for pair in found for part in pair))
    return xp.stack([xp.concatenate(pair) for pair in found])


def twists(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Twists:
    """The velocities of all bodies about their origins, along the world's axes."""
    if in_loops(system, q, z):
        from polhode.system.rolled.motion import motion

        found = motion(system, q, z, table).twists
        return Twists(found.angular[:-1], found.linear[:-1])
    R_WB = poses(system, t, q, table).rotations
    V_B = body_twists(system, t, q, z, table)
    return Twists(matvec(R_WB, V_B[:, :3]), matvec(R_WB, V_B[:, 3:]))


def jacobians(system: System, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
    """J (n, 6, speeds): velocities of all bodies in their own axes are J z."""
    table = system.table(table)
    width = system.tree.speeds

    def step(edge: Edge, carrier: Any) -> Any:
        S = subspace(edge, q, table)
        xp = namespace(q, S, carrier)
        before = np.zeros((6, edge.z.start))
        after = np.zeros((6, width - edge.z.stop))
        own = xp.concatenate([before, S, after], axis=-1)
        if edge.parent < 0:
            return own
        R_PC, p_PoCo_P = placement(edge, q, table)
        J_w, J_v = carrier[:3], carrier[3:]
        there = J_v + cross(J_w.T, p_PoCo_P).T
        moved = xp.concatenate([R_PC.T @ J_w, R_PC.T @ there])
        return moved + own

    found = outward(system.tree, np.zeros((6, width)), step)
    return namespace(q, *found).stack(found)


def rates(system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> Any:
    """The rates of the coordinates, q_dot = psi(q, z), joint by joint."""
    if in_loops(system, q, z):
        from polhode.system.rolled import motion

        return motion.rates(system, q, z, table)
    parts = [e.joint.rates(q[e.q], z[e.z]) for e in system.tree.edges]
    return namespace(q, z, *parts).concatenate(parts)


def speeds_from(system: System, q: Array, q_dot: Array) -> Any:
    """The speeds z that give the coordinates these rates."""
    if in_loops(system, q, q_dot):
        from polhode.system.rolled import motion

        return motion.speeds_from(system, q, q_dot, NOMINAL)
    edges = system.tree.edges
    parts = [e.joint.speeds_from(q[e.q], q_dot[e.q]) for e in edges]
    return namespace(q, q_dot, *parts).concatenate(parts)


def neutral(system: System) -> np.ndarray:
    """Every joint at its neutral coordinates: zeros, and quaternions of no turn."""
    return np.concatenate([edge.joint.neutral() for edge in system.tree.edges])


def normalised(system: System, q: Array) -> Any:
    """The same places, quaternions brought back to length one."""
    if in_loops(system, q):
        from polhode.system.rolled import motion

        return motion.normalised(system, q, NOMINAL)
    parts = [edge.joint.normalised(q[edge.q]) for edge in system.tree.edges]
    return namespace(q, *parts).concatenate(parts)


def local(system: System, q: Array, delta: Array) -> Any:
    """The coordinates moved by `delta` (speeds,), each joint along its own motion.

    local(q, 0) = q, and its derivative by delta there is that of q_dot by z.
    """
    if in_loops(system, q, delta):
        from polhode.system.rolled import motion

        return motion.local(system, q, delta, NOMINAL)
    edges = system.tree.edges
    parts = [e.joint.local(q[e.q], delta[e.z]) for e in edges]
    return namespace(q, delta, *parts).concatenate(parts)


def in_loops(system: System, *columns: Any) -> bool:
    """Whether a walk is a loop over tables: of a large tree, inside a trace."""
    if namespace(*columns) is np or len(system.bodies) < 2:
        return False
    from polhode.system.rolled.size import is_rolled

    return is_rolled(system)


def _inverse(R: Array, p: Array) -> tuple[Any, Any]:
    """The inverse pose."""
    return R.T, -(R.T @ p)
