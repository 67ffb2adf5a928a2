"""How far craft in deep space are from a double integrator.

    d'' = f_2/m_2 - f_1/m_1 + [g(r_1 + d) - g(r_1)]

What is in brackets, the difference of gravity, is neglected. Its gradient is at most
2 mu/r^3, along r, so that over the way d between the craft

    |g(r_1 + d) - g(r_1)| <= 2 mu |d| / s^3

with s the least distance of that way from the centre; far away s is r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.arrays import Array
from polhode.errors import StateError
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False, repr=False)
class DoubleIntegrator:
    """What a double integrator neglects over an arc, between two craft.

    t           (n,) s, the rows of the motion
    separation  (n,) m
    distance    (n,) m of the first from the centre
    neglected   (n, 3) m/s^2, the difference of gravity, along the world's axes
    bound       (n,) m/s^2, 2 mu separation / s^3
    """

    t: np.ndarray
    separation: np.ndarray
    distance: np.ndarray
    neglected: np.ndarray
    bound: np.ndarray

    @property
    def worst(self) -> float:
        """The largest neglected acceleration (m/s^2)."""
        return float(np.max(np.linalg.norm(self.neglected, axis=1)))

    @property
    def drift(self) -> float:
        """How far the neglect takes the craft astray at most: worst T^2/2 (m).

        Along the given motion: what the drift itself would change is of second order.
        """
        return self.worst * float(self.t[-1] - self.t[0]) ** 2 / 2

    def __repr__(self) -> str:
        return (
            f"DoubleIntegrator(over {self.t[-1] - self.t[0]:g} s neglects up to"
            f" {self.worst:.3g} m/s^2, bound {np.max(self.bound):.3g}: at most"
            f" {self.drift:.3g} m astray)"
        )


def double_integrator(
    motion: Trajectory, first: str, second: str, *, mu: float, centre: Any = (0, 0, 0)
) -> DoubleIntegrator:
    """What is neglected if the second craft is told from the first without gravity.

    mu (m^3/s^2) is that of a body at a place `centre` of the world (m).
    """
    system = motion.system
    places = {body.name: k for k, body in enumerate(system.bodies)}
    for name in (first, second):
        if name not in places:
            raise StateError(
                f"{system.name!r} has no craft {name!r}.",
                "Craft are called by the names of their bodies.",
                suggestion(name, places),
            )
    poses = [
        system.poses(t, q).origins for t, q in zip(motion.t, motion.q, strict=True)
    ]
    at = np.stack(poses) - np.asarray(centre, float)
    r, other = at[:, places[first]], at[:, places[second]]
    neglected = differential_gravity(r, other - r, mu)
    bound = differential_gravity_bound(r, other - r, mu)
    sizes = np.linalg.norm(other - r, axis=1), np.linalg.norm(r, axis=1)
    return DoubleIntegrator(np.array(motion.t), *sizes, neglected, bound)


def differential_gravity(r: Array, d: Array, mu: float) -> np.ndarray:
    """g(r + d) - g(r) (..., 3), with g(r) = -mu r/|r|^3."""

    def g(x: np.ndarray) -> np.ndarray:
        return -mu * x / np.linalg.norm(x, axis=-1, keepdims=True) ** 3

    here = np.asarray(r, float)
    return g(here + np.asarray(d, float)) - g(here)


def differential_gravity_bound(r: Array, d: Array, mu: float) -> np.ndarray:
    """2 mu |d| / s^3 (...,), s the least distance on the way from r to r + d."""
    here, way = np.asarray(r, float), np.asarray(d, float)
    square = np.sum(way * way, axis=-1)
    along = -np.sum(here * way, axis=-1) / np.where(square == 0, 1.0, square)
    nearest = here + np.clip(along, 0.0, 1.0)[..., None] * way
    return 2 * mu * np.sqrt(square) / np.linalg.norm(nearest, axis=-1) ** 3
