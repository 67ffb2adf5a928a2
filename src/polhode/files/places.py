"""Where joints are: numbers by joint, and the section [locked] of those held."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.files.issues import Way, nearest
from polhode.files.scope import INVALID, Bad, Scope
from polhode.files.values import NUMBER, Value, shorten
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.translation import Translation
from polhode.system.locking import Locked, lock, unlock
from polhode.system.system import System


def written_place(joint: Joint, q: Any) -> Any:
    """Coordinates of a joint: a number, a list, or by name where quaternions are."""
    numbers = np.atleast_1d(q).tolist()
    if joint.coordinates != joint.speeds:
        tails = [suffix.lstrip(".") for suffix in joint.coordinate_suffixes]
        return dict(zip(tails, numbers, strict=True))
    return numbers[0] if len(numbers) == 1 else numbers


def release_joints(system: System) -> tuple[System, dict[str, Any]]:
    """The system with all joints free, and where `ph.lock` held those that were not."""
    held = [joint for joint in system.joints if isinstance(joint, Locked)]
    for joint in held:
        system = unlock(system, joint.name)
    freed = [joint.held for joint in held]
    places = {j.name: written_place(j.held, j.at) for j in held}
    return _without_made(system, freed), places


def _without_made(system: System, freed: list[Joint]) -> System:
    """The system without those joints that it makes itself, for bodies that are free.

    A lock had put them among its members, under the name of their body.
    """
    members, actions, constraints, supports = system.given
    bodies = {member.name for member in members if not isinstance(member, Joint)}
    made = [j for j in freed if isinstance(j, Free | Translation) and j.name in bodies]
    kept = [m for m in members if not any(m is joint for joint in made)]
    if not made:
        return system
    values = system.values
    given = (kept, actions, constraints, supports)
    return System(*given, name=system.name, values=values)


def read_locked(scope: Scope, system: Any, table: Any) -> Any:
    """The system with the joints of [locked] held where it says, or BAD."""
    places = JOINTS.read(scope, ("locked",), table)
    if isinstance(places, Bad):
        return INVALID
    known = [*scope.joints, *scope.bodies]
    if not isinstance(system, Bad):
        known = [joint.name for joint in system.joints]
    for name in places:
        if name not in known:
            text = f"there is no such joint. {nearest(name, known)}"
            system = scope.refuse(("locked", name), text)
    for name, at in places.items():
        if isinstance(system, Bad):
            return INVALID
        system = scope.built(("locked", name), _locking(system, name, at))
    return system


def _locking(system: System, name: str, at: Any) -> Any:
    return lambda: lock(system, name, at)


def _read_joints(scope: Scope, path: Way, value: Any) -> Any:
    if not isinstance(value, dict):
        return scope.refuse(path, f"{shorten(value)} is no table of joints.")
    found = {n: _read_numbers(scope, (*path, n), v) for n, v in value.items()}
    return INVALID if any(isinstance(v, Bad) for v in found.values()) else found


def _read_numbers(scope: Scope, path: Way, value: Any) -> Any:
    """A number, a list of them, or a table of them by name."""
    if isinstance(value, list):
        read = [NUMBER.read(scope, (*path, k), v) for k, v in enumerate(value)]
        return INVALID if any(isinstance(v, Bad) for v in read) else tuple(read)
    if isinstance(value, dict):
        named = {k: NUMBER.read(scope, (*path, k), v) for k, v in value.items()}
        return INVALID if any(isinstance(v, Bad) for v in named.values()) else named
    return NUMBER.read(scope, path, value)


JOINTS = Value(
    _read_joints,
    lambda writer, value, place: value,
    {"type": "object", "description": "by joint: rad, m; rad/s, m/s"},
)
