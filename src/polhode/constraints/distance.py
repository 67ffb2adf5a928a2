r"""A rod without mass: two points at a constant distance.

      first o---------- L ----------o second        g = (d . d - L^2) / (2 L)

Near the constraint g is |d| - L, so its multiplier is the force in the rod, positive if
it pushes. The square has no corner where d vanishes.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, final

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import (
    Attachment,
    Placed,
    parameters_of,
    place,
    require_two_bodies,
)
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    distinct,
    named,
    parameters_in,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class Distance:
    """A point of one body stays at a length from a point of another.

    With `at_most` in the place of the length it is a rope: slack, taut, and jerked taut
    by the law of `restitution`. A system has it among its supports, as `ph.tether`
    makes it.

    >>> from polhode.matter.particle import Particle
    >>> a, b = Particle("a", 1.0), Particle("b", 1.0)
    >>> Distance(a.mass_centre, b.mass_centre, 2.0).rows
    ('length',)
    """

    first: Attachment
    second: Attachment
    length: Quantity | None = None
    _: KW_ONLY
    at_most: float | None = None
    restitution: Any = 0.0
    name: str = "distance"
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.first, self.second)
        if (self.length is None) == (self.at_most is None):
            raise ModelError(
                f"{self.name!r} has {'no' if self.length is None else 'two'} lengths.",
                "A rod has one that it keeps, a rope one that it does not exceed.",
                "Give length=2.0, or at_most=2.0.",
            )
        if self.length is None:
            return
        given = quantity(self.length, f"the length of {self.name!r}", "m")
        if not is_traced(at(given)) and at(given) <= 0:
            raise ModelError(
                f"the length of {self.name!r} is {at(given):g} m.",
                "At no distance a point has no direction in which it is held.",
                "Give a positive length; ph.Spherical joins two points.",
            )
        object.__setattr__(self, "length", named(given, f"{self.name}.length"))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies it joins."""
        return (self.first.frame, self.second.frame)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """None."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The length, and those of the points."""
        ends = parameters_of(self.first, self.second)
        return distinct([*ends, *parameters_in([self.length])])

    @property
    def rows(self) -> tuple[str, ...]:
        """One: the length."""
        return ("length",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """(d . d - L^2) / (2 L)"""
        d = place(placed, 1, self.second, table) - place(placed, 0, self.first, table)
        assert self.length is not None
        L = at(self.length, table)
        return namespace(d).stack([(dot(d, d) - L * L) / (2 * L)])
