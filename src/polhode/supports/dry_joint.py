r"""Dry friction of a joint under what the joint itself carries, that sticks.

    |T| <= mu_s N sticks,   T = -mu_d N v/|v| slides,   v = a z,   effort a T
    N = |F| + |M|/span      F, M the ideal reaction, which T itself changes

a is the radius for speeds in rad/s, and 1 for those in m/s. Of a joint with two speeds
v and T are vectors along them: one cone for both.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.coefficient import coefficient
from polhode.actions.contact.carried_friction import JointFriction
from polhode.actions.contact.friction import Coulomb
from polhode.actions.contact.friction_laws import Stribeck
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.joints.joint import Joint
from polhode.matter.parameter import Parameter, Quantity, Table, at, distinct
from polhode.supports.friction import named_friction
from polhode.supports.joint_supports import (
    AlongJoint,
    JointCandidates,
    require_dry,
    require_pads,
)
from polhode.supports.restitution import restitution_law


@final
@dataclass(frozen=True, eq=False, repr=False)
class DryJoint(AlongJoint):
    """Dry friction of a joint with one or two speeds that holds it at rest.

    It is pressed by the force and couple that the ideal joint carries, N = |F| +
    |M|/span; without a span the couple does not press. `friction` is `ph.Coulomb` or
    `ph.contact.Stribeck`. A `ph.JointFriction` with such a law, given among the
    supports of a system, is this. It gives no impulse where something strikes.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
    >>> DryJoint(hinge, ph.Coulomb(0.3, 0.4), radius=0.05)
    DryJoint('friction of hinge': holds 0.4 times its load at 0.05 m)
    """

    joint: Joint
    friction: Coulomb | Stribeck
    _: KW_ONLY
    radius: Quantity | None = None
    span: Quantity | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        name = self.name or f"friction of {getattr(self.joint, 'name', '')}"
        put(self, "name", name)
        require_pads(name, self.joint)
        require_dry(name, self.friction)
        if self.radius is None and "rad/s" in self.joint.speed_units:
            raise ModelError(
                f"{name!r} has no radius, and joint {self.joint.name!r} turns.",
                "The torque of friction is the force at the surface times its radius.",
                "Give radius=..., in metres.",
            )
        for word in ("radius", "span"):
            self._admit(word)
        put(self, "friction", named_friction(name, self.friction))
        put(self, "law", restitution_law(name, 0.0))
        a = 1.0 if self.radius is None else self.radius
        own = JointCandidates(
            self.joint, (name,), (1.0,), radius=a, carries=True, span=self.span
        )
        put(self, "candidates", own)

    def _admit(self, word: str) -> None:
        given = getattr(self, word)
        if given is None:
            return
        value = coefficient(self.name, word, given, unit="m")
        if not is_traced(at(value)) and at(value) == 0:
            raise ModelError(
                f"the {word} of {self.name!r} is zero.",
                "Forces at no distance make no couple.",
                f"Give a {word} above zero, in metres.",
            )
        object.__setattr__(self, word, value)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the friction, the radius and the span."""
        return distinct([*self.candidates.parameters, *self.friction.parameters])

    def coefficients(self, table: Table) -> tuple[Any, Any, Any]:
        """mu_d, mu_s, and no restitution."""
        return at(self.friction.dynamic, table), at(self.friction.static, table), 0.0

    def __repr__(self) -> str:
        static = at(self.friction.static)
        where = "" if self.radius is None else f" at {at(self.radius):g} m"
        return f"DryJoint({self.name!r}: holds {static:g} times its load{where})"


def dry_joint(given: JointFriction) -> DryJoint:
    """Friction of a joint that was given among the supports: there it sticks."""
    return DryJoint(
        given.joint,
        given.law,  # type: ignore[arg-type]  # refused at its door
        radius=given.radius,
        span=given.span,
        name=given.name,
    )
