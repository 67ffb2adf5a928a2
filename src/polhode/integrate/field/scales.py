"""The system's own scales, from which a run takes its tolerance and its first step.

    angles 1,  lengths L,  speeds L w or w

L is the largest arm or radius of gyration in the system, 1/w the quickest of its times
at the start: of its speeds, of its accelerations, and of the run itself. All change
with the units as they should, so that results do not depend on units. The velocity of a
free body is no rate of it: 7.7 km/s of a craft of 1 m say nothing of how it turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.integrate.field.inertial_axes import without_drift
from polhode.system.lengths import entries, own_length

if TYPE_CHECKING:
    from polhode.system.system import System


class Scales(NamedTuple):
    """Natural sizes of q (..., nq) and z (..., nz), and the quickest rates (...).

    Each run has its own: it must not feel which others run beside it.
    """

    coordinates: Any
    speeds: Any
    rate: Any


def scales(
    system: System, q: Array, z: Array, z_dot: Array, duration: Scalar
) -> Scales:
    """The scales at the starts of runs: q (..., nq), z, z_dot, duration (...)."""
    xp = namespace(q, z, z_dot)
    L = lengths(system, q, z, duration)[..., None]
    of_q = xp.where(entries(system, "units", "m"), L, 1.0)
    of_z = xp.where(entries(system, "speed_units", "m/s"), L, 1.0)
    own, change = without_drift(system, z, z_dot)
    moving = xp.max(xp.abs(own) / of_z, axis=-1, initial=0.0)
    pushed = xp.sqrt(xp.max(xp.abs(change) / of_z, axis=-1, initial=0.0))
    rate = xp.maximum(xp.maximum(moving, pushed), 1.0 / duration)
    return Scales(of_q, of_z * rate[..., None], rate)


def lengths(system: System, q: Array, z: Array, duration: Scalar) -> Any:
    """The largest length in the system, or in its motion if it has none (...)."""
    xp, own = namespace(q, z), own_length(system)
    if own > 0:
        return xp.full(q.shape[:-1], own)
    straight = np.flatnonzero(entries(system, "units", "m"))
    fast = np.flatnonzero(entries(system, "speed_units", "m/s"))
    far = xp.max(xp.abs(q[..., straight]), axis=-1, initial=0.0)
    way = xp.max(xp.abs(z[..., fast]), axis=-1, initial=0.0) * duration
    return xp.where(far > 0, far, xp.where(way > 0, way, 1.0))


def displacements(system: System, q: Array) -> Any:
    """Natural sizes (nz,) of displacements along the joints: 1, or the length L."""
    xp = namespace(q)
    own, where = own_length(system), np.flatnonzero(entries(system, "units", "m"))
    far = xp.max(xp.abs(q[where]), initial=0.0)
    L = own if own > 0 else xp.where(far > 0, far, 1.0)
    return xp.where(entries(system, "speed_units", "m/s"), L, 1.0)
