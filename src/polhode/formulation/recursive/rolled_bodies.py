"""Articulated bodies of a large tree: three loops over its bodies.

The same recursion as `articulated_body`, with tables in place of bodies: what a joint
and its body are comes from a row, what hangs together by numbers of bodies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, namespace, scanned
from polhode.formulation.recursive.links import (
    Step,
    both_up,
    freedoms_of,
    inertia_of,
    near,
    symmetric,
    twist_through,
    wrench_through,
)
from polhode.formulation.shared.spatial import cross_twist, momentum_rate
from polhode.formulation.shared.uniform_motion import (
    TRANSLATIONS,
    has_rotor,
    removable_edges,
)
from polhode.formulation.solve.equations_of_motion import factored
from polhode.geometry.vector import cross
from polhode.joints.free import Free
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
from polhode.system.system import System
from polhode.system.tree import Edge


class Mark(NamedTuple):
    """What else tells joints apart: a rotor, and a uniform motion that is removed."""

    has_rotor: bool
    is_removed: bool


class BodyTables(NamedTuple):
    """Of every body (n, ...): its joint's frame on the parent, its inertia, rotors.

    All in frames K, as in `links`; `rotors` are padded to the longest joint.
    """

    R: Any
    p: Any
    inertia: Any
    rotors: Any


class Moved(NamedTuple):
    """What the first loop finds of every body: pose on its parent, S, c, bias.

    `shift` is what a removed uniform motion adds to the rates of the speeds.
    """

    R: Any
    p: Any
    S: Any
    c: Any
    bias: Any
    shift: Any


class Solved(NamedTuple):
    """What the second loop finds: z_dot = rate - gain A', A' of the carried body."""

    gain: Any
    rate: Any


class Acting(NamedTuple):
    """What acts on a tree: an acceleration of the world (6,), wrenches, efforts.

    wrenches (n, 6) about K in its axes, or None where there are none; efforts (nz,).
    """

    upward: Any
    wrenches: Any
    efforts: Any


def accelerations(
    system: System, q: Array, z: Array, acting: Acting, table: Table
) -> Any:
    """z_dot (nz,) of a tree without constraints."""
    known = system.table(table)
    walk = walk_of(system, known, marks_of(system))
    bodies = body_tables(system, walk, known)
    moved = _outward_motion(walk, bodies, q, z, wrenches=acting.wrenches, table=known)
    solved = _solved(walk, bodies, moved, acting.efforts)
    return _accelerated(walk, moved, solved, acting.upward, system.speeds)


def body_tables(system: System, walk: Walk, table: Table) -> BodyTables:
    """The tables of a system's bodies; NumPy's, where no parameter varies."""
    pairs = [near(edge, table) for edge in system.tree.edges]
    found = []
    for edge, (before, seat) in zip(system.tree.edges, pairs, strict=True):
        if edge.parent >= 0:
            R_PK, p_PoKo_P = pairs[edge.parent][1]
            before = Step(R_PK.T @ before.R, R_PK.T @ (before.p - p_PoKo_P))
        inertia = inertia_of(system.bodies[edge.child], seat, table)
        rotors = edge.joint.reflected_inertia(table)
        short = np.zeros(walk.speeds - len(rotors))
        rotors = namespace(rotors).concatenate([rotors, short])
        found.append((before.R, before.p, inertia, rotors))
    columns = zip(*found, strict=True)
    return BodyTables(*(namespace(*column).stack(column) for column in columns))


def marks_of(system: System) -> Any:
    """Of an edge: whether its joint has a rotor, and whether it can be removed."""
    removed = removable_edges(system)

    def mark(edge: Edge) -> Mark:
        return Mark(has_rotor(edge.joint), edge.child in removed)

    return mark


def _outward_motion(
    walk: Walk, bodies: BodyTables, q: Array, z: Array, *, wrenches: Array, table: Table
) -> Moved:
    """Outward: velocities, and what follows from them."""

    def step(V: jnp.ndarray, row: Any) -> tuple[Any, Moved]:
        place, body, W = row

        def joint(kind: Kind) -> Any:
            return _joint_now(kind, place, q, z, longest=walk.speeds, table=table)

        R_AK, p_AK, S, S_dot_z, turning, shift = walk.of_kind(place, joint)
        R, p = body.R @ R_AK, body.p + body.R @ p_AK
        V_here = twist_through(R, p, V[place.parent]) + turning
        c = cross_twist(V_here, turning) + S_dot_z
        bias = momentum_rate(body.inertia, V_here)
        bias = bias if W is None else bias - W
        return V.at[place.body].set(V_here), Moved(R, p, S, c, bias, shift)

    start = jnp.zeros((walk.bodies + 1, 6))
    return scanned(step, start, (walk.places, bodies, wrenches))[1]


def _joint_now(
    kind: Kind, place: Places, q: Array, z: Array, *, longest: int, table: Table
) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Pose of K on A, S, S_dot z, S z and shift of a joint; S and shift padded."""
    joint = kind.at(place.slot)
    q_own = own(q, place.q, joint.coordinates)
    z_own = own(z, place.z, joint.speeds)
    shift = jnp.zeros(joint.speeds)
    if kind.mark.is_removed:
        z_own, shift = without_uniform(joint, z_own)
    link = freedoms_of(joint, kind.is_reversed, q_own, z_own, table)
    R, p = (jnp.asarray(part, float) for part in link.pose)
    S = jnp.asarray(link.S, float)
    turning, S_dot_z = S @ z_own, jnp.asarray(link.S_dot_z, float)
    return R, p, padded(S, longest), S_dot_z, turning, padded(shift, longest)


def without_uniform(joint: Any, z: Array) -> tuple[Any, Any]:
    """The speeds without those that displace the whole tree, and what they shift."""
    place = TRANSLATIONS[type(joint)]
    gone = jnp.zeros(place.stop - place.start)
    kept = jnp.concatenate([z[: place.start], gone, z[place.stop :]])
    if not isinstance(joint, Free):
        return kept, jnp.zeros(joint.speeds)
    return kept, jnp.concatenate([jnp.zeros(3), cross(z[:3], z[3:])])


def _solved(walk: Walk, bodies: BodyTables, moved: Moved, efforts: Array) -> Solved:
    """Inward: what every joint feels, and how it answers."""

    def step(articulated: tuple[Any, Any], row: Any) -> tuple[tuple[Any, Any], Solved]:
        place, body, here = row
        inertia = body.inertia + articulated[0][place.body]
        bias = here.bias + articulated[1][place.body]

        def joint(kind: Kind) -> Any:
            k = kind.joint.speeds
            tau = own(efforts, place.z, k)
            S, rotors = here.S[:, :k], body.rotors[:k]
            articulated_here = Articulated(S, rotors, tau, inertia, bias, here.c)
            return _answer(kind, articulated_here, walk.speeds)

        answer, inertia, bias = walk.of_kind(place, joint)
        passed = both_up(here.R, here.p, inertia)
        pushed = wrench_through(here.R, here.p, bias)
        total = articulated[0].at[place.parent].add(passed)
        return (total, articulated[1].at[place.parent].add(pushed)), answer

    n = walk.bodies + 1
    start = jnp.zeros((n, 6, 6)), jnp.zeros((n, 6))
    return scanned(step, start, (walk.places, bodies, moved), reverse=True)[1]


class Articulated(NamedTuple):
    """What a joint feels: S (6, k), rotors and efforts (k,) are its own.

    The inertia (6, 6) and bias (6,) are those of all that it carries; c (6,) is the
    acceleration of its body at no rates of its speeds.
    """

    S: Any
    rotors: Any
    tau: Any
    inertia: Any
    bias: Any
    c: Any


def _answer(
    kind: Kind, articulated: Articulated, longest: int
) -> tuple[Solved, Any, Any]:
    """How a joint answers, padded, and the inertia and bias that it passes on."""
    S, rotors, tau, inertia, bias, c = articulated
    if not kind.joint.speeds:
        none = Solved(jnp.zeros((longest, 6)), jnp.zeros(longest))
        return none, inertia, bias + inertia @ c
    U = inertia @ S
    solve = factored(S.T @ U + jnp.eye(len(rotors)) * rotors)
    rate, gain = solve(tau - S.T @ bias), solve(U.T)
    if isinstance(kind.joint, Free) and not (kind.is_reversed or kind.mark.has_rotor):
        gain = jnp.eye(6)  # so exactly: what carries the body does not reach it
    passed = symmetric(inertia - U @ gain)
    answer = Solved(padded(gain.T, longest).T, padded(rate, longest))
    return answer, passed, bias + passed @ c + U @ rate


def _accelerated(
    walk: Walk, moved: Moved, solved: Solved, upward: Array, speeds: int
) -> Any:
    """Outward: accelerations."""

    def step(state: tuple[Any, Any], row: Any) -> tuple[tuple[Any, Any], None]:
        (A, found), (place, here, answer) = state, row
        carried = twist_through(here.R, here.p, A[place.parent]) + here.c
        z_dot = answer.rate - answer.gain @ carried
        A = A.at[place.body].set(carried + here.S @ z_dot)
        return (A, entered(found, z_dot - here.shift, place.z)), None

    start = jnp.zeros((walk.bodies + 1, 6)).at[walk.bodies].set(upward)
    room = jnp.zeros(speeds + walk.speeds)
    (_, found), _ = scanned(step, (start, room), (walk.places, moved, solved))
    return found[:speeds]
