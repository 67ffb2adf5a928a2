"""What joints and constraints exert, so that the motion is the one found.

Two roads lead there. A formulation that keeps joints as constraints has them in its
multipliers. One whose coordinates are the joints asks, from the leaves inward, what
each body still lacks:

    W = (d/dt momentum - applied - constraints) of all bodies beyond the joint

The joint itself carries the part of W that has no power on its freedoms S; the rest,
S (S^T S)^-1 S^T W, is of motors, rotors and drivers along it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.force_elements.joint_law import effort_wrench
from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, namespace
from polhode.constraints.constraint import Attachment, Constraint, coordinates_of
from polhode.constraints.loop import Loop
from polhode.errors import ModelError, UnknownName
from polhode.formulation.shared.spatial import inertial_wrenches, turned
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import cross
from polhode.geometry.wrench import Wrench
from polhode.joints.joint import Joint, freedoms
from polhode.matter.parameter import Table
from polhode.system import rows
from polhode.system.kinematics import placement
from polhode.system.loads import with_world
from polhode.system.members import suggestion
from polhode.system.rolled.carried import by_constraint, carried
from polhode.system.rolled.motion import motion
from polhode.system.rolled.size import DENSE, is_rolled
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge, inward

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State


def wrenches_by_balance(
    system: System,
    state: StateArrays,
    V_dot: Array,
    intensities: Array,
    table: Table,
    *,
    contacts: Any = None,
) -> Any:
    """What each joint of the tree exerts on its second body (n, 6), see `Core`.

    `state` is (t, q, z), V_dot the accelerations of bodies in their own axes (n, 6),
    `contacts` (n, 6) what contact forces exert on them.
    """
    t, q, z = state
    V = system.body_twists(t, q, z, table)
    lacking = inertial_wrenches(system.inertias(table), V, V_dot)
    lacking -= system.applied(t, q, z, table)
    if contacts is not None:
        lacking -= contacts
    for held in constraint_wrenches(system, state, intensities, table):
        lacking -= held
    return _beyond_joints(system, q, lacking, table)


def impulses_by_balance(
    system: System, state: StateArrays, change: Any, external: Any, table: Table
) -> Any:
    """What joints of the tree give in an impact (n, 6), as `wrenches_by_balance`.

    `change` is (z+ - z-, impulsive intensities of constraints), `external` (n, 6) the
    impulses on the bodies, about their origins in their own axes. Forces that are
    finite give nothing at an instant.
    """
    t, q, _ = state
    dz, intensities = change
    dV = system.jacobians(t, q, table) @ dz
    lacking = (system.inertias(table) @ dV[..., None])[..., 0] - external
    for held in constraint_wrenches(system, state, intensities, table):
        lacking -= held
    return _beyond_joints(system, q, lacking, table)


def _beyond_joints(system: System, q: Array, lacking: Array, table: Table) -> Any:
    """By joint (n, 6): what all bodies beyond it lack."""
    table = system.table(table)

    def gather(edge: Edge, carrier: Array, child: Array) -> Any:
        return carrier + _about_parent(child, *placement(edge, q, table))

    found = inward(system.tree, list(lacking), gather)
    each = [_own(e, q, found[e.child], table) for e in system.tree.edges]
    return jnp.stack(each)


def by_balance(
    system: System, speeds: Callable[..., Any], bodies: Callable[..., Any]
) -> Callable[..., Any]:
    """`Core.joint_wrenches` of a formulation, from its `speeds` and `bodies`."""

    def joint_wrenches(
        t: Scalar, q: Array, y: Array, solution: Any, table: Table
    ) -> Any:
        y_dot, intensities = solution
        state, V_dot = (t, q, speeds(t, q, y, table)), bodies(t, q, y, y_dot, table)
        return wrenches_by_balance(
            system, StateArrays(*state), V_dot, intensities, table
        )

    return joint_wrenches


def constraint_wrenches(
    system: System, state: StateArrays, intensities: Array, table: Table
) -> list[Any]:
    """By constraint: what it exerts on all bodies (n, 6), in their own axes.

    The gradient of intensities . phi by the velocities of the bodies.
    """
    t, q, z = state
    R_WB = system.poses(t, q, table).rotations
    V = system.body_twists(t, q, z, table)

    def phi(V: Array) -> Any:
        in_world = turned(R_WB, V)
        twists = Twists(in_world[:, :3], in_world[:, 3:])
        return rows.of_motion(system, t, q, twists, z, table=table)

    if not system.constraints:
        return []
    _, pull = jax.vjp(phi, V)
    found, start = [], 0
    for constraint in system.constraints:
        stop = start + len(constraint.rows)
        own = jnp.zeros_like(intensities).at[start:stop].set(intensities[start:stop])
        found.append(pull(own)[0])
        start = stop
    return found


def constraint_efforts(
    system: System, state: StateArrays, intensities: Array, table: Table
) -> list[Any]:
    """By constraint: its effort along all joints (nz,), for those that read joints.

    The gradient of intensities . phi by the speeds of the joints.
    """
    t, q, z = state
    twists = system.twists(t, q, z, table)
    if not any(constraint.joints for constraint in system.constraints):
        return [jnp.zeros_like(z) for _ in system.constraints]
    _, pull = jax.vjp(lambda z: rows.of_motion(system, t, q, twists, z, table=table), z)
    found, start = [], 0
    for constraint in system.constraints:
        stop = start + len(constraint.rows)
        own = jnp.zeros_like(intensities).at[start:stop].set(intensities[start:stop])
        found.append(pull(own)[0])
        start = stop
    return found


class Reactions(dict[str, Wrench]):
    """Wrenches by the name of what exerts them; an unknown name is told the others."""

    def __missing__(self, name: Any) -> Wrench:
        raise UnknownName(
            f"nothing called {name!r} exerts a reaction.",
            "Joints and loops are called by their names, other constraints also by the"
            " body or joint that they act on.",
            suggestion(str(name), self),
        )


def named_reactions(
    equations: Equations, state: State, table: Table
) -> dict[str, Wrench]:
    """The reactions of all joints, loops and constraints as nouns, by name.

    Joints and loops act on their second body about their point there; another
    constraint has one entry a body, about its origin, and one a joint that it drives or
    gears, as on the joint's second body. All along the world's axes.
    """
    # A native program names every number that it gives.
    backend = "xla" if equations.system.speeds > DENSE else "auto"
    both = equations.ask("reactions", _function(equations), state, table, backend)
    return Reactions(_reactions_by_name(equations.system, state, _Loads(*both), table))


def reaction_function(
    equations: Equations, at: Attachment | Mapping[str, Attachment] | None
) -> Callable[..., dict[str, Any]]:
    """(t, q, y, table) -> torque and force (2, 3) by name, for use inside a trace."""
    from polhode.system.state import State

    system, function = equations.system, _function(equations)

    def reactions(t: Scalar, q: Array, y: Array, table: Table) -> dict[str, Any]:
        state = State(system, t, q, equations.functions.speeds(t, q, y, table))
        found = _reactions_by_name(
            system, state, _Loads(*function(t, q, y, table)), table
        )
        if at is not None:
            found = about(found, system, state, at, table)
        return {name: jnp.stack([w.torque, w.force]) for name, w in found.items()}

    return reactions


def raw_reactions(equations: Equations) -> Callable[..., Any]:
    """(t, q, y, table) -> arrays that `named_rows` names, for use inside a trace."""
    return _function(equations)


def named_rows(
    states: Sequence[State],
    raw: Any,
    at: Attachment | Mapping[str, Attachment] | None,
    table: Table,
) -> dict[str, np.ndarray]:
    """By name, torque and force (n, 2, 3) at states, from `raw_reactions` of all."""
    found: dict[str, list[Any]] = {}
    for k, state in enumerate(states):
        own = jax.tree.map(lambda part, k=k: np.asarray(part)[k], raw)
        each = _reactions_by_name(state.system, state, _Loads(*own), table)
        if at is not None:
            each = about(each, state.system, state, at, table)
        for name, wrench in each.items():
            found.setdefault(name, []).append((wrench.torque, wrench.force))
    return {name: np.array(rows) for name, rows in found.items()}


def free_reactions(
    equations: Equations, state: State, free: np.ndarray, table: Table
) -> list[dict[str, Wrench]]:
    """What each row of `free` (k, m), added to the multipliers, adds to all reactions.

    Such a row changes no motion (`Determinacy.undetermined`): loads in balance within.
    """
    function, start = _function(equations), equations.functions.start

    def parts(t: Scalar, q: Array, z: Array, extra: Any, table: Table) -> Any:
        return function(t, q, start(t, q, z, table), table, extra)

    none = np.zeros(free.shape[1])
    at = (state.t, state.q, state.z)
    program = equations.program("free reactions", parts, (*at, none, dict(table)))
    base = program(*at, none, dict(table))
    found = []
    for row in free:
        more = program(*at, row, dict(table))
        both = jax.tree.map(lambda a, b: np.asarray(a) - np.asarray(b), more, base)
        found.append(_reactions_by_name(equations.system, state, _Loads(*both), table))
    return found


class _Loads(NamedTuple):
    """What a formulation knows of reactions: of joints, of constraints, and efforts."""

    joints: Any
    held: Any
    efforts: Any


def _reactions_by_name(
    system: System, state: State, loads: _Loads, table: Table
) -> dict[str, Wrench]:
    joints, held, efforts = loads
    poses, table = system.poses(state.t, state.q, table), system.table(table)
    poses = with_world(poses)
    found: dict[str, Wrench] = {}
    for edge, wrench in zip(system.tree.edges, joints, strict=True):
        body = edge.parent if edge.is_reversed else edge.child
        R_WM = poses.rotations[body] @ edge.joint.second_frame(table)[0]
        found[edge.joint.name] = _noun(system, edge.joint, turned(R_WM, wrench), table)
    for constraint, own in zip(
        system.constraints, _shares(system, held, efforts, poses, table), strict=True
    ):
        places = system.places_of(constraint.bodies)
        if isinstance(constraint, Loop):
            wrench = _at_the_joint(constraint.joint, poses, places, own.wrenches, table)
            found[constraint.name] = _noun(system, constraint.joint, wrench, table)
            continue
        for k, (frame, place) in enumerate(zip(constraint.bodies, places, strict=True)):
            if place >= 0:
                word = f"{constraint.name} on {frame.name}"
                found[word] = _on_body(system, frame, own.wrenches[k])
        for joint, effort in zip(constraint.joints, own.efforts, strict=True):
            alone = len(constraint.joints) == 1
            word = constraint.name if alone else f"{constraint.name} on {joint.name}"
            edge = system.edge(joint.name)
            W = effort_wrench(joint, state.q[edge.q], effort, table)
            (body,) = system.places_of([joint.second.frame])
            R_WM = poses.rotations[body] @ joint.second_frame(table)[0]
            found[word] = _noun(system, joint, turned(R_WM, W), table)
    return found


class _Share(NamedTuple):
    """What a constraint exerts: (b, 6) on its bodies along the world's axes, efforts.

    Of the world, which is not among the bodies, the row means nothing.
    """

    wrenches: Any
    efforts: list[Any]


def _shares(
    system: System, held: list[Any], efforts: list[Any], poses: Poses, table: Table
) -> list[_Share]:
    """Of every constraint, on its own bodies and joints alone."""
    if is_rolled(system):
        return [
            _Share(wrenches, _efforts_by_joint(along, constraint))
            for constraint, (wrenches, along) in zip(
                system.constraints,
                by_constraint(system, held, efforts, table),
                strict=True,
            )
        ]
    found = []
    for constraint, on_all, effort in zip(
        system.constraints, held, efforts, strict=True
    ):
        in_world = turned(poses.rotations[:-1], on_all)
        own = np.array(system.places_of(constraint.bodies), dtype=int)
        edges = [system.edge(joint.name) for joint in constraint.joints]
        found.append(_Share(in_world[own], [effort[edge.z] for edge in edges]))
    return found


def _efforts_by_joint(along: Array, constraint: Constraint) -> list[Any]:
    """Efforts (k,) along all joints of a constraint, joint by joint."""
    ends = np.cumsum([0, *(joint.speeds for joint in constraint.joints)])
    return [along[a:b] for a, b in pairwise(ends)]


def about(
    found: dict[str, Wrench],
    system: System,
    state: State,
    at: Attachment | Mapping[str, Attachment],
    table: Table,
) -> dict[str, Wrench]:
    """The same wrenches about other points: one for all, or by name.

    torque_Q = torque_P - p_PQ x force, with both points where they are at the state.
    """
    if isinstance(at, Mapping):
        for name in at:
            if name not in found:
                raise ModelError(
                    f"{system.name!r} has no reaction of {name!r}.",
                    "Joints, loops and constraints on bodies have reactions.",
                    suggestion(name, found),
                )
    poses = with_world(system.poses(state.t, state.q, table))
    table = system.table(table)

    def wrench_about(name: str, wrench: Wrench) -> Wrench:
        point = at.get(name, wrench.point) if isinstance(at, Mapping) else at
        there, here = (_place(system, poses, p, table) for p in (point, wrench.point))
        torque = wrench.torque - cross(there - here, wrench.force)
        named = point if isinstance(point, Point) else point.nominal
        return replace(wrench, torque=torque, point=named)

    return {name: wrench_about(name, wrench) for name, wrench in found.items()}


def _place(system: System, poses: Poses, point: Attachment, table: Table) -> Any:
    """Where a point of a body, or of the world, is."""
    (body,) = system.places_of([point.frame])
    arm = poses.rotations[body] @ coordinates_of(point, table)
    return poses.origins[body] + arm


def _function(equations: Equations) -> Callable[..., Any]:
    """Joint wrenches; by constraint its wrenches on bodies and efforts on joints."""
    core, system = equations.functions, equations.system

    def both(t: Scalar, q: Array, y: Array, table: Table, extra: Scalar = 0.0) -> Any:
        y_dot, least = core.accelerations(t, q, y, table)
        intensities = least + extra
        solution = y_dot, intensities
        state = t, q, core.speeds(t, q, y, table)
        # A formulation with rows for its joints has those of constraints after them.
        own = intensities[intensities.shape[0] - len(system.row_names) :]
        if is_rolled(system):
            moving = motion(system, q, state[2], table)
            found = carried(system, StateArrays(*state), moving, own, table)
            joints = core.joint_wrenches(t, q, y, solution, table)
            return joints, found.on_bodies, found.efforts
        held = constraint_wrenches(system, StateArrays(*state), own, table)
        efforts = constraint_efforts(system, StateArrays(*state), own, table)
        return core.joint_wrenches(t, q, y, solution, table), held, efforts

    return both


def _noun(system: System, joint: Joint, both: Array, table: Table) -> Wrench:
    return Wrench(
        torque=both[:3],
        force=both[3:],
        on=joint.second.frame,
        by=joint.first.frame,
        point=Point(joint.second.frame, joint.second_frame(table)[1]),
        frame=system.tree.world.frame,
    )


def _on_body(system: System, frame: Frame, both: Array) -> Wrench:
    return Wrench(
        torque=both[:3],
        force=both[3:],
        on=frame,
        point=Point.origin(frame),
        frame=system.tree.world.frame,
    )


def _at_the_joint(
    joint: Joint, poses: Poses, places: tuple[int, ...], in_world: Any, table: Table
) -> Any:
    """What a loop exerts on its second body about its point, along the world's axes.

    Where that is the world, which is not among the bodies, the opposite of the first's.
    """
    second = places[1]
    sign, known, row = (1.0, second, 1) if second >= 0 else (-1.0, places[0], 0)
    p_CoMo_C = joint.second_frame(table)[1]
    p_WoMo_W = poses.origins[second] + poses.rotations[second] @ p_CoMo_C
    torque, force = sign * in_world[row][:3], sign * in_world[row][3:]
    arm = p_WoMo_W - poses.origins[known]
    xp = namespace(torque, force, arm)
    return xp.concatenate([torque - cross(arm, force), force])


def _own(edge: Edge, q: Array, on_child: Array, table: Table) -> Any:
    """The joint's own part of a wrench on its child, as `Core.joint_wrenches` has it.

    on_child is about the child's origin in its axes.
    """
    on_second = on_child
    if edge.is_reversed:
        on_second = -_about_parent(on_child, *placement(edge, q, table))
    W = _in_joint(edge.joint, on_second, table)
    if edge.joint.speeds == 0:
        return W
    S = freedoms(edge.joint, q[edge.q], table)
    return W - effort_wrench(edge.joint, q[edge.q], S.T @ W, table)


def _in_joint(joint: Joint, on_second: Array, table: Table) -> Any:
    """A wrench on the second body C, moved from its origin to the joint's frame M."""
    R_CM, p_CoMo_C = joint.second_frame(table)
    force = on_second[3:]
    torque = on_second[:3] - cross(p_CoMo_C, force)
    return jnp.concatenate([R_CM.T @ torque, R_CM.T @ force])


def _about_parent(wrench: Array, R_PC: Array, p_PoCo_P: Array) -> Any:
    """A wrench about Co in C's axes, about Po in P's."""
    force = R_PC @ wrench[3:]
    return jnp.concatenate([R_PC @ wrench[:3] + cross(p_PoCo_P, force), force])
