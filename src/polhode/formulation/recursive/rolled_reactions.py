"""What joints and constraints of a large tree exert: loops over its bodies.

    outward   A = A_parent + S z_dot + drift        accelerations about origins
    inward    W = (d/dt momentum - applied - constraints) of all bodies beyond the joint

The joint itself carries the part of W that has no power on its freedoms, as in
`questions.reactions`. What acts along joints is in none of it: an effort falls out at
its own joint, and its two sides cancel for every joint that carries both.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.actions.force_elements.joint_law import effort_wrench
from polhode.actions.motion_arrays import Twists
from polhode.arrays import Array, Scalar, scanned
from polhode.formulation.recursive.rolled_acting import driving
from polhode.formulation.recursive.rolled_world import (
    Outward,
    matter_tables,
    outward,
    world_matter,
    wrench_needed,
)
from polhode.geometry.vector import cross
from polhode.joints.joint import freedoms
from polhode.matter.parameter import Table
from polhode.system.rolled.carried import carried
from polhode.system.rolled.motion import Motion, seats_of
from polhode.system.rolled.walk import Kind, Places, own, walk_of
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


def body_accelerations(
    system: System, q: Array, z: Array, z_dot: Array, table: Table
) -> Any:
    """d/dt [w; v] (n, 6) of all bodies about their origins, in their own axes."""
    now = outward(system, q, z, system.table(table))
    faster = accelerated(system, now, z_dot, table)
    moving = now.moving

    def turned(_: None, place: Places) -> tuple[None, Any]:
        k = place.body
        R_BW = moving.poses.rotations[k].T
        w, v = moving.twists.angular[k], moving.twists.linear[k]
        a = faster.linear[k] - cross(w, v)
        return None, jnp.concatenate([R_BW @ faster.angular[k], R_BW @ a])

    places = walk_of(system, system.table(table)).places
    return scanned(turned, None, places)[1]


def joint_wrenches(
    system: System, state: StateArrays, solution: Any, table: Table
) -> Any:
    """What each joint exerts on its second body (n, 6), as `Core.joint_wrenches`."""
    t, q, z = state
    known = system.table(table)
    upward, loads, _ = driving(system, t, q, z, table)
    now = outward(system, q, z, known)
    faster = now._replace(drift=accelerated(system, now, solution[0], table))
    acting = None if loads is None else loads.wrenches
    free = wrench_needed(faster, upward, acting)
    held = None
    if system.constraints:
        held = carried(system, state, now.moving, solution[1], table).total

    def needed(k: Scalar, matter: Any) -> Any:
        W = free(k, matter)
        return W if held is None else W - held[k]

    W = beyond(system, now, needed, known)
    return _own_parts(system, q, now.moving, W, known)


def accelerated(system: System, now: Outward, z_dot: Array, table: Table) -> Twists:
    """The accelerations (n + 1, 3) of all bodies, from drifts and rates of speeds."""
    walk, origins = walk_of(system, system.table(table)), now.moving.poses.origins
    longest = walk.speeds
    rates = jnp.concatenate([z_dot, jnp.zeros(longest)])

    def step(state: tuple[Any, ...], place: Places) -> tuple[tuple[Any, ...], None]:
        (al, a, angular, linear), k, parent = state, place.body, place.parent
        given = own(rates, place.z, longest)
        # What pads a short joint has no freedom: its rows of S are zeros.
        twist = sum(given[c] * now.S[k][c] for c in range(longest))
        arm = origins[k] - origins[parent]
        own_al = al[parent] + twist[:3]
        own_a = a[parent] + cross(al[parent], arm) + twist[3:]
        found = own_al, own_a, own_al + drift.angular[k], own_a + drift.linear[k]
        pairs = zip((al, a, angular, linear), found, strict=True)
        return tuple(each.at[k].set(value) for each, value in pairs), None

    still, drift = jnp.zeros((walk.bodies + 1, 3)), now.drift
    (*_, angular, linear), _ = scanned(step, (still,) * 4, walk.places)
    return Twists(angular, linear)


def beyond(system: System, now: Outward, needed: Any, table: Table) -> Any:
    """By body (n, 6): what all bodies beyond its joint lack, about its origin."""
    walk, poses = walk_of(system, table), now.moving.poses

    def step(passed_on: jnp.ndarray, row: Any) -> tuple[Any, Any]:
        place, matter = row
        k = place.body
        mass, h, I = world_matter(poses.rotations[k], matter)
        W = passed_on[k] + needed(k, (mass, h, I))
        arm = poses.origins[k] - poses.origins[place.parent]
        shifted = jnp.concatenate([W[:3] + cross(arm, W[3:]), W[3:]])
        return passed_on.at[place.parent].add(shifted), W

    start = jnp.zeros((walk.bodies + 1, 6))
    rows = walk.places, matter_tables(system, table)
    return scanned(step, start, rows, reverse=True)[1]


def _own_parts(system: System, q: Array, moving: Motion, W: Array, table: Table) -> Any:
    """Of wrenches (n, 6) on bodies: what their joints carry, in the joints' frames."""
    walk, seats, poses = walk_of(system, table), seats_of(system, table), moving.poses

    def step(_: None, row: Any) -> tuple[None, Any]:
        place, seat, on_child = row

        def joint(kind: Kind) -> Any:
            one = kind.at(place.slot)
            if kind.is_reversed:
                body, R, p, sign = place.parent, seat.R_PA, seat.p_PoAo_P, -1.0
            else:
                body, R, p, sign = place.body, seat.R_CK, seat.p_CoKo_C, 1.0
            R_WM = poses.rotations[body] @ R
            there = poses.origins[body] + poses.rotations[body] @ p
            arm, force = there - poses.origins[place.body], sign * on_child[3:]
            torque = sign * on_child[:3] - cross(arm, force)
            in_M = jnp.concatenate([R_WM.T @ torque, R_WM.T @ force])
            if not one.speeds:
                return in_M
            q_own = own(q, place.q, one.coordinates)
            along = freedoms(one, q_own, table).T @ in_M
            return in_M - effort_wrench(one, q_own, along, table)

        return None, walk.of_kind(place, joint)

    return scanned(step, None, (walk.places, seats, W))[1]
