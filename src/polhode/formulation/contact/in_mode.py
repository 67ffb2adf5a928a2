r"""A system whose contacts keep a mode: two-sided constraints in the place of supports.

    open      nothing
    sticks    g = 0 and no slip             N and T are reactions of constraints
    slides    g = 0                         T = mu_d N against the slip, under N

What only rubs (brakes, dry joints, couples) has no gap: held, its speeds are zero. All
forms of the equations, their comparison, reactions, equilibria and modes of
vibration are asked of such a system. It does not know when the mode ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from polhode.actions.contact.brake_friction import BrakeFriction
from polhode.actions.contact.carried_friction import (
    ConstraintFriction,
    ContactCouple,
    JointFriction,
)
from polhode.actions.contact.friction import Coulomb
from polhode.actions.contact.friction_laws import Stribeck
from polhode.constraints.constraint import Attachment, coordinates_of
from polhode.constraints.joint_equation import JointEquation
from polhode.constraints.machines.rope_strand import RopeStrand
from polhode.constraints.rolling import (
    AnyContact,
    NoSlip,
    NoTurn,
    Touching,
    contact_of,
)
from polhode.constraints.surfaces import Surface, sphere
from polhode.constraints.surfaces import point as point_of
from polhode.constraints.velocity_rows import VelocityRows
from polhode.errors import ModelError
from polhode.formulation.contact.decide import STATUSES
from polhode.formulation.contact.questions import contact_modes
from polhode.geometry.point import Point
from polhode.matter.parameter import NOMINAL
from polhode.supports.any_support import AnySupport
from polhode.supports.candidates import CornerCandidates, RimCandidates
from polhode.supports.dry_joint import DryJoint
from polhode.supports.joint_supports import Brake, Stop
from polhode.supports.polytope_pairs import OnPolytope
from polhode.supports.rolling_friction import CoupleCandidates
from polhode.supports.segments import SegmentCandidates
from polhode.supports.slack_rope import SlackRope
from polhode.supports.support import Support
from polhode.system.checked_argument import system_argument
from polhode.system.contacts import names
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System


class TwoSided(NamedTuple):
    """A candidate point that stays in contact: its constraints, by name of the point.

    touching   None of what only rubs
    no_slip    None where nothing rubs
    """

    support: AnySupport
    name: str
    touching: Touching | JointEquation | RopeStrand | None
    no_slip: NoSlip | NoTurn | VelocityRows | None


@system_argument
def in_mode(system: System, modes: Mapping[str, str] | str) -> System:
    """The system in which contacts are and stay "open", "slides" or "sticks".

    What rolls is one that sticks; "rolls" may be said as well. `modes` says it by name
    of a support, for all its points, or of a point; one word is for all. What is not
    named is open. Constraints have the names of their points: "rest" presses, and
    "rest: grip" holds.

    >>> import polhode as ph
    >>> ball = ph.models.billiard_ball()
    >>> in_mode(ball, {"cloth": "sticks"}).name
    'billiard ball, cloth sticks'
    """
    given = system.given
    statuses = _statuses(system, modes)
    rows: list[Any] = []
    actions: list[Any] = [*given.actions]
    points = two_sided(system, [n for n, word in statuses.items() if word != "open"])
    touching = {each.name: each.touching for each in points}
    for each in points:
        if each.touching is not None:
            rows.append(each.touching)
        if statuses[each.name] == "sticks":
            rows.append(_required_grip(each))
        elif each.support.friction is not None:
            actions += _rubbing(each, touching)
    words = {s.name: _word(s, statuses) for s in system.supports}
    said = ", ".join(f"{name} {word}" for name, word in words.items())
    constraints = (*given.constraints, *rows)
    made = System(
        given.members, tuple(actions), constraints, name=f"{system.name}, {said}"
    )
    values = {n: v for n, v in system.values.items() if n in made.parameters}
    return made.with_(values) if values else made


def mode_of(system: System, state: State | None) -> tuple[System, State | None]:
    """The system in the mode of a state, and the state of it; all open without one."""
    if state is None:
        return in_mode(system, {}), None
    allowed = contact_modes(state)
    if len(allowed) != 1:
        raise ModelError(
            f"{system.name!r} has no one mode in this state: {allowed.kind}.",
            "The laws of contact allow no motion here, or several (Painleve).",
            "Give a mode: ph.in_mode(system, {name: word}).",
        )
    kept = in_mode(system, allowed[0].status)
    return kept, kept.consistent(State(kept, state.t, state.q, state.z))


def two_sided(system: System, points: list[str]) -> list[TwoSided]:
    """The constraints of some candidate points."""
    found = []
    for support in system.supports:
        for k, name in enumerate(support.candidates.names):
            if name in points and isinstance(support, Stop | SlackRope):
                found.append(TwoSided(support, name, _bound(support, k, name), None))
            elif name in points and not isinstance(support, Support):
                found.append(TwoSided(support, name, None, _held_pad(support, k, name)))
            elif name in points:
                assert isinstance(support, Support)
                contact = _contact(support, k)
                grips = support.friction is not None
                grip = NoSlip(contact, name=f"{name}: grip", belt=support.belt)
                touching = Touching(contact, name=name)
                found.append(TwoSided(support, name, touching, grip if grips else None))
    return found


def _held_pad(support: Any, k: int, name: str) -> NoTurn | VelocityRows:
    """What holds where only something rubs: a joint's speeds, or a turn."""
    own = support.candidates
    if isinstance(own, CoupleCandidates):
        return NoTurn(_contact(own.support, k), spins=own.spins, name=name)
    count = own.joint.speeds
    return VelocityRows(
        [own.joint], lambda q, t: (np.eye(count), np.zeros(count)),
        rows=own.joint.speed_names, name=name,
    )  # fmt: skip


def _bound(support: Any, k: int, name: str) -> JointEquation | RopeStrand:
    """A coordinate that stays at a bound, or a strand that stays taut."""
    if isinstance(support, SlackRope):
        return RopeStrand(support.rope, k, name=name)
    own = support.candidates
    sign, constants = own.signs[k], {"bound": own.bounds[k]}
    return JointEquation(
        [support.joint], lambda q, t, bound: sign * (q - bound),
        constants=constants, name=name,
    )  # fmt: skip


def _contact(support: Support, k: int) -> AnyContact:
    """Where candidate k touches, as a contact of a smooth surface."""
    own = support.candidates
    if isinstance(own, RimCandidates):
        raise ModelError(
            f"{support.name!r} cannot keep a mode: it is the rim of a cylinder.",
            "Which points of a rim are lowest changes as it turns.",
            "Give ph.surfaces.disc or ph.surfaces.hull with the points that touch.",
        )
    if isinstance(own, SegmentCandidates):
        raise ModelError(
            f"{support.name!r} cannot keep a mode: it is on a capsule.",
            "Which places are nearest changes from ends to sides as it moves.",
            "Ask ph.simulate or ph.contact_modes; or give balls in its place.",
        )
    if isinstance(own, OnPolytope):
        raise ModelError(
            f"{support.name!r} cannot keep a mode: it is on a {own.on.shape}.",
            "Which corners and edges touch changes as it moves.",
            "Ask ph.simulate with ph.methods.Moreau, or ph.contact_modes.",
        )
    if not isinstance(own, CornerCandidates):
        return own.contact
    place, r = own.surface.places[k], own.surface.radius
    if isinstance(own.on, Attachment):
        corner = Surface(own.surface.centre, lambda u: place + r * u)
        return contact_of(corner, own.on, own.axes)
    centre = own.surface.centre
    at = Point(centre.frame, np.asarray(coordinates_of(centre, NOMINAL)) + place)
    ball = sphere(at, r) if r else point_of(at)
    return contact_of(ball, own.on, own.axes)


def _required_grip(each: TwoSided) -> NoSlip | NoTurn | VelocityRows:
    if each.no_slip is None:
        raise ModelError(
            f"{each.name!r} cannot stick: {each.support.name!r} is smooth.",
            "Without friction nothing holds it along its tangents.",
            'Let it slide ("slides"), or give the support friction=ph.Coulomb(...).',
        )
    return each.no_slip


def _rubbing(each: TwoSided, touching: Mapping[str, Any]) -> list[Any]:
    """What acts where it slides; nothing where a couple's own contact is open."""
    support: Any = each.support
    if isinstance(support, DryJoint):
        radius, span = support.radius, support.span
        own = (support.joint, support.friction)
        return [JointFriction(*own, radius=radius, span=span, name=each.name)]
    if isinstance(support, Brake):
        load, arms = support.load, support.candidates.arms
        own = (support.joint, support.friction)
        return [BrakeFriction(*own, load=load, arms=arms, name=each.name)]
    if isinstance(support, Support):
        return [_rubbing_point(each)]
    couple = support.candidates
    point = couple.support.candidates.names[couple.names.index(each.name)]
    presses, spins = touching.get(point), couple.spins
    if presses is None:
        return []
    return [ContactCouple(presses, support.friction, spins=spins, name=each.name)]


def _rubbing_point(each: TwoSided) -> ConstraintFriction:
    assert isinstance(each.touching, Touching)
    if each.support.belt is not None:
        raise ModelError(
            f"{each.name!r} cannot keep sliding on a belt.",
            "Friction under a constraint is against the slip on the body itself, which"
            " does not run with the belt.",
            'Let it stick ("sticks") or open, or ask ph.simulate.',
        )
    law = each.support.friction
    if not isinstance(law, Coulomb | Stribeck):
        raise ModelError(
            f"{each.name!r} cannot keep sliding: {law!r} has a direction.",
            "Friction under a constraint is a law of the slip and the push alone.",
            'Let it stick ("sticks") or open, or ask ph.simulate.',
        )
    return ConstraintFriction(each.touching, law, name=f"friction of {each.name}")


def _statuses(system: System, modes: Mapping[str, str] | str) -> dict[str, str]:
    """By candidate point: its word."""
    points = names(system)
    found = dict.fromkeys(points, "open")
    if isinstance(modes, str):
        modes = {s.name: modes for s in system.supports}
    own = {s.name: s.candidates.names for s in system.supports}
    for name, word in modes.items():
        if name not in own and name not in found:
            raise ModelError(
                f"{system.name!r} has no support or point {name!r}.",
                "Modes are by name of a support, or of one of its points.",
                suggestion(str(name), [*own, *points]),
            )
        word = "sticks" if word == "rolls" else word
        if word not in STATUSES:
            raise ModelError(
                f"{name!r} cannot be {word!r}.",
                "A contact is open, or pressed and sliding, or pressed and held.",
                'Give "open", "slides", or "sticks" ("rolls" is the same).',
            )
        found |= dict.fromkeys(own.get(name, (name,)), word)
    return found


def _word(support: AnySupport, statuses: dict[str, str]) -> str:
    """The word of a support, or of its points where they differ."""
    words = [statuses[name] for name in support.candidates.names]
    return words[0] if len({*words}) == 1 else "/".join(words)
