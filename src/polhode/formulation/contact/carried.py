r"""Pushes that something else carries: of pads in joints, and of couples at contacts.

    L = |F| + |M|/span,     [M; F] = w + C r

w and C r are the ideal reaction of a joint, without contact forces and by each of them;
of a couple F is the push of its contact. The row of a pad's push is N - L(r) = 0: by
Newton's steps, each the same masked system with the row N - L' r = L - L' r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, namespace
from polhode.formulation.questions.reactions import (
    impulses_by_balance,
    wrenches_by_balance,
)
from polhode.formulation.recursive.recursive import recursive
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table, at
from polhode.supports.any_support import acts_at_points
from polhode.system.contacts import ContactRows, couples, pads
from polhode.system.loads import with_world
from polhode.system.state_arrays import StateArrays
from polhode.system.strands import rope_wrenches, ropes

if TYPE_CHECKING:
    from collections.abc import Callable

    from polhode.system.system import System

# Of the pushes: a Newton step below it is the last; at most so many. What may be left.
SETTLED, STEPS = 1e-14, 20
ENOUGH = 1e-9


class Carried(NamedTuple):
    """Pads (p,) whose pushes follow from reactions that contact forces r (3n,) change.

    rows     (p, 3n) 1 at the push of each pad
    offset   (p, 6) reactions [M; F] without contact forces
    columns  (p, 6, 3n) for each unit of a contact force
    spread   (p,) 1/span, or 0
    """

    rows: Any
    offset: Any
    columns: Any
    spread: Any


def carried_pads(
    system: System,
    state: StateArrays,
    rows: ContactRows,
    *,
    moved: Any,
    held: Any,
    table: Table,
) -> Carried:
    """What presses pads: `moved` (nz, 1 + 3n) and `held` (m, 1 + 3n) are z' and
    intensities without contact forces, and for each unit of one.
    """
    own = [pad for pad in pads(system) if pad.load is None]
    n = 3 * len(rows.gap)
    selected, spread = np.zeros((len(own), n)), []
    for k, pad in enumerate(own):
        selected[k, 3 * pad.candidate] = 1.0
        spread.append(0.0 if pad.span is None else 1.0 / at(pad.span, table))
    given = {"moved": moved, "held": held, "table": table}
    offset, columns = _reactions(system, state, rows, **given)
    offsets, each = [], []
    for pad in own:
        if pad.edge is not None:
            offsets.append(offset[pad.edge])
            each.append(columns[:, pad.edge].T)
            continue
        assert pad.contact is not None
        push = np.zeros((6, n))
        push[3, 3 * pad.contact] = 1.0
        offsets.append(jnp.zeros(6))
        each.append(jnp.asarray(push))
    if not own:
        return Carried(selected, np.zeros((0, 6)), np.zeros((0, 6, n)), np.zeros(0))
    return Carried(
        jnp.asarray(selected), jnp.stack(offsets), jnp.stack(each),
        jnp.stack([1.0 * jnp.asarray(x) for x in spread]),
    )  # fmt: skip


def _reactions(
    system: System,
    state: StateArrays,
    rows: ContactRows,
    *,
    moved: Any,
    held: Any,
    table: Table,
) -> tuple[Any, Any]:
    """Of all joints: reactions (e, 6) without contact forces, (3n, e, 6) by each."""
    if not any(pad.edge is not None for pad in pads(system)):
        return None, None
    bare = system.without_supports
    V_dot = recursive(bare).functions.bodies(*state, moved[:, 0], table)
    offset = wrenches_by_balance(bare, state, V_dot, held[:, 0], table)

    def by(unit: Any, dz: Any, l: Scalar) -> Any:
        external = contact_wrenches(system, state, rows, unit, table)
        return impulses_by_balance(bare, state, (dz, l), external, table)

    units = jnp.eye(moved.shape[1] - 1)
    return offset, jax.vmap(by)(units, moved[:, 1:].T, held[:, 1:].T)


def contact_wrenches(
    system: System, state: StateArrays, rows: ContactRows, r: Array, table: Table
) -> Any:
    """What contact forces r (3n,) exert on bodies (b, 6), about their origins in their
    own axes. Stops and pads of joints act along speeds, and on no point of a body;
    ropes pull at all points along them.
    """
    t, q, _ = state
    poses = with_world(system.poses(t, q, table))
    force = jnp.sum(rows.axes * r.reshape(-1, 1, 3), axis=2)
    torques, found = couples(system), jnp.zeros((len(system.bodies) + 1, 6))
    k = 0
    for s in system.supports:
        for _ in s.candidates.names:
            both = (
                ()
                if not acts_at_points(s)
                else zip(system.places_of(s.bodies), (1, -1), strict=False)
            )
            for body, sign in both:
                R, arm = poses.rotations[body], rows.point[k] - poses.origins[body]
                own = (
                    [R.T @ force[k], jnp.zeros(3)]
                    if torques[k]
                    else [R.T @ cross(arm, force[k]), R.T @ force[k]]
                )
                found = found.at[body].add(sign * jnp.concatenate(own))
            k += 1
    found = found[:-1]
    if not ropes(system):
        return found
    return found + rope_wrenches(system, t, q, r, table)


def carried_loads(carried: Carried, r: Array) -> Any:
    """L (p,) under contact forces r (3n,)."""
    w = carried.offset + carried.columns @ r
    xp = namespace(w)

    def size(part: Any) -> Any:
        square = xp.sum(part * part, axis=1)
        return xp.where(square > 0, xp.sqrt(xp.where(square > 0, square, 1.0)), 0.0)

    return size(w[:, 3:]) + carried.spread * size(w[:, :3])


def _slopes(carried: Carried, r: Array) -> Any:
    """dL/dr (p, 3n)."""
    w = carried.offset + carried.columns @ r
    xp = namespace(w)

    def direction(part: Any) -> Any:
        size = xp.sqrt(xp.sum(part * part, axis=1, keepdims=True))
        return xp.where(size > 0, part / xp.where(size > 0, size, 1.0), 0.0)

    along = [carried.spread[:, None] * direction(w[:, :3]), direction(w[:, 3:])]
    return xp.sum(xp.concatenate(along, axis=1)[:, :, None] * carried.columns, axis=1)


def with_loads(W: Array, c: Scalar, carried: Carried, r: Array) -> tuple[Any, Any]:
    """W and c whose rows of pads are N - L' r = L - L' r about some contact forces."""
    slope = _slopes(carried, r)
    size = carried.rows @ W @ carried.rows.T
    size = size @ namespace(size).ones(size.shape[0])
    load = carried_loads(carried, r) - slope @ r
    rows = carried.rows.T
    return W - rows @ (size[:, None] * slope), c - rows @ (size * load)


def settled_forces(
    W: Array,
    c: Any,
    carried: Carried,
    solve: Callable[[Any, Any], tuple[Any, Any, Any]],
) -> tuple[Any, Any, Any]:
    """`solve(W, c)` -> (r (n, 3), u', is_other), with the pushes of pads that r gives.

    What it cannot settle (friction that jams in a joint) are no numbers.
    """
    if carried.rows.shape[0] == 0:
        return solve(W, c)

    def better(r: Array) -> tuple[Any, Any, Any]:
        return solve(*with_loads(W, c, carried, r.reshape(-1)))

    def turn(now: tuple[Any, ...]) -> tuple[Any, ...]:
        r, _, _, k, _ = now
        new, rate, is_other = better(r)
        moved = jnp.max(jnp.abs(new - r))
        ended = moved <= SETTLED * jnp.max(jnp.abs(new))
        return new, rate, is_other, k + 1, ended

    none, no = jnp.zeros((len(c) // 3, 3)), jnp.zeros((), bool)
    first = (none, none, jnp.zeros(()), jnp.zeros((), np.int64), no)
    r, rate, is_other, _, ended = lax.while_loop(
        lambda n: ~n[4] & (n[3] < STEPS), turn, first
    )
    loads = carried_loads(carried, r.reshape(-1))
    left = jnp.max(jnp.abs(carried.rows @ r.reshape(-1) - loads))
    sound = ended | (left <= ENOUGH * jnp.max(jnp.abs(loads)))
    return jnp.where(sound, r, jnp.nan), rate, is_other


def settled_on_host(
    W: np.ndarray,
    c: np.ndarray,
    carried: Carried,
    solve: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray]:
    """The same of NumPy arrays."""
    if carried.rows.shape[0] == 0:
        return solve(W, c)
    r, rate = np.zeros(len(c)), np.zeros(len(c))
    for _ in range(STEPS):
        new, rate = solve(*with_loads(W, c, carried, r))
        is_last = np.max(np.abs(new - r)) <= SETTLED * np.max(np.abs(new))
        r = new
        if is_last:
            break
    return r, rate
