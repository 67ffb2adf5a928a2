"""What model files say of spacecraft: air, ephemerides, magnetic fields, actions.

Air, ephemerides and fields are tables with a `kind`; air may be a law of height and t.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.actions.space.atmosphere import (
    EARTH_AIR,
    ExponentialAtmosphere,
    TableAtmosphere,
)
from polhode.actions.space.atmospheric_drag import AtmosphericDrag
from polhode.actions.space.ephemeris import (
    FixedPlace,
    KeplerianEphemeris,
    TableEphemeris,
)
from polhode.actions.space.gravity_gradient import GravityGradient
from polhode.actions.space.harmonic_gravity import HarmonicGravity
from polhode.actions.space.magnetic_field import (
    EARTH_FIELD,
    DipoleField,
    HarmonicField,
)
from polhode.actions.space.magnetic_torque import MagneticTorque
from polhode.actions.space.moon import MoonEphemeris
from polhode.actions.space.planet import EARTH, SOLAR_PRESSURE, SUN
from polhode.actions.space.random_load import RandomLoad
from polhode.actions.space.solar_pressure import SolarPressure
from polhode.actions.space.third_body import ThirdBody
from polhode.actions.space.thruster import Thruster
from polhode.actions.space.wheel_motor import WheelMotor
from polhode.actions.space.zonal_gravity import ZonalGravity
from polhode.files.issues import Way, nearest
from polhode.files.loads import read_table
from polhode.files.references import BODY, JOINT, POINT
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
    is_one_of,
    law_of,
    plain,
    shorten,
    write_quantity,
)

NUMBERS = each(NUMBER)
ROWS = each(NUMBERS)
PLACES = each(THREE_NUMBERS)
WHOLE = plain(int, "whole number", {"type": "integer"})


class Noun(NamedTuple):
    """A thing that an action is told: its type, its fields, and those it must have."""

    noun: type
    fields: dict[str, Value]
    required: tuple[str, ...]


def one_of(what: str, nouns: dict[str, Noun], law: Value | None = None) -> Value:
    """A table whose `kind` says which of some nouns it is, or a law if it has one."""

    def read(scope: Scope, path: Way, value: Any) -> Any:
        if law is not None and not isinstance(value, dict):
            return law.read(scope, path, value)
        kind = value.get("kind") if isinstance(value, dict) else None
        if not is_one_of(kind, nouns):
            text = f"{shorten(kind)} is no kind of {what}. {nearest(kind, nouns)}"
            return scope.refuse(path, text)
        noun = nouns[kind]
        found = read_table(
            scope, path, value, {"kind": TEXT, **noun.fields}, noun.required
        )
        if isinstance(found, Bad):
            return INVALID
        del found["kind"]
        return scope.built(path, lambda: noun.noun(**found))

    def write(writer: Writer, value: Any, place: str) -> Any:
        for kind, noun in nouns.items():
            if isinstance(value, noun.noun):
                owner = getattr(value, "name", place)
                return {"kind": kind} | {
                    key: field.write(writer, getattr(value, key), f"{owner}.{key}")
                    for key, field in noun.fields.items()
                }
        if law is not None:
            return law.write(writer, value, place)
        return writer.lose(f"{place}: it is a function of Python")

    schema: dict[str, Any] = {"type": "object"}
    return Value(read, write, {"anyOf": [schema, law.schema]} if law else schema)


def _quantities(*names: str) -> dict[str, Value]:
    return dict.fromkeys(names, QUANTITY)


AIR = one_of(
    "air",
    {
        "exponential": Noun(
            ExponentialAtmosphere,
            {**_quantities("density", "height", "scale"), "name": TEXT},
            ("density", "height", "scale"),
        ),
        "table": Noun(
            TableAtmosphere,
            {"heights": NUMBERS, "densities": NUMBERS, "name": TEXT},
            ("heights", "densities"),
        ),
    },
    law_of("height", "t"),
)
ELEMENTS = ("eccentricity", "inclination", "node", "periapsis", "mean_anomaly")
EPHEMERIS = one_of(
    "ephemeris",
    {
        "fixed": Noun(FixedPlace, {"position": THREE_NUMBERS}, ("position",)),
        "kepler": Noun(
            KeplerianEphemeris,
            dict.fromkeys(("mu", "semi_major_axis", *ELEMENTS), NUMBER),
            ("mu", "semi_major_axis"),
        ),
        "moon": Noun(MoonEphemeris, {"days": NUMBER}, ("days",)),
        "table": Noun(
            TableEphemeris,
            {"times": NUMBERS, "positions": PLACES, "velocities": PLACES},
            ("times", "positions"),
        ),
    },
)
FIELD = one_of(
    "magnetic field",
    {
        "dipole": Noun(
            DipoleField,
            {
                **_quantities("strength", "radius", "tilt", "longitude"),
                **_quantities("rate", "angle"),
                "name": TEXT,
            },
            (),
        ),
        "harmonics": Noun(
            HarmonicField,
            {"g": ROWS, "h": ROWS, **_quantities("radius", "rate", "angle")}
            | {"name": TEXT},
            ("g", "h"),
        ),
    },
)


def read_craft(scope: Scope, path: Way, value: Any) -> Any:
    """One body by its name, or a list of them; not the world."""
    names = value if isinstance(value, list) else [value]
    found = [BODY.read(scope, path, name) for name in names]
    if any(isinstance(frame, Bad) for frame in found):
        return INVALID
    return [frame.owner for frame in found]


def write_craft(writer: Writer, bodies: Any, place: str) -> Any:
    """Names; a body alone is not in a list."""
    names = [body.name for body in bodies]
    return names[0] if len(names) == 1 else names


def numbered(*words: str) -> Value:
    """A list of quantities, each called by a word of its own in its action."""
    several = each(QUANTITY)

    def write(writer: Writer, values: Any, place: str) -> Any:
        owner = place.rpartition(".")[0]
        pairs = zip(words, values, strict=False)
        return [write_quantity(writer, v, f"{owner}.{word}") for word, v in pairs]

    return Value(several.read, write, several.schema)


CRAFT = Value(
    read_craft,
    write_craft,
    {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
)
ZONALS = numbered(*(f"J{n}" for n in range(2, 13)))
MOMENT = numbered("mx", "my", "mz")
ON_CRAFT = Field("on", CRAFT, "the bodies it acts on")
ON = Field("on", POINT, "the point it acts on")
BY = Field("by", POINT, "the planet's centre; Z of its frame is the pole")
MU = Field("mu", QUANTITY, "m^3/s^2", EARTH.mu)
RADIUS = Field("radius", QUANTITY, "m", EARTH.radius)
RATE = Field("rate", QUANTITY, "rad/s, of the planet about Z", EARTH.rate)
ANGLE = Field("angle", QUANTITY, "rad, of the prime meridian at t = 0", 0.0)

# The word of an action, its noun, its fields.
SPACE_ACTIONS: tuple[tuple[str, type, tuple[Field, ...]], ...] = (
    (
        "zonal_gravity",
        ZonalGravity,
        (ON_CRAFT, BY, MU, RADIUS, Field("zonals", ZONALS, "J2, ...", EARTH.zonals)),
    ),
    (
        "harmonic_gravity",
        HarmonicGravity,
        (
            *(ON_CRAFT, BY, MU, RADIUS, RATE, ANGLE),
            Field("C", ROWS, "fully normalised"),
            Field("S", ROWS, "fully normalised"),
        ),
    ),
    ("gravity_gradient", GravityGradient, (ON_CRAFT, BY, MU)),
    (
        "third_body",
        ThirdBody,
        (
            *(ON_CRAFT, BY),
            Field("mu", QUANTITY, "m^3/s^2"),
            Field("ephemeris", EPHEMERIS, "where it is, m"),
        ),
    ),
    (
        "air_drag",
        AtmosphericDrag,
        (
            *(ON, BY),
            Field("drag_number", QUANTITY),
            Field("area", QUANTITY, "m^2"),
            Field("air", AIR, "kg/m^3; of height, m, and t", EARTH_AIR),
            *(RADIUS, RATE),
            Field("flattening", QUANTITY, "of the surface", EARTH.flattening),
        ),
    ),
    (
        "sunlight",
        SolarPressure,
        (
            *(ON, BY),
            Field("sun", EPHEMERIS, "where the Sun is, m"),
            Field("reflectivity", QUANTITY, "1 black, 2 mirror"),
            Field("area", QUANTITY, "m^2"),
            RADIUS,
            Field("sun_radius", QUANTITY, "m", SUN.radius),
            Field("pressure", QUANTITY, "N/m^2 at 1 au", SOLAR_PRESSURE),
        ),
    ),
    (
        "magnetic_torque",
        MagneticTorque,
        (
            *(ON, BY),
            Field("field", FIELD, "T", EARTH_FIELD),
            Field("moment", MOMENT, "A m^2, in the axes of the body", (0.0, 0.0, 0.0)),
            Field("limit", NUMBER, "A m^2, of each component", np.inf),
        ),
    ),
    (
        "random_load",
        RandomLoad,
        (
            ON,
            Field("force", QUANTITY, "N", 0.0),
            Field("torque", QUANTITY, "N m", 0.0),
            Field("time", NUMBER, "s, over which it forgets", 10.0),
            Field("seed", WHOLE, "which load it is", 0),
        ),
    ),
    (
        "thruster",
        Thruster,
        (
            ON,
            Field("direction", DIRECTION, "of the force, in the axes of the body"),
            Field("thrust", QUANTITY, "N"),
            Field("level", QUANTITY, "0 to 1", 0.0),
            Field("period", NUMBER, "s, of the duty cycle; 0 for none", 0.0),
            Field("minimum_on", NUMBER, "s, the shortest pulse", 0.0),
        ),
    ),
    (
        "wheel_motor",
        WheelMotor,
        (
            Field("joint", JOINT),
            Field("torque", QUANTITY, "N m, asked for", 0.0),
            Field("torque_limit", NUMBER, "N m", np.inf),
            Field("speed_limit", NUMBER, "rad/s", np.inf),
            Field("viscous", QUANTITY, "N m s/rad", 0.0),
            Field("dry", QUANTITY, "N m", 0.0),
        ),
    ),
)
