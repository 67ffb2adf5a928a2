"""Loads on several bodies by one other: places seen from it, and the third law.

The bodies come first in the poses of an action, the one that acts comes last.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from polhode.actions.action import require_frames
from polhode.actions.attachment import Attachment, arm_of, require_points
from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Parameter, Table, distinct
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body


class Placed(NamedTuple):
    """A point of a body seen from a planet.

    arm    from the body's origin, the observer's axes (3,)
    x      from the planet's centre, the axes of the planet's frame (3,)
    axes   of the planet's frame along the observer's, R_WP (3, 3)
    """

    arm: Any
    x: Any
    axes: Any


class CraftAction(BodyAction):
    """An action on craft by a point of a planet, the opposite acting on the planet."""

    on: Any
    by: Attachment

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The craft, then the planet."""
        return (*(body.frame for body in self.on), self.by.frame)


class FieldOfGravity(CraftAction):
    """A pull on mass centres by a field of acceleration about a planet."""

    @abstractmethod
    def field(self, x: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (3,) in m/s^2 at x (3,) from the planet's centre, along its axes."""

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """m g through each mass centre, and the opposite on the planet."""
        places = mass_centres(poses, self.on, self.by, table)
        forces = [
            body.moments(table).mass * along_observer(p, self.field(p.x, t, table))
            for body, p in zip(self.on, places, strict=True)
        ]
        couples = [0.0 * F for F in forces]
        return loads_on_bodies(poses, [p.arm for p in places], forces, couples)

    def fault(self) -> str:
        """At the centre there is no direction."""
        return "A mass centre is at the planet's centre: its pull has no direction."


def admit_craft(name: str, on: Any, by: Any) -> tuple[Body | Particle, ...]:
    """The bodies acted upon, each once, and none of them the one that acts."""
    craft = tuple(on) if isinstance(on, Sequence) else (on,)
    for body in craft:
        if not isinstance(body, Body | Particle):
            raise ModelError(
                f"{name!r} cannot act on {body!r}: it is not a body.",
                "The action needs its mass and where it is.",
                "Give a ph.Body or ph.Particle, or a list of them.",
            )
    require_points(name, by)
    frames = [body.frame for body in craft]
    require_frames(name, (*frames, by.frame))
    if not craft or len(set(map(id, (*frames, by.frame)))) <= len(frames):
        listed = ", ".join(repr(frame.name) for frame in frames) or "no body"
        raise ModelError(
            f"{name!r} cannot act on {listed} by {by.frame.name!r}.",
            "It needs one or more bodies, each once, and another that acts on them.",
            "Give the craft as `on`, and a point of the world or planet as `by`.",
        )
    return craft


def parameters_of_bodies(bodies: Sequence[Any]) -> tuple[Parameter, ...]:
    """The named numbers on which the matter of bodies depends."""
    return distinct(p for body in bodies for p in body.parameters)


def mass_centres(
    poses: Poses, bodies: Sequence[Any], by: Attachment, table: Table
) -> list[Placed]:
    """The mass centre of each body, seen from the planet."""
    arms = [
        _turned(poses.rotations[..., k, :, :], body.moments(table).centre)
        for k, body in enumerate(bodies)
    ]
    return [_placed(poses, k, arm, by, table) for k, arm in enumerate(arms)]


def point_seen(poses: Poses, on: Attachment, by: Attachment, table: Table) -> Placed:
    """A point of the first body, seen from the planet, which is the second."""
    return _placed(poses, 0, arm_of(poses, 0, on, table), by, table)


def _placed(poses: Poses, k: int, arm: Array, by: Attachment, table: Table) -> Placed:
    last = poses.origins.shape[-2] - 1
    R_WP = poses.rotations[..., last, :, :]
    # Origins and arms are subtracted from their like: 7000 km away the arm has digits
    # of its own that the place has lost.
    apart = poses.origins[..., k, :] - poses.origins[..., last, :]
    d = apart + (arm - arm_of(poses, last, by, table))
    return Placed(arm, _turned(R_WP.swapaxes(-1, -2), d), R_WP)


def along_observer(placed: Placed, components: Array) -> Any:
    """A vector along the planet's axes, along the observer's."""
    return _turned(placed.axes, components)


def loads_on_bodies(
    poses: Poses, arms: Sequence[Any], forces: Sequence[Any], couples: Sequence[Any]
) -> Wrenches:
    """Forces at arms and couples on bodies, and their opposites on the last one."""
    xp = namespace(*poses, *arms, *forces, *couples)
    last = poses.origins.shape[-2] - 1
    torques, back, opposite = [], 0.0, 0.0
    for k, (arm, F, C) in enumerate(zip(arms, forces, couples, strict=True)):
        apart = poses.origins[..., k, :] - poses.origins[..., last, :]
        torques.append(C + cross(arm, F))
        back = back - C - cross(apart + arm, F)
        opposite = opposite - F
    return Wrenches(
        xp.stack([*torques, back], axis=-2), xp.stack([*forces, opposite], axis=-2)
    )


def _turned(R: Array, a: Array) -> Any:
    return (R * namespace(R, a).asarray(a)[..., None, :]).sum(-1)
