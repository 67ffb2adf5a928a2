"""Magnetic detumbling: rods against the rate of the field that a craft feels.

    m = -k dB/dt          B along the craft's own axes

A craft that turns with w sees a steady field change as -w x B, so that the torque
m x B takes energy from the part of w across B.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.actions.space.magnetic_torque import MagneticTorque
from polhode.errors import ModelError
from polhode.system.checked_argument import system_argument
from polhode.system.loads import with_world
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System


@system_argument
def detumbling(system: System, rods: str, gain: float) -> dict[str, Callable[..., Any]]:
    """The law of some torque rods that stops a craft from turning: inputs of a run.

    rods   the name of a `MagneticTorque`
    gain   k, A m^2 s/T

    `ph.simulate(system, start, until, inputs=ph.space.detumbling(system, "rods", 1e5))`
    """
    action = next((a for a in system.actions if a.name == rods), None)
    if not isinstance(action, MagneticTorque):
        known = [a.name for a in system.actions if isinstance(a, MagneticTorque)]
        raise ModelError(
            f"{system.name!r} has no torque rods {rods!r}.",
            "The law gives a magnetic moment to a ph.space.MagneticTorque.",
            suggestion(rods, known),
        )
    places = list(system.places_of(action.bodies))

    def felt(t: Any, q: Any) -> Any:
        """B along the craft's axes."""
        poses = with_world(system.poses(t, q))
        own = type(poses)(*(part[jnp.array(places)] for part in poses))
        B, _ = action.field_at(own, t)
        return own.rotations[0].T @ B

    def law(t: Any, state: State) -> Any:
        t = 1.0 * jnp.asarray(t)
        q_dot = system.rates(t, state.q, state.z)
        now, changing = (t, 1.0 * state.q), (jnp.ones_like(t), 1.0 * q_dot)
        return -gain * jax.jvp(felt, now, changing)[1]

    return {rods: law}
