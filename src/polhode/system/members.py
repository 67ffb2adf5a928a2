"""What a system is made of: its world, its bodies, its joints, sorted and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from polhode.errors import ModelError
from polhode.geometry.frame import Frame, is_name
from polhode.geometry.point import Point
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.translation import Translation
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body
from polhode.matter.world import World
from polhode.system.tree import Member, Tree, grow, reached


class Sorted(NamedTuple):
    """The members of a system by kind."""

    world: World
    bodies: tuple[Member, ...]
    joints: tuple[Joint, ...]


def tree_of(members: Sequence[Any], others: Iterable[Frame] = ()) -> Tree:
    """The tree of joints, bodies and particles given in any order.

    Bodies that joints lead to need not be given. A body that nothing connects to the
    world moves freely: it gets a joint of its own name. `others` are frames that
    actions and constraints use; the world may be known by them only.
    """
    world, bodies, joints = sort_members(members, others)
    if not bodies:
        raise ModelError(
            "a system needs something that moves.",
            "No body or particle was given, and no joint leads to one.",
            "Give bodies, particles, or joints between points of bodies.",
        )
    return grow(world, bodies, (*joints, *free_joints(world, bodies, joints)))


def require_name(name: Any) -> None:
    """Refuse a system whose name is no text."""
    if not is_name(name):
        raise ModelError(
            f"a system cannot be named {name!r}.",
            "Errors, ledgers and files call it by its name.",
            'Give it a short text, such as name="crane", or leave it out.',
        )


def list_members(word: str, given: Any) -> tuple[Any, ...]:
    """What a system was given under a word; one thing alone is no list."""
    if isinstance(given, Iterable) and not isinstance(given, str):
        return tuple(given)
    raise ModelError(
        f"the {word} of a system are a list, not {given!r}.",
        "A system may have none of them, one, or many.",
        f"Write {word}=[...], with brackets also round one.",
    )


def sort_members(members: Sequence[Any], others: Iterable[Frame] = ()) -> Sorted:
    """Members by kind, each once; refused if names or worlds are not clear."""
    joints = [member for member in members if isinstance(member, Joint)]
    for member in members:
        if not isinstance(member, Joint | Body | Particle | World):
            raise ModelError(
                f"a system cannot have {member!r} as a member.",
                "Its members are joints, bodies and particles.",
                "Give forces and springs as actions=[...], equations as"
                " constraints=[...].",
            )
    given = [m for m in members if isinstance(m, Body | Particle)]
    ends = [frame for j in joints for frame in (j.first.frame, j.second.frame)]
    owners = [_owner(frame, joints) for frame in ends]
    worlds = [o for o in owners if isinstance(o, World)]
    worlds += [m for m in members if isinstance(m, World)]
    worlds += [f.owner for f in others if isinstance(f.owner, World)]
    world = _one_world(worlds)
    found = [o for o in owners if isinstance(o, Body | Particle)]
    require_once("body", given)
    bodies = tuple(dict.fromkeys([*found, *given]))
    require_distinct("body", [world.name, *(body.name for body in bodies)])
    require_distinct("joint", [joint.name for joint in joints])
    return Sorted(world, bodies, tuple(joints))


def free_joints(
    world: World, bodies: Sequence[Member], joints: Sequence[Joint]
) -> list[Joint]:
    """Joints without restriction for what no joint connects to the world.

    Of bodies joined to each other, the first carries the rest.
    """
    found: list[Joint] = []
    connected = reached([world.frame], joints)
    taken = {joint.name for joint in joints}
    for body in bodies:
        if body.frame in connected:
            continue
        kind = Translation if isinstance(body, Particle) else Free
        name = body.name if body.name not in taken else f"{body.name} (free)"
        found.append(kind(name, world.origin, Point.origin(body.frame)))
        connected |= reached([body.frame], joints)
    return found


def require_distinct(kind: str, names: Sequence[str]) -> None:
    """Refuse two things of one kind with one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(
                f"two {_plural(kind)} are named {name!r}.",
                "States, reports and printed equations call each by its name.",
                f'Give each its own name, such as name="{name} 2".',
            )
        seen.add(name)


def require_once(kind: str, things: Sequence[Any]) -> None:
    """Refuse one thing that is given twice."""
    seen: set[int] = set()
    for thing in things:
        if id(thing) in seen:
            raise ModelError(
                f"{kind} {thing.name!r} is given twice.",
                "A system has each of its members once.",
                "Leave one out, or make another one with its own name.",
            )
        seen.add(id(thing))


def suggestion(name: str, known: Iterable[str]) -> str:
    """The repair of a misspelt name."""
    names = list(dict.fromkeys(known))  # a body and its joint may share one
    close = get_close_matches(name, names, n=1)
    listed = ", ".join(repr(each) for each in names) or "none"
    return (f"Did you mean {close[0]!r}? " if close else "") + f"There are: {listed}."


def _plural(kind: str) -> str:
    return "bodies" if kind == "body" else f"{kind}s"


def _owner(frame: Frame, joints: Sequence[Joint]) -> Any:
    if isinstance(frame.owner, Body | Particle | World):
        return frame.owner
    at = next(j for j in joints if frame in (j.first.frame, j.second.frame))
    raise ModelError(
        f"joint {at.name!r} leads to frame {frame.name!r}, which no body has.",
        "A joint joins two bodies, or a body and the world.",
        "Give a point of a body: body.point(x, y, z) or body.origin.",
    )


def _one_world(worlds: Sequence[World]) -> World:
    distinct = list(dict.fromkeys(worlds))
    if len(distinct) > 1:
        raise ModelError(
            f"a system has {len(distinct)} worlds.",
            "All bodies move before one observer whose axes do not turn.",
            "Make world = ph.World() once and use its points everywhere.",
        )
    return distinct[0] if distinct else World()
