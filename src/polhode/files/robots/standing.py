"""Robots on a floor: shapes of links as supports, and a start that touches it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from polhode.joints.free import Free
from polhode.joints.translation import Translation
from polhode.matter.shape import Shape
from polhode.matter.world import World
from polhode.supports.floor import Floor, floor_support
from polhode.system import contacts
from polhode.system.state import State
from polhode.system.system import System

# Joints by which a robot flies; the last of their coordinates is the height.
FLYING = (Free, Translation)


def supports_of(
    floor: Floor | None,
    world: World,
    shapes: Iterable[tuple[Any, Shape]],
    notes: list[str],
) -> list[Any]:
    """A support for each shape of a body that may touch the floor; others are noted."""
    found: list[Any] = []
    counts: dict[str, int] = {}
    for body, shape in shapes if floor is not None else ():
        assert floor is not None
        counts[body.name] = counts.get(body.name, 0) + 1
        number = f" {counts[body.name]}" if counts[body.name] > 1 else ""
        name = f"{body.name}{number} on floor"
        support = floor_support(floor, world, body, shape, name)
        if support is None:
            notes.append(
                f"a {shape.kind} of {body.name!r} does not touch the floor: it has no"
                " corners that are few and known"
            )
        else:
            found.append(support)
    return found


def on_floor(system: System, start: State, *, is_placed: bool) -> State:
    """The start with the lowest point on the floor, if the robot is free to be moved.

    One that its file has placed is only lifted, out of the floor.
    """
    free = [
        e for e in system.tree.edges if isinstance(e.joint, FLYING) and e.parent < 0
    ]
    if not system.supports or not free:
        return start
    least = float(np.min(contacts.gaps(system, start.t, start.q)))
    if is_placed and least >= 0:
        return start
    q = start.q.copy()
    q[free[0].q.start + free[0].joint.coordinates - 1] -= least
    return State(system, start.t, q, start.z)
