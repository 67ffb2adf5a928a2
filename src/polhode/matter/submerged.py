"""Bodies in a fluid: their own matter and the inertia of the fluid about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias, final

import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.vector import shown
from polhode.matter.added_mass import ellipsoid_added_mass
from polhode.matter.cloud import Cloud
from polhode.matter.given import Given
from polhode.matter.moments import Moments
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Table,
    at,
    distinct,
    named,
    quantity,
)
from polhode.matter.solids import Compound, Solid
from polhode.matter.solids.solid import an
from polhode.matter.spatial_inertia import (
    rotate_spatial_inertia,
    shift_spatial_inertia,
)
from polhode.matter.spread import column
from polhode.matter.validity import require_positive

Dry: TypeAlias = Solid | Compound | Cloud | Given


@final
@dataclass(frozen=True, eq=False)
class Submerged:
    """Matter with the added mass of a fluid that it moves.

    The kinetic energy has the sum of both inertias; weight has the matter's mass only.
    `hull` is the ellipsoid or sphere that the fluid sees; or `added` is a matrix of the
    user's own (6, 6), angular first, about the body's origin in its axes.
    """

    matter: Dry
    hull: Solid | None = None
    fluid_density: Any = 0.0
    added: Any = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that the inertia depends on."""
        fluid = self.fluid_density
        found = [*self.matter.parameters, *(self.hull.parameters if self.hull else ())]
        found += fluid.roots if isinstance(fluid, Parameter) else ()
        return distinct(found)

    def named(self, place: str) -> Submerged:
        """The same, bare numbers named from their place; a shared hull shares names."""
        shared = self.hull is self.matter
        matter = self.matter.named(place)
        fluid = named(self.fluid_density, f"{place}.fluid_density")
        hull = (
            self.hull.named(place if shared else f"{place}.hull") if self.hull else None
        )
        return replace(self, matter=matter, hull=hull, fluid_density=fluid)

    def moments(self, table: Table = NOMINAL) -> Moments:
        """Mass, mass centre and central inertia of the matter alone."""
        return self.matter.moments(table)

    def added_inertia(self, table: Table = NOMINAL) -> Any:
        """The fluid's spatial inertia (6, 6) about the body's origin, in its axes."""
        if self.hull is None:
            return self.added
        matrix = ellipsoid_added_mass(
            _half_axes(self.hull, table), at(self.fluid_density, table)
        )
        if self.hull.turn is not None:
            matrix = rotate_spatial_inertia(matrix, self.hull.turn)
        centre = column(*(at(entry, table) for entry in self.hull.shift))
        return shift_spatial_inertia(matrix, centre)

    def displaced(self, table: Table = NOMINAL) -> tuple[Any, Any]:
        """Mass of the displaced fluid, and the centre (3,) at which buoyancy acts."""
        if self.hull is None:
            return 0.0, np.zeros(3)
        volume, _, _ = self.hull.unit(**self.hull.sizes(table))
        centre = column(*(at(entry, table) for entry in self.hull.shift))
        return at(self.fluid_density, table) * volume, centre

    def __repr__(self) -> str:
        if self.hull is None:
            entries = shown([self.added[k, k] for k in range(6)])
            return f"Submerged({self.matter!r}, added diagonal={entries})"
        hull = "" if self.hull is self.matter else f", hull={self.hull!r}"
        density = shown(at(self.fluid_density))
        return f"Submerged({self.matter!r}{hull}, fluid_density={density})"


def submerged(
    matter: Dry, *, fluid_density: Any, hull: Solid | None = None
) -> Submerged:
    """Matter inside a hull, an ellipsoid or a sphere, deep in an ideal fluid.

    Without a hull the matter is itself the ellipsoid or sphere. A hull of its own is a
    shape only: give it mass=0, and count its mass to the matter.
    """
    if hull is None and isinstance(matter, Solid):
        hull = matter
    if hull is None or hull.shape not in ("sphere", "ellipsoid"):
        kind = an(hull.shape if hull else type(matter).__name__.lower())
        raise ModelError(
            f"the added mass of {kind} is not known in closed form.",
            "Lamb's integrals are for ellipsoids.",
            "Give hull=ph.solids.ellipsoid(...), or use with_added_mass(matter, M).",
        )
    _require_shape_only(matter, hull)
    density = quantity(fluid_density, "the density of the fluid", "kg/m^3")
    require_positive(at(density), "the density of the fluid")
    return Submerged(matter, hull, density)


def with_added_mass(matter: Dry, added: Array) -> Submerged:
    """Matter with an added inertia of the user's own, (6, 6), angular part first."""
    return Submerged(matter, added=admit(added, (6, 6), "the added mass"))


def _require_shape_only(matter: Dry, hull: Solid) -> None:
    mass = hull.moments().mass
    if hull is not matter and not is_traced(mass) and mass != 0:
        raise ModelError(
            f"a hull round other matter cannot have mass {mass:g} kg of its own.",
            "It says what the fluid sees; the matter says what has weight.",
            "Give the hull mass=0, and add its mass with ph.solids.joined.",
        )


def _half_axes(hull: Solid, table: Table) -> Any:
    sizes = hull.sizes(table)
    if hull.shape == "sphere":
        return column(sizes["radius"], sizes["radius"], sizes["radius"])
    return column(sizes["x"], sizes["y"], sizes["z"])
