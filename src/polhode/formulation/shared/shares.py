"""Each action's share: in the forces of a formulation, and in the power."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from polhode.actions.motion_arrays import power
from polhode.arrays import Array, Scalar
from polhode.formulation.shared.spatial import turned
from polhode.matter.parameter import NOMINAL, Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State


def share_function(equations: Equations) -> Callable[..., dict[str, Any]]:
    """(t, q, y, table) -> by action: its part (k,) of the formulation's force."""
    core, system = equations.functions, equations.system

    def shares(t: Scalar, q: Array, y: Array, table: Table) -> dict[str, Any]:
        z = core.speeds(t, q, y, table)
        R_BW = system.poses(t, q, table).rotations.swapaxes(-1, -2)
        found = {}
        for name, (torques, forces) in system.wrenches(t, q, z, table).items():
            W = turned(R_BW, jnp.concatenate([torques, forces], axis=-1))
            found[name] = core.along(t, q, y, W, table)
        return found

    return shares


def powers(state: State, table: Table = NOMINAL) -> dict[str, float]:
    """The power of each action on all bodies at a state, by its name."""
    system, at = state.system, (state.t, state.q, state.z, table)
    twists = system.twists(*at)
    each = system.wrenches(*at).items()
    return {name: float(power(wrenches, twists)) for name, wrenches in each}
