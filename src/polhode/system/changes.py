"""Parts of a system by name, and systems with more or fewer parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from polhode.actions.weight import Weight
from polhode.constraints.loop import Loop
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.system.gather import driven_joints
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.system import Given, System


def parts_of(system: System) -> dict[str, Any]:
    """Everything that has a name in a system; a body before a joint of its name."""
    lists = (
        system.supports,
        system.constraints,
        system.actions,
        system.joints,
        system.bodies,
    )
    return {part.name: part for parts in lists for part in parts}


def part_of(system: System, name: Any) -> Any:
    """The body, joint, action, constraint or support of a name."""
    parts = parts_of(system)
    if isinstance(name, str) and name in parts:
        return parts[name]
    raise ModelError(
        f"{system.name!r} has no part {name!r}.",
        "Its bodies, joints, actions, constraints and supports are found by name.",
        suggestion(str(name), parts),
    )


def given_without(system: System, names: tuple[str, ...]) -> Given:
    """What is left of what a system was given, some parts of it taken away.

    With a body goes what it carries, and what acts on or between what has gone. With a
    joint go laws along it; the body that it carried stays, and moves freely.
    """
    if not names:
        raise ModelError(
            f"nothing was named to be taken from {system.name!r}.",
            "A system without nothing is itself.",
            'Give names: system.without("finger").',
        )
    parts = [part_of(system, name) for name in names]
    gone = _with_successors([p for p in parts if hasattr(p, "frame")], system)
    frames = {body.frame for body in gone}
    lone = [p for p in parts if isinstance(p, Joint)]

    def stays(part: Any) -> bool:
        if part.name in names:
            return False
        if isinstance(part, Joint):
            ends = (part.first.frame, part.second.frame)
            return not frames.intersection(ends) and part not in lone
        return not _uses(part, frames, lone)

    given = system.given
    members = [m for m in given.members if m not in gone and stays(m)]
    kept = {body for body in system.bodies if body not in gone}
    led = {m for m in members if not isinstance(m, Joint)}
    # Bodies that no joint that stays leads to move freely: they are members now.
    for joint in members:
        if isinstance(joint, Joint):
            led |= {joint.first.frame.owner, joint.second.frame.owner}
    members += [body for body in system.bodies if body in kept and body not in led]
    return given._replace(
        members=tuple(members),
        actions=tuple(a for a in given.actions if stays(a)),
        constraints=tuple(c for c in given.constraints if stays(c)),
        supports=tuple(s for s in given.supports if stays(s)),
    )


def _with_successors(bodies: Iterable[Any], system: System) -> list[Any]:
    """Some bodies, and all that hang on them."""
    gone = list(bodies)
    for edge in system.tree.edges:  # each after the one that carries it
        child = system.bodies[edge.child]
        parent = system.bodies[edge.parent] if edge.parent >= 0 else None
        if parent in gone and child not in gone:
            gone.append(child)
    return gone


def _uses(part: Any, frames: set[Frame], joints: list[Joint]) -> bool:
    """Whether an action, a constraint or a support is of something that goes."""
    if isinstance(part, Weight):
        return False
    own: Any = [part.joint] if isinstance(part, Loop) else driven_joints(part)
    own = [*own, *getattr(part, "joints", ())]
    ends = {end.frame for joint in own for end in (joint.first, joint.second)}
    gone = frames.intersection({*part.bodies, *ends})
    return bool(gone) or any(joint in joints for joint in own)
