"""Values that refer to things by name: bodies, their points, joints, constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.files.issues import Way, nearest
from polhode.files.scope import INVALID, Bad, Scope, Writer
from polhode.files.values import TEXT, THREE, THREE_NUMBERS, Value, shorten
from polhode.geometry.point import Point
from polhode.joints.joint import Joint
from polhode.matter.parameter import Parameter, at
from polhode.matter.particle import Particle


def read_body(scope: Scope, path: Way, value: Any) -> Any:
    """A body, a particle or the world by name, as its frame."""
    found = _owner(scope, path, value)
    return found if isinstance(found, Bad) else found.frame


def read_point(scope: Scope, path: Way, value: Any) -> Any:
    """ "rod", "rod.tip", "rod.mass_centre", or { body = "rod", at = [0, 0, 0.4] }."""
    if isinstance(value, dict):
        return _read_place(scope, path, value)
    if not isinstance(value, str):
        text = f'{shorten(value)} is no point: give "body", "body.point" or a table.'
        return scope.refuse(path, text)
    if value in scope.bodies:
        return _origin(scope.bodies[value])
    name, _, tail = value.rpartition(".")
    if (name, tail) in scope.points:
        return scope.points[name, tail]
    if name not in scope.bodies:
        known = nearest(name or value, scope.bodies)
        return scope.refuse(path, f"there is no body {name or value!r}. {known}")
    body = scope.bodies[name]
    if isinstance(body, Bad):
        return INVALID
    if tail == "origin":
        return _origin(body)
    if tail == "mass_centre" and hasattr(body, "mass_centre"):
        return body.mass_centre
    own = ["origin", "mass_centre", *(p for b, p in scope.points if b == name)]
    return scope.refuse(path, f"{name!r} has no point {tail!r}. {nearest(tail, own)}")


def write_point(writer: Writer, point: Any, place: str) -> Any:
    """The shortest words for a point of a body."""
    body = point.frame.name
    if isinstance(point, Point):
        fixed = np.asarray(point.coordinates).tolist()
        return {"body": body, "fixed": fixed} if any(fixed) else body
    if not point.entries and isinstance(point.frame.owner, Particle):
        return body
    if not point.entries:
        if point.name == "mass centre":
            return f"{body}.mass_centre"
        return writer.lose(f"{place}: a point of {body!r} follows by a law of Python")
    shorts = ", ".join(_short(body, entry) for entry in point.entries)
    label = point.name or f"point({shorts})"
    entries = [
        writer.quantity(entry, f"{body}.{label}.{axis}", f"a point of {body}")
        for entry, axis in zip(point.entries, "xyz", strict=True)
    ]
    if not point.name:
        return {"body": body, "at": entries}
    known = writer.points.setdefault(body, {})
    if "." not in point.name and known.setdefault(point.name, entries) == entries:
        return f"{body}.{point.name}"
    return {"body": body, "at": entries, "name": point.name}


def _short(body: str, entry: Any) -> str:
    """An entry as it stands in the name of an unnamed point."""
    own = f"{body}.point("
    is_named = isinstance(entry, Parameter) and not entry.name.startswith(own)
    return entry.name if is_named else f"{at(entry):g}"


def _read_place(scope: Scope, path: Way, value: dict[str, Any]) -> Any:
    for key in value:
        if key not in ("body", "at", "fixed", "name"):
            known = nearest(key, ("body", "at", "fixed", "name"))
            scope.refuse((*path, key), f"unknown field. {known}")
    owner = _owner(scope, (*path, "body"), value.get("body"))
    if "fixed" in value:
        fixed = THREE_NUMBERS.read(scope, (*path, "fixed"), value["fixed"])
        return (
            INVALID
            if isinstance(owner, Bad) or isinstance(fixed, Bad)
            else Point(owner.frame, fixed)
        )
    entries = THREE.read(scope, (*path, "at"), value.get("at"))
    name = TEXT.read(scope, (*path, "name"), value.get("name", ""))
    if any(isinstance(part, Bad) for part in (owner, entries, name)):
        return INVALID
    return scope.built(path, lambda: owner.point(*entries, name))


def _owner(scope: Scope, path: Way, value: Any) -> Any:
    if not isinstance(value, str) or value not in scope.bodies:
        known = nearest(value, scope.bodies)
        return scope.refuse(path, f"there is no body {shorten(value)}. {known}")
    return scope.bodies[value]


def _origin(body: Any) -> Any:
    if isinstance(body, Bad):
        return INVALID
    return body.mass_centre if isinstance(body, Particle) else body.origin


def read_joint(scope: Scope, path: Way, value: Any) -> Any:
    """A joint by its name."""
    if isinstance(value, str) and value in scope.joints:
        return scope.joints[value]
    known = nearest(value, scope.joints)
    return scope.refuse(path, f"there is no joint {shorten(value)}. {known}")


def write_joint(writer: Writer, joint: Joint, place: str) -> str:
    """Its name."""
    return joint.name


def read_constraint(scope: Scope, path: Way, value: Any) -> Any:
    """A constraint by its name; of a rolling, "name" and "name contact"."""
    if isinstance(value, str) and value in scope.constraints:
        return scope.constraints[value]
    known = nearest(value, scope.constraints)
    return scope.refuse(path, f"there is no constraint {shorten(value)}. {known}")


def write_constraint(writer: Writer, constraint: Any, place: str) -> str:
    """Its name."""
    return str(constraint.name)


def read_support(scope: Scope, path: Way, value: Any) -> Any:
    """A support by its name, of those above."""
    if isinstance(value, str) and value in scope.supports:
        return scope.supports[value]
    known = nearest(value, scope.supports)
    return scope.refuse(path, f"there is no support {shorten(value)} above. {known}")


BODY = Value(read_body, lambda writer, frame, place: frame.name, {"type": "string"})
POINT = Value(
    read_point,
    write_point,
    {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "body": {"type": "string"},
                    "at": THREE.schema,
                    "fixed": THREE_NUMBERS.schema,
                    "name": {"type": "string"},
                },
                "required": ["body"],
                "additionalProperties": False,
            },
        ]
    },
)
JOINT = Value(read_joint, write_joint, {"type": "string"})
CONSTRAINT = Value(read_constraint, write_constraint, {"type": "string"})
SUPPORT = Value(read_support, write_constraint, {"type": "string"})
