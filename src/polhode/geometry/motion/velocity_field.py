"""Recovery of a rigid motion from the velocities of some of its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Array
from polhode.errors import StateError
from polhode.geometry.admission import admit
from polhode.geometry.transport import shift_velocity
from polhode.geometry.vector import shown, skew

__all__ = ["RigidFit", "fit_rigid_velocity"]

_RANK_TOLERANCE = 1e-9


@final
@dataclass(frozen=True, eq=False)
class RigidFit:
    """The rigid velocity field nearest to given velocities, and how near it is.

    `angular` is w and `linear` the velocity of `centroid`. `rank` is 3 if the points
    are not on one line; 2 if they are, and then the part of w along the line is
    unknown and given as 0; 0 for a single place. `residual` (n, 3) is what no rigid
    motion explains.
    """

    angular: Any
    linear: Any
    centroid: Any
    residual: Any
    rank: int

    @property
    def is_unique(self) -> bool:
        """Whether the points determine the angular velocity."""
        return self.rank == 3

    def velocity_at(self, place: Array) -> Any:
        """The fitted field.   v = v_centroid + w x (place - centroid)"""
        arm = np.asarray(place, dtype=float) - self.centroid
        return shift_velocity(self.angular, self.linear, arm)

    def __repr__(self) -> str:
        worst = np.max(np.linalg.norm(self.residual, axis=-1))
        return (
            f"RigidFit(angular={shown(self.angular)}, linear={shown(self.linear)},"
            f" rank={self.rank}, residual={worst:.3g})"
        )


def fit_rigid_velocity(places: Any, velocities: Any) -> RigidFit:
    """The angular velocity and velocity that best explain n >= 1 points, n by 3 each.

        minimise  sum_i |v + w x (p_i - centroid) - v_i|^2

    >>> fit = fit_rigid_velocity([[1, 0, 0], [0, 1, 0], [0, 0, 0]],
    ...                          [[0, 2, 0], [-2, 0, 0], [0, 0, 0]])
    >>> fit.angular.round(12) + 0.0
    array([0., 0., 2.])
    """
    count = len(places) if hasattr(places, "__len__") else 0
    if count == 0:
        raise StateError(
            "a rigid motion cannot be found from no points.",
            "Each point gives three equations for the six unknowns.",
            "Give at least three points that are not on one line.",
        )
    p = admit(places, (count, 3), "the places of the points")
    v = admit(velocities, (count, 3), "the velocities of the points")
    centroid, mean = p.mean(axis=0), v.mean(axis=0)
    arms = p - centroid
    size = np.max(np.abs(arms)) or 1.0
    design = -skew(arms / size).reshape(3 * count, 3)
    solution, _, rank, _ = np.linalg.lstsq(
        design, (v - mean).reshape(-1), rcond=_RANK_TOLERANCE
    )
    w = solution / size
    residual = v - shift_velocity(w, mean, arms)
    return RigidFit(w, mean, centroid, residual, int(rank))
