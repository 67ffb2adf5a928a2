"""Forces along coordinates, from forces and moments, and from an energy.

Q_k = sum F . dx/dq_k + sum M . dtheta/dq_k  =  -dU/dq_k

x are the places of the bodies' origins, about which M is, and dtheta/dq_k the turn that
goes with a unit of q_k: for the parameters of a rotation the vectors of its basis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polhode.actions.motion_arrays import Wrenches
from polhode.arrays import Array, namespace
from polhode.double import doubled

__all__ = ["generalised_force", "generalised_force_of_energy"]


def generalised_force(wrenches: Wrenches, shifts: Any, turns: Any) -> Any:
    """Q (k,) of wrenches on n bodies; dx/dq and dtheta/dq are (n, 3, k)."""
    xp = namespace(*wrenches, shifts, turns)
    pushed = xp.einsum("ni,nik->k", wrenches.forces, shifts)
    return pushed + xp.einsum("ni,nik->k", wrenches.torques, turns)


def generalised_force_of_energy(energy: Callable[[Any], Any], q: Array) -> Any:
    """Q = -dU/dq (k,) of an energy U(q); traceable."""
    import jax

    return doubled(lambda at: -jax.grad(energy)(at))(q)
