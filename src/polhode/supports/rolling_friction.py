r"""Couples that resist the rolling and the spinning of one body on another.

        omega      RollingFriction    |M_t| <= a_s N holds,  M_t = -a_d N w_t/|w_t|
     __( o )__     SpinningFriction   |M_n| <= a_s N holds,  M_n = -a_d N w_n/|w_n|
      N ^

w is the angular velocity of the body that rests seen from what it rests on, w_n its
part along the normal and w_t the rest. The arms a are lengths: of a wheel how far ahead
of its centre the push acts, of a flat spot of radius R under even pressure 2/3 mu R.
N is the push of the point itself, found with the motion.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from polhode.actions.contact.friction import Coulomb
from polhode.arrays import namespace
from polhode.constraints.constraint import Placed
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.matter.parameter import Parameter, Quantity, Table, at, distinct
from polhode.supports.geometry import Geometry
from polhode.supports.restitution import Restitution, restitution_law
from polhode.supports.support import Support


@final
@dataclass(frozen=True, eq=False)
class CoupleCandidates:
    """Couples at the points of a support, pressed by the pushes there.

    Axes (k, 3, 3) are those about which they act: columns 0, and two tangents or the
    normal; u is the angular velocity about them.
    """

    support: Support
    names: tuple[str, ...]
    spins: bool

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return self.support.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the points."""
        return self.support.candidates.parameters

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """They never open: where the point is open, nothing presses them."""
        own = self.support.candidates.geometry(placed, table)
        xp = namespace(own.axes)
        none = xp.zeros_like(own.axes[:, :, 0])
        first, second = (0, None) if self.spins else (1, 2)
        columns = [none, own.axes[:, :, first]]
        columns.append(none if second is None else own.axes[:, :, second])
        return Geometry(0.0 * own.gap, own.point, xp.stack(columns, axis=2))


@dataclass(frozen=True, eq=False, repr=False)
class _AtSupport:
    """What both couples have in common with supports."""

    of: Support
    dynamic: Quantity
    static: Quantity | None = None
    _: KW_ONLY
    name: str = ""
    friction: Coulomb = field(init=False)
    law: Restitution = field(init=False)
    candidates: CoupleCandidates = field(init=False)
    belt: ClassVar[None] = None
    jam: ClassVar[bool] = False
    word: ClassVar[str]

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.of, Support):
            raise ModelError(
                f"{self.word} friction cannot be at {self.of!r}.",
                "It is a couple at the points of a support, under their pushes.",
                "Give the ph.Support of the same system.",
            )
        name = self.name or f"{self.word} friction of {self.of.name}"
        put(self, "name", name)
        rubs = Coulomb(self.dynamic, self.static, name=name)
        if not is_traced(at(rubs.static)) and at(rubs.static) == 0:
            raise ModelError(
                f"the arm of {name!r} is zero.",
                "Then it resists nothing.",
                "Give a length above zero, in metres, or leave it out.",
            )
        put(self, "friction", rubs)
        put(self, "dynamic", rubs.dynamic)
        put(self, "static", rubs.static)
        put(self, "law", restitution_law(name, 0.0))
        points = self.of.candidates.names
        label = (
            [name]
            if len(points) == 1
            else [f"{self.word} friction of {p}" for p in points]
        )
        spins = isinstance(self, SpinningFriction)
        put(self, "candidates", CoupleCandidates(self.of, tuple(label), spins))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return self.of.bodies

    @property
    def joints(self) -> tuple[Any, ...]:
        """None: it reads bodies only."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the points and its arms."""
        return distinct([*self.candidates.parameters, *self.friction.parameters])

    def coefficients(self, table: Table) -> tuple[Any, Any, Any]:
        """The two arms, in metres, and no restitution."""
        return at(self.dynamic, table), at(self.static, table), 0.0

    def __repr__(self) -> str:
        arm = np.float64(at(self.dynamic))
        return f"{type(self).__name__}({self.name!r}: {arm:g} m)"


@final
class RollingFriction(_AtSupport):
    """A couple against rolling, up to an arm times the push; at rest it holds.

    A ball on a plane with it comes to rest, and on a slope it stays while tan(a) R is
    not above the static arm.

    >>> import polhode as ph
    >>> ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    >>> on = ph.Support(ph.surfaces.sphere(ball.origin, 0.1), ph.World().origin,
    ...                 friction=ph.Coulomb(0.5), name="felt")
    >>> RollingFriction(on, 0.002)
    RollingFriction('rolling friction of felt': 0.002 m)
    """

    word: ClassVar[str] = "rolling"


@final
class SpinningFriction(_AtSupport):
    """A couple against spinning about the normal, up to an arm times the push.

    >>> import polhode as ph
    >>> ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    >>> on = ph.Support(ph.surfaces.sphere(ball.origin, 0.1), ph.World().origin,
    ...                 friction=ph.Coulomb(0.5), name="felt")
    >>> SpinningFriction(on, 0.001)
    SpinningFriction('spinning friction of felt': 0.001 m)
    """

    word: ClassVar[str] = "spinning"
