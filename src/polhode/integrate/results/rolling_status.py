"""Which contacts that stick roll: the place at which they touch wanders over the body.

    w_t = w - n (n . w)        w of the body that rests, seen from what it rests on

A round surface that sticks rolls where w_t is not zero. One that spins about its normal
stays at its place, and so does a corner about which a body tips.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.constraints.constraint import Attachment
from polhode.constraints.surfaces import Surface
from polhode.integrate.results.state_functions import at_rows
from polhode.matter.axes import turn_to
from polhode.supports.support import Support

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

# Of the quickest turn along the motion, or of a radian a second: it is at rest.
STILL = 1e-9


def with_rolling(
    motion: Trajectory, support: Any, status: np.ndarray, normal: Callable[[], Any]
) -> np.ndarray:
    """Statuses (n, k) in which "rolls" stands for what sticks and rolls.

    `normal()` gives normals (n, k, 3) in the world, and is asked where need be.
    """
    held = status == "sticks"
    if not _is_round(support) or not np.any(held):
        return status
    angular = at_rows(motion, "twists").angular
    first, second = (_of(angular, k) for k in motion.system.places_of(support.bodies))
    w = (first - second)[:, None, :]
    least = STILL * max(float(np.max(np.abs(w))), 1.0)
    if np.max(np.abs(w)[np.any(held, axis=1)]) <= least:
        return status
    n = _plane_normals(motion, support) if _is_plane(support) else normal()
    across = w - n * np.sum(n * w, axis=-1, keepdims=True)
    turns = np.linalg.norm(across, axis=-1) > least
    return np.where(held & turns, "rolls", status)


def _is_round(support: Any) -> bool:
    """Whether the place at which it touches moves over the body as that turns."""
    if not isinstance(support, Support):
        return False
    is_smooth = (
        isinstance(support.surface, Surface) and support.surface.shape != "point"
    )
    return is_smooth or bool(getattr(support.surface, "radius", 0.0))


def _is_plane(support: Support) -> bool:
    return isinstance(support.on, Attachment)


def _plane_normals(motion: Trajectory, support: Support) -> np.ndarray:
    """(n, 1, 3): those of a plane need no contact problem."""
    n = turn_to(support.normal, f"the normal of {support.name!r}")[:, 2]
    ground = motion.system.places_of(support.bodies)[1]
    rotations = at_rows(motion, "poses").rotations
    if ground < 0:
        return np.broadcast_to(n, (len(motion.t), 1, 3))
    return (rotations[:, ground] @ n)[:, None, :]


def _of(angular: np.ndarray, body: int) -> np.ndarray:
    """(n, 3) of a body; the world, -1, is at rest."""
    if body < 0:
        return np.zeros_like(angular[:, 0])
    return angular[:, body]
