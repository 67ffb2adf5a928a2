"""The tree of bodies: which joint carries which body, and the one walk along it.

    world --hinge--> arm --elbow--> hand        edges: parents come before children
      |                               |
      +------------- strut -----------+         a joint that closes a loop

Joints are taken in the order given: one that reaches a new body carries it, one whose
two bodies are reached already closes a loop. A joint given child first is walked
backwards.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, final

from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body
from polhode.matter.world import World

Member: TypeAlias = Body | Particle
Value = TypeVar("Value")


@final
@dataclass(frozen=True, eq=False)
class Edge:
    """A joint of the tree: body number `child` hangs on number `parent`, or the world.

    parent     -1 is the world
    is_reversed  whether the child is the joint's first body
    q, z       the joint's places in the coordinates and in the speeds of the system
    """

    joint: Joint
    child: int
    parent: int
    is_reversed: bool
    q: slice
    z: slice


@final
@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies in the order of the walk, the joint that carries each, and the rest.

    edges[i] carries bodies[i]; `loops` are the joints that close loops.
    """

    world: World
    bodies: tuple[Member, ...]
    edges: tuple[Edge, ...]
    loops: tuple[Joint, ...]

    @property
    def coordinates(self) -> int:
        """How many numbers say where everything is."""
        return self.edges[-1].q.stop

    @property
    def speeds(self) -> int:
        """How many numbers say how everything moves."""
        return self.edges[-1].z.stop


def grow(world: World, bodies: Sequence[Member], joints: Sequence[Joint]) -> Tree:
    """The tree from the world along the joints; every body must be reached."""
    places: dict[Frame, int] = {world.frame: -1}
    members = {body.frame: body for body in bodies}
    touching = _touching(joints)
    order: list[Member] = []
    edges: list[Edge] = []
    loops: list[int] = []
    seen: set[int] = set()
    ready = list(touching.get(world.frame, ()))
    heapq.heapify(ready)
    while ready:
        number = heapq.heappop(ready)
        if number in seen:
            continue
        seen.add(number)
        joint = joints[number]
        ends = (joint.first.frame, joint.second.frame)
        if ends[0] in places and ends[1] in places:
            loops.append(number)
            continue
        is_reversed = ends[1] in places
        near, far = reversed(ends) if is_reversed else ends
        edges.append(_edge(joint, len(order), places[near], is_reversed, edges))
        places[far] = len(order)
        order.append(members[far])
        for other in touching[far]:
            heapq.heappush(ready, other)
    closing = tuple(joints[number] for number in sorted(loops))
    return Tree(world, tuple(order), tuple(edges), closing)


def reached(frames: Iterable[Frame], joints: Sequence[Joint]) -> set[Frame]:
    """The frames that joints connect to any of some frames."""
    touching = _touching(joints)
    found = set(frames)
    waiting = list(found)
    while waiting:
        for number in touching.get(waiting.pop(), ()):
            joint = joints[number]
            for frame in (joint.first.frame, joint.second.frame):
                if frame not in found:
                    found.add(frame)
                    waiting.append(frame)
    return found


def outward(tree: Tree, root: Value, visit: Callable[[Edge, Value], Value]) -> list:
    """One value a body, from the world out: visit(edge, value of the parent).

    `root` is the value of the world.
    """
    values: list[Any] = []
    for edge in tree.edges:
        before = root if edge.parent < 0 else values[edge.parent]
        values.append(visit(edge, before))
    return values


def inward(
    tree: Tree, own: Sequence[Value], gather: Callable[[Edge, Value, Value], Value]
) -> list:
    """One value a body, from the leaves in: gather(edge, the parent's, the child's).

    Every body begins with its own value; the last child given is gathered first.
    """
    values: list[Any] = list(own)
    for edge in reversed(tree.edges):
        if edge.parent >= 0:
            before = values[edge.parent]
            values[edge.parent] = gather(edge, before, values[edge.child])
    return values


def _edge(
    joint: Joint, child: int, parent: int, is_reversed: bool, before: list[Edge]
) -> Edge:
    q = before[-1].q.stop if before else 0
    z = before[-1].z.stop if before else 0
    places = slice(q, q + joint.coordinates), slice(z, z + joint.speeds)
    return Edge(joint, child, parent, is_reversed, *places)


def _touching(joints: Sequence[Joint]) -> dict[Frame, list[int]]:
    """The numbers of the joints at each frame, in the order given."""
    found: dict[Frame, list[int]] = {}
    for number, joint in enumerate(joints):
        found.setdefault(joint.first.frame, []).append(number)
        found.setdefault(joint.second.frame, []).append(number)
    return found
