"""Torque of a planet's magnetic field on the moment of a craft: residual, or of rods.

torque = m x B
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from dataclasses import field as made
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import Attachment, parameters_of, require_points
from polhode.actions.defaults import PointAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, interaction, turn
from polhode.actions.space.loads import along_observer, point_seen
from polhode.actions.space.magnetic_field import EARTH_FIELD, MagneticField, field_law
from polhode.actions.user_law import admit_law_constants
from polhode.arrays import Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.vector import cross
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Table,
    at,
    distinct,
    named,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class MagneticTorque(PointAction):
    """The torque on a magnetic moment that is fixed in a craft, or that rods give it.

    on       a point of the craft, where the field is taken
    by       the planet's centre
    field    DipoleField, HarmonicField, or law(x, t, **constants) in tesla along
             axes at rest
    moment   along the craft's axes, A m^2
    limit    of each component, A m^2: what rods can give
    constants   numbers or parameters that a law of the field takes by name

    A run may give the moment by the action's name, as an input: torque rods.

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    >>> rods = ph.space.MagneticTorque(craft.origin, ph.World().origin, limit=10.0)
    >>> rods.moment
    (0.0, 0.0, 0.0)
    """

    on: Attachment
    by: Attachment
    field: MagneticField = EARTH_FIELD
    moment: Any = (0.0, 0.0, 0.0)
    _: KW_ONLY
    limit: float = np.inf
    constants: Mapping[str, Any] = made(default_factory=dict)
    name: str = "magnetic torque"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        moment = tuple(self.moment)
        if len(moment) != 3 or not float(self.limit) >= 0:
            raise ModelError(
                f"{self.name!r} has the moment {self.moment!r} within {self.limit!r}.",
                "A magnetic moment has three components, and a limit is zero or more.",
                "Give moment=(mx, my, mz) in A m^2 along the craft's axes.",
            )
        named_ones = tuple(
            named(quantity(m, f"m{axis} of {self.name!r}"), f"{self.name}.m{axis}")
            for axis, m in zip("xyz", moment, strict=True)
        )
        object.__setattr__(self, "moment", named_ones)
        if not hasattr(self.field, "at") and not callable(self.field):
            raise ModelError(
                f"{self.name!r} has no field: {self.field!r}.",
                "The torque needs B at a place.",
                "Give ph.space.DipoleField, HarmonicField, or law(x, t) in tesla.",
            )
        admitted = admit_law_constants(
            self.name, self.constants, self.field, "the field"
        )
        object.__setattr__(self, "constants", admitted)

    # How many numbers an input of its name has.
    input_size = 3

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The moment, and those of the field and of the points."""
        own = parameters_of((self.on, self.by), *self.moment, *self.constants.values())
        return distinct((*own, *getattr(self.field, "parameters", ())))

    def field_at(
        self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> tuple[Any, Any]:
        """B (3,) at the point along the observer's axes, and the point's arm."""
        place = point_seen(poses, self.on, self.by, table)
        return along_observer(place, self._field(place.x, t, table)), place.arm

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """m x B, and the opposite on the planet."""
        B, arm = self.field_at(poses, t, table)
        m = table.get(self.name)
        if m is None:
            entries = [1.0 * at(value, table) for value in self.moment]
            m = namespace(B, *entries).stack(entries)
        xp = namespace(B, m)
        m = turn(poses, 0, xp.clip(m, -self.limit, self.limit))
        return interaction(poses, arm, 0.0 * B, cross(m, B))

    def fault(self) -> str:
        """The field has no value at the planet's centre."""
        return "The magnetic field has no finite value there."

    @cached_property
    def _field(self) -> Callable[..., Any]:
        return field_law(self.name, self.field, self.constants)
