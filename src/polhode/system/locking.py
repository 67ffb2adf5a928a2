"""Locking: a system in which a joint is held where it is, and back again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import Frames, Joint, construct
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.checked_argument import system_argument
from polhode.system.gather import driven_joints
from polhode.system.members import suggestion
from polhode.system.state import state_of
from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class Locked(FlatJoint):
    """A joint held at some coordinates: M stays where it is in F.

    q  0,  z  0. X_FM = pose of the joint `held` at the coordinates `at`. It carries any
    wrench, and what laws along the joint would exert: those are `idle` until it moves.
    """

    held: Joint
    at: Any
    idle: tuple[Any, ...] = ()

    coordinates: ClassVar[int] = 0
    speeds: ClassVar[int] = 0
    coordinate_suffixes: ClassVar[tuple[str, ...]] = ()
    speed_suffixes: ClassVar[tuple[str, ...]] = ()
    units: ClassVar[tuple[str, ...]] = ()
    speed_units: ClassVar[tuple[str, ...]] = ()
    angles: ClassVar[tuple[bool, ...]] = ()

    def __post_init__(self) -> None:
        construct(self)

    def pose(self, q: Array, table: Table = NOMINAL) -> Frames:
        """Where the joint is held."""
        return self.held.pose(self.at, table)

    def twist(self, q: Array, z: Array, table: Table = NOMINAL) -> Any:
        """V = 0"""
        return np.zeros(6)

    def reaction(self, q: Array, table: Table = NOMINAL) -> Any:
        """Any couple and any force."""
        return np.eye(6)

    def residual(self, R_FM: Array, p_FoMo_F: Array, table: Table = NOMINAL) -> Any:
        """The turn from the held pose (3) and the way from it, in M (3)."""
        R_FN, p_FoNo_F = self.pose(np.zeros(0), table)
        xp = namespace(R_FM, p_FoMo_F)
        way = R_FM.T @ (p_FoMo_F - p_FoNo_F)
        return xp.concatenate([so3.log(R_FN.T @ R_FM), way])

    def coordinates_from(
        self, R_FM: Array, p_FoMo_F: Array, table: Table = NOMINAL
    ) -> Any:
        """None."""
        return np.zeros(0)


@system_argument
def lock(system: System, joint: str, at: Scalar | None = None) -> System:
    """The system with a joint held, at its neutral coordinates or those given.

    `at` is what `system.state` takes for the joint. Bodies, actions and other joints
    are the same objects; the joint has no coordinates any more. Springs, dampers and
    motors along it are idle while it is locked.
    """
    edge = system.edge(joint)
    if isinstance(edge.joint, Locked):
        raise ModelError(
            f"joint {joint!r} of {system.name!r} is locked already.",
            "It has no motion that could be held.",
            "Unlock it first: ph.unlock(system, joint).",
        )
    named = {} if at is None else {joint: at}
    q = np.array(state_of(system, named, {}, 0.0).q[edge.q])
    q.setflags(write=False)
    old = edge.joint
    _require_unbound(system, old)
    idle = tuple(a for a in system.given.actions if _is_along(a, old))
    held = Locked(
        old.name,
        old.first,
        old.second,
        old,
        q,
        idle,
        first_axes=old.first_axes,
        second_axes=old.second_axes,
    )
    return _exchange(system, old, held)


def _is_along(action: Any, joint: Joint) -> bool:
    return driven_joints(action) == (joint,)


def _require_unbound(system: System, joint: Joint) -> None:
    for constraint in system.given.constraints:
        if any(bound is joint for bound in constraint.joints):
            raise ModelError(
                f"joint {joint.name!r} of {system.name!r} cannot be locked: the"
                f" constraint {constraint.name!r} moves it.",
                "A joint that is held does not follow a driver, a gear or an equation.",
                "Build the system without the constraint, or lock another joint.",
            )
    for action in system.given.actions:
        joints = driven_joints(action)
        if len(joints) > 1 and any(own is joint for own in joints):
            raise ModelError(
                f"joint {joint.name!r} of {system.name!r} cannot be locked:"
                f" {action.name!r} goes over it and over others.",
                "Its length would still depend on where the joint is held.",
                "Build the system without it, or lock another joint.",
            )


@system_argument
def unlock(system: System, joint: str) -> System:
    """The system in which a locked joint moves again."""
    locked = {j.name: j for j in system.joints if isinstance(j, Locked)}
    if joint not in locked:
        raise ModelError(
            f"joint {joint!r} of {system.name!r} is not locked.",
            "Only a joint that ph.lock has held can be released.",
            suggestion(joint, locked),
        )
    return _exchange(system, locked[joint], locked[joint].held)


def _exchange(system: System, old: Joint, new: Joint) -> System:
    members, actions, constraints, supports = system.given
    if any(member is old for member in members):
        members = tuple(new if member is old else member for member in members)
    else:
        # The joint of a body that nothing held was made by the system itself.
        members = (*members, new)
    if isinstance(new, Locked):
        actions = tuple(a for a in actions if not _is_along(a, old))
    if isinstance(old, Locked):
        actions = (*actions, *old.idle)
    values = system.values
    given = (members, actions, constraints, supports)
    return System(*given, name=system.name, values=values)
