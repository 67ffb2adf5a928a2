"""Friction: the tangential part of a contact, and the laws it may follow.

        N n  | normal part: impenetrability
             |
------ T <---o---> v      T on the body, against its sliding velocity v
//////////////////
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Protocol, final

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import FramedAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    turn,
    velocity_of,
)
from polhode.arrays import Array, Scalar, namespace, removable
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot, norm, shown
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at
from polhode.matter.parameter import parameters_in as listed
from polhode.matter.quantities.direction import (
    admit_direction,
    parameters_of_direction,
    unit_at,
)


class ContactParts(NamedTuple):
    """A contact force by its parts: N along the normal, and the tangential vector."""

    normal: Any
    tangential: Any


def split(force: Array, normal: Array) -> ContactParts:
    """The normal and the tangential part of a force.   F = N n + T,  T . n = 0

    n is a unit vector, out of the surface that pushes: N > 0 is a push.
    """
    N = dot(force, normal)
    return ContactParts(N, force - N[..., None] * normal)


def sliding_friction(velocity: Array, load: Scalar, coefficient: Scalar) -> Any:
    """Coulomb's force on what slides with v.   T = -mu N v/|v|

    At v = 0 the law gives no direction; zero is the mean of what it allows.
    """
    speed = norm(velocity)
    still = speed == 0
    safe = removable(still, 1.0, speed)
    size = removable(still, 0.0, coefficient * load / safe)
    return -size[..., None] * velocity


def sticks(tangential: Array, load: Scalar, static: Scalar) -> Any:
    """Whether a contact at rest can carry a tangential force.   |T| <= mu_s N

    Printed the other way round in places: then only forces too large would be carried.
    """
    return norm(tangential) <= static * load


def coulomb_friction(
    velocity: Array, applied: Array, load: Scalar, *, static: Scalar, dynamic: Scalar
) -> Any:
    """Coulomb's law with its static limit, mu_s = `static`, mu_d = `dynamic`.

        sliding        T = -mu_d N v/|v|
        at rest        T = -applied              while |applied| <= mu_s N
        breaking away  T = -mu_d N applied/|applied|   above

    `applied` is the tangential part of all else that acts; N is the push, not negative.
    """
    xp = namespace(velocity, applied, load)
    slides = (norm(velocity) > 0)[..., None]
    holds = sticks(applied, load, static)[..., None]
    at_rest = xp.where(holds, -applied, sliding_friction(applied, load, dynamic))
    return xp.where(slides, sliding_friction(velocity, load, dynamic), at_rest)


def regularised_friction(
    velocity: Array, load: Scalar, mu: Scalar, speed: Scalar
) -> Any:
    """Friction that is smooth through rest.   T = -mu N v / sqrt(|v|^2 + s^2)

    Below the speed s it is viscous with the coefficient mu N/s: nothing ever sticks.
    """
    xp = namespace(velocity, load, mu, speed)
    size = mu * load / xp.sqrt(dot(velocity, velocity) + speed**2)
    return -size[..., None] * velocity


class FrictionLaw(Protocol):
    """A law of friction: a tangential force from the sliding velocity and the push."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers of the law."""

    def force(self, velocity: Array, load: Scalar, table: Table = NOMINAL) -> Any:
        """The tangential force on what slides with this velocity under this push."""


@final
@dataclass(frozen=True, eq=False)
class Coulomb:
    """Dry friction: mu_d N against the sliding.

    At rest it has no force: what holds a body there is a constraint, and `holds` says
    whether mu_s N is enough for it. A `ph.Support` with this law sticks, slides and
    opens by itself; so do a `ph.Brake` of a joint under a known load, and a
    `ph.JointFriction` given among the supports of a system. As an action it does not: a
    motion that comes to rest slides on, or back, or is told to make its steps ever
    shorter. `Regularised` creeps instead; or let an event end the run where the sliding
    ends.
    """

    dynamic: Quantity
    static: Quantity | None = None
    name: str = "coulomb"

    def __post_init__(self) -> None:
        given = self.dynamic if self.static is None else self.static
        dynamic = coefficient(self.name, "dynamic", self.dynamic)
        static = coefficient(self.name, "static", given)
        object.__setattr__(self, "dynamic", dynamic)
        object.__setattr__(self, "static", static)
        low, high = at(dynamic), at(static)
        if not is_traced(low, high) and high < low:
            raise ModelError(
                f"{self.name!r} has static friction {high:g} below dynamic {low:g}.",
                "What holds less at rest than while sliding could never come to rest.",
                "Give static >= dynamic; perhaps the two are exchanged.",
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Both coefficients."""
        return listed([self.dynamic, self.static])

    def force(self, velocity: Array, load: Scalar, table: Table = NOMINAL) -> Any:
        """T = -mu_d N v/|v|, zero at rest, where a constraint must hold instead."""
        return sliding_friction(velocity, load, at(self.dynamic, table))

    def holds(self, tangential: Array, load: Scalar, table: Table = NOMINAL) -> Any:
        """Whether the contact can stay at rest: |T| <= mu_s N."""
        return sticks(tangential, load, at(self.static, table))

    def __repr__(self) -> str:
        dynamic, static = shown(at(self.dynamic)), shown(at(self.static))
        return f"Coulomb(dynamic={dynamic}, static={static})"


@final
@dataclass(frozen=True, eq=False)
class Viscous:
    """Lubricated friction: T = -c v, whatever the push."""

    damping: Quantity
    name: str = "viscous"

    def __post_init__(self) -> None:
        c = coefficient(self.name, "damping", self.damping, unit="N*s/m")
        object.__setattr__(self, "damping", c)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The damping."""
        return listed([self.damping])

    def force(self, velocity: Array, load: Scalar, table: Table = NOMINAL) -> Any:
        """T = -c v"""
        return -at(self.damping, table) * velocity

    def __repr__(self) -> str:
        return f"Viscous({shown(at(self.damping))} N s/m)"


@final
@dataclass(frozen=True, eq=False)
class Regularised:
    """Dry friction made smooth: T = -mu N v/sqrt(v^2 + s^2), creeping at rest."""

    dynamic: Quantity
    speed: Quantity
    name: str = "regularised"

    def __post_init__(self) -> None:
        dynamic = coefficient(self.name, "dynamic", self.dynamic)
        speed = coefficient(self.name, "speed", self.speed, unit="m/s")
        if not is_traced(at(speed)) and at(speed) == 0:
            raise ModelError(
                f"the speed of {self.name!r} is zero.",
                "It is the speed over which friction turns round; zero is a jump.",
                "Give a small speed, or use Coulomb.",
            )
        object.__setattr__(self, "dynamic", dynamic)
        object.__setattr__(self, "speed", speed)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The coefficient and the speed."""
        return listed([self.dynamic, self.speed])

    def force(self, velocity: Array, load: Scalar, table: Table = NOMINAL) -> Any:
        """T = -mu N v/sqrt(v^2 + s^2)"""
        mu, speed = at(self.dynamic, table), at(self.speed, table)
        return regularised_friction(velocity, load, mu, speed)

    def __repr__(self) -> str:
        dynamic, speed = shown(at(self.dynamic)), shown(at(self.speed))
        return f"Regularised(dynamic={dynamic}, speed={speed})"


@final
@dataclass(frozen=True, eq=False)
class Friction(FramedAction):
    """Friction at a point of one body that slides on another under a known push.

    `normal` is out of the surface, in the axes of `by`; the tangential part of the
    point's velocity seen from `by` slides. The push itself is not part of this action.
    """

    on: Attachment
    by: Frame
    normal: Any
    load: Quantity
    law: FrictionLaw
    _: KW_ONLY
    name: str = "friction"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_two_bodies(self.name, self.on.frame, self.by)
        unit = admit_direction(self.normal, f"the normal of {self.name!r}", self.by)
        object.__setattr__(self, "normal", unit)
        load = coefficient(self.name, "load", self.load, unit="N")
        object.__setattr__(self, "load", load)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The push, those of the point, of the normal and of the law."""
        normal = parameters_of_direction(self.normal)
        return parameters_of((self.on,), self.load, *normal, *self.law.parameters)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The tangential force at the point, and its opposite at the same place."""
        arm = arm_of(poses, 0, self.on, table)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_from_other(poses, arm))
        slip = split(v, turn(poses, 1, unit_at(self.normal, table))).tangential
        T = self.law.force(slip, at(self.load, table), table)
        return interaction(poses, arm, T, 0.0 * T)

    def fault(self) -> str:
        """Friction is finite at finite speeds."""
        return "The velocities are not finite."

    def __repr__(self) -> str:
        load, normal = shown(at(self.load)), shown(unit_at(self.normal))
        return (
            f"Friction({self.name!r} at {self.on!r}, on {self.by.name!r}"
            f" under {load} N along {normal}, {self.law!r})"
        )
