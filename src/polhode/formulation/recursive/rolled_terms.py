"""Mass matrix, bias, force and rows of a large tree, filled by loops.

    M e_j = S^T d/dt momentum  at  z_dot = e_j,      A e_j = d phi/dz e_j

A column of M is inverse dynamics at a unit rate, one of A the rows at a unit speed: one
code for all columns. The matrices are dense, and are made only where they are asked
for; accelerations never need them.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Twists
from polhode.arrays import Array, Scalar, scanned
from polhode.formulation.equations import Terms
from polhode.formulation.recursive.rolled_acting import driving
from polhode.formulation.recursive.rolled_reactions import accelerated, beyond
from polhode.formulation.recursive.rolled_world import (
    Outward,
    outward,
    wrench_needed,
)
from polhode.matter.parameter import Table
from polhode.system.rolled.motion import motion
from polhode.system.rolled.rows import At, right, row_answers, rows_of, speed_rate
from polhode.system.rolled.walk import entered, own, walk_of
from polhode.system.system import System

WEIGHTLESS = np.zeros(3)


def terms(
    system: System, t: Scalar, q: Array, z: Array, table: Table, comoving: Any = None
) -> Terms:  # limit: a system at a state and a table, and the speeds that inertia feels
    """`Terms` at (t, q, z); inertia is taken at the speeds `comoving`, if given."""
    known = system.table(table)
    now = outward(system, q, z if comoving is None else comoving, known)
    upward, loads, _ = driving(system, t, q, z, table)
    still = _at_rest(now)
    acting = None if loads is None else loads.wrenches
    bias = _along(system, now, wrench_needed(now, WEIGHTLESS, None), known)
    needed = _along(system, now, wrench_needed(still, upward, acting), known)
    force = -needed if loads is None else loads.efforts - needed
    M, A = _matrices(system, t, q, still, known)
    return Terms(M, bias, force, A, _right(system, t, q, z, known))


def inverse_dynamics(
    system: System, t: Scalar, q: Array, z: Array, z_dot: Array, table: Table
) -> Any:  # limit: a system at a state, rates of its speeds and a table
    """tau (nz,): what must act beside the actions for these rates."""
    known = system.table(table)
    now = outward(system, q, z, known)
    faster = now._replace(drift=accelerated(system, now, z_dot, known))
    upward, loads, _ = driving(system, t, q, z, table)
    acting = None if loads is None else loads.wrenches
    needed = _along(system, now, wrench_needed(faster, upward, acting), known)
    needed = needed + system.rotor_inertias(known) * z_dot
    return needed if loads is None else needed - loads.efforts


def inertial_efforts(system: System, q: Array, z_dot: Array, table: Table) -> Any:
    """M z_dot (nz,)"""
    known = system.table(table)
    return _of_mass(system, outward(system, q, None, known), z_dot, known)


def along(system: System, q: Array, wrenches: Array, table: Table) -> Any:
    """The power (nz,) of wrenches (n, 6), in bodies' axes, for each unit speed."""
    known = system.table(table)
    now = outward(system, q, None, known)
    rotations, pushes = now.moving.poses.rotations, jnp.asarray(wrenches)

    def given(k: Scalar, matter: Any) -> Any:
        W = pushes[k]
        return jnp.concatenate([rotations[k] @ W[:3], rotations[k] @ W[3:]])

    return _along(system, now, given, known)


def _at_rest(now: Outward) -> Outward:
    """The same places, nothing moving."""
    none = jnp.zeros_like(now.drift.angular)
    still = Twists(none, none)
    return Outward(now.moving._replace(twists=still), still, now.S)


def _along(system: System, now: Outward, needed: Any, table: Table) -> Any:
    """S^T W (nz,), W what all bodies beyond a joint need."""
    walk, W = walk_of(system, table), beyond(system, now, needed, table)

    def step(force: Array, row: Any) -> tuple[Any, None]:
        place, on_body = row
        S = now.S[place.body]
        entries = [jnp.sum(S[c] * on_body) for c in range(walk.speeds)]
        # What pads this joint falls on the next one's: zeros, added.
        before = own(force, place.z, walk.speeds)
        return entered(force, before + jnp.stack(entries), place.z), None

    start = jnp.zeros(system.speeds + walk.speeds)
    return scanned(step, start, (walk.places, W))[0][: system.speeds]


def columns(
    system: System, t: Scalar, q: Array, unit: Any, table: Table
) -> tuple[Any, Any]:
    """M e (nz,) and A e (m,) for speeds e."""
    known = system.table(table)
    now = outward(system, q, None, known)
    return _of_mass(system, now, unit, known), _of_rows(system, t, q, unit, known)


def _of_mass(system: System, still: Outward, unit: Array, table: Table) -> Any:
    faster = still._replace(drift=accelerated(system, still, unit, table))
    needed = wrench_needed(faster, WEIGHTLESS, None)
    return _along(system, still, needed, table) + system.rotor_inertias(table) * unit


def _of_rows(system: System, t: Scalar, q: Array, unit: Array, table: Table) -> Any:
    if not system.constraints:
        return jnp.zeros(0)
    at = At(t, q, unit, motion(system, q, unit, table))
    return row_answers(rows_of(system, table), at, (speed_rate,), table)[0]


def _matrices(
    system: System, t: Scalar, q: Array, still: Outward, table: Table
) -> tuple[Any, Any]:
    """M (nz, nz) and A (m, nz)."""

    def column(_: None, j: Array) -> tuple[None, Any]:
        unit = jnp.zeros(system.speeds).at[j].set(1.0)
        found = _of_mass(system, still, unit, table)
        return None, (found, _of_rows(system, t, q, unit, table))

    M, rows = scanned(column, None, np.arange(system.speeds))[1]
    return M, rows.T


def _right(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """gamma (m,)"""
    if not system.constraints:
        return jnp.zeros(0)
    now = outward(system, q, z, table)
    at = At(t, q, z, now.moving, now.drift)
    return row_answers(rows_of(system, table), at, (right,), table)[0]
