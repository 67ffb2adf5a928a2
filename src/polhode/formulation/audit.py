"""Is anything missing from a model? Invariance, and the third law of the whole system.

    sum over all bodies, the world too, of  F = 0  and of  torque + p x F = 0

for everything that acts between them, joints and constraints included: what is left
unanswered is exerted by something that is not in the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.actions.potentials.invariance import InvarianceReport, audit_invariance
from polhode.constraints.invariance import ConstraintAudit, audit_constraint
from polhode.constraints.prescribed_motion import PrescribedMotion
from polhode.formulation.compare import random_states
from polhode.formulation.contact.in_mode import mode_of, two_sided
from polhode.formulation.recursive.recursive import recursive
from polhode.supports.candidates import RimCandidates
from polhode.supports.polytope_pairs import OnPolytope
from polhode.supports.segments import SegmentCandidates
from polhode.system.checked_argument import system_argument
from polhode.system.gather import driven_joints
from polhode.system.loads import still_world, with_world

if TYPE_CHECKING:
    from polhode.constraints.constraint import Constraint
    from polhode.formulation.equations import Equations
    from polhode.geometry.wrench import Wrench
    from polhode.system.state import State
    from polhode.system.system import System

TOLERANCE = 1e-9
STATES = 3

Pull = tuple[np.ndarray, np.ndarray, np.ndarray]  # torque, force, and its place


@final
@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What a model says about itself.

    reports  by name of each action and constraint between bodies: its invariance
    force    what all forces together leave unanswered, of their size
    moment   the same of moments about the world's origin, of torques and of forces
             times their distance from it: far away a small couple is not seen here,
             but in the report of what exerts it
    """

    system: System
    reports: dict[str, InvarianceReport | ConstraintAudit]
    force: float
    moment: float

    @property
    def obeys_third_law(self) -> bool:
        """Whether everything that acts is answered by a body of the model."""
        return max(self.force, self.moment) <= TOLERANCE

    @property
    def is_sound(self) -> bool:
        """Whether nothing is missing: all is invariant, and all is answered."""
        sound = (report.is_invariant for report in self.reports.values())
        return self.obeys_third_law and all(sound)

    def __repr__(self) -> str:
        lines = [str(report) for report in self.reports.values()]
        share = f"forces {self.force:.1e}, moments {self.moment:.1e}"
        answered = f"all that acts is answered: {share} of their size are left"
        if not self.obeys_third_law:
            answered = f"something acts that is not in the model: {share} of their size"
        return "\n".join([f"Audit({self.system.name!r}): {answered}", *lines])


@system_argument
def audit(system: System, state: State | None = None) -> Audit:
    """Audit every action and constraint of a system, and all of them together.

    The whole is tried at a state, or at random ones. What acts along a joint is between
    its two bodies; what a driver prescribes knows the time, and is not held against it.

    Of a system with supports the whole is tried in the mode that its contacts have in
    the state, all open without one; and each point that may touch is audited as the
    constraint that it is while it sticks. Rims, whose lowest points change, are not.

    >>> import polhode as ph
    >>> print(ph.audit(ph.models.pendulum()).is_sound)
    True
    """
    reports: dict[str, InvarianceReport | ConstraintAudit] = {}
    for action in system.actions:
        if not driven_joints(action):
            reports[action.name] = audit_invariance(action)
    for each in system.constraints:
        if not isinstance(each, PrescribedMotion):
            reports[each.name] = audit_constraint(each)
    if system.supports:
        reports |= {each.name: audit_constraint(each) for each in _touching(system)}
        system, state = mode_of(system, state)
    equations = recursive(system)
    states = [state] if state is not None else random_states(system, STATES)
    left = [_unanswered(equations, each) for each in states]
    moment, force = np.max(left, axis=0)
    return Audit(system, reports, float(force), float(moment))


# Contacts whose places no constraint of two sides keeps.
CHANGING = (RimCandidates, SegmentCandidates, OnPolytope)


def _touching(system: System) -> list[Constraint]:
    """The constraints that points of supports are while they stick."""
    points = [
        name
        for support in system.supports
        if not isinstance(support.candidates, CHANGING)
        for name in support.candidates.names
    ]
    found: list[Constraint] = []
    for each in two_sided(system, points):
        both: tuple[Any, ...] = (each.touching, each.no_slip)
        found += [row for row in both if row is not None]
    return found


def _unanswered(equations: Equations, state: State) -> tuple[float, float]:
    """Of moments about the world's origin and of forces: the sum, of its parts."""
    pulls = [*_acting(equations.system, state), *_reactions_on_bodies(equations, state)]
    if not pulls:
        return 0.0, 0.0
    torques, forces, places = (np.array(part) for part in zip(*pulls, strict=True))
    # A moment about the origin may be the rounding of a force that points at it.
    sizes = np.linalg.norm([torques, forces, places], axis=-1)
    largest = np.sum(sizes[0] + sizes[1] * sizes[2])
    moments = torques + np.cross(places, forces)
    return _share(moments, largest), _share(forces, np.sum(sizes[1]))


def _share(parts: np.ndarray, size: float) -> float:
    return float(np.linalg.norm(np.sum(parts, axis=0)) / size) if size else 0.0


def _acting(system: System, state: State) -> list[Pull]:
    """Every action on each of its bodies."""
    t, q, z = float(state.t), state.q, state.z
    poses = with_world(system.poses(t, q))
    table = system.loaded(t, q, z, system.table())
    twists = still_world(system.twists(t, q, z))
    found = []
    for action in system.actions:
        if driven_joints(action):
            continue
        own = list(system.places_of(action.bodies))
        here = type(poses)(poses.rotations[own], poses.origins[own])
        moving = type(twists)(twists.angular[own], twists.linear[own])
        torques, forces = action.wrenches(here, moving, t, table)
        parts = (np.asarray(part) for part in (torques, forces, here.origins))
        found += list(zip(*parts, strict=True))
    return found


def _reactions_on_bodies(equations: Equations, state: State) -> list[Pull]:
    """Every reaction, on the body that feels it and on that which gives.

    Of constraints with the world among their bodies, the world answers for the rest.
    """
    system = equations.system
    poses, ground = with_world(system.poses(state.t, state.q)), system.tree.world.frame
    answered = {
        f"{each.name} on {body.name}"
        for each in system.constraints
        for body in each.bodies
        if ground in each.bodies
    }
    found = []
    for name, wrench in equations.reactions(state).items():
        if name in answered:
            continue
        place = np.asarray(_place(system, poses, wrench))
        torque, force = np.asarray(wrench.torque), np.asarray(wrench.force)
        found.append((torque, force, place))
        if wrench.by is not None:
            found.append((-torque, -force, place))
    return found


def _place(system: System, poses: Any, wrench: Wrench) -> np.ndarray:
    (k,) = system.places_of([wrench.point.frame])
    return poses.origins[k] + poses.rotations[k] @ wrench.point.coordinates
