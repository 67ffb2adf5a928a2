"""Friction under what a joint or a constraint itself carries: the real part of it.

An ideal joint or constraint has no power in any motion that it allows. A real one adds
a constitutive force that depends on the ideal reaction W_i, on which it acts back:

    T = law(slip, N),      N = load(W_i),      W_i = W_i(t, q, z, T)

The push N is found with the motion, so that both hold at once: `wrenches` and `effort`
read it from the table, under the action's `load_name`, and the system puts it there.
The slip may be zero: a law that is smooth there (`Regularised`, `Viscous`) creeps, and
`Coulomb` holds nothing at rest.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.contact.friction import FrictionLaw
from polhode.actions.defaults import BodyAction, JointAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    velocity_of,
)
from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import Constraint, Placed
from polhode.constraints.rolling import Touching
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot, norm
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at
from polhode.matter.parameter import parameters_in as listed

UNKNOWN = "No push satisfies the motion and the law at once: it jams."


@final
@dataclass(frozen=True, eq=False)
class JointFriction(JointAction):
    """Friction in a joint, under the force and couple that the ideal joint carries.

        tau = a T,    T = law(a z, N),    N = |F| + |M|/span

    a is the radius for speeds in rad/s and 1 for those in m/s, so that a z is how the
    surfaces slip, all speeds of the joint together. F and M are the force and couple of
    the ideal reaction; without a span the couple does not press. Given among the
    supports of a system, of a joint with one or two speeds and a law that is dry, it
    sticks (`ph.contact.DryJoint`); among the actions nothing holds at rest.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
    >>> JointFriction(hinge, ph.contact.Regularised(0.1, 1e-3), radius=0.02).name
    'friction of hinge'
    """

    joint: Joint
    law: FrictionLaw
    _: KW_ONLY
    radius: Quantity | None = None
    span: Quantity | None = None
    name: str = ""

    def __post_init__(self) -> None:
        name = self.name or f"friction of {self.joint.name}"
        object.__setattr__(self, "name", name)
        _require_law(name, self.law)
        if not 1 <= self.joint.speeds <= 3:
            raise ModelError(
                f"{name!r} has nothing that rubs: joint {self.joint.name!r} has"
                f" {self.joint.speeds} speeds.",
                "Friction is between surfaces that slip on each other along one, two or"
                " three speeds, under a reaction that presses.",
                "Give it a joint with one to three speeds, or"
                " ph.contact.ConstraintFriction.",
            )
        if self.radius is None and "rad/s" in self.joint.speed_units:
            raise ModelError(
                f"{name!r} has no radius, and joint {self.joint.name!r} turns.",
                "The torque of friction is the force at the surface times its radius.",
                "Give radius=..., in metres.",
            )
        for what in ("radius", "span"):
            value = getattr(self, what)
            if value is not None:
                _require_length(name, what, value)
                object.__setattr__(self, what, coefficient(name, what, value, unit="m"))

    @property
    def load_name(self) -> str:
        """Under which name the table has the push."""
        return f"{self.name}.load"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the law, the radius and the span."""
        lengths = [x for x in (self.radius, self.span) if x is not None]
        return (*self.law.parameters, *listed(lengths))

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """tau = a law(a z, N), with N from the table."""
        arms, xp = self._arms(table), namespace(z)
        push = xp.asarray(table[self.load_name], dtype=float)
        # Laws speak of a vector in space: what the joint does not let through is zero.
        slip = xp.concatenate([arms * z, np.zeros(3 - self.joint.speeds)])
        return arms * self.law.force(slip, push, table)[: self.joint.speeds]

    def load(self, reaction: Any, table: Table = NOMINAL) -> Any:
        """N of the ideal reaction [couple; force] (6,) at the joint, in its frame M."""
        push = norm(reaction[3:])
        if self.span is None:
            return push
        return push + norm(reaction[:3]) / at(self.span, table)

    def fault(self) -> str:
        """Where the push has no solution."""
        return UNKNOWN

    def _arms(self, table: Table) -> Any:
        turns = np.array([unit == "rad/s" for unit in self.joint.speed_units])
        radius = 1.0 if self.radius is None else at(self.radius, table)
        return turns * radius + (1.0 - turns)


@final
@dataclass(frozen=True, eq=False)
class ConstraintFriction(BodyAction):
    """Friction at a point that a constraint holds on another body.

        T = law(v, N),      N = |F|

    v is the velocity of the point seen from the body `by`, F the force of the ideal
    constraint on the point's body. Of a `PointOn`, point and body are its own; of the
    contact that `ph.rolling` gives first, the place at which the two bodies touch,
    which wanders over both:

    >>> import polhode as ph
    >>> ball, table = ph.Body("ball", ph.solids.sphere(mass=1, radius=0.1)), ph.World()
    >>> touch, _ = ph.rolling(ph.surfaces.sphere(ball.origin, 0.1), table.origin)
    >>> ConstraintFriction(touch, ph.Coulomb(0.2)).name
    'friction of rolling contact'
    """

    constraint: Constraint
    law: FrictionLaw
    _: KW_ONLY
    point: Attachment | None = None
    by: Frame | None = None
    name: str = ""

    def __post_init__(self) -> None:
        name = self.name or f"friction of {self.constraint.name}"
        object.__setattr__(self, "name", name)
        _require_law(name, self.law)
        if isinstance(self.constraint, Touching):
            self._require_contact()
            return
        for what, own in (("point", "point"), ("by", "of")):
            if getattr(self, what) is None:
                object.__setattr__(self, what, getattr(self.constraint, own, None))
        if self.point is None or not isinstance(self.by, Frame):
            raise ModelError(
                f"{name!r} does not know where it rubs.",
                f"{self.constraint.name!r} is an equation; it names no point that"
                " slides on a body.",
                "Give point=body.point(...) and by=other.frame.",
            )
        require_points(name, self.point)
        require_two_bodies(name, self.point.frame, self.by)
        if self.point.frame not in self.constraint.bodies:
            raise ModelError(
                f"{name!r} is at a point of {self.point.frame.name!r}, on which"
                f" {self.constraint.name!r} exerts nothing.",
                "The push of friction is the reaction on the body that slides.",
                "Give a point of a body of the constraint.",
            )

    @property
    def load_name(self) -> str:
        """Under which name the table has the push."""
        return f"{self.name}.load"

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that slides, then the one it slides on."""
        if isinstance(self.constraint, Touching):
            return self.constraint.bodies
        assert self.point is not None
        assert self.by is not None
        return (self.point.frame, self.by)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the point and of the law."""
        if self.point is None:
            return (*self.constraint.parameters, *self.law.parameters)
        return parameters_of((self.point,), *self.law.parameters)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The force at the point, and its opposite at the same place."""
        arm = self._arm(poses, table)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_from_other(poses, arm))
        push = namespace(v).asarray(table[self.load_name], dtype=float)
        T = self.law.force(v, push, table)
        return interaction(poses, arm, T, 0.0 * T)

    def load(self, reaction: Any, table: Table = NOMINAL) -> Any:
        """N of what the ideal constraint exerts on the body, [torque; force] (6,)."""
        return norm(reaction[3:])

    def fault(self) -> str:
        """Where the push has no solution."""
        return UNKNOWN

    def _arm(self, poses: Poses, table: Table) -> Any:
        if isinstance(self.constraint, Touching):
            place = self.constraint.contact.point(Placed(*poses, ()), table)
            return place - poses.origins[..., 0, :]
        assert self.point is not None
        return arm_of(poses, 0, self.point, table)

    def _require_contact(self) -> None:
        if self.point is not None or self.by not in (None, self.constraint.bodies[1]):
            raise ModelError(
                f"{self.name!r} cannot be given where it rubs.",
                f"{self.constraint.name!r} touches at a place that wanders over the"
                " bodies; a point of one of them would leave it.",
                "Leave point and by out.",
            )


@final
@dataclass(frozen=True, eq=False)
class ContactCouple(BodyAction):
    """A couple against rolling or spinning, under the push of a contact that stays.

        M = -law(w, N),      N = |F|

    w is the angular velocity of the body that rests seen from the other, its part about
    the normal where it `spins`, else the rest of it. The coefficients of the law are
    arms, in metres.
    """

    constraint: Touching
    law: FrictionLaw
    _: KW_ONLY
    spins: bool = False
    name: str = ""

    @property
    def load_name(self) -> str:
        """Under which name the table has the push."""
        return f"{self.name}.load"

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, then the one it rests on."""
        return self.constraint.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the contact and of the law."""
        return (*self.constraint.parameters, *self.law.parameters)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The couple on the one body, and its opposite on the other."""
        placed = Placed(*poses, ())
        n = poses.rotations[..., 1, :, :] @ self.constraint.contact.normal(
            placed, table
        )
        w = twists.angular[..., 0, :] - twists.angular[..., 1, :]
        about = n * dot(n, w)
        w = about if self.spins else w - about
        push = namespace(w).asarray(table[self.load_name], dtype=float)
        M = self.law.force(w, push, table)
        return interaction(poses, 0.0 * M, 0.0 * M, M)

    def load(self, reaction: Any, table: Table = NOMINAL) -> Any:
        """N of what the ideal constraint exerts on the body, [torque; force] (6,)."""
        return norm(reaction[3:])

    def fault(self) -> str:
        """Where the push has no solution."""
        return UNKNOWN


REAL = (JointFriction, ConstraintFriction, ContactCouple)


def _require_law(name: str, law: Any) -> None:
    if not callable(getattr(law, "force", None)):
        raise ModelError(
            f"{name!r} cannot follow {law!r}.",
            "A law of friction gives a force from the slip and the push.",
            "Give ph.contact.Regularised(mu, speed), ph.contact.Viscous(c) or"
            " ph.Coulomb(mu).",
        )


def _require_length(name: str, what: str, value: Any) -> None:
    if at(value) == 0:
        raise ModelError(
            f"the {what} of {name!r} is zero.",
            "Forces at no distance make no couple.",
            f"Give a {what} above zero, in metres.",
        )
