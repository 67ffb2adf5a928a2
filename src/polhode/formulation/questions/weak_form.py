"""Rigid-body equations from the balance of every particle, tested by rigid fields.

    sum v' . (dm a - dF) = 0      for all v' = v_Q' + w' x r

With a = a_Q + alpha x r + w x (w x r) the sums are six equations for alpha and a_Q.
Particles may be those of a cloud, or Gauss points of a continuum (`matter.continuum`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Array, namespace
from polhode.geometry.vector import cross, skew

__all__ = ["Projected", "projected", "rigid_fields"]


class Projected(NamedTuple):
    """M [alpha; a_Q] + bias = force: (6, 6), (6,), (6,), moments first, about Q."""

    mass_matrix: Any
    bias: Any
    force: Any


def rigid_fields(arms: Any) -> Any:
    """(n, 3, 6): the velocities at arms r from Q for unit w' and unit v_Q'."""
    turning = -skew(arms)
    one = np.eye(3) + 0.0 * turning
    return namespace(arms).concatenate([turning, one], axis=-1)


def projected(masses: Array, arms: Any, w: Array, forces: Array) -> Projected:
    """The balances of particles (n,) at arms (n, 3) from Q, summed with rigid fields.

    w (3,) is the angular velocity, forces (n, 3) are on the particles: those inside the
    body have no power on rigid fields, and may be left out.
    """
    xp = namespace(masses, arms, w, forces)
    fields = rigid_fields(arms)
    centripetal = cross(w, cross(w, arms))
    return Projected(
        xp.einsum("k,kij,kil->jl", masses, fields, fields),
        xp.einsum("k,kij,ki->j", masses, fields, centripetal),
        xp.einsum("kij,ki->j", fields, forces),
    )
