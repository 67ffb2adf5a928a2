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
    Field,
    Value,
    is_one_of,
    shown,
)
from polhode.matter.axes import Z
from polhode.matter.quantities.direction import Direction

SIZES: dict[str, dict[str, Value]] = {
    "point": {},
    "sphere": {"radius": QUANTITY},
    "bowl": {"radius": NUMBER},
    "disc": {"radius": QUANTITY, "axis": DIRECTION},
    "ellipsoid": {"semi_axes": THREE},
}


def read_surface(scope: Scope, path: Way, value: Any) -> Any:
    """{ shape = "disc", centre = "wheel", radius = 0.3, axis = "Y" }"""
    shape = value.get("shape") if isinstance(value, dict) else None
    if not is_one_of(shape, SIZES):
        known = nearest(shape, SIZES)
        return scope.refuse(path, f"{shown(shape)} is no shape of a surface. {known}")
    values = {"shape": TEXT, "centre": POINT, **SIZES[shape]}
    found = read_table(scope, path, value, values, values)
    if isinstance(found, Bad):
        return INVALID
    del found["shape"]
    return scope.built(path, lambda: getattr(surfaces, shape)(**found))


def write_surface(ink: Writer, surface: Any, place: str) -> Any:
    """Its shape and its sizes."""
    if not surface.shape:
        return ink.lose(f"{place}: its surface is a function of Python")
    sizes = {
        name: SIZES[surface.shape][name].write(ink, size, place)
        for name, size in surface.sizes
    }
    centre = POINT.write(ink, surface.centre, place)
    return {"shape": surface.shape, "centre": centre, **sizes}


def read_ground(scope: Scope, path: Way, value: Any) -> Any:
    """A point of the plane, or a surface to roll on."""
    is_surface = isinstance(value, dict) and "shape" in value
    return (SURFACE if is_surface else POINT).read(scope, path, value)


def write_ground(ink: Writer, on: Any, place: str) -> Any:
    """A surface if it has a shape, else a point of a plane."""
    curved = isinstance(on, surfaces.Surface | surfaces.Track)
    return (SURFACE if curved else POINT).write(ink, on, place)


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
