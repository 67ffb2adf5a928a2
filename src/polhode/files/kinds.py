"""The tables of what a model file can say: joints, actions, constraints, supports.

One line a field; reader, writer and schema follow from it. A kind's fields have the
names of the arguments of the Python API.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.central_force import CentralForce
from polhode.actions.contact.carried_friction import ConstraintFriction, JointFriction
from polhode.actions.contact.compliant_contact import CompliantContact
from polhode.actions.contact.friction import Friction
from polhode.actions.drag import Drag
from polhode.actions.fields.gravity import GRAVITATIONAL_CONSTANT
from polhode.actions.force_elements.damper import Damper, RotationalDamper
from polhode.actions.force_elements.joint_law import JointDamper, JointSpring, Motor
from polhode.actions.force_elements.rotational_spring import (
    RotationalSpring,
    TorsionalSpring,
)
from polhode.actions.force_elements.spring import NonlinearSpring, Spring
from polhode.actions.force_elements.transmission import (
    Servo,
    TendonDamper,
    TendonSpring,
)
from polhode.actions.gravitation import Gravitation
from polhode.actions.weight import Weight
from polhode.constraints.distance import Distance
from polhode.constraints.gear import Gear
from polhode.constraints.joint_equation import JointEquation
from polhode.constraints.prescribed_motion import PrescribedMotion
from polhode.constraints.tendon_length import TendonLength
from polhode.files.contacts import (
    BELT,
    CONTACT_FIELDS,
    GROUND,
    RESTITUTION,
    SURFACE,
    no_slip,
    rolling,
    touching,
)
from polhode.files.expression import Formula
from polhode.files.loads import (
    CONTACT_LAW,
    FRICTION_LAW,
    LAW_ACTIONS,
    LAW_CONSTRAINTS,
    MASSES,
    VECTOR,
)
from polhode.files.machines import MACHINE_ACTIONS, MACHINE_CONSTRAINTS, SLACK_ROPE
from polhode.files.references import BODY, CONSTRAINT, JOINT, POINT, SUPPORT
from polhode.files.space import SPACE_ACTIONS
from polhode.files.values import (
    BOUNDS,
    DIRECTION,
    FLAG,
    MATRIX,
    NUMBER,
    QUANTITIES,
    QUANTITY,
    Field,
    Value,
    each,
    formula,
    law_of,
)
from polhode.joints.registry import ALL_JOINTS
from polhode.joints.user_joint import UserJoint
from polhode.matter.axes import Z
from polhode.supports.dry_joint import DryJoint
from polhode.supports.joint_supports import Brake, Stop
from polhode.supports.rolling_friction import RollingFriction, SpinningFriction
from polhode.supports.support import Support


@final
@dataclass(frozen=True)
class Kind:
    """A kind of thing: the word for it, how it is made, its noun and its fields."""

    word: str
    noun: type
    fields: tuple[Field, ...]
    make: Callable[..., Any] | None = None

    def built(self, name: str, given: dict[str, Any]) -> Any:
        """The thing, under its name."""
        return (self.make or self.noun)(name=name, **given)


AXIS = Field("axis", DIRECTION, "in the axes of the first body")
NORMAL = Field("normal", DIRECTION, "in the axes of the first body")
OWN_OF_JOINTS = {
    "Revolute": (AXIS,),
    "Prismatic": (AXIS,),
    "Cylindrical": (AXIS,),
    "Screw": (AXIS, Field("pitch", QUANTITY, "m/rad")),
    "Universal": (AXIS, Field("second_axis", DIRECTION)),
    "Slider": (NORMAL,),
    "Planar": (NORMAL,),
    "BallRoller": (NORMAL,),
    "Roller": (NORMAL, AXIS),
}
OF_ALL_JOINTS = (
    Field("first", POINT, "where it sits on the body before it"),
    Field("second", POINT, "where it sits on the body that it carries"),
    Field("first_axes", MATRIX, "its axes on the first body, as columns", None),
    Field("second_axes", MATRIX, "its axes on the second body, as columns", None),
    Field("limits", BOUNDS, "rad or m, [lower, upper]", None),
    Field("rotor_inertia", QUANTITIES, "kg m^2 about the motor's shaft", 0.0),
    Field("gear_ratio", QUANTITIES, "turns of the shaft a turn of the joint", 1.0),
    Field("effort_limits", BOUNDS, "N m or N, [lower, upper]", None),
)


def _words(name: str) -> str:
    """BallRoller -> ball_roller"""
    small = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return small.removeprefix("_")


JOINTS = {
    _words(noun.__name__): Kind(
        _words(noun.__name__),
        noun,
        (*OF_ALL_JOINTS, *OWN_OF_JOINTS.get(noun.__name__, ())),
    )
    for noun in ALL_JOINTS
    if noun is not UserJoint
}

ON, BY = Field("on", POINT, "the point it acts on"), Field("by", BODY)
FRAMES = (Field("on", BODY, "the body it acts on"), BY)
NEGATIVE = Field("allow_negative", FLAG, "let it drive motion", False)
STIFFNESS = "N/m or N m/rad"
DAMPING = "N s/m or N m s/rad"

CORD = (
    Field("joints", each(JOINT), "those it goes over"),
    Field("arms", each(NUMBER), "its length for a unit of each"),
)


def _servo(**given: Any) -> Servo:
    """A servo; what is not given is as in Python."""
    return Servo(**{word: value for word, value in given.items() if value is not None})


ACTIONS = {
    kind.word: kind
    for kind in (
        Kind(
            "weight",
            Weight,
            (
                Field("gravity", QUANTITY, "m/s^2"),
                Field("up", DIRECTION, "in the world's axes", Z),
            ),
        ),
        Kind(
            "spring",
            Spring,
            (
                ON,
                Field("by", POINT, "its other end"),
                Field("stiffness", QUANTITY, "N/m"),
                Field("rest_length", QUANTITY, "m", 0.0),
                NEGATIVE,
            ),
        ),
        Kind(
            "nonlinear_spring",
            NonlinearSpring,
            (
                ON,
                Field("by", POINT, "its other end"),
                Field("law", law_of("length"), "J; of its length, m"),
            ),
        ),
        Kind(
            "central_force",
            CentralForce,
            (
                ON,
                Field("by", POINT, "what exerts it"),
                Field(
                    "law",
                    law_of("length", "rate", "t"),
                    "N, apart; of the distance, its rate and t",
                ),
            ),
        ),
        Kind(
            "damper",
            Damper,
            (
                ON,
                Field("by", POINT, "its other end"),
                Field("damping", QUANTITY, "N s/m"),
                NEGATIVE,
            ),
        ),
        Kind(
            "joint_spring",
            JointSpring,
            (
                Field("joint", JOINT),
                Field("stiffness", QUANTITIES, STIFFNESS),
                Field("rest", QUANTITIES, "rad or m", 0.0),
                NEGATIVE,
            ),
        ),
        Kind(
            "joint_damper",
            JointDamper,
            (Field("joint", JOINT), Field("damping", QUANTITIES, DAMPING), NEGATIVE),
        ),
        Kind(
            "motor",
            Motor,
            (
                Field("joint", JOINT),
                Field("law", formula("t", "q", "z"), "N m or N; of t, q, z"),
            ),
        ),
        Kind(
            "servo",
            Servo,
            (
                *CORD,
                Field("gain", QUANTITY, "N or N m a unit of control", 1.0),
                Field("bias", each(QUANTITY, 3), "constant, by length, by rate", None),
                Field("control", QUANTITY, "what it is asked for", 0.0),
                Field("control_limits", BOUNDS, "[lower, upper]", None),
                Field("force_limits", BOUNDS, "[lower, upper]", None),
            ),
            _servo,
        ),
        Kind(
            "tendon_spring",
            TendonSpring,
            (
                *CORD,
                Field("stiffness", QUANTITY, STIFFNESS),
                Field("rest", each(NUMBER, 2), "m or rad, [shortest, longest]"),
            ),
        ),
        Kind(
            "tendon_damper",
            TendonDamper,
            (*CORD, Field("damping", QUANTITY, DAMPING)),
        ),
        Kind(
            "rotational_spring",
            RotationalSpring,
            (*FRAMES, Field("stiffness", QUANTITY, "N m/rad"), NEGATIVE),
        ),
        Kind(
            "torsional_spring",
            TorsionalSpring,
            (
                *FRAMES,
                Field("axis", DIRECTION, "in the axes of `by`"),
                Field("stiffness", QUANTITY, "N m/rad"),
                Field("rest_angle", QUANTITY, "rad", 0.0),
                NEGATIVE,
            ),
        ),
        Kind(
            "rotational_damper",
            RotationalDamper,
            (
                *FRAMES,
                Field("damping", QUANTITY, "N m s/rad"),
                Field("axis", DIRECTION, "in the axes of `by`", None),
                NEGATIVE,
            ),
        ),
        Kind(
            "drag",
            Drag,
            (
                ON,
                Field("by", BODY, "what the medium moves with"),
                Field("linear", QUANTITY, "N s/m", 0.0),
                Field("quadratic", QUANTITY, "N s^2/m^2", 0.0),
                NEGATIVE,
            ),
        ),
        Kind(
            "friction",
            Friction,
            (
                ON,
                BY,
                Field("normal", DIRECTION, "out of the surface, in the axes of `by`"),
                Field("load", QUANTITY, "N"),
                Field("law", FRICTION_LAW),
            ),
        ),
        Kind(
            "joint_friction",
            JointFriction,
            (
                Field("joint", JOINT),
                Field("law", FRICTION_LAW),
                Field("radius", QUANTITY, "m, of what turns", None),
                Field("span", QUANTITY, "m, over which its couple presses", None),
            ),
        ),
        Kind(
            "constraint_friction",
            ConstraintFriction,
            (
                Field("constraint", CONSTRAINT, "under whose reaction it rubs"),
                Field("law", FRICTION_LAW),
                Field("point", POINT, "what slides; not of a contact", None),
                Field("by", BODY, "what it slides on; not of a contact", None),
            ),
        ),
        Kind(
            "compliant_contact",
            CompliantContact,
            (
                Field("surface", GROUND, "a surface of a body, or a point of it"),
                Field("on", GROUND, "a point of the plane, or a surface"),
                Field("law", CONTACT_LAW),
                Field("friction", FRICTION_LAW, "smooth through rest", None),
                Field("normal", DIRECTION, "of the plane, towards what touches it", Z),
            ),
        ),
        Kind(
            "force",
            AppliedForce,
            (
                ON,
                Field("force", VECTOR, "N, in the axes of a body"),
                Field("by", BODY, "what exerts it", None),
            ),
        ),
        Kind(
            "couple",
            AppliedCouple,
            (
                Field("on", BODY, "the body it acts on"),
                Field("couple", VECTOR, "N m, in the axes of a body"),
                Field("by", BODY, "what exerts it", None),
            ),
        ),
        Kind(
            "gravitation",
            Gravitation,
            (
                Field("masses", MASSES),
                Field("constant", QUANTITY, "m^3/kg/s^2", GRAVITATIONAL_CONSTANT),
            ),
        ),
        *(Kind(*each) for each in (*LAW_ACTIONS, *SPACE_ACTIONS, *MACHINE_ACTIONS)),
    )
}

JOINTS_OF_A_LAW = 12  # whose coordinates one formula may name


def _coordinates_and_time(count: int) -> tuple[str, ...]:
    return (*(f"q{k + 1}" for k in range(count)), "t")


def _write_joint_law(writer: Any, law: Any, place: str) -> Any:
    count = len(law.of) - 1 if isinstance(law, Formula) else 1
    return law_of(*_coordinates_and_time(count)).write(writer, law, place)


JOINT_LAW = Value(
    law_of(*_coordinates_and_time(JOINTS_OF_A_LAW)).read,
    _write_joint_law,
    QUANTITY.schema,
)


def joint_equation(joints: Any, law: Formula, name: str) -> JointEquation:
    """An equation whose formula is of the coordinates of its joints, and of t."""
    own = Formula(law.text, _coordinates_and_time(len(joints)), law.constants)
    return JointEquation(joints, own, name=name)


SLIPPING = (
    Field("friction", FRICTION_LAW, "dry: it slips beyond it, and may open", None),
    Field("restitution", RESTITUTION, "0 to 1, or a law of it", 0.0),
)
CONSTRAINTS = {
    kind.word: kind
    for kind in (
        Kind(
            "distance",
            Distance,
            (
                Field("first", POINT),
                Field("second", POINT),
                Field("length", QUANTITY, "m", None),
                Field("at_most", NUMBER, "m, of a rope that goes slack", None),
                Field("restitution", RESTITUTION, "of a rope jerked taut", 0.0),
            ),
        ),
        Kind(
            "gear",
            Gear,
            (
                Field("driven", JOINT),
                Field("driver", JOINT),
                Field("ratio", QUANTITY, "driven a driver"),
                Field("offset", QUANTITY, "rad or m", 0.0),
            ),
        ),
        Kind(
            "tendon_length",
            TendonLength,
            (
                Field("joints", each(JOINT), "those it goes over"),
                Field("arms", each(QUANTITY), "its length for a unit of each"),
                Field("length", QUANTITY, "m or rad", 0.0),
            ),
        ),
        Kind(
            "prescribed_motion",
            PrescribedMotion,
            (Field("joint", JOINT), Field("law", law_of("t"), "rad or m; of t, s")),
        ),
        Kind(
            "joint_equation",
            JointEquation,
            (
                Field("joints", each(JOINT), "those whose coordinates it is of"),
                Field("law", JOINT_LAW, "zero; of q1, q2, ... and t"),
            ),
            joint_equation,
        ),
        Kind("rolling", tuple, (*CONTACT_FIELDS, *SLIPPING), rolling),
        Kind("touching", tuple, CONTACT_FIELDS, touching),
        Kind("no_slip", tuple, CONTACT_FIELDS, no_slip),
        *(Kind(*each) for each in (*LAW_CONSTRAINTS, *MACHINE_CONSTRAINTS)),
    )
}

ARMS = (
    Field("of", SUPPORT, "whose push it is under; it is above this one"),
    Field("dynamic", QUANTITY, "m, the arm of its couple"),
    Field("static", QUANTITY, "m, of what it holds at rest", None),
)
SUPPORTS = {
    kind.word: kind
    for kind in (
        Kind(
            "contact",
            Support,
            (
                Field("surface", SURFACE, "what touches"),
                Field("on", GROUND, "a point of the plane, or a surface"),
                Field("normal", DIRECTION, "of the plane, towards what rests", Z),
                Field("friction", FRICTION_LAW, "dry; smooth without it", None),
                Field("restitution", RESTITUTION, "0 to 1, or a law of it", 0.0),
                Field("belt", BELT, "m/s, of the plane's own matter; of t", None),
                Field("jam", FLAG, "where no push keeps it out (Painleve)", False),
            ),
        ),
        Kind(
            "stop",
            Stop,
            (
                Field("joint", JOINT),
                Field("lower", QUANTITY, "rad or m; else the joint's limits", None),
                Field("upper", QUANTITY, "rad or m", None),
                Field("restitution", RESTITUTION, "0 to 1, or a law of it", 0.0),
            ),
        ),
        Kind(
            "brake",
            Brake,
            (
                Field("joint", JOINT),
                Field("friction", FRICTION_LAW, "Coulomb's or Stribeck's"),
                Field("load", QUANTITY, "N that presses its pads", 1.0),
                Field("radius", QUANTITY, "m at which they rub", 1.0),
            ),
        ),
        Kind(
            "dry_joint",
            DryJoint,
            (
                Field("joint", JOINT),
                Field("friction", FRICTION_LAW, "Coulomb's or Stribeck's"),
                Field("radius", QUANTITY, "m, of what turns", None),
                Field("span", QUANTITY, "m, over which its couple presses", None),
            ),
        ),
        Kind("rolling_friction", RollingFriction, ARMS),
        Kind("spinning_friction", SpinningFriction, ARMS),
        Kind(*SLACK_ROPE),
    )
}
