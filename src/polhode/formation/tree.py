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
from polhode.geometry import quaternion
from polhode.joints.free import Free
from polhode.matter.world import World
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System


def formation_tree(
    bodies: Sequence[Any],
    leader: str,
    carriers: Mapping[str, str] | None = None,
    *,
    actions: Sequence[Any] = (),
    name: str = "formation",
) -> System:
    """The system of some bodies in which `leader` is the base of a virtual tree.

    `carriers` says on which body a follower hangs, by names; on the leader if it does
    not say. The joint of a body has its name.
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
    joints = [Free(leader, World().origin, known[leader].origin)]
    for word, carrier in hangs.items():
        joints.append(Free(word, known[carrier].origin, known[word].origin))
    return System(joints, actions, name=name)


def retold(state: State, system: System) -> State:
    """The same motion of the same bodies in another tree of free joints.

    From absolute to relative coordinates and back: poses and velocities stay.
    """
    source = state.system
    poses = source.poses(state.t, state.q)
    twists = source.body_twists(state.t, state.q, state.z)
    place = {body.name: k for k, body in enumerate(source.bodies)}
    q, z = [], []
    for edge, body in zip(system.tree.edges, system.bodies, strict=True):
        k = place[body.name]
        R_WC, p_WoCo_W, V = poses.rotations[k], poses.origins[k], twists[k]
        if edge.parent >= 0:
            base = place[system.bodies[edge.parent].name]
            R_WP = poses.rotations[base]
            R_PC = R_WP.T @ R_WC
            arm = R_WP.T @ (p_WoCo_W - poses.origins[base])
            w, v = twists[base, :3], twists[base, 3:]
            carried = [R_PC.T @ w, R_PC.T @ (v + np.cross(w, arm))]
            R_WC, p_WoCo_W, V = R_PC, arm, V - np.concatenate(carried)
        q += [*quaternion.from_matrix(R_WC), *p_WoCo_W]
        z += [*V]
    return State(system, state.t, np.array(q), np.array(z))


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
