"""The rigid body: a frame filled with matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias, final, get_args

import numpy as np

from polhode.errors import ModelError
from polhode.fingerprint import REMEMBERED
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import shown
from polhode.matter.given import Given, given
from polhode.matter.inertia import Inertia
from polhode.matter.material_point import MaterialPoint, Place, material_point
from polhode.matter.moments import Moments
from polhode.matter.parameter import NOMINAL, Amount, Parameter, Table
from polhode.matter.shape import Shape, admit_shapes
from polhode.matter.spatial_inertia import SpatialInertia, spatial_inertia
from polhode.matter.submerged import Dry, Submerged
from polhode.matter.validity import require_physical

Matter: TypeAlias = Dry | Submerged


@final
@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: a name, matter, and axes that both move with it.

    Its moments are a function of the table of parameters: bare numbers are named from
    their place, such as `rod.mass`. `shapes` are what pictures show instead of the
    matter's own surface.

    >>> from polhode.matter.solids import rod
    >>> Body("rod", rod(mass=1.2, length=0.5)).parameters
    (Parameter('rod.mass', 1.2), Parameter('rod.length', 0.5))
    """

    name: str
    matter: Matter
    frame: Frame = field(init=False, repr=False)
    _: KW_ONLY
    # Only looked at: a program of the same matter is the same program.
    shapes: Sequence[Shape] = field(default=(), repr=False, metadata=REMEMBERED)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", Frame(self.name, self))
        if not isinstance(self.matter, get_args(Matter)):
            raise ModelError(
                f"{self.name!r} cannot be made of {self.matter!r}.",
                "A body needs matter: a solid, a cloud of particles, or given moments.",
                "Give ph.solids.rod(...) and the like, or use ph.Body.from_inertia.",
            )
        object.__setattr__(self, "matter", self.matter.named(self.name))
        object.__setattr__(self, "shapes", admit_shapes(self.name, self.shapes))
        mass, centre, inertia = _nominal(self.matter, repr(self.name))
        if not allows_unphysical(self.matter):
            require_physical(mass, inertia, who=repr(self.name))
        if not is_traced(mass, centre, inertia):
            _require_measured(self)
        if isinstance(self.matter, Submerged):
            SpatialInertia(
                self.matter.added_inertia(), Point.origin(self.frame), repr(self.name)
            )

    @staticmethod
    def from_inertia(
        name: str,
        *,
        mass: Amount,
        inertia: Any,
        centre: Any = (0.0, 0.0, 0.0),
        about: Any = None,
        allow_unphysical: bool = False,
        shapes: Sequence[Shape] = (),
    ) -> Body:
        """A body of known mass, mass centre and inertia, along its own axes.

        inertia: three moments, or a symmetric matrix whose products carry their minus
        sign, I_xy = -sum m x y; about the mass centre, or the point `about`. An
        inertia that no spread of mass has is refused unless allow_unphysical=True.
        """
        places = {"centre": centre, "about": about}
        allow = {"allow_unphysical": allow_unphysical}
        matter = given(mass, inertia, who=repr(name), **places, **allow)
        return Body(name, matter, shapes=shapes)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that the inertia depends on."""
        return self.matter.parameters

    def moments(self, table: Table = NOMINAL) -> Moments:
        """Mass, mass centre and central inertia as arrays, in the body's axes."""
        return self.matter.moments(table)

    def spatial_inertia(self, table: Table = NOMINAL) -> Any:
        """The inertia (6, 6) about the body's origin, added mass included."""
        mass, centre, inertia = self.moments(table)
        matrix = spatial_inertia(mass, centre, inertia)
        return matrix + self.added_inertia(table) if self.carries_fluid else matrix

    @property
    def carries_fluid(self) -> bool:
        """Whether it has inertia that is not mass: weight does not act on that part."""
        return isinstance(self.matter, Submerged)

    def added_inertia(self, table: Table = NOMINAL) -> Any:
        """The part (6, 6) of the inertia that is a fluid's, about the body's origin."""
        if isinstance(self.matter, Submerged):
            return self.matter.added_inertia(table)
        return np.zeros((6, 6))

    @property
    def mass(self) -> Any:
        """The nominal mass, in kg."""
        return self.moments().mass

    @property
    def inertia(self) -> Inertia:
        """The nominal inertia about the mass centre."""
        return Inertia.of_moments(self.moments(), self.frame, self.name)

    @property
    def origin(self) -> Place:
        """The point at which the body's axes meet."""
        return Point.origin(self.frame)

    @property
    def mass_centre(self) -> MaterialPoint:
        """The mass centre, a point fixed in the body."""

        def law(table: Table) -> Any:
            return self.moments(table).centre

        return MaterialPoint(self.frame, law, "mass centre", self.parameters)

    def point(self, x: Amount, y: Amount, z: Amount, name: str = "") -> Place:
        """A point fixed in the body, by numbers or parameters along its axes."""
        return material_point(self.frame, x, y, z, name=name)

    def __repr__(self) -> str:
        mass, centre, inertia = self.moments()
        numbers = f"mass={shown(mass)}, centre={shown(centre)}"
        if is_traced(inertia) or np.any(inertia != np.diag(np.diag(inertia))):
            return f"Body({self.name!r}, {numbers}, inertia={shown(inertia)})"
        return f"Body({self.name!r}, {numbers}, moments={shown(np.diag(inertia))})"


def allows_unphysical(matter: Any) -> bool:
    """Whether matter may have moments that no spread of mass has."""
    return isinstance(matter, Given) and matter.allow_unphysical


def _nominal(matter: Matter, who: str) -> Moments:
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return matter.moments()
    except OverflowError as reason:
        raise _too_large(who) from reason


def _require_measured(body: Body) -> None:
    """Refuse a mass so far from the origin that its moments there are not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.all(np.isfinite(body.spatial_inertia()))
    if not is_finite:
        raise _too_large(repr(body.name))


def _too_large(who: str) -> ModelError:
    return ModelError(
        f"the moments of {who} are beyond the largest number.",
        "A size or a mass is far too large.",
        "Check the units: lengths are in metres and masses in kilograms.",
    )
