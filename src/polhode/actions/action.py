"""What every action answers, and the verbs that serve them all.

An action joins some bodies. It is asked, inside or outside a trace, for the wrenches on
all of them and for their potential energy:

    wrenches(poses, twists, t, table) -> Wrenches      torques about the bodies' origins
    energy(poses, t, table) -> V                       0 if it stores none

`poses` and `twists` hold the action's own bodies in the order of `bodies`, along one
observer's axes; `table` gives parameters other values than the nominal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists, Wrenches, power, total
from polhode.arrays import Array, Scalar
from polhode.errors import ForceError, ModelError
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.pose import Pose
from polhode.geometry.twist import Twist
from polhode.matter.parameter import NOMINAL, Parameter, Table


class Action(Protocol):
    """A law that gives wrenches on the bodies it joins; see the module."""

    @property
    def name(self) -> str:
        """What errors, ledgers and printed equations call it."""

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The frames of the bodies it acts on, each once."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers it depends on."""

    @property
    def is_conservative(self) -> bool:
        """Whether its power is the loss of its energy in every motion."""

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The wrench on each body; not finite where the law gives none."""

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The potential energy; 0 for an action that stores none."""

    def fault(self) -> str:
        """Why the law may give no force, in a sentence for people."""


def evaluate(
    action: Action, poses: Poses, twists: Twists, t: float = 0.0, table: Table = NOMINAL
) -> Wrenches:
    """The wrenches of an action, refused by name where they are not finite."""
    wrenches = action.wrenches(poses, twists, t, table)
    bad = [
        body.name
        for body, torque, force in zip(action.bodies, *wrenches, strict=True)
        if not np.all(np.isfinite([torque, force]))
    ]
    if bad:
        raise ForceError(
            f"{action.name!r} gives no force on {' and '.join(map(repr, bad))}"
            f" at t = {float(t):g} s.",
            action.fault(),
            "Start from another position, or change the law where it is undefined.",
        )
    return wrenches


def power_of(
    action: Action,
    poses: Poses,
    twists: Twists,
    t: Scalar = 0.0,
    table: Table = NOMINAL,
) -> Any:
    """The power of an action on all its bodies."""
    return power(action.wrenches(poses, twists, t, table), twists)


def third_law_residual(
    action: Action, poses: Poses, twists: Twists, t: float = 0.0
) -> tuple[float, float]:
    """How far moments and forces are from cancelling, relative to their sizes.

        sum_i F_i = 0,      sum_i torque_i + p_i x F_i = 0

    Zero to rounding if the bodies act only on each other. The moment is about the
    bodies' mean place, and relative to the torques and arms there.
    """
    wrenches = evaluate(action, poses, twists, t)
    middle = poses.origins.mean(axis=-2)
    near = Poses(poses.rotations, poses.origins - middle)
    moment, force = total(near, wrenches)
    forces = np.linalg.norm(wrenches.forces, axis=-1)
    torques = np.linalg.norm(wrenches.torques, axis=-1)
    arms = np.linalg.norm(near.origins, axis=-1)
    return (
        _share(moment, float((torques + arms * forces).sum())),
        _share(force, float(forces.sum())),
    )


def _share(residual: Array, size: float) -> float:
    return float(np.linalg.norm(residual)) / size if size else 0.0


def poses_of(poses: Sequence[Pose]) -> Poses:
    """The arrays of some poses, all seen from one frame."""
    for pose in poses:
        require_same_frame("collect", poses[0].seen_from, pose.seen_from)
    rotations = np.stack([pose.rotation.matrix for pose in poses])
    return Poses(rotations, np.stack([pose.origin for pose in poses]))


def twists_of(twists: Sequence[Twist]) -> Twists:
    """The arrays of twists about their bodies' origins, in one observer's axes."""
    for twist in twists:
        require_same_frame("collect", twists[0].seen_from, twist.seen_from)
        require_same_frame("collect", twist.frame, twist.seen_from)
    angular = np.stack([twist.angular for twist in twists])
    return Twists(angular, np.stack([twist.linear for twist in twists]))


def require_frames(name: str, bodies: Sequence[Any]) -> None:
    """Refuse bodies that are not given by their frames."""
    for body in bodies:
        if not isinstance(body, Frame):
            raise ModelError(
                f"{name!r} cannot act on {body!r}: it is not a frame.",
                "An action knows bodies, and the world, by the frames they carry.",
                "Give its frame: body.frame or world.frame.",
            )


def require_two_bodies(name: str, first: Frame, second: Frame) -> None:
    """Refuse an action of a body on itself, and one on what is no frame."""
    require_frames(name, (first, second))
    if first is second:
        raise ModelError(
            f"{name!r} joins {first.name!r} to itself.",
            "What a rigid body does to itself changes no motion.",
            "Give a point of another body, or of the world.",
        )
