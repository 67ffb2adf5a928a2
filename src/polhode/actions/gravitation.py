"""Gravitation between bodies, as point masses fixed in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.attachment import (
    Attachment,
    arm_of,
    held,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import BodyAction
from polhode.actions.fields.gravity import GRAVITATIONAL_CONSTANT, inverse_distance
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.potentials.potential import distinct
from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross, shown
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
)
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body


@final
@dataclass(frozen=True, eq=False)
class PointMass:
    """A mass at a material point: a particle, or a body at its mass centre.

    It is called as its body is, or by its place there where that is no point of note.
    """

    point: Attachment
    mass: Quantity
    name: str = ""

    def __post_init__(self) -> None:
        require_points(self.name or "gravitation", self.point)
        place, there = self.point.frame.name, self.point.coordinates
        if not (self.point.name or is_traced(there)) and np.any(there):
            numbers = ", ".join(f"{x:g}" for x in there)
            place = f"{place}.point({numbers})"
        name = self.name or place
        object.__setattr__(self, "name", name)
        object.__setattr__(
            self, "mass", coefficient(name, "mass", self.mass, unit="kg")
        )

    @staticmethod
    def of(body: Body | Particle) -> PointMass:
        """All the mass of a body at its mass centre, as its parameters give both."""
        names = [parameter.name for parameter in body.parameters]

        def law(*values: Any) -> Any:
            return body.moments(dict(zip(names, values, strict=True))).mass

        mass = Parameter.derived(f"{body.name}.mass", law, *body.parameters)
        return PointMass(body.mass_centre, mass, body.name)

    def __repr__(self) -> str:
        place = shown(self.point.coordinates)
        frame = self.point.frame.name
        return f"PointMass({shown(at(self.mass))} kg at {place} of {frame!r})"


def listed_masses(masses: Sequence[PointMass]) -> str:
    """Some masses in words: the first three, and how many more."""
    named = [f"{shown(at(mass.mass))} kg of {mass.name!r}" for mass in masses[:3]]
    more = [f"{len(masses) - 3} more"] if len(masses) > 3 else []
    return ", ".join(named + more)


def mutual_pulls(
    places: Array, masses: Array, others: np.ndarray, constant: Scalar
) -> Any:
    """The force on each of n masses by those of other bodies, (n, 3).

        F_i = sum_k G m_i m_k (P_k - P_i)/|P_k - P_i|^3

    `others` (n, n) says which pairs belong to different bodies: the pulls inside a
    rigid body cancel, and are left out.
    """
    separation, near = _pairs(places, others)
    strength = constant * masses[:, None] * masses[None, :]
    factor = namespace(places).where(others, strength * near**3, 0.0)
    return (factor[..., None] * separation).sum(-2)


def mutual_energy(
    places: Array, masses: Array, others: np.ndarray, constant: Scalar
) -> Any:
    """The energy of masses in each other's fields.   V = -sum_{i<k} G m_i m_k / r_ik"""
    _, near = _pairs(places, others)
    strength = constant * masses[:, None] * masses[None, :]
    return -namespace(places).where(others, strength * near, 0.0).sum((-1, -2)) / 2


def _pairs(places: Array, others: np.ndarray) -> tuple[Any, Any]:
    separation = places[..., None, :, :] - places[..., :, None, :]
    # Pairs of one body are dropped later: any distance but zero serves for them.
    safe = namespace(places).where(others[..., None], separation, 1.0)
    return separation, inverse_distance(safe)


@final
@dataclass(frozen=True, eq=False)
class Gravitation(BodyAction):
    """All masses pull all others of other bodies, along the lines that join them.

    A body may have several point masses: then it feels the moment of an uneven field
    (gravity gradient). Each pair is counted once, so the third law holds.
    """

    masses: Sequence[PointMass]
    constant: Quantity = GRAVITATIONAL_CONSTANT
    _: KW_ONLY
    name: str = "gravitation"

    def __post_init__(self) -> None:
        object.__setattr__(self, "masses", tuple(self.masses))
        distinct(self.name, self.bodies, 2)
        constant = coefficient(self.name, "constant", self.constant, unit="m^3/kg/s^2")
        object.__setattr__(self, "constant", constant)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The bodies that hold the masses, each once."""
        return tuple(dict.fromkeys(mass.point.frame for mass in self.masses))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The masses and the constant of gravitation."""
        points = tuple(mass.point for mass in self.masses)
        masses = [mass.mass for mass in self.masses]
        return parameters_of(points, *masses, self.constant)

    @property
    def is_conservative(self) -> bool:
        """Gravitation is."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The pulls on the masses of each body, summed about its origin."""
        places, masses = self._places(poses, table), self._masses(table)
        pulls = mutual_pulls(places, masses, self._others, at(self.constant, table))
        pairs = zip(self._owners, self.masses, strict=True)
        arms = [arm_of(poses, k, mass.point, table) for k, mass in pairs]
        stacked = namespace(*poses).stack(arms, axis=-2)
        return summed_on_bodies(stacked, pulls, self._owners)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = -sum over pairs of G m_i m_k / r_ik, zero far apart."""
        places, masses = self._places(poses, table), self._masses(table)
        return mutual_energy(places, masses, self._others, at(self.constant, table))

    def fault(self) -> str:
        """Two masses at one place."""
        return "Two masses are at one place: their pull on each other is undefined."

    def __repr__(self) -> str:
        return f"Gravitation({listed_masses(self.masses)}, G={at(self.constant):g})"

    @cached_property
    def _owners(self) -> tuple[int, ...]:
        return tuple(self.bodies.index(mass.point.frame) for mass in self.masses)

    @cached_property
    def _others(self) -> np.ndarray:
        owners = np.array(self._owners)
        return owners[:, None] != owners[None, :]

    def _places(self, poses: Poses, table: Table) -> Any:
        pairs = zip(self._owners, self.masses, strict=True)
        places = [held(poses, k, mass.point, table) for k, mass in pairs]
        return namespace(*poses).stack(places, axis=-2)

    def _masses(self, table: Table) -> Any:
        values = [at(mass.mass, table) for mass in self.masses]
        return namespace(*values).stack([1.0 * value for value in values])


def summed_on_bodies(arms: Array, forces: Array, owners: Sequence[int]) -> Wrenches:
    """Forces (..., n, 3) at arms from the origins of their bodies, summed about those.

    Bodies are numbered from 0, and each owns at least one force.
    """
    xp = namespace(arms, forces)
    bodies = range(max(owners) + 1)
    own = [[k for k, owner in enumerate(owners) if owner == body] for body in bodies]
    torques, sums = [], []
    for members in own:
        F = forces[..., np.array(members, dtype=int), :]
        r = arms[..., np.array(members, dtype=int), :]
        torques.append(cross(r, F).sum(-2))
        sums.append(F.sum(-2))
    return Wrenches(xp.stack(torques, axis=-2), xp.stack(sums, axis=-2))
