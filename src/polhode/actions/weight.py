"""Weight: the uniform field near the surface of the Earth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.attachment import arm_of, held, parameters_of
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import BodyAction
from polhode.actions.gravitation import (
    PointMass,
    listed_masses,
    summed_on_bodies,
)
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, turn
from polhode.actions.potentials.invariant import with_reaction
from polhode.actions.potentials.potential import distinct
from polhode.arrays import Scalar, namespace
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.matter.axes import Axis, Z
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
)
from polhode.matter.quantities.direction import (
    Direction,
    admit_direction,
    parameters_of_direction,
    unit_at,
)


def surface_gravity(parameter: Scalar, radius: Scalar) -> Any:
    """The uniform field that a central one is near its surface.   g = mu/R^2

    To first order in the height z: V = -mu/(R + z) = -mu/R + g z + O(z^2/R^2).
    """
    return parameter / radius**2


@final
@dataclass(frozen=True, eq=False)
class Weight:
    """Everything with mass falls with g against `up`, which is Z unless given.

    A system hands it the masses and the body that pulls (its world) with `on`.

    >>> Weight(9.81)
    Weight(9.81 m/s^2 along -Z)
    """

    gravity: Quantity
    up: Any = Z
    _: KW_ONLY
    name: str = "weight"

    def __post_init__(self) -> None:
        g = coefficient(self.name, "gravity", self.gravity, unit="m/s^2")
        object.__setattr__(self, "gravity", g)
        up = admit_direction(self.up, f"the up direction of {self.name!r}")
        if isinstance(up, Direction):
            object.__setattr__(self, "up", up)

    def upward(self, table: Table = NOMINAL) -> Any:
        """The unit column of `up`, for a table of parameters."""
        what = f"the up direction of {self.name!r}"
        return unit_at(admit_direction(self.up, what), table)

    def on(self, masses: Sequence[PointMass], by: Frame) -> WeightOf:
        """The weight of these masses, exerted by a body: the Earth or the world."""
        return WeightOf(self, tuple(masses), by)

    def __repr__(self) -> str:
        up = -self.up if isinstance(self.up, Axis) else f"-{np.asarray(self.up)}"
        return f"Weight({at(self.gravity):g} m/s^2 along {up})"


@final
@dataclass(frozen=True, eq=False)
class WeightOf(BodyAction):
    """The weight of some masses: the action that `Weight.on` makes.

        F = -m g up at each mass,      V = sum m g up . (P - origin of the Earth)

    `up` is fixed in the axes of the pulling body, which feels the reaction.
    """

    law: Weight
    masses: tuple[PointMass, ...]
    by: Frame

    def __post_init__(self) -> None:
        distinct(self.name, self.bodies, 2)

    @property
    def name(self) -> str:
        """The name of the law."""
        return self.law.name

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The pulling body first, then those that hold the masses."""
        owners = dict.fromkeys(mass.point.frame for mass in self.masses)
        return (self.by, *owners)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The masses, g, and those of `up`."""
        masses = [mass.mass for mass in self.masses]
        points = tuple(mass.point for mass in self.masses)
        up = parameters_of_direction(self.law.up)
        return parameters_of(points, *masses, self.law.gravity, *up)

    @property
    def is_conservative(self) -> bool:
        """Weight is."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The weight of each body at its masses; the reaction on the one that pulls."""
        up = turn(poses, 0, self.law.upward(table))
        g = at(self.law.gravity, table)
        forces = [-at(mass.mass, table) * g * up for mass in self.masses]
        owners = [self.bodies.index(mass.point.frame) for mass in self.masses]
        pairs = zip(owners, self.masses, strict=True)
        arms = [arm_of(poses, k, mass.point, table) for k, mass in pairs]
        xp = namespace(*poses, *forces)
        stacked = xp.stack(arms, axis=-2), xp.stack(forces, axis=-2)
        others = [owner - 1 for owner in owners]
        return with_reaction(poses, summed_on_bodies(*stacked, others))

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = sum m g h, with heights above the origin of the pulling body."""
        up = turn(poses, 0, self.law.upward(table))[..., None, :]
        heights = dot(self._places(poses, table) - poses.origins[..., :1, :], up)
        weights = [at(mass.mass, table) for mass in self.masses]
        total = sum(m * heights[..., k] for k, m in enumerate(weights))
        return at(self.law.gravity, table) * total

    def fault(self) -> str:
        """Weight is finite at finite poses."""
        return "The positions are not finite."

    def __repr__(self) -> str:
        masses = listed_masses(self.masses)
        return f"WeightOf({self.law!r} on {masses}, by {self.by.name!r})"

    def _places(self, poses: Poses, table: Table) -> Any:
        owners = [self.bodies.index(mass.point.frame) for mass in self.masses]
        pairs = zip(owners, self.masses, strict=True)
        places = [held(poses, k, mass.point, table) for k, mass in pairs]
        return namespace(*poses).stack(places, axis=-2)
