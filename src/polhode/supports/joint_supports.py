r"""Supports along the coordinate of a joint: stops that may open, brakes that stick.

    Stop     0 <= q - lower  _|_  N >= 0,     0 <= upper - q  _|_  N >= 0
    Brake    |T| <= mu_s L sticks,  T = -mu_d L v/|v| slides,  v = a z,  effort a T

A stop pushes along the speed of its joint, N in N or N m. The pads of a brake are
pressed by a load L that is given, so that it never opens; it gives no impulse, for its
force is finite. Of a joint with two speeds v and T are vectors: one cone for both. Arms
a are the radius for speeds in rad/s, and 1 for those in m/s. Friction and slip of a run
are then told along the speeds, in their order, and not along the world's axes.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.contact.friction import Coulomb
from polhode.actions.contact.friction_laws import Stribeck
from polhode.arrays import namespace
from polhode.constraints.constraint import Placed
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.joints.motor_data import common_unit
from polhode.matter.parameter import (
    Parameter,
    Quantity,
    Table,
    at,
    distinct,
    named,
    parameters_in,
    quantity,
)
from polhode.supports.friction import named_friction
from polhode.supports.geometry import Geometry
from polhode.supports.restitution import Restitution, restitution_law


@final
@dataclass(frozen=True, eq=False)
class JointCandidates:
    """Bounds of one coordinate, +1 below and -1 above it; or pads along one or two.

    signs, bounds   (k,) of stops: gap = sign (q - bound); a brake has gap 0
    load, radius    of a brake; None of stops
    carries         whether pads are pressed by what the joint itself carries
    span            of such pads: how far apart a couple presses; None if it does not
    """

    joint: Joint
    names: tuple[str, ...]
    signs: tuple[float, ...]
    bounds: tuple[Quantity, ...] = ()
    load: Quantity | None = None
    radius: Quantity = 1.0
    carries: bool = False
    span: Quantity | None = None

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies of the joint, the successor first."""
        return (self.joint.second.frame, self.joint.first.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Bounds, or load, radius and span."""
        pads = [self.load, self.radius, self.span] if not self.bounds else []
        own = [*self.bounds, *(x for x in pads if x is not None)]
        return distinct([*self.joint.parameters, *parameters_in(own)])

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """Gaps; the place is the joint's, the normal is along its axis."""
        (q,) = placed.coordinates
        R, p = self.joint.second_frame(table)
        xp = namespace(placed.rotations, q)
        point = placed.origins[0] + placed.rotations[0] @ p
        gap = [
            s * (q[0] - at(bound, table))
            for s, bound in zip(self.signs, self.bounds, strict=False)
        ]
        none = xp.zeros(3)
        if self.joint.speeds == 1:
            axis = placed.rotations[0] @ (R @ xp.asarray(self.joint.axis_at(table)))
            across = [none, axis, none]
        else:
            # A turn and a slide may have one axis: entries are along the speeds.
            axis, across = none, [none, *np.eye(3)[:2]]
        # Forces of pads are along the axis, as their first tangent.
        columns = [
            xp.stack([s * axis, none, none] if gap else across, axis=1)
            for s in self.signs
        ]
        gaps = xp.stack(gap) if gap else 0.0 * q[:1]
        return Geometry(gaps, xp.stack([point] * len(columns)), xp.stack(columns))

    def rows(self, table: Table) -> Any:
        """What of u each unit of the joint's speeds gives: (k, 3, speeds)."""
        if self.bounds:
            return np.array([[[s], [0.0], [0.0]] for s in self.signs])
        arms = [at(arm, table) for arm in self.arms]
        xp = namespace(*arms)
        arms = [1.0 * xp.asarray(arm) for arm in arms]
        none = 0.0 * arms[0]
        each = [
            xp.stack([none, *(a if j == k else none for j in range(len(arms))), none])
            for k, a in enumerate(arms)
        ]
        return xp.stack([column[:3] for column in each], axis=1)[None]

    @property
    def arms(self) -> tuple[Quantity, ...]:
        """Of pads, one a speed: what a unit of it makes them slip."""
        units = self.joint.speed_units
        # Of one speed the radius is the arm, of a joint that slides too.
        turns = [unit == "rad/s" or len(units) == 1 for unit in units]
        return tuple(self.radius if turn else 1.0 for turn in turns)


@dataclass(frozen=True, eq=False, repr=False)
class AlongJoint:
    """What stops and brakes have in common with supports between surfaces."""

    candidates: JointCandidates = field(init=False, kw_only=True)
    law: Restitution = field(init=False, kw_only=True)
    belt: ClassVar[None] = None
    jam: ClassVar[bool] = False
    name: str = field(default="", kw_only=True)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies of the joint, the successor first."""
        return self.candidates.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joint."""
        return (self.candidates.joint,)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stop(AlongJoint):
    """Bounds that the coordinate of a joint strikes and rests against.

    Without `lower` and `upper` they are the joint's own `limits`. `restitution` is a
    law, or a number for Stronge's. The push is in N of a joint that slides, in N m of
    one that turns.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y,
    ...                     limits=(-0.5, 1.0))
    >>> Stop(hinge, restitution=0.3)
    Stop('stop of hinge': -0.5 to 1 rad)
    """

    joint: Joint
    lower: Quantity | None = None
    upper: Quantity | None = None
    _: KW_ONLY
    restitution: Any = 0.0
    friction: ClassVar[None] = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        name = self.name or f"stop of {getattr(self.joint, 'name', '')}"
        put(self, "name", name)
        require_one_coordinate(name, self.joint)
        lower, upper = self._bounds()
        put(self, "law", restitution_law(name, self.restitution))
        given = [(1.0, lower, "lower"), (-1.0, upper, "upper")]
        own = [(s, x, word) for s, x, word in given if x is not None]
        names = tuple(name if len(own) == 1 else f"{name} {w}" for *_, w in own)
        signs, bounds = tuple(s for s, *_ in own), tuple(x for _, x, _ in own)
        put(self, "lower", lower)
        put(self, "upper", upper)
        put(self, "candidates", JointCandidates(self.joint, names, signs, bounds))

    def _bounds(self) -> tuple[Any, Any]:
        name, ends = self.name, [self.lower, self.upper]
        unit = common_unit(self.joint.units)
        if ends == [None, None] and self.joint.limits is not None:
            ends = [float(np.asarray(x)[0]) for x in self.joint.limits]
        bounds = [
            None
            if x is None or (isinstance(x, float | int) and np.isinf(x))
            else named(
                quantity(x, f"the {word} bound of {name!r}", unit), f"{name}.{word}"
            )
            for word, x in zip(("lower", "upper"), ends, strict=True)
        ]
        if bounds == [None, None]:
            raise ModelError(
                f"{name!r} has no bounds.",
                f"Joint {self.joint.name!r} has no limits, and none were given.",
                "Give lower=..., upper=..., or the joint limits=(lower, upper).",
            )
        low, high = (None if x is None else at(x) for x in bounds)
        is_known = None not in (low, high) and not is_traced(low, high)
        if is_known and low >= high:  # type: ignore[operator]
            raise ModelError(
                f"{name!r} lets {self.joint.name!r} nowhere: its lower bound {low:g} is"
                f" not below its upper one {high:g}.",
                "Between them the joint moves.",
                "Exchange them, or hold the joint: ph.in_mode, ph.lock.",
            )
        return bounds[0], bounds[1]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The bounds and the restitution."""
        return distinct([*self.candidates.parameters, *self.law.parameters])

    def coefficients(self, table: Table) -> tuple[Any, Any, Any]:
        """No friction, and the number of the law of restitution."""
        return 0.0, 0.0, at(self.law.restitution, table)

    def __repr__(self) -> str:
        unit = self.joint.units[0]
        low, high = self.lower, self.upper
        if low is None:
            said = f"up to {at(high):g} {unit}"
        elif high is None:
            said = f"from {at(low):g} {unit}"
        else:
            said = f"{at(low):g} to {at(high):g} {unit}"
        return f"Stop({self.name!r}: {said})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Brake(AlongJoint):
    """Dry friction of a joint that sticks: pads at a radius, pressed by a given load.

    Of a joint that slides the radius is 1. Of one with two speeds (universal,
    cylindrical) the slip is a vector, and one cone holds both. With load and radius
    left at 1 the numbers of the law are forces or torques: `ph.Brake(hinge,
    ph.Coulomb(0.3, 0.4))` slides against 0.3 N m and holds up to 0.4 N m. `friction` is
    `ph.Coulomb` or `ph.contact.Stribeck`.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=ph.Y)
    >>> Brake(hinge, ph.Coulomb(0.3, 0.4), load=20.0, radius=0.05)
    Brake('brake of hinge': holds 0.4 N m)
    """

    joint: Joint
    friction: Coulomb | Stribeck
    _: KW_ONLY
    load: Quantity = 1.0
    radius: Quantity = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        name = self.name or f"brake of {getattr(self.joint, 'name', '')}"
        put(self, "name", name)
        require_pads(name, self.joint)
        require_dry(name, self.friction)
        for word, unit in (("load", "N"), ("radius", "m")):
            value = coefficient(name, word, getattr(self, word), unit=unit)
            if not is_traced(at(value)) and at(value) == 0:
                raise ModelError(
                    f"the {word} of {name!r} is zero.",
                    "Then it brakes nothing.",
                    f"Give a {word} above zero, or leave the brake out.",
                )
            put(self, word, value)
        put(self, "friction", named_friction(name, self.friction))
        put(self, "law", restitution_law(name, 0.0))
        own = JointCandidates(
            self.joint, (name,), (1.0,), load=self.load, radius=self.radius
        )
        put(self, "candidates", own)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the friction, the load and the radius."""
        rubs = self.friction.parameters
        return distinct([*self.candidates.parameters, *rubs, *self.law.parameters])

    def coefficients(self, table: Table) -> tuple[Any, Any, Any]:
        """mu_d, mu_s, and no restitution."""
        rubs = self.friction
        return at(rubs.dynamic, table), at(rubs.static, table), 0.0

    def __repr__(self) -> str:
        is_one = self.joint.speeds == 1
        unit = "N m" if is_one and self.joint.speed_units[0] == "rad/s" else "N"
        holds = at(self.friction.static) * at(self.load)
        holds = holds * at(self.radius) if is_one else holds
        return f"Brake({self.name!r}: holds {holds:g} {unit})"


def require_dry(name: str, law: Any) -> None:
    """Refuse a law of friction that does not stick."""
    if isinstance(law, Coulomb | Stribeck):
        return
    raise ModelError(
        f"{name!r} cannot have the friction {law!r}.",
        "It sticks while |T| <= mu_s L, and slides with mu_d L against it.",
        "Give ph.Coulomb(dynamic, static) or ph.contact.Stribeck(...).",
    )


def require_pads(name: str, joint: Any) -> None:
    """Refuse what has no one or two speeds along which pads rub."""
    if isinstance(joint, Joint) and 1 <= joint.speeds <= 2:
        return
    said = joint if not isinstance(joint, Joint) else f"joint {joint.name!r}"
    raise ModelError(
        f"{name!r} cannot be along {said}.",
        "Dry friction that sticks is along the one or two speeds of a joint.",
        "Give a ph.Revolute, ph.Prismatic, ph.Cylindrical or ph.Universal joint of the"
        " system; of more speeds, ph.JointFriction among the actions.",
    )


def require_one_coordinate(name: str, joint: Any) -> None:
    """Refuse what is no joint that turns or slides."""
    if isinstance(joint, Joint) and joint.coordinates == joint.speeds == 1:
        return
    said = joint if not isinstance(joint, Joint) else f"joint {joint.name!r}"
    raise ModelError(
        f"{name!r} cannot be along {said}.",
        "It acts along the one coordinate of a joint that turns or slides.",
        "Give a ph.Revolute or ph.Prismatic joint of the system.",
    )
