"""From a system to the tables of its model file, and what a file cannot say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from polhode.constraints.loop import Loop
from polhode.constraints.rolling import NoSlip, Touching
from polhode.files.contacts import CONTACT_FIELDS, normal_of
from polhode.files.expression import Formula
from polhode.files.kinds import ACTIONS, CONSTRAINTS, JOINTS, SUPPORTS, Kind
from polhode.files.loads import FORCE
from polhode.files.matter import write_matter
from polhode.files.places import release_joints
from polhode.files.reading import VERSION
from polhode.files.scope import Writer
from polhode.files.values import Field, write_quantity
from polhode.joints.joint import Joint
from polhode.matter.particle import Particle
from polhode.system.system import System


def write_system(system: System) -> tuple[dict[str, Any], list[str]]:
    """The document of a system, and in words what of it a file cannot say."""
    system, locked = release_joints(system)
    writer = Writer(system.tree.world.name)
    given = system.given
    joints = [m for m in given.members if isinstance(m, Joint)]
    bodies = {body.name: _body(writer, body) for body in system.bodies}
    document: dict[str, Any] = {"polhode": VERSION, "name": system.name}
    sections = {
        "joints": {j.name: _thing(writer, j, JOINTS) for j in joints},
        "actions": {a.name: _thing(writer, a, ACTIONS) for a in given.actions},
        "constraints": _constraints(writer, given.constraints),
        "supports": {s.name: _thing(writer, s, SUPPORTS) for s in given.supports},
    }
    order = [member.name for member in given.members if member.name != writer.world]
    if order != [*sections["joints"], *(b for b in bodies if b in order)]:
        document["members"] = order
    if writer.parameters:
        document["parameters"] = writer.parameters
    if system.values:
        document["values"] = {n: float(v) for n, v in system.values.items()}
    for name, points in writer.points.items():
        if name in bodies:
            bodies[name]["points"] = points
    world: dict[str, Any] = {} if writer.world == "world" else {"name": writer.world}
    world |= {"points": p} if (p := writer.points.get(writer.world)) else {}
    document |= {"world": world} if world else {}
    document["bodies"] = bodies
    sections |= {"locked": locked}
    return document | {k: v for k, v in sections.items() if v}, writer.lost


def _body(writer: Writer, body: Any) -> dict[str, Any]:
    if isinstance(body, Particle):
        mass = write_quantity(writer, body.quantity, f"{body.name}.mass")
        return {"kind": "particle", "mass": mass}
    return write_matter(writer, body.matter, body.name)


def _thing(writer: Writer, thing: Any, kinds: dict[str, Kind]) -> dict[str, Any]:
    """A joint, an action, a constraint or a support by its kind and its fields."""
    for kind in kinds.values():
        if type(thing) is kind.noun:
            return {"kind": kind.word, **_fields(writer, thing, kind.fields)}
    writer.lose(f"{thing.name!r}: {type(thing).__name__} is a law of Python")
    return {}


def _fields(writer: Writer, thing: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
    found = {}
    for field in fields:
        value = getattr(thing, field.name)
        if isinstance(value, Formula) and hasattr(thing, "constants"):
            value = replace(value, constants=thing.constants)
        if field.value is FORCE and isinstance(value, tuple):
            value = [
                replace(p, constants={k: thing.constants[k] for k in p.constants})
                for p in value
            ]
        if value is None or _is_default(value, field):
            continue
        text = field.value.write(writer, value, f"{thing.name}.{field.name}")
        if text is not None:
            found[field.name] = text
    return found


def _is_default(value: Any, field: Field) -> bool:
    """Whether leaving a field out says the same."""
    if field.name in ("first_axes", "second_axes"):
        return np.array_equal(value, np.eye(3))
    if field.is_required or field.default is None:
        return False
    entries = value if isinstance(value, tuple) else (value,)
    plain = [e for e in entries if not isinstance(e, bool | float | int)]
    if plain:
        return value is field.default
    if np.ndim(field.default):
        return np.array_equal(entries, field.default)
    return all(entry == field.default for entry in entries)


def _constraints(writer: Writer, given: tuple[Any, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    known = list(given)
    while known:
        thing = known.pop(0)
        partner: Any = known[0] if known else None
        if isinstance(thing, Loop):
            found[thing.name] = _thing(writer, thing.joint, JOINTS)
        elif _is_pair(thing, partner):
            known.pop(0)
            found[partner.name] = _contact(writer, "rolling", partner)
        elif isinstance(thing, Touching | NoSlip):
            word = "touching" if isinstance(thing, Touching) else "no_slip"
            found[thing.name] = _contact(writer, word, thing)
        else:
            found[thing.name] = _thing(writer, thing, CONSTRAINTS)
    return found


def _is_pair(one: Any, other: Any) -> bool:
    """Whether two constraints are those of one rolling."""
    both = isinstance(one, Touching) and isinstance(other, NoSlip)
    return both and (
        one.contact is other.contact and one.name == f"{other.name} contact"
    )


def _contact(writer: Writer, word: str, thing: Any) -> dict[str, Any]:
    contact, place = thing.contact, thing.name
    values = (contact.surface, contact.on, normal_of(contact))
    texts = {
        field.name: field.value.write(writer, value, place)
        for field, value in zip(CONTACT_FIELDS, values, strict=True)
    }
    if texts["normal"] == "Z":
        del texts["normal"]
    return {"kind": word, **texts}
