"""A large tree along the world's axes: motions outward, what resists them inward.

Every body is described about its own origin, along the world's axes, so that nothing
needs turning on the way from a body to its parent, and a constraint between any two
bodies reads both as they are:

    outward   w, v, and at constant speeds w_dot, v_dot;  S (6, k) of every joint
    inward    mass, first moment, inertia and wrench of all that a joint carries
              F = M_c S,     f = efforts - S^T W

    M_ij = S_j^T F_i  about the origin of j,      for every j that carries i
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, namespace, scanned
from polhode.formulation.recursive.links import freedoms_of
from polhode.geometry.vector import cross
from polhode.joints.joint import Joint
from polhode.matter.parameter import Table
from polhode.system.rolled.motion import Motion, Seats, seats_of
from polhode.system.rolled.walk import Kind, Places, entered, own, padded, walk_of
from polhode.system.system import System

SIX = np.triu_indices(3)
WHOLE = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


class Outward(NamedTuple):
    """Motion and drift of all bodies, the world's row last, and S (n, k, 6).

    Drifts are accelerations [w_dot; v_dot of the origin] at constant speeds.
    """

    moving: Motion
    drift: Twists
    S: Any


class Inward(NamedTuple):
    """F (n, k, 6) of every joint, and f (nz,): what drives the speeds."""

    F: Any
    force: Any


def outward(system: System, q: Array, z: Array | None, table: Table) -> Outward:
    """The walk from the world; `z` None is a system at rest, without drifts."""
    known = system.table(table)
    walk, seats = walk_of(system, known), seats_of(system, known)
    n, longest = walk.bodies, walk.speeds
    speeds = jnp.zeros(system.speeds) if z is None else z

    def step(state: tuple[Any, ...], row: Any) -> tuple[tuple[Any, ...], None]:
        (R_W, p_W, *motions, S_W), (place, seat) = state, row

        def joint(kind: Kind) -> Any:
            return _freedoms(kind, place, q, speeds, longest=longest, table=known)

        freedoms = walk.of_kind(place, joint)
        at = R_W[place.parent], p_W[place.parent]
        link = _link(*at, seat, freedoms)
        placed = R_W.at[place.body].set(link.R), p_W.at[place.body].set(link.p)
        S_W = S_W.at[place.body].set(link.S.T)
        if z is None:
            return (*placed, *motions, S_W), None
        before = [each[place.parent] for each in motions]
        found = _moved(before, link, freedoms)
        pairs = zip(motions, found, strict=True)
        moved = [each.at[place.body].set(own_one) for each, own_one in pairs]
        return (*placed, *moved, S_W), None

    still = jnp.zeros((n + 1, 3))
    rotations = jnp.zeros((n + 1, 3, 3)).at[n].set(np.eye(3))
    freedoms = jnp.zeros((n, longest, 6))
    start = rotations, still, still, still, still, still, freedoms
    (R_W, p_W, w, v, al, a, S_W), _ = scanned(step, start, (walk.places, seats))
    return Outward(Motion(Poses(R_W, p_W), Twists(w, v)), Twists(al, a), S_W)


def in_motion(system: System, now: Outward, z: Array, table: Table) -> Motion:
    """The bodies of a system at rest, `now`, with speeds z.

    Joints are as they were: this is a fifth of the walk that has placed them.
    """
    walk, (poses, _) = walk_of(system, system.table(table)), now.moving

    def step(state: tuple[Any, Any], place: Places) -> tuple[tuple[Any, Any], None]:
        (w, v), k, parent = state, place.body, place.parent

        def joint(kind: Kind) -> Any:
            return padded(own(z, place.z, kind.joint.speeds), walk.speeds)

        V = walk.of_kind(place, joint) @ now.S[k]
        arm = poses.origins[k] - poses.origins[parent]
        carried = v[parent] + cross(w[parent], arm)
        return (w.at[k].set(w[parent] + V[:3]), v.at[k].set(carried + V[3:])), None

    still = jnp.zeros((walk.bodies + 1, 3))
    (w, v), _ = scanned(step, (still, still), walk.places)
    return Motion(poses, Twists(w, v))


class Freedoms(NamedTuple):
    """Of a joint: pose of K on A, S in K, S z and its rate at constant speeds."""

    R: Any
    p: Any
    S: Any
    u: Any
    u_dot: Any


def _freedoms(
    kind: Kind, place: Places, q: Array, z: Array, *, longest: int, table: Table
) -> Freedoms:
    joint = kind.at(place.slot)
    q_own = own(q, place.q, joint.coordinates)
    z_own = own(z, place.z, joint.speeds)
    found = joint_freedoms(joint, kind.is_reversed, q_own, z_own, table)
    return found._replace(S=padded(found.S, longest))


def joint_freedoms(
    joint: Joint, is_reversed: bool, q: Array, z: Array, table: Table
) -> Freedoms:
    """What a joint lets through at its own coordinates and speeds; S (6, k)."""
    link = freedoms_of(joint, is_reversed, q, z, table)
    R, p = (jnp.asarray(part, float) for part in link.pose)
    S = jnp.asarray(link.S, float)
    return Freedoms(R, p, S, S @ z, jnp.asarray(link.S_dot_z, float))


class Link(NamedTuple):
    """A body placed by its joint: pose in the world, S (6, k) about its origin.

    `arm` leads from the parent's origin to K, `d` from there to the body's; R_WK.
    """

    R: Any
    p: Any
    S: Any
    arm: Any
    d: Any
    R_WK: Any


def _link(R_WP: Array, p_WP: Array, seat: Seats, joint: Freedoms) -> Link:
    """Where a joint puts its body, the parent's pose given."""
    R_WA = R_WP @ seat.R_PA
    R_WK = R_WA @ joint.R
    R_WC = R_WK @ seat.R_CK.T
    arm_K = R_WP @ seat.p_PoAo_P + R_WA @ joint.p
    d = -(R_WC @ seat.p_CoKo_C)  # from Ko to Co
    turned = [R_WK @ joint.S[:3], R_WK @ joint.S[3:]]
    S = jnp.concatenate([turned[0], turned[1] + cross(turned[0].T, d).T])
    return Link(R_WC, p_WP + arm_K + d, S, arm_K, d, R_WK)


def _moved(before: list[Any], link: Link, joint: Freedoms) -> tuple[Any, Any, Any, Any]:
    """w, v, w_dot, v_dot of a body, from its parent's and its joint's motion."""
    parts = joint.u[:3], joint.u[3:], joint.u_dot[:3], joint.u_dot[3:]
    relative = Relative(*(link.R_WK @ part for part in parts))
    return _carried(before, relative, link.arm, link.d)


class BodyMotion(NamedTuple):
    """A body along the world's axes, about its origin: pose, velocity, acceleration."""

    R: Any
    p: Any
    w: Any
    v: Any
    al: Any
    a: Any


def carried_body(
    parent: BodyMotion, seat: Seats, joint: Freedoms
) -> tuple[BodyMotion, Any]:
    """The motion of a body from its parent's, and S (6, k); one step of `outward`."""
    link = _link(parent.R, parent.p, seat, joint)
    found = _moved([*parent[2:]], link, joint)
    return BodyMotion(link.R, link.p, *found), link.S


class Relative(NamedTuple):
    """The velocity of K on the parent, and the rates of its components in K."""

    angular: Any
    linear: Any
    angular_rate: Any
    linear_rate: Any


def _carried(
    parent: list[Any], relative: Relative, arm: Array, d: Array
) -> tuple[Any, Any, Any, Any]:
    """w, v, w_dot, v_dot of a body about its origin, from its parent's.

    `arm` leads from the parent's origin to K, and `d` from there to the body's.
    """
    (w_P, v_P, al_P, a_P), (w_r, u_r, w_b, u_b) = parent, relative
    w = w_P + w_r
    al = al_P + cross(w_P, w_r) + w_b
    shifted = cross(w_P, arm) + u_r
    a_K = a_P + cross(al_P, arm) + cross(w_P, shifted) + cross(w, u_r) + u_b
    v = v_P + shifted + cross(w, d)
    return w, v, al, a_K + cross(al, d) + cross(w, cross(w, d))


Matter = tuple[Any, Any, Any]


def inward(
    system: System,
    now: Outward,
    needed: Callable[[Any, Matter], Any] | None,
    table: Table,
) -> Inward:
    """What joints feel of all that they carry.

    `needed(k, (mass, moment, inertia))` is the wrench (6,) that body k needs beside
    those that act, about its origin; without it the force is zero.
    """
    known = system.table(table)
    walk, bodies = walk_of(system, known), matter_tables(system, known)
    n, longest = walk.bodies, walk.speeds
    poses = now.moving.poses

    def step(state: tuple[Any, ...], row: Any) -> tuple[tuple[Any, ...], None]:
        (passed_on, F_W, force), (place, (mass, moment, inertia)) = state, row
        k = place.body
        R = poses.rotations[k]
        h, I = R @ moment, (R @ inertia @ R.T)[SIX]
        parts = [mass[None], h, I]
        if needed is not None:
            parts.append(needed(k, (mass, h, I[WHOLE])))
        total = passed_on[k] + jnp.concatenate(parts)
        S = now.S[k]
        whole = total[0], total[1:4], total[4:10][WHOLE]
        F = jnp.stack([_momentum(whole, S[c]) for c in range(longest)])
        arm = poses.origins[k] - poses.origins[place.parent]
        passed_on = passed_on.at[place.parent].add(_shifted(total, arm))
        if needed is not None:
            along = jnp.stack([jnp.sum(S[c] * total[10:]) for c in range(longest)])
            # What pads this joint falls on the next one's: zeros, added.
            before = own(force, place.z, longest)
            force = entered(force, before - along, place.z)
        return (passed_on, F_W.at[k].set(F), force), None

    start = (
        jnp.zeros((n + 1, 10 if needed is None else 16)),
        jnp.zeros((n, longest, 6)),
        jnp.zeros(system.speeds + longest),
    )
    (_, F, force), _ = scanned(step, start, (walk.places, bodies), reverse=True)
    return Inward(F, force)


def wrench_needed(
    now: Outward, upward: Array, wrenches: Array | None
) -> Callable[[Any, Matter], Any]:
    """The wrench that a body needs for its drift, less those (n + 1, 6) that act.

    `upward` (3,) is the acceleration of the world that stands for weight.
    """
    moving, drift = now.moving, now.drift

    def needed(k: Any, matter: Matter) -> Any:
        mass, h, I = matter
        w, al = moving.twists.angular[k], drift.angular[k]
        a = drift.linear[k] + upward
        torque = I @ al + cross(h, a) + cross(w, I @ w)
        force = mass * a + cross(al, h) + cross(w, cross(w, h))
        W = jnp.concatenate([torque, force])
        return W if wrenches is None else W - wrenches[k]

    return needed


def world_matter(R: Array, matter: Matter) -> Matter:
    """Mass, first moment and inertia of a body, turned to the world's axes."""
    mass, moment, inertia = matter
    return mass, R @ moment, R @ inertia @ R.T


def matter_tables(system: System, table: Table) -> tuple[Any, Any, Any]:
    """Mass (n,), first moment (n, 3) and inertia (n, 3, 3) about origins, own axes."""
    found = []
    for body in system.bodies:
        mass, centre, central = body.moments(table)
        c = namespace(mass, centre).asarray(centre)
        spread = (c @ c) * np.eye(3) - c[:, None] * c[None, :]
        found.append((mass, mass * c, central + mass * spread))
    columns = zip(*found, strict=True)
    mass, moment, inertia = (namespace(*col).stack(col) for col in columns)
    return mass, moment, inertia


def _momentum(matter: Matter, V: Array) -> Any:
    """[moment; linear] of a body about its origin at a twist V."""
    (mass, h, I), w, v = matter, V[:3], V[3:]
    return jnp.concatenate([I @ w + cross(h, v), mass * v + cross(w, h)])


def _shifted(total: Array, r: Array) -> Any:
    """Mass, moment, inertia and wrench, if any, about a point from which O is at r."""
    mass, h, I = total[0], total[1:4], total[4:10]
    both = h[:, None] * r[None, :]
    twice = both + both.T + mass * r[:, None] * r[None, :]
    spread = jnp.trace(twice) * np.eye(3) - twice
    parts = [mass[None], h + mass * r, I + spread[SIX]]
    if total.shape[0] > 10:
        torque, force = total[10:13], total[13:]
        parts += [torque + cross(r, force), force]
    return jnp.concatenate(parts)
