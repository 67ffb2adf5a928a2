"""What model files say of machines, vehicles and marine craft."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.actions.machines.bump_stop import BumpStop
from polhode.actions.machines.bushing import PARTS, Bushing
from polhode.actions.machines.curves import DamperCurve, JointCurve, SpringCurve
from polhode.actions.machines.gas_force import GasForce
from polhode.actions.machines.torque_motor import TorqueMotor
from polhode.actions.marine.buoyancy import GRAVITY, WATER, Buoyancy
from polhode.actions.marine.hydrodynamic_drag import LETTERS, NONE, HydrodynamicDrag
from polhode.actions.marine.propeller import Propeller
from polhode.actions.vehicles.tyre import LOW_SPEED, Tyre
from polhode.actions.vehicles.tyre_laws import FialaTyre, LinearTyre, MagicFormula
from polhode.constraints.gear import Gear
from polhode.constraints.machines.cam import Cam
from polhode.constraints.machines.rope import Pulley, Rope
from polhode.constraints.machines.shafts import ConstantVelocityCoupling, HookeCoupling
from polhode.constraints.machines.transmissions import (
    Belt,
    Chain,
    differential,
    planetary_gear,
    rack_and_pinion,
    worm_gear,
)
from polhode.constraints.tendon_length import TendonLength
from polhode.constraints.vehicles.ackermann import Ackermann
from polhode.files.contacts import RESTITUTION
from polhode.files.issues import Way, nearest
from polhode.files.loads import read_table
from polhode.files.references import BODY, JOINT, POINT
from polhode.files.scope import INVALID, Bad, Scope, Writer
from polhode.files.tables import TABLE, table_or
from polhode.files.values import (
    BOUNDS,
    DIRECTION,
    FLAG,
    NUMBER,
    QUANTITY,
    TEXT,
    Field,
    Value,
    each,
    is_one_of,
    law_of,
    plain,
    shorten,
    write_direction,
    write_quantity,
)
from polhode.matter.axes import Y, Z
from polhode.supports.slack_rope import SlackRope

WHOLE = plain(int, "whole number", {"type": "integer"})
PULLEY = {"radius": QUANTITY, "side": DIRECTION, "sense": WHOLE, "name": TEXT}


def read_stop(scope: Scope, path: Way, value: Any) -> Any:
    """A point, { pulley = "axle", radius = 0.1 }, or { centre, axis, radius }."""
    known = ("pulley", "centre")
    if not isinstance(value, dict) or not any(word in value for word in known):
        return POINT.read(scope, path, value)
    word = "pulley" if "pulley" in value else "centre"
    own = (
        {"pulley": JOINT} if word == "pulley" else {"centre": POINT, "axis": DIRECTION}
    )
    found = read_table(scope, path, value, {**own, **PULLEY}, [*own, "radius"])
    if isinstance(found, Bad):
        return INVALID
    on = found.pop(word)
    return scope.built(path, lambda: Pulley(on, **found))


def write_stop(writer: Writer, stop: Any, place: str) -> Any:
    """A point, or a pulley by its axle or its centre."""
    if not isinstance(stop, Pulley):
        return POINT.write(writer, stop, place)
    held = (
        {"pulley": stop.on.name}
        if stop.turns
        else {
            "centre": POINT.write(writer, stop.on, place),
            "axis": write_direction(writer, stop.axis, place),
        }
    )
    return {
        **held,
        "radius": write_quantity(writer, stop.radius, f"{stop.name}.radius"),
        "side": write_direction(writer, stop.side, place),
        "sense": int(stop.sense),
        "name": stop.name,
    }


def read_length(scope: Scope, path: Way, value: Any) -> Any:
    """A length, or one for each strand."""
    return (each(QUANTITY) if isinstance(value, list) else QUANTITY).read(
        scope, path, value
    )


def write_length(writer: Writer, length: Any, place: str) -> Any:
    """Each under the name that it gets from its place."""
    if not isinstance(length, tuple):
        return write_quantity(writer, length, place)
    names = (f"{place} {k + 1}" for k in range(len(length)))
    return [write_quantity(writer, v, n) for v, n in zip(length, names, strict=True)]


def read_matrix(scope: Scope, path: Way, value: Any) -> Any:
    """Six quantities, or six rows of six."""
    nested = isinstance(value, list) and value and isinstance(value[0], list)
    return (each(each(QUANTITY, 6), 6) if nested else each(QUANTITY, 6)).read(
        scope, path, value
    )


def write_matrix(writer: Writer, rows: Any, place: str) -> Any:
    """The diagonal where there is no more; nothing where all is zero."""

    def entry(i: int, j: int) -> Any:
        i, j = sorted((i, j))
        name = PARTS[i] if i == j else f"{PARTS[i]}.{PARTS[j]}"
        return write_quantity(writer, rows[i][j], f"{place}.{name}")

    is_zero = [[isinstance(e, float) and e == 0.0 for e in row] for row in rows]
    if np.all(is_zero):
        return None
    if all(is_zero[i][j] for i in range(6) for j in range(6) if i != j):
        return [entry(k, k) for k in range(6)]
    return [[entry(i, j) for j in range(6)] for i in range(6)]


def several(*words: str) -> Value:
    """A list of quantities, each named by a word after its place."""
    plain_list = each(QUANTITY, len(words))

    def write(writer: Writer, values: Any, place: str) -> Any:
        pairs = zip(words, values, strict=True)
        return [write_quantity(writer, v, f"{place}.{word}") for word, v in pairs]

    return Value(plain_list.read, write, plain_list.schema)


TYRES: dict[str, tuple[Any, tuple[str, ...], int]] = {
    # word -> noun, its numbers, how many of them it must have
    "linear": (LinearTyre, ("cornering", "longitudinal"), 1),
    "fiala": (FialaTyre, ("cornering", "longitudinal", "friction"), 3),
    "magic_formula": (
        MagicFormula,
        ("B", "C", "E", "friction", "B_x", "C_x", "E_x", "friction_x"),
        4,
    ),
}


def read_tyre(scope: Scope, path: Way, value: Any) -> Any:
    """{ kind = "fiala", cornering = 6e4, longitudinal = 8e4, friction = 0.9 }"""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not is_one_of(kind, TYRES):
        return scope.refuse(
            path, f"{shorten(kind)} is no law of tyres. {nearest(kind, TYRES)}"
        )
    noun, numbers, count = TYRES[kind]
    values = {"kind": TEXT, "name": TEXT, **dict.fromkeys(numbers, QUANTITY)}
    found = read_table(scope, path, value, values, numbers[:count])
    if isinstance(found, Bad):
        return INVALID
    del found["kind"]
    return scope.built(path, lambda: noun(**found))


def write_tyre(writer: Writer, law: Any, place: str) -> Any:
    """Its numbers; those of driving only where they are its own."""
    for kind, (noun, numbers, _) in TYRES.items():
        if isinstance(law, noun):
            own = {
                n: write_quantity(writer, getattr(law, n), f"{law.name}.{n}")
                for n in numbers
                if not (
                    n.endswith("_x")
                    and getattr(law, n) is getattr(law, n.removesuffix("_x"))
                )
            }
            return {"kind": kind, **own, "name": law.name}
    return writer.lose(f"{place}: its law of tyres is of Python")


STOP = Value(read_stop, write_stop, {"anyOf": [POINT.schema, {"type": "object"}]})
LENGTH = Value(
    read_length,
    write_length,
    {"anyOf": [QUANTITY.schema, each(QUANTITY).schema]},
)
MATRIX_6 = Value(read_matrix, write_matrix, {"type": "array"})
TYRE_LAW = Value(read_tyre, write_tyre, {"type": "object"})
ON = Field("on", POINT, "the point it acts on")
BY_POINT = Field("by", POINT, "its other end")
BY = Field("by", BODY, "in which the water rests")

# The word of an action, its noun, its fields.
MACHINE_ACTIONS: tuple[tuple[str, type, tuple[Field, ...]], ...] = (
    (
        "bump_stop",
        BumpStop,
        (
            Field("joint", JOINT),
            Field("stiffness", QUANTITY, "N/m or N m/rad, to the power of exponent"),
            Field("limits", BOUNDS, "m or rad, [lower, upper]"),
            Field("exponent", NUMBER, "1 or more", 1.0),
            Field("damping", QUANTITY, "s/m or s/rad", 0.0),
        ),
    ),
    (
        "bushing",
        Bushing,
        (
            *(ON, BY_POINT),
            Field("stiffness", MATRIX_6, "N m/rad, then N/m; six, or a matrix"),
            Field("damping", MATRIX_6, "N m s/rad, then N s/m", None),
        ),
    ),
    (
        "spring_curve",
        SpringCurve,
        (
            *(ON, BY_POINT),
            Field("pull", TABLE, "N of m"),
            Field("rest_length", QUANTITY, "m", 0.0),
        ),
    ),
    ("damper_curve", DamperCurve, (ON, BY_POINT, Field("force", TABLE, "N of m/s"))),
    (
        "joint_curve",
        JointCurve,
        (
            Field("joint", JOINT),
            Field("spring", TABLE, "N of m, or N m of rad", None),
            Field("rest", QUANTITY, "m or rad", 0.0),
            Field("damper", TABLE, "N of m/s, or N m of rad/s", None),
        ),
    ),
    (
        "torque_motor",
        TorqueMotor,
        (
            Field("joint", JOINT),
            Field("torque", TABLE, "N m of rad/s, at the shaft"),
            Field("throttle", QUANTITY, "-1 to 1", 1.0),
        ),
    ),
    (
        "gas_force",
        GasForce,
        (
            Field("piston", JOINT),
            Field("crank", JOINT),
            Field("pressure", TABLE, "N/m^2 of rad"),
            Field("area", QUANTITY, "m^2"),
            Field("inwards", FLAG, "the head is on the far side", False),
        ),
    ),
    (
        "tyre",
        Tyre,
        (
            Field("wheel", POINT, "its centre"),
            Field("ground", BODY),
            Field("radius", QUANTITY, "m"),
            Field("law", TYRE_LAW),
            Field("stiffness", QUANTITY, "N/m", 0.0),
            Field("damping", QUANTITY, "N s/m", 0.0),
            Field("load", QUANTITY, "N, in place of a stiffness", 0.0),
            Field("axis", DIRECTION, "of the wheel, in its axes", Y),
            Field("road", table_or(law_of("x", "y")), "m, height", None),
            Field("trail", QUANTITY, "m, of the force across", 0.0),
            Field("fade", QUANTITY, "tan(slip angle) that halves the trail", 0.1),
            Field("relaxation", QUANTITY, "m, of travel in which slip builds up", 0.0),
            Field("spins", FLAG, "whether the body turns with the wheel", True),
            Field("low_speed", NUMBER, "m/s", LOW_SPEED),
        ),
    ),
    (
        "buoyancy",
        Buoyancy,
        (
            *(ON, BY),
            Field("volume", QUANTITY, "m^3"),
            Field("density", QUANTITY, "kg/m^3", WATER),
            Field("gravity", QUANTITY, "m/s^2", GRAVITY),
            Field("up", DIRECTION, "in the axes of `by`", Z),
        ),
    ),
    (
        "hydrodynamic_drag",
        HydrodynamicDrag,
        (
            *(ON, BY),
            Field("linear", several(*LETTERS), "turns first, then ways", NONE),
            Field("quadratic", several(*LETTERS), "turns first, then ways", NONE),
            Field("current", several("x", "y", "z"), "m/s", (0.0, 0.0, 0.0)),
        ),
    ),
    (
        "propeller",
        Propeller,
        (
            ON,
            Field("direction", DIRECTION, "of the thrust, in the axes of the body"),
            Field("thrust", QUANTITY, "N s^2/rad^2"),
            Field("speed", QUANTITY, "rad/s", 0.0),
            Field("torque", QUANTITY, "N m s^2/rad^2", 0.0),
            Field("limit", NUMBER, "rad/s", np.inf),
        ),
    ),
)


def slack_rope(along: Any, length: Any, restitution: Any, name: str) -> SlackRope:
    """A rope that may go slack, as the support that it is."""
    rope = Rope(along, length, slack=True, restitution=restitution, name=name)
    return SlackRope(rope)


# A rope that may go slack, as it is written: among the supports.
SLACK_ROPE: tuple[Any, ...] = (
    "rope",
    SlackRope,
    (
        Field("along", each(STOP), "points, and pulleys between them"),
        Field("length", LENGTH, "m; of the whole, or of each strand"),
        Field("restitution", RESTITUTION, "where it is jerked taut", 0.0),
    ),
    slack_rope,
)
DRIVEN = (Field("driven", JOINT), Field("driver", JOINT))
SHAFTS = (Field("first", BODY), Field("second", BODY))

# The word of a constraint, its noun, its fields, and what makes it. Drives are written
# as the gears that they are.
MACHINE_CONSTRAINTS: tuple[tuple[Any, ...], ...] = (
    (
        "rope",
        Rope,
        (
            Field("along", each(STOP), "points, and pulleys between them"),
            Field("length", LENGTH, "m; of the whole, or of each strand"),
            Field("slack", FLAG, "whether it may go slack", False),
            Field("restitution", RESTITUTION, "of a rope jerked taut", 0.0),
        ),
    ),
    (
        "cam",
        Cam,
        (
            Field("follower", JOINT),
            Field("cam", JOINT),
            Field("lift", table_or(law_of("angle")), "m or rad, of rad"),
            Field("offset", QUANTITY, "m or rad", 0.0),
        ),
    ),
    (
        "hooke_coupling",
        HookeCoupling,
        (
            *SHAFTS,
            Field("first_arm", DIRECTION, "in the axes of the first, across it"),
            Field("second_arm", DIRECTION, "in the axes of the second, across it"),
        ),
    ),
    (
        "constant_velocity_coupling",
        ConstantVelocityCoupling,
        (
            *SHAFTS,
            Field("axis", DIRECTION, "of the first, in its axes"),
            Field("second_axis", DIRECTION, "of the second; by default alike", None),
        ),
    ),
    (
        "ackermann",
        Ackermann,
        (
            Field("left", JOINT),
            Field("right", JOINT),
            Field("wheelbase", QUANTITY, "m"),
            Field("track", QUANTITY, "m"),
        ),
    ),
    (
        "belt",
        Gear,
        (
            *DRIVEN,
            Field("driven_radius", QUANTITY, "m"),
            Field("driver_radius", QUANTITY, "m"),
            Field("crossed", FLAG, "turns them oppositely", False),
        ),
        Belt,
    ),
    (
        "chain",
        Gear,
        (*DRIVEN, Field("driven_teeth", QUANTITY), Field("driver_teeth", QUANTITY)),
        Chain,
    ),
    (
        "rack_and_pinion",
        Gear,
        (
            Field("rack", JOINT),
            Field("pinion", JOINT),
            Field("radius", QUANTITY, "m"),
        ),
        rack_and_pinion,
    ),
    (
        "worm_gear",
        Gear,
        (
            Field("wheel", JOINT),
            Field("worm", JOINT),
            Field("teeth", QUANTITY),
            Field("starts", QUANTITY, "", 1.0),
        ),
        worm_gear,
    ),
    (
        "differential",
        TendonLength,
        (Field("carrier", JOINT), Field("left", JOINT), Field("right", JOINT)),
        differential,
    ),
    (
        "planetary_gear",
        tuple,
        (
            *(Field("sun", JOINT), Field("ring", JOINT), Field("carrier", JOINT)),
            Field("sun_teeth", QUANTITY),
            Field("ring_teeth", QUANTITY),
            Field("planets", each(JOINT), "on the carrier", ()),
        ),
        planetary_gear,
    ),
)
