"""Clouds of particles: sums over point masses, the measure of everything else.

Kernels take masses (n,) and positions or velocities (n, 3) written in one frame.
Velocities are those that the observer sees, also when the pole moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.vector import components_close, cross, dot, skew
from polhode.matter.moments import Moments
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.spread import spread
from polhode.matter.validity import require_mass


def centre_of_points(masses: Array, positions: Array) -> Any:
    """The mass centre: G = sum m r / sum m; of velocities, its velocity, and so on."""
    xp = namespace(masses, positions)
    return xp.sum(masses[:, None] * positions, axis=0) / xp.sum(masses)


def static_moment_of_points(masses: Array, positions: Array, pole: Array) -> Any:
    """The static-moment tensor about a pole: S = -sum m [r - pole]."""
    xp = namespace(masses, positions, pole)
    return -xp.sum(masses[:, None, None] * skew(positions - pole), axis=0)


def inertia_of_points(masses: Array, positions: Array, pole: Array) -> Any:
    """The inertia about a pole: I = sum m (r.r 1 - r r), r from the pole."""
    xp = namespace(masses, positions, pole)
    return xp.sum(masses[:, None, None] * spread(positions - pole), axis=0)


def momentum_of_points(masses: Array, velocities: Array) -> Any:
    """The momentum: sum m v. Of accelerations, its rate."""
    xp = namespace(masses, velocities)
    return xp.sum(masses[:, None] * velocities, axis=0)


def angular_momentum_of_points(
    masses: Array, positions: Array, velocities: Array, pole: Array
) -> Any:
    """The angular momentum about a pole H: sum (r - H) x m v.

    With accelerations in place of velocities it is the moment sum (r - H) x m a.
    """
    xp = namespace(masses, positions, velocities, pole)
    return xp.sum(masses[:, None] * cross(positions - pole, velocities), axis=0)


def kinetic_energy_of_points(masses: Array, velocities: Array) -> Any:
    """The kinetic energy: sum m v.v/2."""
    xp = namespace(masses, velocities)
    return 0.5 * xp.sum(masses * dot(velocities, velocities))


@final
@dataclass(frozen=True, eq=False)
class Cloud:
    """Point masses at places of one frame; as matter of a body, rigidly joined.

    masses (n,), positions (n, 3).

    >>> Cloud([1, 3], [[0, 0, 0], [4, 0, 0]]).moments().centre
    array([3., 0., 0.])
    """

    masses: Any
    positions: Any

    def __post_init__(self) -> None:
        count = max(len(self.masses), 1) if hasattr(self.masses, "__len__") else 1
        if hasattr(self.masses, "__len__"):
            _require_numbers(self.masses)
        masses = admit(self.masses, (count,), "the masses of a cloud")
        positions = admit(self.positions, (count, 3), "the positions of a cloud")
        if not is_traced(masses):
            require_mass(np.min(masses), "a particle of a cloud")
        if not is_traced(masses) and np.sum(masses) == 0:
            raise ModelError(
                "a cloud cannot be without mass.",
                "It would have no mass centre.",
                "Give at least one particle a mass.",
            )
        object.__setattr__(self, "masses", masses)
        object.__setattr__(self, "positions", positions)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None: the numbers of a cloud are data, not parameters."""
        return ()

    def named(self, place: str) -> Cloud:
        """The same cloud."""
        return self

    def moments(self, table: Table = NOMINAL) -> Moments:
        """Mass, mass centre and central inertia."""
        centre = centre_of_points(self.masses, self.positions)
        inertia = inertia_of_points(self.masses, self.positions, centre)
        return Moments(self.masses.sum(), centre, inertia)

    def is_close(self, other: Cloud, rtol: float = 1e-12) -> bool:
        """The same particles in the same order, within `rtol` of their scale."""
        if self.masses.shape != other.masses.shape:
            return False
        masses = components_close(self.masses, other.masses, rtol)
        return masses and components_close(self.positions, other.positions, rtol)

    def __or__(self, other: Cloud) -> Cloud:
        """The union: all particles of both."""
        masses = np.concatenate([self.masses, other.masses])
        return Cloud(masses, np.concatenate([self.positions, other.positions]))

    def __len__(self) -> int:
        return len(self.masses)

    def __repr__(self) -> str:
        return f"Cloud({len(self)} particles, {np.sum(self.masses):g} kg)"


def _require_numbers(masses: Array) -> None:
    known = [mass for mass in masses if isinstance(mass, Parameter)]
    if known:
        raise ModelError(
            f"the masses of a cloud cannot be parameters, such as {known[0]!r}.",
            "A cloud is data: its numbers have no names.",
            "Give numbers; or a body that takes parameters: ph.Particle,"
            " ph.Body.from_inertia, or solids that ph.solids.joined holds together.",
        )
