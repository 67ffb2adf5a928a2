"""Actions, constraints, supports and parameters of a system, from all its members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from polhode.actions.action import Action
from polhode.actions.contact.brake_friction import BrakeFriction
from polhode.actions.contact.carried_friction import ConstraintFriction, JointFriction
from polhode.actions.contact.compliant_contact import CompliantContact
from polhode.actions.force_elements.joint_law import JointDamper, JointSpring, Motor
from polhode.actions.force_elements.transmission import (
    Servo,
    TendonDamper,
    TendonSpring,
)
from polhode.actions.gravitation import PointMass
from polhode.actions.machines.bump_stop import BumpStop
from polhode.actions.machines.curves import JointCurve
from polhode.actions.machines.gas_force import GasForce
from polhode.actions.machines.torque_motor import TorqueMotor
from polhode.actions.space.wheel_motor import WheelMotor
from polhode.actions.weight import Weight
from polhode.constraints.constraint import Constraint
from polhode.constraints.distance import Distance
from polhode.constraints.loop import Loop
from polhode.constraints.machines.rope import Rope
from polhode.constraints.rolling import RollingOrSlipping
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import Parameter, table_of
from polhode.supports.any_support import AnySupport, as_supports
from polhode.supports.slack_rope import SlackRope
from polhode.supports.support import Support
from polhode.supports.tether import tether
from polhode.system.members import require_distinct, suggestion
from polhode.system.tree import Tree

if TYPE_CHECKING:
    from polhode.system.system import System

# Laws of a joint's own coordinates and speeds, not of poses.
ALONG_JOINTS = (
    *(
        JointSpring,
        JointDamper,
        Motor,
        JointFriction,
        WheelMotor,
        BrakeFriction,
    ),
    *(BumpStop, JointCurve, TorqueMotor),
)
# Laws of the coordinates and speeds of several joints at once.
ACROSS_JOINTS = (TendonSpring, TendonDamper, Servo, GasForce)


def driven_joints(action: Any) -> tuple[Joint, ...]:
    """The joints along which an action acts; none if it is a law of poses."""
    if isinstance(action, ACROSS_JOINTS):
        return tuple(action.joints)
    return (action.joint,) if isinstance(action, ALONG_JOINTS) else ()


def require_kinds(
    actions: Iterable[Any], constraints: Iterable[Any], supports: Iterable[Any] = ()
) -> None:
    """Refuse what is no action, no equation or no support, where one is asked for."""
    for thing in actions:
        if isinstance(thing, (Weight, *ALONG_JOINTS, *ACROSS_JOINTS)):
            continue
        if not callable(getattr(thing, "wrenches", None)):
            raise ModelError(
                f"a system cannot have {thing!r} as an action.",
                "Actions are forces: weights, springs, dampers, motors, potentials.",
                "Give equations as constraints=[...], joints and bodies as members.",
            )
    for thing in constraints:
        laws = (getattr(thing, word, None) for word in ("position", "velocity"))
        if not any(callable(law) for law in laws):
            raise ModelError(
                f"a system cannot have {thing!r} as a constraint.",
                "Constraints are equations of position or of velocity, or joints.",
                "Give forces and springs as actions=[...], bodies as members.",
            )
    for thing in supports:
        if not isinstance(thing, AnySupport):
            raise ModelError(
                f"a system cannot have {thing!r} as a support.",
                "Supports push and do not pull, and may open.",
                "Give ph.Support(surface, on, ...), ph.Stop(joint) or ph.Brake(joint,"
                " law); two-sided ones are constraints.",
            )


def frames_used(actions: Iterable[Any], constraints: Iterable[Any]) -> list[Frame]:
    """The frames of all bodies on which actions and constraints lay hold."""
    acting = [a for a in actions if not isinstance(a, Weight)]
    return [frame for each in (*acting, *constraints) for frame in each.bodies]


def actions(tree: Tree, given: Sequence[Any]) -> tuple[Action, ...]:
    """The actions, each with its own name; weight acts on everything with mass."""
    require_distinct("action", [action.name for action in given])
    given = [part for action in given for part in _parts(action)]
    require_distinct("action", [action.name for action in given])
    masses = [PointMass.of(body) for body in tree.bodies]
    return tuple(
        action.on(masses, tree.world.frame) if isinstance(action, Weight) else action
        for action in given
    )


def _parts(action: Any) -> tuple[Any, ...]:
    """What an action stores and what it loses, apart: energies count only the first."""
    return action.parts if isinstance(action, CompliantContact) else (action,)


def as_constraints(given: Sequence[Any]) -> tuple[Constraint, ...]:
    """A joint among the constraints is kept as its equations, without coordinates."""
    return tuple(Loop(item) if isinstance(item, Joint) else item for item in given)


def supports_apart(
    constraints: Sequence[Any], supports: Sequence[Any]
) -> tuple[tuple[Constraint, ...], tuple[Any, ...]]:
    """What may go slack or slip are supports: ropes, and rolling with friction."""
    held: list[Constraint] = []
    others: list[Any] = []
    for one in constraints:
        if isinstance(one, Distance) and one.at_most is not None:
            law = {"restitution": one.restitution, "name": one.name}
            others.append(tether(one.first, one.second, one.at_most, **law))
        elif isinstance(one, Rope) and one.slack:
            others.append(SlackRope(one))
        elif isinstance(one, RollingOrSlipping):
            law = {"friction": one.friction, "restitution": one.restitution}
            own = {"normal": one.normal, "name": one.name, **law}
            others.append(Support(one.surface, one.on, **own))
        else:
            held.append(one)
    return tuple(held), (*as_supports(supports), *others)


def constraints(tree: Tree, given: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """Joints that close loops, then the constraints given; each with its own name."""
    closing = [Loop(joint) for joint in tree.loops]
    found = (*closing, *given)
    require_distinct("constraint", [constraint.name for constraint in found])
    return found


def parameters(system: System) -> dict[str, Any]:
    """The named numbers of everything in the system, at the system's values."""
    parts: Iterable[Any] = (
        *system.bodies,
        *system.joints,
        *system.actions,
        *system.constraints,
        *system.supports,
    )
    found: list[Parameter] = [p for part in parts for p in part.parameters]
    nominal = table_of(found)
    return {**nominal, **system.values}


def require_members(system: System) -> None:
    """Refuse actions and constraints on bodies and joints that are not in the system.

    A body that only a spring holds would fly freely: that is said, not guessed.
    """
    known = {*(body.frame for body in system.bodies), system.tree.world.frame}
    for word, things in (
        ("action", system.actions),
        ("constraint", system.constraints),
        ("support", system.supports),
    ):
        for thing in things:
            for frame in thing.bodies:
                if frame not in known:
                    _refuse(system, word, thing.name, frame)
    _require_constraints(system)
    pairs: list[tuple[Any, Joint]] = [
        (action, joint) for action in system.actions for joint in driven_joints(action)
    ]
    pairs += [(c, joint) for c in system.constraints for joint in c.joints]
    for thing, joint in pairs:
        if system.edge(joint.name).joint is not joint:
            raise ModelError(
                f"{thing.name!r} is on another joint named {joint.name!r} than the"
                f" one in {system.name!r}.",
                "A joint is an object, not a name.",
                "Make the joint once and use it in both places.",
            )


def require_supports(system: System) -> None:
    """Refuse supports of one name, or with the name of a body or joint."""
    names = [support.name for support in system.supports]
    require_distinct("support", names)
    for couple in system.supports:
        pressed = getattr(couple, "of", None)
        if pressed is not None and not any(pressed is s for s in system.supports):
            raise ModelError(
                f"{couple.name!r} is at support {pressed.name!r}, which is not in"
                f" {system.name!r}.",
                "Its couple is under the push of that support.",
                "Give the same support as supports=[...], too.",
            )
    for joint in (joint for support in system.supports for joint in support.joints):
        system.edge(joint.name)
    taken = {part.name for part in (*system.bodies, *system.joints)}
    for name in names:
        if name in taken:
            raise ModelError(
                f"a support of {system.name!r} is called {name!r}, as a body or a joint"
                " is.",
                f"motion[{name!r}] would be two things.",
                f'Give the support its own name: name="{name} support".',
            )


def _require_constraints(system: System) -> None:
    """Refuse friction of a constraint that is not in the system."""
    for action in system.actions:
        if not isinstance(action, ConstraintFriction):
            continue
        if not any(action.constraint is known for known in system.constraints):
            raise ModelError(
                f"{action.name!r} is of constraint {action.constraint.name!r}, which is"
                f" not in {system.name!r}.",
                "Its push is the reaction of that constraint.",
                "Give the same constraint as constraints=[...], too.",
            )


def _refuse(system: System, word: str, name: str, frame: Frame) -> None:
    names = [body.name for body in system.bodies]
    raise ModelError(
        f"{word} {name!r} is on {frame.name!r}, which is not in {system.name!r}.",
        "No joint leads to it, and it is not among the members.",
        f"Join it, or give it as a member. {suggestion(frame.name, names)}",
    )


def no_edge(system: System, joint: str) -> ModelError:
    """Why a name is that of no joint of the tree, and what to do."""
    own = tuple(system.edges_by_name)
    loops = [c for c in system.constraints if isinstance(c, Loop) and c.name == joint]
    if not loops:
        return ModelError(
            f"{system.name!r} has no joint {joint!r} with coordinates.",
            "Actions along a joint, states and curves name joints of the tree.",
            suggestion(joint, own),
        )
    return ModelError(
        f"joint {joint!r} closes a loop of {system.name!r}, so that it has no"
        " coordinates.",
        "Of the joints in a loop the one that is given last becomes a constraint.",
        f"Give {joint!r} earlier, and last a joint whose coordinates nobody needs. With"
        f" coordinates there are: {', '.join(map(repr, own))}.",
    )
