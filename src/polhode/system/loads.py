"""What acts on the bodies of a system: wrenches of all actions, potential energy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.action import Action
from polhode.actions.force_elements.joint_law import effort_wrench
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, interaction
from polhode.arrays import Array, Scalar, matvec, namespace
from polhode.geometry.admission import is_traced
from polhode.geometry.vector import cross
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import kinematics
from polhode.system.gather import ACROSS_JOINTS, driven_joints
from polhode.system.state_arrays import StateArrays
from polhode.system.tree import Edge, Member

if TYPE_CHECKING:
    from polhode.system.system import System


def wrenches(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> dict[str, Wrenches]:
    """By the name of each action: the wrenches on all bodies, n torques and n forces.

    Along the world's axes, torques about the bodies' origins. The world, which takes
    the reactions, is not among the bodies.
    """
    table = system.loaded(t, q, z, system.table(table))
    poses = with_world(kinematics.poses(system, t, q, table))
    twists = still_world(kinematics.twists(system, t, q, z, table))
    found = {}
    for action in system.actions:
        own = system.places_of(action.bodies)
        here, moving = _pick(poses, twists, own)
        if driven_joints(action):
            found[action.name] = _of_efforts(
                system, action, StateArrays(t, q, z), poses, table
            )
            continue
        given = action.wrenches(here, moving, t, table)
        found[action.name] = _rows_of_all(given, own, len(system.bodies))
    return found


def efforts_of(
    system: System, action: Any, t: Scalar, q: Array, z: Array, table: Table
) -> list[tuple[Edge, Any]]:  # limit: an action of a system at a state and a table
    """What a law along joints exerts on each: (edge, tau (speeds,))."""
    edges = [system.edge(joint.name) for joint in driven_joints(action)]
    if isinstance(action, ACROSS_JOINTS):
        parts = [q[e.q] for e in edges], [z[e.z] for e in edges]
        return list(zip(edges, action.effort(*parts, t, table), strict=True))
    (edge,) = edges
    return [(edge, action.effort(q[edge.q], z[edge.z], t, table))]


def joint_energy(action: Any, coordinates: list[Any], t: Scalar, table: Table) -> Any:
    """The energy that a law along joints stores, from the coordinates of each."""
    if isinstance(action, ACROSS_JOINTS):
        return action.energy(coordinates, t, table)
    return action.energy(coordinates[0], t, table)


def _of_efforts(
    system: System, action: Any, state: StateArrays, poses: Poses, table: Table
) -> Wrenches:
    """The wrenches on all bodies of a law along joints."""
    t, q, z = state
    parts = []
    for edge, effort in efforts_of(system, action, t, q, z, table):
        joint = edge.joint
        own = system.places_of((joint.second.frame, joint.first.frame))
        rows = np.array(own)
        pair = Poses(poses.rotations[rows], poses.origins[rows])
        given = _along(joint, effort, pair, q[edge.q], table)
        parts.append(_rows_of_all(given, own, len(system.bodies)))
    torques, forces = zip(*parts, strict=True)
    return Wrenches(
        sum(torques[1:], start=torques[0]), sum(forces[1:], start=forces[0])
    )


def applied(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Any:
    """All actions together (n, 6): [torque about the origin; force] in bodies' axes."""
    each = wrenches(system, t, q, z, table)
    return _together(system, t, q, list(each.values()), table)


def nonconservative_wrenches(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Any:
    """The actions that are not conservative (n, 6), in bodies' axes as `applied`."""
    each = wrenches(system, t, q, z, table)
    loose = [each[a.name] for a in system.actions if not a.is_conservative]
    return _together(system, t, q, loose, table)


def potential_energy(
    system: System, t: Scalar, q: Array, table: Table = NOMINAL
) -> Any:
    """The energy stored in the conservative actions, V(t, q).

    The others' forces are all in `nonconservative_wrenches`: nothing counts twice.
    """
    if kinematics.in_loops(system, q):
        from polhode.system.rolled.energies import potential

        return potential(system, t, q, table)
    each = energies(system, t, q, table)
    kept = [each[a.name] for a in system.actions if a.is_conservative]
    return sum(kept, 0.0 * q.sum())


def energies(
    system: System, t: Scalar, q: Array, table: Table = NOMINAL
) -> dict[str, Any]:
    """By the name of each action: the energy that it stores."""
    table = system.table(table)
    poses = with_world(kinematics.poses(system, t, q, table))
    found = {}
    for action in system.actions:
        if joints := driven_joints(action):
            own = [q[system.edge(joint.name).q] for joint in joints]
            found[action.name] = joint_energy(action, own, t, table)
        else:
            found[action.name] = action.energy(_at(poses, system, action), t, table)
    return found


def _together(
    system: System, t: Scalar, q: Array, parts: list[Wrenches], table: Table
) -> Any:
    n = len(system.bodies)
    torques = sum((w.torques for w in parts), np.zeros((n, 3)))
    forces = sum((w.forces for w in parts), np.zeros((n, 3)))
    R_WB = kinematics.poses(system, t, q, table).rotations
    return in_body_axes(system, R_WB, Wrenches(torques, forces), table)


def in_body_axes(system: System, R_WB: Array, given: Wrenches, table: Table) -> Any:
    """Wrenches on all bodies (n, 6), about their origins in their own axes.

        M_G = M_O - R c x F,      R^T M_O = R^T M_G + c x R^T F

    Moments are turned about the mass centres, c from the origins. Within a step the
    quaternion of R is of length one to the step's error only, and a force through the
    mass centre, turned with its moment about another point, would gain a moment there.
    """
    table, xp = system.table(table), namespace(R_WB, *given)
    R_BW = R_WB.swapaxes(-1, -2)
    forces = matvec(R_BW, given.forces)
    if not any(_is_off_centre(body) for body in system.bodies):
        return xp.concatenate([matvec(R_BW, given.torques), forces], axis=-1)
    centres = [1.0 * body.moments(table).centre for body in system.bodies]
    c = namespace(*centres).stack(centres)
    about = given.torques - cross(matvec(R_WB, c), given.forces)
    torques = matvec(R_BW, about) + cross(c, forces)
    return xp.concatenate([torques, forces], axis=-1)


def _is_off_centre(body: Member) -> bool:
    centre = body.moments().centre
    return is_traced(centre) or bool(np.any(centre))


def with_world(poses: Poses) -> Poses:
    """The world's own pose after those of the bodies: it is body number -1."""
    xp = namespace(*poses)
    rotations = xp.concatenate([poses.rotations, np.eye(3)[None]])
    return Poses(rotations, xp.concatenate([poses.origins, np.zeros((1, 3))]))


def still_world(twists: Twists) -> Twists:
    """The world's own rest after the motions of the bodies."""
    xp, rest = namespace(*twists), np.zeros((1, 3))
    angular = xp.concatenate([twists.angular, rest])
    return Twists(angular, xp.concatenate([twists.linear, rest]))


def _along(
    joint: Joint, effort: Array, pair: Poses, q: Array, table: Table
) -> Wrenches:
    """An effort on a joint as wrenches on its second body and, opposite, its first."""
    W_M = effort_wrench(joint, q, effort, table)
    R_CM, p_CoMo_C = joint.second_frame(table)
    R_WC = pair.rotations[0]
    R_WM = R_WC @ R_CM
    return interaction(pair, R_WC @ p_CoMo_C, R_WM @ W_M[3:], R_WM @ W_M[:3])


def _at(poses: Poses, system: System, action: Action) -> Poses:
    own = np.array(system.places_of(action.bodies))
    return Poses(poses.rotations[own], poses.origins[own])


def _pick(poses: Poses, twists: Twists, own: tuple[int, ...]) -> tuple[Poses, Twists]:
    rows = np.array(own)
    return (
        Poses(poses.rotations[rows], poses.origins[rows]),
        Twists(twists.angular[rows], twists.linear[rows]),
    )


def _rows_of_all(given: Wrenches, own: Iterable[int], n: int) -> Wrenches:
    """Wrenches on some bodies, as rows among all n; what the world feels is dropped."""
    rows = {body: k for k, body in enumerate(own) if body >= 0}
    nothing = np.zeros(3)
    xp = namespace(*given)

    def all_rows(parts: Array) -> Any:
        return xp.stack([parts[rows[i]] if i in rows else nothing for i in range(n)])

    return Wrenches(all_rows(given.torques), all_rows(given.forces))
