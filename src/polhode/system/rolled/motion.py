"""Where all bodies of a large tree are and how they move: loops over its bodies.

The equations are those of `system.kinematics`, one step out along the tree each turn:

    X_WC = X_WP X_PA X_AK(q) X_CK^-1,      V_C = Ad(X_PC)^-1 V_P + Ad(X_CK) V_AK(q, z)

A and K are the joint's frames on the parent and on the child.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, namespace, scanned
from polhode.geometry.vector import cross
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import Joint
from polhode.matter.parameter import Table
from polhode.system.rolled.walk import (
    Kind,
    Places,
    Walk,
    entered,
    own,
    padded,
    walk_of,
)

if TYPE_CHECKING:
    from polhode.system.system import System


class Seats(NamedTuple):
    """Of every body (n, ...): X_PA, the joint's frame on its parent, and X_CK."""

    R_PA: Any
    p_PoAo_P: Any
    R_CK: Any
    p_CoKo_C: Any


class Motion(NamedTuple):
    """Poses from the world, and velocities about origins along the world's axes.

    Each has one row more than there are bodies: the world's own, the last.
    """

    poses: Poses
    twists: Twists


def seats_of(system: System, table: Table) -> Seats:
    """The seats of all joints; NumPy's, where no parameter varies."""
    found = []
    for edge in system.tree.edges:
        ends = edge.joint.first_frame(table), edge.joint.second_frame(table)
        (R_PA, p_PA), (R_CK, p_CK) = ends[::-1] if edge.is_reversed else ends
        found.append((R_PA, p_PA, R_CK, p_CK))
    columns = zip(*found, strict=True)
    return Seats(*(namespace(*column).stack(column) for column in columns))


def motion(system: System, q: Array, z: Array | None, table: Table) -> Motion:
    """Where all bodies are and how they move; without speeds `z` none does."""
    known = system.table(table)
    walk, seats = walk_of(system, known), seats_of(system, known)
    n = walk.bodies
    speeds = jnp.zeros(system.speeds) if z is None else z

    def step(state: tuple[Any, ...], row: Any) -> tuple[tuple[Any, ...], None]:
        (R_W, p_W, w_W, v_W), (place, seat) = state, row

        def joint(kind: Kind) -> Any:
            return _joint_motion(kind, place, q, speeds, known)

        R_AK, p_AK, V_K = walk.of_kind(place, joint)
        R_WP = R_W[place.parent]
        R_PC = seat.R_PA @ R_AK @ seat.R_CK.T
        arm = R_WP @ (seat.p_PoAo_P + seat.R_PA @ p_AK - R_PC @ seat.p_CoKo_C)
        R_WC, p_WC = R_WP @ R_PC, p_W[place.parent] + arm
        state = R_W.at[place.body].set(R_WC), p_W.at[place.body].set(p_WC)
        if z is None:
            return (*state, w_W, v_W), None
        w_PC = R_WC @ (seat.R_CK @ V_K[:3])
        there = R_WC @ seat.p_CoKo_C
        v_PC = R_WC @ (seat.R_CK @ V_K[3:]) - cross(w_PC, there)
        w_WP = w_W[place.parent]
        v_WC = v_W[place.parent] + cross(w_WP, arm) + v_PC
        moving = w_W.at[place.body].set(w_WP + w_PC), v_W.at[place.body].set(v_WC)
        return (*state, *moving), None

    still = jnp.zeros((n + 1, 3))
    start = jnp.zeros((n + 1, 3, 3)).at[n].set(np.eye(3)), still, still, still
    (R_W, p_W, w_W, v_W), _ = scanned(step, start, (walk.places, seats))
    return Motion(Poses(R_W, p_W), Twists(w_W, v_W))


def body_twists(system: System, q: Array, z: Array, table: Table) -> Any:
    """The velocities (n, 6) of all bodies about their origins, in their own axes."""
    now = motion(system, q, z, table)

    def turned(_: None, k: Scalar) -> tuple[None, Any]:
        R_BW = now.poses.rotations[k].T
        w, v = now.twists.angular[k], now.twists.linear[k]
        return None, jnp.concatenate([R_BW @ w, R_BW @ v])

    return scanned(turned, None, np.arange(len(system.bodies)))[1]


def _joint_motion(
    kind: Kind, place: Places, q: Array, z: Array, table: Table
) -> tuple[Any, Any, Any]:
    """Pose and velocity of K seen from A, the latter in K; z may be zeros."""
    joint = kind.at(place.slot)
    q_own = own(q, place.q, joint.coordinates)
    z_own = own(z, place.z, joint.speeds)
    R, p = (jnp.asarray(part, float) for part in joint.pose(q_own, table))
    V = jnp.asarray(joint.twist(q_own, z_own, table), float)
    if not kind.is_reversed:
        return R, p, V
    w = R @ V[:3]
    return R.T, -(R.T @ p), -jnp.concatenate([w, R @ V[3:] + cross(p, w)])


def rates(system: System, q: Array, z: Array, table: Table) -> Any:
    """q_dot (nq,)."""
    if is_flat(system, "rates"):
        return jnp.asarray(z)
    return _each(system, table, lambda joint, q, z: joint.rates(q, z), q=q, z=z)


def speeds_from(system: System, q: Array, q_dot: Array, table: Table) -> Any:
    """z (nz,) of rates q_dot (nq,)."""
    if is_flat(system, "speeds_from"):
        return jnp.asarray(q_dot)
    walk: Walk = walk_of(system, system.table(table))

    def step(found: jnp.ndarray, place: Places) -> tuple[Any, None]:
        def joint(kind: Kind) -> Any:
            one = kind.at(place.slot)
            q_own = own(q, place.q, one.coordinates)
            rates_own = own(q_dot, place.q, one.coordinates)
            return padded(one.speeds_from(q_own, rates_own), walk.speeds)

        return entered(found, walk.of_kind(place, joint), place.z), None

    room = jnp.zeros(system.speeds + walk.speeds)
    return scanned(step, room, walk.places)[0][: system.speeds]


def local(system: System, q: Array, delta: Array, table: Table) -> Any:
    """The coordinates moved by delta (nz,), each joint along its own motion."""
    if is_flat(system, "local"):
        return q + delta
    return _each(system, table, lambda joint, q, d: joint.local(q, d), q=q, z=delta)


def normalised(system: System, q: Array, table: Table) -> Any:
    """The coordinates put right: quaternions of length one."""
    if is_flat(system, "normalised"):
        return q
    zeros = jnp.zeros(system.speeds)
    return _each(system, table, lambda joint, q, _: joint.normalised(q), q=q, z=zeros)


def is_flat(system: System, question: str) -> bool:
    """Whether all joints answer as those do whose speeds are rates of coordinates."""
    plain = getattr(FlatJoint, question)
    kinds = {type(edge.joint) for edge in system.tree.edges}
    return all(getattr(kind, question) is plain for kind in kinds)


def _each(
    system: System,
    table: Table,
    question: Callable[[Joint, Any, Any], Any],
    *,
    q: Array,
    z: Array,
) -> Any:
    """What each joint answers (nq,) at its own entries of (nq,) and (nz,) columns."""
    walk: Walk = walk_of(system, system.table(table))

    def step(found: jnp.ndarray, place: Places) -> tuple[Any, None]:
        def joint(kind: Kind) -> Any:
            one = kind.at(place.slot)
            q_own = own(q, place.q, one.coordinates)
            z_own = own(z, place.z, one.speeds)
            return padded(question(one, q_own, z_own), walk.coordinates)

        return entered(found, walk.of_kind(place, joint), place.q), None

    room = jnp.zeros(system.coordinates + walk.coordinates)
    return scanned(step, room, walk.places)[0][: system.coordinates]
