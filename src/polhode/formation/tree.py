"""A formation as a virtual tree: one spacecraft leads, others hang on it freely.

    world -- leader -- follower, follower -- follower of that one, ...

Every joint is free, so nothing is constrained; what changes are the coordinates, the
relative placement T_LF and the relative twist of each follower seen from its carrier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polhode.errors import ModelError
from polhode.geometry.point import Point
from polhode.geometry.rotations import quaternion
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.translation import Translation
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body
from polhode.matter.world import World
from polhode.system.gather import frames_used
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System
from polhode.system.tree import Edge

# The world: R, p, w, v of a frame that is at rest.
STILL = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def formation_tree(
    bodies: Sequence[Body | Particle],
    leader: str,
    carriers: Mapping[str, str] | None = None,
    *,
    actions: Sequence[Any] = (),
    joints: Sequence[Joint] = (),
    name: str = "formation",
) -> System:
    """The system of some bodies in which `leader` is the base of a virtual tree.

    `carriers` says on which body a follower hangs, by names; on the leader if it does
    not say. The joint of a body has its name. A particle hangs by three freedoms, and
    its frame has the axes of its carrier. `joints` are those inside craft of several
    bodies, of which only the first is given, and hangs.
    """
    known = {body.name: body for body in bodies}
    hangs = {word: leader for word in known if word != leader} | dict(carriers or {})
    for word in (leader, *hangs, *hangs.values()):
        if word not in known:
            raise ModelError(
                f"{name!r} has no body {word!r}.",
                "Leader, followers and carriers are among its bodies.",
                suggestion(word, list(known)),
            )
    _require_tree(name, leader, hangs)
    owners = [frame.owner for frame in frames_used(actions, ())]
    worlds = [owner for owner in owners if isinstance(owner, World)]
    hung = [_joint_to(known[leader], worlds[0] if worlds else World())]
    for word, carrier in hangs.items():
        hung.append(_joint_to(known[word], known[carrier]))
    return System([*hung, *joints], actions, name=name)


def in_tree(state: State, system: System) -> State:
    """The same motion of the same bodies in another tree of free joints.

    From absolute to relative coordinates and back: poses and velocities stay. Joints
    inside craft, which both systems have, keep their coordinates and speeds.
    """
    source = state.system
    poses = source.poses(state.t, state.q)
    twists = source.twists(state.t, state.q, state.z)
    place = {body.name: k for k, body in enumerate(source.bodies)}
    frames: list[tuple[np.ndarray, ...]] = []  # R, p, w, v of the target's frames
    edges = {joint: source.edge(joint.name) for joint in source.joints}
    q: list[float] = []
    z: list[float] = []
    for edge, body in zip(system.tree.edges, system.bodies, strict=True):
        k = place[body.name]
        R_WP, p_WoPo_W, w_WP_W, v_WPo_W = _of(frames, edge.parent)
        p, v = poses.origins[k], twists.linear[k]
        if not isinstance(edge.joint, Free | Translation):
            same = _shared(edges, edge.joint, source)
            q, z = [*q, *state.q[same.q]], [*z, *state.z[same.z]]
            frames.append((poses.rotations[k], p, twists.angular[k], v))
            continue
        turns = isinstance(edge.joint, Free)
        # A particle has no axes of its own: it takes those of its carrier.
        R, w = (poses.rotations[k], twists.angular[k]) if turns else (R_WP, w_WP_W)
        arm = p - p_WoPo_W
        slip = v - v_WPo_W - np.cross(w_WP_W, arm)
        if turns:
            q += [*quaternion.from_matrix(R_WP.T @ R)]
            z += [*(R.T @ (w - w_WP_W))]
        q += [*(R_WP.T @ arm)]
        z += [*(R.T @ slip)]
        frames.append((R, p, w, v))
    return State(system, state.t, np.array(q), np.array(z))


def _of(frames: list[tuple[np.ndarray, ...]], parent: int) -> tuple[np.ndarray, ...]:
    return frames[parent] if parent >= 0 else STILL


def _shared(edges: Mapping[Joint, Edge], joint: Joint, source: System) -> Edge:
    if joint not in edges:
        raise ModelError(
            f"joint {joint.name!r} inside a craft is not in {source.name!r}.",
            "Only free joints change; those inside craft must be the same objects.",
            "Build both systems with the same joints.",
        )
    return edges[joint]


def _joint_to(body: Any, carrier: Any) -> Joint:
    """Six freedoms for a body, three for a particle."""
    kind = Translation if isinstance(body, Particle) else Free
    return kind(body.name, Point.origin(carrier.frame), Point.origin(body.frame))


def _require_tree(name: str, leader: str, hangs: Mapping[str, str]) -> None:
    for word in hangs:
        seen, at = [word], word
        while at != leader:
            at = hangs[at]
            if at in seen:
                raise ModelError(
                    f"{name!r} has no tree: {' on '.join([*seen, at])}.",
                    "Following carriers from a body must lead to the leader.",
                    "Hang one of them on the leader.",
                )
            seen.append(at)
