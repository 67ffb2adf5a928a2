"""Laws of torque rods: against tumbling, and against the momentum of wheels.

    detumbling   m = -k dB/dt                B along the craft's own axes
    dumping      m = k h x B/|B|^2           torque m x B = -k (h - (h.b) b),  b = B/|B|

A craft that turns with w sees a steady field change as -w x B, so that m x B takes
energy from the part of w across B. In dumping h is the momentum of the wheels: what the
rods take from the craft, a law of attitude takes from the wheels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.actions.space.magnetic_torque import MagneticTorque
from polhode.arrays import Array, Scalar
from polhode.control.wheels import WheelCluster, require_wheels
from polhode.errors import ModelError
from polhode.geometry.vector import cross, dot
from polhode.system.checked_argument import system_argument
from polhode.system.loads import with_world
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System

Laws = dict[str, Callable[..., Any]]


@system_argument
def detumbling(system: System, rods: str, gain: float) -> Laws:
    """The law of torque rods that stops a craft from turning: inputs of a run.

    rods   the name of a `MagneticTorque`
    gain   k, A m^2 s/T

    `ph.simulate(system, start, until, inputs=ph.space.detumbling(system, "rods", 1e6))`
    """
    body_field = _body_field(system, rods)

    def law(t: Scalar, state: State) -> Any:
        t = 1.0 * jnp.asarray(t)
        q_dot = system.rates(t, state.q, state.z)
        now, changing = (t, 1.0 * state.q), (jnp.ones_like(t), 1.0 * q_dot)
        return -gain * jax.jvp(body_field, now, changing)[1]

    return {rods: law}


@system_argument
def momentum_dumping(
    system: System, rods: str, wheels: WheelCluster, gain: float
) -> Laws:
    """The law of torque rods that unloads reaction wheels: inputs of a run.

    rods     the name of a `MagneticTorque`
    wheels   the cluster; a law of its own holds the craft
    gain     k, 1/s

    `inputs=wheels.inputs(hold) | ph.space.momentum_dumping(system, "rods", wheels, k)`
    """
    require_wheels(wheels)
    body_field = _body_field(system, rods)

    def law(t: Scalar, state: State) -> Any:
        B = body_field(1.0 * jnp.asarray(t), 1.0 * state.q)
        return gain * cross(wheels.momentum(state), B) / dot(B, B)

    return {rods: law}


def _body_field(system: System, rods: str) -> Callable[[Any, Any], Any]:
    """B(t, q) (3,) along the axes of the craft that has some rods."""
    action = next((a for a in system.actions if a.name == rods), None)
    if not isinstance(action, MagneticTorque):
        known = [a.name for a in system.actions if isinstance(a, MagneticTorque)]
        raise ModelError(
            f"{system.name!r} has no torque rods {rods!r}.",
            "The law gives a magnetic moment to a ph.space.MagneticTorque.",
            suggestion(rods, known),
        )
    places = jnp.array(system.places_of(action.bodies))

    def body_field(t: Scalar, q: Array) -> Any:
        poses = with_world(system.poses(t, q))
        own = type(poses)(*(part[places] for part in poses))
        B, _ = action.field_at(own, t)
        return own.rotations[0].T @ B

    return body_field
