"""What the recursions read of every joint and body.

Each body is described in the frame K that its inbound joint fixes in it, so that hinges
pass through origins: there freedoms are constant and hold zeros that cost nothing.

    parent:  Kp --constant--> A ~~ joint(q) ~~> K :  child
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Wrenches
from polhode.actions.weight import WeightOf
from polhode.arrays import Array, Scalar, namespace, traced_once
from polhode.geometry.vector import cross, skew
from polhode.joints.joint import Joint, freedoms
from polhode.matter.parameter import Table, at
from polhode.matter.spatial_inertia import spatial_inertia
from polhode.system.gather import driven_joints
from polhode.system.loads import efforts_of, in_body_axes
from polhode.system.system import System
from polhode.system.tree import Edge, Member


class Step(NamedTuple):
    """A pose: where a frame is in another, R (3, 3) and p (3,)."""

    R: Any
    p: Any


class Link(NamedTuple):
    """A body and its inbound joint, all in the body's frame K.

    steps    from the parent's K to this one: a constant pose, then the joint's
    S        the freedoms of the joint (6, k)
    S_dot_z  their rate times the speeds (6,)
    inertia  (6, 6)
    rotors   (k,)
    seat     K in the body's own frame
    """

    steps: tuple[Step, Step]
    S: Any
    S_dot_z: Any
    inertia: Any
    rotors: Any
    seat: Step


def links(system: System, q: Array, z: Array, table: Table) -> list[Link]:
    """All links, in the order of the bodies."""
    table = system.table(table)
    seats = [near(edge, table)[1] for edge in system.tree.edges]
    return [
        _link(system, edge, seats, table, q=q[edge.q], z=z[edge.z])
        for edge in system.tree.edges
    ]


class Given(NamedTuple):
    """What acts on a tree: weight, other wrenches, and efforts along joints.

    upward   (6,)     the world's acceleration that stands for weight
    wrenches [(6,)]   on every body, in its frame K
    efforts  (nz,)
    """

    upward: Any
    wrenches: list[Any]
    efforts: Any


def given(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Given:
    """All actions, each in the cheapest form.

    A uniform field cannot be told from a world that accelerates the other way, where
    all that resists has weight; a law along a joint acts on its speeds only.
    """
    known = system.loaded(t, q, z, system.table(table))
    efforts = [np.zeros(edge.joint.speeds) for edge in system.tree.edges]
    upward, rest = np.zeros(3), []
    for action in system.actions:
        if is_an_acceleration(system, action):
            up = action.law.upward(known)
            upward = upward + at(action.law.gravity, known) * up
        elif driven_joints(action):
            for edge, effort in efforts_of(system, action, t, q, z, known):
                efforts[edge.child] = efforts[edge.child] + effort
        else:
            rest.append(action.name)
    base = namespace(upward).concatenate([np.zeros(3), upward])
    wrenches = _on_bodies(system, rest, known, t=t, q=q, z=z)
    return Given(base, wrenches, jnp.concatenate([jnp.zeros(0), *efforts]))


def is_an_acceleration(system: System, action: Any) -> bool:
    """Whether an action gives every inertia in the system the same acceleration.

    A `Weight` does, where the system itself handed it all masses. Weight of chosen
    masses does not; nor does any where a body carries fluid, whose inertia resists
    and has no weight. Rotors do not matter: their inertia resists the motion of one
    body on another, which an acceleration of the world leaves as it is.
    """
    if not isinstance(action, WeightOf) or action.law not in system.given.actions:
        return False
    return not any(body.carries_fluid for body in system.bodies)


def _on_bodies(
    system: System, names: list[str], table: Table, *, t: Scalar, q: Array, z: Array
) -> list[Any]:
    """What some actions exert on every body (6,), in its frame K."""
    if not names:
        return [np.zeros(6)] * len(system.bodies)
    each = system.wrenches(t, q, z, table)
    parts = zip(*(each[name] for name in names), strict=True)
    total = Wrenches(*(sum(part[1:], part[0]) for part in parts))
    W = in_body_axes(system, system.poses(t, q, table).rotations, total, table)
    known = system.table(table)
    seats = [near(edge, known)[1] for edge in system.tree.edges]
    return [wrench_in(seat, W[k]) for k, seat in enumerate(seats)]


class Freedoms(NamedTuple):
    """A joint now: its pose, S (6, k), and S_dot z (6,), walked as it is walked."""

    pose: Step
    S: Any
    S_dot_z: Any


def twist_down(steps: tuple[Step, Step], V: Array) -> Any:
    """A twist of the parent, about the child's K and in its axes."""
    return _down(*steps[0], *steps[1], V)


def wrench_up(steps: tuple[Step, Step], W: Array) -> Any:
    """A wrench on the child about its K, about the parent's K and in its axes."""
    return _up(*steps[0], *steps[1], W)


def inertia_up(steps: tuple[Step, Step], M: Array) -> Any:
    """An inertia (6, 6), symmetric, about the parent's K and in its axes."""
    return _both_up(*steps[0], *steps[1], M)


def twist_through(R: Array, p: Array, V: Array) -> Any:
    """A twist of the parent about the child's K, which is at (R, p) in the parent's."""
    w, v = V[:3], V[3:]
    return jnp.concatenate([R.T @ w, R.T @ (v + cross(w, p))])


def wrench_through(R: Array, p: Array, W: Array) -> Any:
    """A wrench on the child about its K, about the parent's: the reverse."""
    force = R @ W[3:]
    return jnp.concatenate([R @ W[:3] + cross(p, force), force])


def both_up(R: Array, p: Array, M: Array) -> Any:
    """An inertia about the child's K, symmetric, about the parent's."""
    return _shift_inertia(_turn_inertia(M, R), p)


@traced_once
def _down(R: Array, p: Array, R_next: Array, p_next: Array, V: Array) -> Any:
    for turn, shift in ((R, p), (R_next, p_next)):
        w, v = V[:3], V[3:]
        V = namespace(turn, V).concatenate([turn.T @ w, turn.T @ (v + cross(w, shift))])
    return V


@traced_once
def _up(R: Array, p: Array, R_next: Array, p_next: Array, W: Array) -> Any:
    for turn, shift in ((R_next, p_next), (R, p)):
        force = turn @ W[3:]
        torque = turn @ W[:3] + cross(shift, force)
        W = namespace(torque, force).concatenate([torque, force])
    return W


@traced_once
def _both_up(R: Array, p: Array, R_next: Array, p_next: Array, M: Array) -> Any:
    for turn, shift in ((R_next, p_next), (R, p)):
        M = _shift_inertia(_turn_inertia(M, turn), shift)
    return M


@traced_once
def symmetric(M: Array) -> Any:
    """M with its upper half written once: what is equal is computed once."""
    return namespace(M).where(np.triu(np.ones(M.shape, dtype=bool)), M, M.T)


def wrench_in(seat: Step, W: Array) -> Any:
    """A wrench about a body's origin in its axes, about K in its axes."""
    force = W[3:]
    torque = W[:3] - cross(seat.p, force)
    return jnp.concatenate([seat.R.T @ torque, seat.R.T @ force])


def _turn_inertia(M: Array, R: Array) -> Any:
    """The inertia along axes in which the present ones are R."""
    A, B, D = M[:3, :3], M[:3, 3:], M[3:, 3:]
    return _blocks(symmetric(R @ A @ R.T), R @ B @ R.T, symmetric(R @ D @ R.T))


def _shift_inertia(M: Array, p: Array) -> Any:
    """The inertia about a point from which the present one is at p.

    W = [tau + p x f; f],    V = [w; v + w x p]
    """
    P = skew(p)
    A, B, D = M[:3, :3], M[:3, 3:], M[3:, 3:]
    B_there = B + P @ D
    A_there = A + P @ B.T - B_there @ P
    return _blocks(symmetric(A_there), B_there, D)


def _blocks(A: Array, B: Array, D: Array) -> Any:
    xp = namespace(A, B, D)
    upper = xp.concatenate([A, B], axis=1)
    return xp.concatenate([upper, xp.concatenate([B.T, D], axis=1)])


def near(edge: Edge, table: Table) -> tuple[Step, Step]:
    """The joint's frames: A fixed in the parent, K fixed in the child."""
    first = Step(*edge.joint.first_frame(table))
    second = Step(*edge.joint.second_frame(table))
    return (second, first) if edge.is_reversed else (first, second)


def _link(
    system: System, edge: Edge, seats: list[Step], table: Table, *, q: Array, z: Array
) -> Link:
    joint = edge.joint
    before, seat = near(edge, table)
    if edge.parent >= 0:
        R_PK, p_PoKo_P = seats[edge.parent]
        before = Step(R_PK.T @ before.R, R_PK.T @ (before.p - p_PoKo_P))
    there, S, S_dot_z = freedoms_of(joint, edge.is_reversed, q, z, table)
    inertia = inertia_of(system.bodies[edge.child], seat, table)
    rotors = joint.reflected_inertia(table)
    return Link((before, there), S, S_dot_z, inertia, rotors, seat)


def freedoms_of(
    joint: Joint, is_reversed: bool, q: Array, z: Array, table: Table
) -> Freedoms:
    """What a joint lets through at its own coordinates and speeds."""
    S, S_dot_z = _freedoms(joint, q, z, table)
    there = Step(*joint.pose(q, table))
    if is_reversed:
        S, S_dot_z = _reverse(joint, q, z, S, table)
        there = Step(there.R.T, -(there.R.T @ there.p))
    return Freedoms(there, S, S_dot_z)


def inertia_of(body: Member, seat: Step, table: Table) -> Any:
    """The inertia (6, 6) of a body about K, in its axes.

    Its mass is written there, not turned: m 1 is so exactly, and v x m v is zero.
    """
    mass, centre, central = body.moments(table)
    R_KB = seat.R.T
    turned = symmetric(R_KB @ central @ seat.R)
    inertia = spatial_inertia(mass, R_KB @ (centre - seat.p), turned)
    if not body.carries_fluid:
        return inertia
    return inertia + _turn_inertia(
        _shift_inertia(body.added_inertia(table), -seat.p), R_KB
    )


def _freedoms(joint: Joint, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
    """S (6, k) and its rate times z, in M."""
    if joint.speeds == 0:
        return np.zeros((6, 0)), np.zeros(6)
    along = joint.rates(q, z)
    rate = jax.jvp(lambda q: joint.twist(q, z, table), (q,), (along,))[1]
    return freedoms(joint, q, table), rate


def _reverse(
    joint: Joint, q: Array, z: Array, S: Array, table: Table
) -> tuple[Any, Any]:
    """The freedoms of a joint walked backwards: of F in M, written in F.

    V_MF_F = -Ad(X_FM) V_FM_M
    """

    def backwards(q: Array, column: Array) -> Any:
        R, p = joint.pose(q, table)
        w = R @ column[:3]
        return -jnp.concatenate([w, R @ column[3:] + cross(p, w)])

    def motion(q: Array) -> Any:
        return backwards(q, joint.twist(q, z, table))

    if joint.speeds == 0:
        return S, np.zeros(6)
    rate = jax.jvp(motion, (q,), (joint.rates(q, z),))[1]
    columns = [backwards(q, S[:, k]) for k in range(joint.speeds)]
    return jnp.stack(columns, axis=-1), rate
