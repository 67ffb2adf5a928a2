"""From the tables of a model file to the nouns of a system, all errors noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from polhode.dimension import has_unit
from polhode.files.issues import Way, nearest
from polhode.files.kinds import ACTIONS, CONSTRAINTS, JOINTS, SUPPORTS, Kind
from polhode.files.loads import read_table
from polhode.files.matter import read_fluid, read_matter
from polhode.files.scope import INVALID, Bad, Scope
from polhode.files.values import (
    QUANTITY,
    TEXT,
    THREE,
    is_one_of,
    read_number,
    shorten,
)
from polhode.matter.parameter import Parameter
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body
from polhode.matter.world import World
from polhode.system.system import System

VERSION = 1
SECTIONS = (
    "polhode",
    "name",
    "members",
    "world",
    "parameters",
    "values",
    "bodies",
    "joints",
    "actions",
    "constraints",
    "supports",
    "start",
    "run",
    "sweep",
    "optimise",
    "campbell",
    "section",
    "locked",
)


def read_system(scope: Scope, document: dict[str, Any]) -> Any:
    """The system of a document, or BAD; every error goes into the report."""
    _require_sections(scope, document)
    _read_parameters(scope, _section(scope, document, "parameters"))
    _read_world(scope, _section(scope, document, "world"))
    for name, table in _while_telling(scope, _section(scope, document, "bodies")):
        scope.bodies[name] = _read_body(scope, ("bodies", name), name, table)
    for name, table in _while_telling(scope, _section(scope, document, "joints")):
        scope.joints[name] = read_kind(scope, ("joints", name), JOINTS, table)
    both = CONSTRAINTS | JOINTS
    constraints = _read_all(scope, document, "constraints", both)
    _name_constraints(scope, document.get("constraints"), constraints)
    actions = _read_all(scope, document, "actions", ACTIONS)
    for name, table in _while_telling(scope, _section(scope, document, "supports")):
        path = ("supports", name)
        scope.supports[name] = read_kind(scope, path, SUPPORTS, table)
    supports = list(scope.supports.values())
    values = _read_values(scope, _section(scope, document, "values"))
    members = _members(scope, document)
    name = TEXT.read(scope, ("name",), document.get("name", "system"))
    parts: list[Any] = [*members, *actions, *constraints, *supports, values, name]
    if scope.report.issues or any(isinstance(part, Bad) for part in parts):
        return INVALID
    rows = [row for c in constraints for row in (c if isinstance(c, tuple) else (c,))]
    return scope.built(
        (), lambda: System(members, actions, rows, supports, name=name, values=values)
    )


def read_kind(scope: Scope, path: Way, kinds: dict[str, Kind], table: Any) -> Any:
    """One joint, action, constraint or support by its table."""
    if not isinstance(table, dict):
        return scope.refuse(path, f"{shorten(table)} is no table.")
    word = table.get("kind")
    if not is_one_of(word, kinds):
        what = f"kind {shorten(word)} is not known" if word else "'kind' is missing"
        scope.refuse((*path, "kind"), f"{what}. {nearest(word, kinds)}")
        return _read_common(scope, path, kinds, table)
    kind = kinds[word]
    values = {"kind": TEXT, **{field.name: field.value for field in kind.fields}}
    required = [field.name for field in kind.fields if field.is_required]
    found = read_table(scope, path, table, values, required)
    if isinstance(found, Bad):
        return INVALID
    del found["kind"]
    return scope.built(path, lambda: kind.built(str(path[-1]), found))


def _read_common(scope: Scope, path: Way, kinds: dict[str, Kind], table: Any) -> Bad:
    """Of an unknown kind the fields that all kinds have: errors in them are told."""
    fields = [{field.name: field.value for field in k.fields} for k in kinds.values()]
    common = set.intersection(*map(set, fields)) & set(table)
    values = {name: fields[0][name] for name in common}
    read_table(scope, path, {name: table[name] for name in values}, values, ())
    return INVALID


def _read_all(
    scope: Scope, document: dict[str, Any], word: str, kinds: dict[str, Kind]
) -> list[Any]:
    tables = _while_telling(scope, _section(scope, document, word))
    return [read_kind(scope, (word, n), kinds, table) for n, table in tables]


def _name_constraints(scope: Scope, tables: Any, found: list[Any]) -> None:
    """What was found, and each part of it, by name: friction refers to them."""
    names = tables if isinstance(tables, dict) else ()
    for name, each in zip(names, found, strict=False):
        scope.constraints[name] = INVALID
        for part in each if isinstance(each, tuple) else (each,):
            if not isinstance(part, Bad):
                scope.constraints[part.name] = part


def _while_telling(scope: Scope, tables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tables of a section by name, until enough is wrong."""
    for name, table in tables.items():
        if scope.report.is_full:
            return
        yield name, table


def _require_sections(scope: Scope, document: dict[str, Any]) -> None:
    for key in document:
        if scope.report.is_full:
            return
        if key not in SECTIONS:
            scope.refuse((key,), f"unknown section. {nearest(key, SECTIONS)}")
    version = document.get("polhode")
    if version != VERSION:
        text = f"the first line must be 'polhode = {VERSION}', the version of the form"
        scope.refuse(("polhode",), f"{text}; it is {shorten(version)}.")


def _section(scope: Scope, document: dict[str, Any], word: str) -> dict[str, Any]:
    table = document.get(word, {})
    if isinstance(table, dict):
        return table
    scope.refuse((word,), f"{shorten(table)} is no table: write [{word}] above it.")
    return {}


def _read_parameters(scope: Scope, table: dict[str, Any]) -> None:
    for name, value in _while_telling(scope, table):
        path = ("parameters", name)
        number = value if has_unit(value) else read_number(scope, path, value)
        if not isinstance(number, Bad):
            made = scope.built(path, _parameter(name, number))
            if not isinstance(made, Bad):
                scope.parameters[name] = made


def _parameter(name: str, value: float | str) -> Callable[[], Parameter]:
    return lambda: Parameter(name, value)


def _read_values(scope: Scope, table: dict[str, Any]) -> Any:
    found = {n: read_number(scope, ("values", n), v) for n, v in table.items()}
    return INVALID if any(isinstance(v, Bad) for v in found.values()) else found


def _read_world(scope: Scope, table: dict[str, Any]) -> None:
    name = table.get("name", "world")
    world = World(name if isinstance(name, str) else "world")  # refused below
    scope.bodies[world.name] = world
    values = {"name": TEXT, "points": _ANY}
    read_table(scope, ("world",), table, values, ())
    _read_points(scope, ("world", "points"), world, table.get("points", {}))


def _read_body(scope: Scope, path: Way, name: str, table: Any) -> Any:
    if not isinstance(table, dict):
        return scope.refuse(path, f"{shorten(table)} is no table of a body.")
    if name in scope.bodies:
        return scope.refuse(path, f"there is a body {name!r} already: the world.")
    if table.get("kind") == "particle":
        values = {"kind": TEXT, "mass": QUANTITY}
        own = {k: v for k, v in table.items() if k != "points"}
        found = read_table(scope, path, own, values, ("mass",))
        if isinstance(found, Bad):
            return INVALID
        body = scope.built(path, lambda: Particle(name, found["mass"]))
    else:
        own = {k: v for k, v in table.items() if k not in ("points", "fluid")}
        matter = read_matter(scope, path, own)
        if "fluid" in table:
            matter = read_fluid(scope, (*path, "fluid"), matter, table["fluid"])
        if isinstance(matter, Bad):
            return INVALID
        body = scope.built(path, lambda: Body(name, matter))
    if not isinstance(body, Bad):
        _read_points(scope, (*path, "points"), body, table.get("points", {}))
    return body


def _read_points(scope: Scope, path: Way, body: Any, table: Any) -> None:
    if not isinstance(table, dict):
        scope.refuse(path, f"{shorten(table)} is no table of points.")
        return
    for name, entries in table.items():
        three = THREE.read(scope, (*path, name), entries)
        point = INVALID
        if not isinstance(three, Bad):
            point = scope.built((*path, name), _point(body, three, name))
        scope.points[body.name, name] = point


def _point(body: Any, three: Any, name: str) -> Callable[[], Any]:
    return lambda: body.point(*three, name)


def _members(scope: Scope, document: dict[str, Any]) -> list[Any]:
    """Joints in their order, then bodies; or in the order that `members` tells."""
    world = next(iter(scope.bodies))
    things = {**scope.bodies, **scope.joints}
    order: Iterable[Any] = (*scope.joints, *(b for b in scope.bodies if b != world))
    if "members" in document:
        names = document["members"]
        if not isinstance(names, list):
            return [
                scope.refuse(("members",), f"{shorten(names)} is no list of names.")
            ]
        order = names
    found: list[Any] = []
    for k, name in enumerate(order):
        if not isinstance(name, str) or name not in things:
            text = f"there is no joint or body {shorten(name)}. {nearest(name, things)}"
            found.append(scope.refuse(("members", k), text))
        else:
            found.append(scope.joints.get(name, scope.bodies.get(name)))
    return found


_ANY = type(TEXT)(
    lambda scope, path, value: value, lambda writer, value, place: value, {}
)
