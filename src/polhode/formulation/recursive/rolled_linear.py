"""The equations of a large system, linearised body by body: a matrix with few entries.

    x_dot = f(x),       (s - df/dx) [dq; dz] = [b; c]

df/dx couples every joint with every other, but each of the equations that it comes from
reads a few bodies only. So those stay, and their unknowns beside dq and dz:

    s dq - d(rates) = b,                       s dz - da = c
    dy = P dy_parent + Q (dq, dz, da)          y: pose, velocity, acceleration of a body
    dW = d(needed) - d(acting) + sum over its children of dW     about its origin
    d(S^T W) + rotors da - d(efforts) = 0
    d(phi_dot) = 0                             of each constraint, with its intensities

Like joints, actions and constraints are differentiated together, each by the motions of
its own bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import Moving, Placed
from polhode.formulation.recursive.links import is_an_acceleration
from polhode.formulation.recursive.rolled_acting import driving
from polhode.formulation.recursive.rolled_reactions import accelerated, beyond
from polhode.formulation.recursive.rolled_world import (
    BodyMotion,
    carried_body,
    joint_freedoms,
    matter_tables,
    outward,
    wrench_needed,
)
from polhode.geometry.vector import skew
from polhode.matter.parameter import Table
from polhode.system.gather import driven_joints
from polhode.system.loads import efforts_of
from polhode.system.rolled.acting import Sorted, sorted_actions
from polhode.system.rolled.carried import carried
from polhode.system.rolled.motion import Seats, seats_of
from polhode.system.rolled.rows import Local, RowGroup, right, rows_of, slope
from polhode.system.rolled.walk import Kind, walk_of
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

# Of a body: small turn, origin, w, v, w_dot, v_dot along the world's axes; then W.
Y, W = 18, 6
FELT = 12  # what forces read of it: all but accelerations
# Rows of constraints that repeat each other leave no regular matrix: each yields a
# little, by this share of what it would without the others.
YIELDING = 1e-10


class Places(NamedTuple):
    """Where unknowns and equations are: dq, dz, da, then bodies, then intensities."""

    q: int
    z: int
    bodies: int
    rows: int

    @property
    def a(self) -> int:
        """The first rate of a speed; in its row stands the equation of its effort."""
        return self.q + self.z

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return self.a + self.z + (Y + W) * self.bodies + self.rows

    def body(self, k: Scalar, count: int, first: int = 0) -> np.ndarray:
        """The unknowns (..., count) of bodies k; -1 of the world, which has none."""
        k = np.asarray(k)[..., None]
        start = self.a + self.z + (Y + W) * k + first
        return np.where(k < self.bodies, start + np.arange(count), -1)

    def wrench(self, k: Scalar) -> np.ndarray:
        """The unknowns (..., 6) of the wrench that a body needs."""
        return self.body(k, W, Y)

    def intensity(self, rows: np.ndarray) -> np.ndarray:
        """The unknowns of the intensities of some rows."""
        return self.size - self.rows + rows


class Block(NamedTuple):
    """Like blocks of the matrix: rows (c, h), columns (c, w), entries (c, h, w).

    A place below zero is none.
    """

    rows: np.ndarray
    columns: np.ndarray
    entries: Any


class Instant(NamedTuple):
    """A system at an instant: its state, rates, intensities, its bodies' motion.

    Bodies (n + 1, ...) have the world's row last; wrenches (n, 6) are those that the
    bodies beyond each joint need.
    """

    t: Any
    q: Any
    z: Any
    z_dot: Any
    intensities: Any
    bodies: BodyMotion
    wrenches: Any


def places_of(system: System) -> Places:
    """Where the unknowns of a system are."""
    n = len(system.bodies)
    return Places(system.coordinates, system.speeds, n, len(system.row_names))


def owners_of(system: System) -> np.ndarray:
    """By unknown (size,): its body, or the number after all bodies of its constraint.

    A joint belongs to the body that it carries.
    """
    at, n = places_of(system), len(system.bodies)
    found = np.empty(at.size, dtype=int)
    for edge in system.tree.edges:
        found[edge.q] = edge.child
        z = np.arange(edge.z.start, edge.z.stop)
        found[at.q + z] = found[at.a + z] = edge.child
    found[at.body(np.arange(n), Y + W)] = np.arange(n)[:, None]
    heights = [len(constraint.rows) for constraint in system.constraints]
    numbers = np.repeat(np.arange(len(heights)), heights)
    found[at.intensity(np.arange(at.rows))] = n + numbers
    return found


def bodies_at(
    system: System, state: StateArrays, solution: Any, table: Table
) -> tuple[BodyMotion, Any]:
    """The motion of all bodies (n + 1, ...), and the wrenches (n, 6): by loops."""
    (t, q, z), (z_dot, intensities) = state, solution
    known = system.table(table)
    upward, loads, _ = driving(system, t, q, z, table)
    now = outward(system, q, z, known)
    faster = accelerated(system, now, z_dot, known)
    acting = jnp.zeros((len(system.bodies) + 1, 6))
    if loads is not None:
        acting = acting + loads.wrenches
    if system.constraints:
        acting = acting + carried(system, state, now.moving, intensities, table).total
    needed = wrench_needed(now._replace(drift=faster), upward, acting)
    (R, p), (w, v), (al, a) = *now.moving, faster
    return BodyMotion(R, p, w, v, al, a), beyond(system, now, needed, known)


def linear_blocks(system: System, now: Instant, table: Table) -> list[Block]:
    """The blocks of the matrix, but for s on the diagonal of dq and dz."""
    known, at = system.table(table), places_of(system)
    found = [*_of_rates(system, now, known), *_of_links(system, now, known)]
    found += _of_matter(system, now, known)
    rest = [a for a in system.actions if not is_an_acceleration(system, a)]
    given = sorted_actions(system, rest, known)
    found += _of_laws(system, given, now, known)
    found += _of_efforts(system, given, now, known)
    if system.constraints:
        for like in rows_of(system, known).groups:
            found += _of_rows(at, like, now, known)
    return found


def _turned(R: Array, turn: Array) -> Any:
    """R turned by a small turn, to first order."""
    return R + skew(turn) @ R


def _with(body: BodyMotion, dy: Array) -> BodyMotion:
    """A body moved by its first entries of y, as many as there are."""
    parts = [dy[3 * k : 3 * k + 3] for k in range(len(dy) // 3)]
    moved = [_turned(body.R, parts[0])]
    moved += [old + d for old, d in zip(body[1:], parts[1:], strict=False)]
    return BodyMotion(*moved, *body[len(moved) :])


def _from(body: BodyMotion, found: BodyMotion) -> Any:
    """y (18,) of a body that was moved a little."""
    spin = found.R @ body.R.T
    turn = jnp.stack([spin[2, 1], spin[0, 2], spin[1, 0]])
    return jnp.concatenate([turn, *found[1:]])


def _some(body: BodyMotion, picks: Any) -> BodyMotion:
    return BodyMotion(*(part[picks] for part in body))


def _slices(starts: np.ndarray, count: int) -> np.ndarray:
    return np.asarray(starts)[..., None] + np.arange(count)


def _of_rates(system: System, now: Instant, table: Table) -> list[Block]:
    """s dq - d(rates) = b and s dz - da = c, without s."""
    at, walk, found = places_of(system), walk_of(system, table), []
    for number, kind in enumerate(walk.kinds):
        own = np.flatnonzero(walk.places.kind == number)
        nq, nz = kind.joint.coordinates, kind.joint.speeds
        q_at, z_at = _slices(walk.places.q[own], nq), _slices(walk.places.z[own], nz)

        def moved(
            dx: jnp.ndarray, q: Array, z: Array, kind: Kind = kind, nq: int = nq
        ) -> Any:
            rates = kind.joint.rates(q + dx[:nq], z + dx[nq:])
            return 1.0 * jnp.asarray(rates)

        slopes = jax.vmap(jax.jacfwd(moved), (None, 0, 0))
        J = slopes(jnp.zeros(nq + nz), now.q[q_at], now.z[z_at])
        columns = np.concatenate([q_at, at.q + z_at], axis=1)
        found.append(Block(q_at, columns, -J))
    z = np.arange(at.z)[:, None]
    found.append(Block(at.q + z, at.a + z, -jnp.ones((at.z, 1, 1))))
    return found


def _of_links(system: System, now: Instant, table: Table) -> list[Block]:
    """dy, dW passed to parents, and the equations of efforts but for the efforts."""
    at, walk, found = places_of(system), walk_of(system, table), []
    seats, rotors = seats_of(system, table), system.rotor_inertias(table)
    for number, kind in enumerate(walk.kinds):
        own = np.flatnonzero(walk.places.kind == number)
        nq, nz = kind.joint.coordinates, kind.joint.speeds
        q_at, z_at = _slices(walk.places.q[own], nq), _slices(walk.places.z[own], nz)
        parents, W_own = walk.places.parent[own], now.wrenches[own]
        numbers = jax.tree.map(lambda c: jnp.asarray(c), kind.columns)
        given = (
            _some(now.bodies, parents),
            _some(now.bodies, own),
            Seats(*(jnp.asarray(part)[own] for part in seats)),
            (now.q[q_at], now.z[z_at], now.z_dot[z_at]),
            W_own,
            jax.tree.map(lambda c, own=own: c[walk.places.slot[own]], numbers),
        )
        step = _link_step(kind, table)
        J = jax.vmap(jax.jacfwd(step), (None, 0))(jnp.zeros(Y + nq + 2 * nz), given)
        columns = np.concatenate(
            [at.body(parents, Y), q_at, at.q + z_at, at.a + z_at], axis=1
        )
        y_own = at.body(own, Y)
        found.append(Block(y_own, columns, -J[:, :Y]))
        found.append(Block(at.a + z_at, columns, J[:, Y : Y + nz]))
        # S itself, by the wrench.
        S = jax.vmap(_freedoms_at(kind, table))(given)
        found.append(Block(at.a + z_at, at.wrench(own), jnp.swapaxes(S, 1, 2)))
        found.append(Block(at.a + z_at, at.a + z_at, _diagonal(rotors[z_at])))
        found += _of_parents(at, now, own, parents)
    unknowns = at.body(np.arange(at.bodies), Y + W).reshape(-1, 1)
    return [*found, Block(unknowns, unknowns, jnp.ones((len(unknowns), 1, 1)))]


def _diagonal(values: Array) -> Any:
    return jnp.asarray(values)[..., None] * np.eye(np.shape(values)[-1])


def _link_step(kind: Kind, table: Table) -> Callable[..., Any]:
    """(changes, given) -> y of the body, and S^T W."""
    nq, nz = kind.joint.coordinates, kind.joint.speeds

    def step(dx: jnp.ndarray, given: Any) -> Any:
        parent, body, seat, (q, z, z_dot), needed, numbers = given
        dy, dq, dz, da = jnp.split(dx, [Y, Y + nq, Y + nq + nz])
        joint = _numbered(kind, numbers)
        held = joint_freedoms(joint, kind.is_reversed, q + dq, z + dz, table)
        driven = held._replace(u_dot=held.u_dot + held.S @ (z_dot + da))
        moved, S = carried_body(_with(parent, dy), seat, driven)
        return jnp.concatenate([_from(body, moved), S.T @ needed])

    return step


def _freedoms_at(kind: Kind, table: Table) -> Callable[[Any], Any]:
    """given -> S (6, k) of the joint, about its body's origin."""

    def S(given: Any) -> Any:
        parent, _, seat, (q, z, _), _, numbers = given
        joint = _numbered(kind, numbers)
        held = joint_freedoms(joint, kind.is_reversed, q, z, table)
        return carried_body(parent, seat, held)[1]

    return S


def _numbered(kind: Kind, numbers: Array) -> Any:
    """The joint with the numbers of one row."""
    first = kind._replace(columns=jax.tree.map(lambda c: c[None], numbers))
    return first.at(0)


def _of_parents(
    at: Places, now: Instant, own: np.ndarray, parents: np.ndarray
) -> list[Block]:
    """What a body passes to its parent: [torque + r x force; force], r = p - p_P."""
    p, W_own = now.bodies.p, now.wrenches[own]
    r, force = p[own] - p[parents], W_own[:, 3:]
    shift = jnp.broadcast_to(jnp.eye(6), (len(own), 6, 6))
    shift = shift.at[:, :3, 3:].set(skew(r))
    into = at.wrench(parents)
    turn = -skew(force)  # dr x force
    return [
        Block(into, at.wrench(own), -shift),
        Block(into[:, :3], at.body(own, 3, 3), -turn),
        Block(into[:, :3], at.body(parents, 3, 3), turn),
    ]


def _of_matter(system: System, now: Instant, table: Table) -> list[Block]:
    """d(needed) of each body by its own motion."""
    at, n = places_of(system), len(system.bodies)
    upward, _, _ = driving(system, now.t, now.q, now.z, table)

    def needed(dy: Array, body: BodyMotion, matter: Any) -> Any:
        R, _, w, _, al, a = _with(body, dy)
        mass, moment, inertia = matter
        one = outward_of(w, al, a)
        turned = mass, R @ moment, R @ inertia @ R.T
        return wrench_needed(one, upward, None)(0, turned)

    matter = tuple(jnp.asarray(part) for part in matter_tables(system, table))
    bodies = _some(now.bodies, np.arange(n))
    J = jax.vmap(jax.jacfwd(needed), (None, 0, 0))(jnp.zeros(Y), bodies, matter)
    every = np.arange(n)
    return [Block(at.wrench(every), at.body(every, Y), -J)]


class _One(NamedTuple):
    moving: Any
    drift: Any


class _Twisted(NamedTuple):
    twists: Twists


def outward_of(w: Array, al: Array, a: Array) -> Any:
    """What `wrench_needed` reads of a walk, for a single body."""
    turning = Twists(w[None], w[None])
    return _One(_Twisted(turning), Twists(al[None], a[None]))


def _of_laws(system: System, given: Sorted, now: Instant, table: Table) -> list[Block]:
    """Minus d(acting) of laws between bodies."""
    n, at, found = len(system.bodies), places_of(system), []
    pairs: list[tuple[Any, Any, np.ndarray]] = [
        (group.one, group.columns, places) for group, places in given.between
    ]
    for action in given.single:
        if not driven_joints(action):
            rows = np.array([system.places_of(action.bodies)]) % (n + 1)
            pairs.append((lambda _, action=action: action, {}, rows))
    for one, numbers, places in pairs:
        count = places.shape[1]

        def exerted(
            dy: Any, bodies: BodyMotion, row: Any, one: Any = one, count: int = count
        ) -> Any:
            moved = jax.vmap(_with)(bodies, dy.reshape(count, FELT))
            poses, twists = Poses(*moved[:2]), Twists(*moved[2:4])
            law = one(row)
            each = law.wrenches(poses, twists, now.t, table)
            return jnp.concatenate(each, axis=-1).reshape(-1)

        slopes = jax.vmap(jax.jacfwd(exerted), (None, 0, 0))
        tables = jax.tree.map(jnp.asarray, numbers)
        J = slopes(jnp.zeros(count * FELT), _some(now.bodies, places), tables)
        rows = at.wrench(places).reshape(len(places), -1)
        columns = at.body(places, FELT).reshape(len(places), -1)
        found.append(Block(rows, columns, J))
    return found


def _of_efforts(
    system: System, given: Sorted, now: Instant, table: Table
) -> list[Block]:
    """Minus d(efforts) of laws along joints."""
    at, found = places_of(system), []
    for group, starts in given.along:
        joint = group.template.joint
        nq, nz = joint.coordinates, joint.speeds
        q_at, z_at = _slices(starts[:, 0], nq), _slices(starts[:, 1], nz)

        def effort(dx: Any, given: Any, group: Any = group, nq: int = nq) -> Any:
            q, z, row = given
            return group.one(row).effort(q + dx[:nq], z + dx[nq:], now.t, table)

        slopes = jax.vmap(jax.jacfwd(effort), (None, 0))
        tables = jax.tree.map(jnp.asarray, group.columns)
        J = slopes(jnp.zeros(nq + nz), (now.q[q_at], now.z[z_at], tables))
        columns = np.concatenate([q_at, at.q + z_at], axis=1)
        found.append(Block(at.a + z_at, columns, -J))
    for action in given.single:
        if joints := driven_joints(action):
            edges = [system.edge(joint.name) for joint in joints]
            q_at = np.concatenate([np.arange(e.q.start, e.q.stop) for e in edges])
            z_at = np.concatenate([np.arange(e.z.start, e.z.stop) for e in edges])

            def exerted(
                dx: Any, action: Any = action, q_at: Array = q_at, z_at: Array = z_at
            ) -> Any:
                q = now.q.at[q_at].add(dx[: len(q_at)])
                z = now.z.at[z_at].add(dx[len(q_at) :])
                each = efforts_of(system, action, now.t, q, z, table)
                return jnp.concatenate([effort for _, effort in each])

            J = jax.jacfwd(exerted)(jnp.zeros(len(q_at) + len(z_at)))
            columns = np.concatenate([q_at, at.q + z_at])
            found.append(Block(at.a + z_at[None], columns[None], -J[None]))
    return found


def _answer_to_changes(
    like: RowGroup, now: Instant, table: Table, ends: np.ndarray
) -> Callable[[Any, Any], Any]:
    """(dx, given) -> wrenches, efforts and phi_dot of one constraint, moved by dx.

    `ends` are where the parts of dx end: of bodies, of q, z and z_dot of joints.
    """
    high, count = like.height, like.bodies.shape[1]
    j = len(like.group.template.joints)

    def answer(dx: Any, given: Any) -> Any:
        own, q, z, z_dot, l, row = given
        dy, *rest, dl = jnp.split(dx, ends)
        dq, dz, da = rest[:j], rest[j : 2 * j], rest[2 * j :]
        moved = jax.vmap(_with)(own, dy.reshape(count, Y))
        q, z, z_dot = (
            tuple(old + d for old, d in zip(olds, ds, strict=True))
            for olds, ds in ((q, dq), (z, dz), (z_dot, da))
        )
        local = Local(
            Placed(moved.R, moved.p, q),
            Moving(moved.w, moved.v, z),
            Moving(moved.al, moved.a, z_dot),
            now.t,
        )
        constraint = like.group.one(row)
        G = slope(constraint, local, table).reshape(-1)
        by_bodies = G[: 6 * high * count].reshape(count, high, 6)
        wrenches = jnp.einsum("bhc,h->bc", by_bodies, l + dl)
        along = G[6 * high * count :].reshape(-1, high) @ (l + dl)
        return jnp.concatenate(
            [wrenches.reshape(-1), along, right(constraint, local, table)]
        )

    return answer


def _of_rows(at: Places, like: RowGroup, now: Instant, table: Table) -> list[Block]:
    """Minus what constraints exert, and minus their phi_dot, with intensities."""
    template, high, bodies = like.group.template, like.height, like.bodies
    count, kinds = bodies.shape[1], template.joints
    q_at = [_slices(like.joints[:, k, 0], j.coordinates) for k, j in enumerate(kinds)]
    z_at = [_slices(like.joints[:, k, 1], j.speeds) for k, j in enumerate(kinds)]
    row_at = _slices(like.rows, high)
    widths = [count * Y, *(x.shape[1] for x in (*q_at, *z_at, *z_at)), high]
    j = len(kinds)
    answer = _answer_to_changes(like, now, table, np.cumsum(widths)[:-1])
    given = (
        _some(now.bodies, bodies),
        tuple(now.q[x] for x in q_at),
        tuple(now.z[x] for x in z_at),
        tuple(now.z_dot[x] for x in z_at),
        now.intensities[row_at],
        jax.tree.map(jnp.asarray, like.group.columns),
    )
    J = jax.vmap(jax.jacfwd(answer), (None, 0))(jnp.zeros(sum(widths)), given)
    c = len(bodies)
    columns = np.concatenate(
        [
            at.body(bodies, Y).reshape(c, -1),
            *q_at,
            *(at.q + x for x in z_at),
            *(at.a + x for x in z_at),
            at.intensity(row_at),
        ],
        axis=1,
    )
    # On bodies they act, as laws do; along joints they are efforts.
    on_bodies = at.wrench(bodies).reshape(c, -1)
    on_joints = np.concatenate([at.a + x for x in z_at], axis=1) if j else row_at[:, :0]
    high_on = on_bodies.shape[1], on_joints.shape[1]
    yielding = jnp.broadcast_to(YIELDING * jnp.eye(high), (c, high, high))
    return [
        Block(on_bodies, columns, J[:, : high_on[0]]),
        Block(on_joints, columns, -J[:, high_on[0] : sum(high_on)]),
        Block(at.intensity(row_at), columns, J[:, sum(high_on) :]),
        Block(at.intensity(row_at), at.intensity(row_at), yielding),
    ]
