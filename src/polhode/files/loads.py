"""Values of actions: vectors with their axes, laws of friction, lists of masses.

A force of a user is three formulas of x, y, z, vx, vy, vz and t; a surface is one of x,
y, z.
"""

from __future__ import annotations

from typing import Any

from polhode.actions.contact.contact_laws import (
    Flores,
    Hertz,
    HuntCrossley,
    KelvinVoigt,
    LankaraniNikravesh,
)
from polhode.actions.contact.friction import Coulomb, Regularised, Viscous
from polhode.actions.contact.friction_laws import Anisotropic, Stribeck
from polhode.actions.force_law import ForceLaw
from polhode.actions.gravitation import PointMass
from polhode.actions.potentials.potential import PLACEMENT, Potential
from polhode.constraints.holonomic import PointOn
from polhode.errors import ModelError
from polhode.files.expression import names_in, parse
from polhode.files.issues import Way, nearest
from polhode.files.references import BODY, POINT
from polhode.files.scope import INVALID, Bad, Scope, Writer
from polhode.files.values import (
    DIRECTION,
    NUMBER,
    QUANTITY,
    TEXT,
    THREE_NUMBERS,
    Field,
    Value,
    each,
    formula,
    is_one_of,
    law_of,
    shorten,
    write_quantity,
)
from polhode.geometry.vector import Vector
from polhode.matter.parameter import Parameter

LAWS: dict[str, Any] = {
    "coulomb": Coulomb,
    "viscous": Viscous,
    "regularised": Regularised,
    "stribeck": Stribeck,
    "anisotropic": Anisotropic,
}
NUMBERS: dict[str, tuple[str, ...]] = {
    "stribeck": ("dynamic", "static", "speed", "viscous"),
    "anisotropic": ("dynamic", "static"),
    "coulomb": ("dynamic", "static"),
    "viscous": ("damping",),
    "regularised": ("dynamic", "speed"),
}


# Laws of compliant contact: the noun, its numbers, and which of them it must have.
NOMINAL_RESTITUTION = ("stiffness", "exponent", "restitution", "at_speed")
CONTACT_LAWS: dict[str, Any] = {
    "hertz": Hertz,
    "hunt_crossley": HuntCrossley,
    "flores": Flores,
    "lankarani_nikravesh": LankaraniNikravesh,
    "kelvin_voigt": KelvinVoigt,
}
CONTACT_NUMBERS = {
    "hertz": ("stiffness",),
    "hunt_crossley": ("stiffness", "exponent", "damping", "restitution", "at_speed"),
    "flores": NOMINAL_RESTITUTION,
    "lankarani_nikravesh": NOMINAL_RESTITUTION,
    "kelvin_voigt": ("stiffness", "damping"),
}
REQUIRED = {
    **dict.fromkeys(CONTACT_LAWS, ("stiffness",)),
    "flores": ("stiffness", "restitution", "at_speed"),
    "lankarani_nikravesh": ("stiffness", "restitution", "at_speed"),
}


def read_table(
    scope: Scope, path: Way, value: Any, values: dict[str, Value], required: Any
) -> Any:
    """A small table whose keys have values of known kinds."""
    if not isinstance(value, dict):
        keys = ", ".join(values)
        return scope.refuse(path, f"{shorten(value)} is no table with {keys}.")
    found: dict[str, Any] = {}
    for key, entry in value.items():
        if scope.report.is_full:
            return INVALID
        if key not in values:
            scope.refuse((*path, key), f"unknown field. {nearest(key, values)}")
            continue
        found[key] = values[key].read(scope, (*path, key), entry)
    missing = [key for key in required if key not in value]
    for key in missing:
        scope.refuse(path, f"{key!r} is missing.")
    wrong = missing or any(isinstance(v, Bad) for v in found.values())
    return INVALID if wrong else found


def read_vector(scope: Scope, path: Way, value: Any) -> Any:
    """{ components = [0, 0, 1], axes = "world" }"""
    values = {"components": THREE_NUMBERS, "axes": BODY}
    found = read_table(scope, path, value, values, values)
    if isinstance(found, Bad):
        return INVALID
    return scope.built(path, lambda: Vector(found["components"], found["axes"]))


def write_vector(writer: Writer, vector: Vector, place: str) -> Any:
    """Components and the body whose axes they are along."""
    return {"components": vector.components.tolist(), "axes": vector.frame.name}


def read_friction(scope: Scope, path: Way, value: Any) -> Any:
    """{ kind = "coulomb", dynamic = 0.3, static = 0.4 }"""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not is_one_of(kind, LAWS):
        known = nearest(kind, LAWS)
        return scope.refuse(path, f"{shorten(kind)} is no kind of friction. {known}")
    values = dict.fromkeys(NUMBERS[kind], QUANTITY) | {"kind": TEXT, "name": TEXT}
    if kind == "anisotropic":
        values |= dict.fromkeys(NUMBERS[kind], each(QUANTITY))
        values |= {"axis": DIRECTION, "of": TEXT}
    optional = ("viscous",) if kind == "stribeck" else ("static",)
    required = [key for key in NUMBERS[kind] if key not in optional]
    found = read_table(scope, path, value, values, required)
    if isinstance(found, Bad):
        return INVALID
    del found["kind"]
    return scope.built(path, lambda: LAWS[kind](**found))


def write_friction(writer: Writer, law: Any, place: str) -> Any:
    """The numbers of a law that files know."""
    noun: Any
    for kind, noun in LAWS.items():
        if isinstance(law, noun):
            names = NUMBERS[kind]
            if isinstance(law, Anisotropic):
                return {"kind": kind, **_written_pairs(writer, law), "name": law.name}
            own = {
                n: write_quantity(writer, getattr(law, n), f"{law.name}.{n}")
                for n in names
            }
            return {"kind": kind, **own, "name": law.name}
    return writer.lose(f"{place}: its law of friction is of Python")


def _written_pairs(writer: Writer, law: Anisotropic) -> dict[str, Any]:
    found: dict[str, Any] = {
        word: [
            write_quantity(writer, x, f"{law.name}.{word}.{where}")
            for where, x in zip(("along", "across"), getattr(law, word), strict=True)
        ]
        for word in ("dynamic", "static")
    }
    return found | {"axis": law.axis.tolist(), "of": law.of}


def read_contact_law(scope: Scope, path: Way, value: Any) -> Any:
    """{ kind = "hunt_crossley", stiffness = 1e6, restitution = 0.5, at_speed = 1 }"""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not is_one_of(kind, CONTACT_LAWS):
        known = nearest(kind, CONTACT_LAWS)
        return scope.refuse(path, f"{shorten(kind)} is no law of contact. {known}")
    values = dict.fromkeys(CONTACT_NUMBERS[kind], QUANTITY)
    values |= {"kind": TEXT, "name": TEXT}
    if "exponent" in values:
        values["exponent"] = NUMBER
    found = read_table(scope, path, value, values, REQUIRED[kind])
    if isinstance(found, Bad):
        return INVALID
    del found["kind"]
    return scope.built(path, lambda: CONTACT_LAWS[kind](**found))


def write_contact_law(writer: Writer, law: Any, place: str) -> Any:
    """The numbers of a law of contact that files know."""
    for kind, noun in CONTACT_LAWS.items():
        if isinstance(law, noun):
            given = {n: getattr(law, n) for n in CONTACT_NUMBERS[kind]}
            if given.get("restitution") is not None:
                given.pop("damping", None)  # it follows
            own = {
                n: write_quantity(writer, value, f"{law.name}.{n}")
                for n, value in given.items()
                if value is not None
            }
            return {"kind": kind, **own, "name": law.name}
    return writer.lose(f"{place}: its law of contact is of Python")


def read_mass(scope: Scope, path: Way, value: Any) -> Any:
    """{ body = "earth" }, or { point = "earth", mass = 5.97e24 }."""
    values = {"body": TEXT, "point": POINT, "mass": QUANTITY, "name": TEXT}
    of_body = isinstance(value, dict) and "body" in value
    found = read_table(
        scope, path, value, values, ("body",) if of_body else ("point", "mass")
    )
    if isinstance(found, Bad):
        return INVALID
    if not of_body:
        return scope.built(path, lambda: PointMass(**found))
    body = BODY.read(scope, (*path, "body"), found["body"])
    if isinstance(body, Bad) or not hasattr(body.owner, "moments"):
        known = nearest(found["body"], scope.bodies)
        return scope.refuse(path, f"{found['body']!r} has no mass. {known}")
    return scope.built(path, lambda: PointMass.of(body.owner))


def write_mass(writer: Writer, mass: PointMass, place: str) -> Any:
    """A body where it has all the mass of one; else a point and its mass."""
    owner: Any = mass.point.frame.owner
    amount: Any = mass.mass
    whole = isinstance(amount, Parameter) and amount.law is not None
    if whole and amount.name == f"{owner.name}.mass":
        return {"body": owner.name}
    return {
        "point": POINT.write(writer, mass.point, place),
        "mass": write_quantity(writer, amount, f"{mass.name}.mass"),
        "name": mass.name,
    }


VECTOR = Value(read_vector, write_vector, {"type": "object"})
CONTACT_LAW = Value(read_contact_law, write_contact_law, {"type": "object"})
FRICTION_LAW = Value(read_friction, write_friction, {"type": "object"})
MASSES = each(Value(read_mass, write_mass, {"type": "object"}))


PLACE = ("x", "y", "z")
MOTION = (*PLACE, "vx", "vy", "vz", "t")
_THREE = each(law_of(*MOTION), 3)


def _write_force(writer: Writer, law: Any, place: str) -> Any:
    if callable(law):
        return writer.lose(f"{place}: its law is a function of Python")
    write = formula(*MOTION).write
    texts = [write(writer, part, place) for part in law]
    return None if None in texts else texts


def _read_energy(scope: Scope, path: Way, value: Any) -> Any:
    """A formula of the place of the second body, or of its rotation, too."""
    try:
        used = set(names_in(parse(value))) if isinstance(value, str) else set()
    except ModelError:
        used = set()  # its error is told below
    turns = used & set(PLACEMENT[len(PLACE) :])
    return law_of(*(PLACEMENT if turns else PLACE)).read(scope, path, value)


def _write_energy(writer: Writer, law: Any, place: str) -> Any:
    count = len(getattr(law, "of", PLACE))
    return formula(*PLACEMENT[:count]).write(writer, law, place)


FORCE = Value(_THREE.read, _write_force, _THREE.schema)
ENERGY = Value(_read_energy, _write_energy, QUANTITY.schema)
LAW_ACTIONS: tuple[tuple[str, type, tuple[Field, ...]], ...] = (
    (
        "force_law",
        ForceLaw,
        (
            Field("on", POINT, "where it acts"),
            Field("by", BODY, "what exerts it; places are seen from it"),
            Field("law", FORCE, "N; of x, y, z, vx, vy, vz and t"),
        ),
    ),
    (
        "potential",
        Potential,
        (
            Field("bodies", each(BODY, 2), "what pulls, and what is pulled"),
            Field("law", ENERGY, "J; of x, y, z of the second and R_11 to R_33"),
        ),
    ),
)
LAW_CONSTRAINTS: tuple[tuple[str, type, tuple[Field, ...]], ...] = (
    (
        "point_on",
        PointOn,
        (
            Field("point", POINT),
            Field("of", BODY, "what has the surface"),
            Field("law", law_of(*PLACE), "zero on the surface; of x, y, z"),
        ),
    ),
)
