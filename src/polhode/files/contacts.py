"""Contacts in files: a surface of a body that rolls on a plane or another surface."""

from __future__ import annotations

from typing import Any

from polhode.constraints import surfaces
from polhode.constraints.rolling import AnyContact, NoSlip, Touching
from polhode.constraints.rolling import rolling as both
from polhode.files.issues import Way, nearest
from polhode.files.loads import read_table
from polhode.files.references import POINT
from polhode.files.scope import INVALID, Bad, Scope, Writer
from polhode.files.values import (
    DIRECTION,
    NUMBER,
    QUANTITY,
    TEXT,
    THREE,
    THREE_NUMBERS,
    Field,
    Value,
    each,
    formula,
    is_one_of,
    shorten,
    write_quantity,
)
from polhode.matter.axes import Z
from polhode.matter.quantities.direction import Direction
from polhode.supports.restitution import Newton, Poisson, Stronge

SIZES: dict[str, dict[str, Value]] = {
    "point": {},
    "sphere": {"radius": QUANTITY},
    "bowl": {"radius": NUMBER},
    "disc": {"radius": QUANTITY, "axis": DIRECTION},
    "ellipsoid": {"semi_axes": THREE},
    "box": {"sides": THREE_NUMBERS},
    "hull": {"corners": each(THREE_NUMBERS)},
    "capsule": {"radius": NUMBER, "length": NUMBER, "axis": DIRECTION},
    "cylinder": {"radius": NUMBER, "length": NUMBER, "axis": DIRECTION},
}
# Laws of restitution; a bare number is the first's.
RESTITUTIONS: dict[str, Any] = {
    "stronge": Stronge,
    "poisson": Poisson,
    "newton": Newton,
}


def read_surface(scope: Scope, path: Way, value: Any) -> Any:
    """{ shape = "disc", centre = "wheel", radius = 0.3, axis = "Y" }"""
    shape = value.get("shape") if isinstance(value, dict) else None
    if not is_one_of(shape, SIZES):
        known = nearest(shape, SIZES)
        return scope.refuse(path, f"{shorten(shape)} is no shape of a surface. {known}")
    values = {"shape": TEXT, "centre": POINT, **SIZES[shape]}
    found = read_table(scope, path, value, values, values)
    if isinstance(found, Bad):
        return INVALID
    del found["shape"]
    return scope.built(path, lambda: getattr(surfaces, shape)(**found))


def write_surface(writer: Writer, surface: Any, place: str) -> Any:
    """Its shape and its sizes."""
    if not surface.shape:
        return writer.lose(f"{place}: its surface is a function of Python")
    sizes = {
        name: SIZES[surface.shape][name].write(writer, size, place)
        for name, size in surface.sizes
    }
    centre = POINT.write(writer, surface.centre, place)
    return {"shape": surface.shape, "centre": centre, **sizes}


def read_ground(scope: Scope, path: Way, value: Any) -> Any:
    """A point of the plane, or a surface to roll on."""
    is_surface = isinstance(value, dict) and "shape" in value
    return (SURFACE if is_surface else POINT).read(scope, path, value)


def write_ground(writer: Writer, on: Any, place: str) -> Any:
    """A surface if it has a shape, else a point of a plane."""
    curved = isinstance(on, surfaces.Surface | surfaces.Track | surfaces.Corners)
    return (SURFACE if curved else POINT).write(writer, on, place)


def read_restitution(scope: Scope, path: Way, value: Any) -> Any:
    """0.5, or { kind = "newton", restitution = 0.5 }"""
    if not isinstance(value, dict):
        return QUANTITY.read(scope, path, value)
    kind = value.get("kind")
    if not is_one_of(kind, RESTITUTIONS):
        known = nearest(kind, RESTITUTIONS)
        return scope.refuse(path, f"{shorten(kind)} is no law of restitution. {known}")
    values = {"kind": TEXT, "restitution": QUANTITY}
    found = read_table(scope, path, value, values, values)
    if isinstance(found, Bad):
        return INVALID
    return scope.built(path, lambda: RESTITUTIONS[kind](found["restitution"]))


def write_restitution(writer: Writer, given: Any, place: str) -> Any:
    """A bare number for Stronge's law, a table for another."""
    for kind, noun in RESTITUTIONS.items():
        if isinstance(given, noun):
            e = write_quantity(writer, given.restitution, place)
            return e if noun is Stronge else {"kind": kind, "restitution": e}
    return write_quantity(writer, given, place)


def write_belt(writer: Writer, belt: Any, place: str) -> Any:
    """[2.0, 0, "0.1 * sin(3 * t)"]: its entries where they are numbers and formulas."""
    if belt.entries is None:
        return writer.lose(f"{place}: its velocity is a function of Python")
    pairs = zip("xyz", belt.entries, strict=True)
    return [SPEED.write(writer, entry, f"{place}.{axis}") for axis, entry in pairs]


def rolling(name: str, **given: Any) -> tuple[Any, ...]:
    """Both constraints of pure rolling."""
    return both(name=name, **given)


def touching(name: str, **given: Any) -> tuple[Any, ...]:
    """The surface stays on the plane; it may slip."""
    return (Touching(both(name=name, **given)[0].contact, name=name),)


def no_slip(name: str, **given: Any) -> tuple[Any, ...]:
    """Material points at the contact move alike."""
    return (NoSlip(both(name=name, **given)[1].contact, name=name),)


def normal_of(contact: AnyContact) -> Any:
    """The normal of the plane that a contact is with."""
    axes = contact.axes
    return axes if isinstance(axes, Direction) else axes[:, 2]


SURFACE = Value(read_surface, write_surface, {"type": "object"})
GROUND = Value(read_ground, write_ground, {"anyOf": [POINT.schema, {"type": "object"}]})
CONTACT_FIELDS = (
    Field("surface", SURFACE, "what rolls"),
    Field("on", GROUND, "a point of the plane, or a surface"),
    Field("normal", DIRECTION, "of the plane, towards what rolls", Z),
)
SPEED = formula("t")
BELT = Value(each(SPEED, 3).read, write_belt, each(SPEED, 3).schema)
RESTITUTION = Value(
    read_restitution,
    write_restitution,
    {"anyOf": [QUANTITY.schema, {"type": "object"}]},
)
