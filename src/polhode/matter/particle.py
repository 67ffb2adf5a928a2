"""Particles: bodies whose extent does not matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import components_close, cross, dot
from polhode.matter.material_point import Place, material_point
from polhode.matter.moments import Moments
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)
from polhode.matter.spatial_inertia import spatial_inertia
from polhode.matter.validity import require_mass


def particle_momentum(mass: Scalar, velocity: Array) -> Any:
    """p = m v."""
    return mass * velocity


def particle_angular_momentum(mass: Any, p_HP: Array, velocity: Array) -> Any:
    """L_H = (P - H) x m v, about any pole H, with the velocity the observer sees."""
    return cross(p_HP, mass * velocity)


def particle_energy(mass: Scalar, velocity: Array) -> Any:
    """T = m v.v/2."""
    return 0.5 * mass * dot(velocity, velocity)


@final
@dataclass(frozen=True, eq=False)
class Particle:
    """A point mass with a name, and a frame whose origin moves with it.

    `mass` is the nominal number, `quantity` the parameter behind it.

    >>> Particle("bob", 0.3).parameters
    (Parameter('bob.mass', 0.3),)
    """

    name: str
    mass: Any
    frame: Frame = field(init=False, repr=False)
    quantity: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", Frame(self.name, self))
        mass = quantity(self.mass, f"the mass of {self.name!r}", "kg")
        require_mass(at(mass), repr(self.name))
        object.__setattr__(self, "quantity", named(mass, f"{self.name}.mass"))
        object.__setattr__(self, "mass", at(mass))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that the mass depends on."""
        return parameters_in([self.quantity])

    def moments(self, table: Table = NOMINAL) -> Moments:
        """The mass, at the origin of the particle's frame, without moments."""
        return Moments(at(self.quantity, table), np.zeros(3), np.zeros((3, 3)))

    def spatial_inertia(self, table: Table = NOMINAL) -> Any:
        """The inertia (6, 6) about the particle: nothing resists its spin."""
        return spatial_inertia(*self.moments(table))

    @property
    def carries_fluid(self) -> bool:
        """No: a particle's inertia is its mass."""
        return False

    def added_inertia(self, table: Table = NOMINAL) -> Any:
        """None."""
        return np.zeros((6, 6))

    @property
    def mass_centre(self) -> Point:
        """Where the particle is."""
        return Point.origin(self.frame)

    @property
    def origin(self) -> Point:
        """Where the particle is; the axes meet there."""
        return Point.origin(self.frame)

    def point(self, x: Array, y: Array, z: Array, name: str = "") -> Place:
        """The end of a massless arm that turns with the particle's axes.

        A hinge at such a point is a pendulum: about it the inertia is m r^2.
        """
        return material_point(self.frame, x, y, z, name=name)

    def is_close(self, other: Particle, rtol: float = 1e-12) -> bool:
        """The same nominal mass within `rtol`; names are labels."""
        return components_close([self.mass], [other.mass], rtol)
