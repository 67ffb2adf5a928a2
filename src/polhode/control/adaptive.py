"""Tracking with an inertia that is not known, and learned on the way.

    M V_r' + C(V) V_r = Y(V, V_r, V_r') a,      a = (m, m r, J) (10,)
    F = Y a_hat - K s,      a_hat' = -G Y^T s

    d/dt [s^T M s/2 + (a_hat - a)^T G^-1 (a_hat - a)/2] = -s^T K s

The ten inertial parameters enter linearly, about the body's origin in its axes.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.control.tracking import (
    Pursuit,
    Reference,
    acting,
    craft_edge,
    craft_motor,
    pursuit,
)
from polhode.double import doubled
from polhode.formulation.spatial_forms.choices import (
    DEFAULT,
    CoriolisChoice,
    choice_named,
)
from polhode.geometry.vector import skew
from polhode.integrate.inputs.inputs import Sampled
from polhode.system.checked_argument import system_argument
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


def inertia_of(parameters: Any) -> Any:
    """The spatial inertia M (6, 6) of (m, m r, J) (10,) about the body's origin."""
    m, mr, J = parameters[0], parameters[1:4], parameters[4:]
    turning = jnp.array([[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]])
    upper = jnp.concatenate([turning, skew(mr)], axis=1)
    return jnp.concatenate(
        [upper, jnp.concatenate([-skew(mr), m * jnp.eye(3)], axis=1)]
    )


def parameters_of(inertia: Any) -> np.ndarray:
    """(m, m r, J) (10,) of a spatial inertia (6, 6)."""
    M = np.asarray(inertia, float)
    mr = M[2, 4], M[0, 5], M[1, 3]
    J = M[0, 0], M[1, 1], M[2, 2], M[0, 1], M[0, 2], M[1, 2]
    return np.array([M[3, 3], *mr, *J])


def regressor(
    V: Array, V_r: Array, A_r: Array, choice: str | CoriolisChoice = DEFAULT
) -> Any:
    """Y (6, 10) with M A_r + C(V) V_r = Y (m, m r, J), for use inside a trace.

    The choice must be linear in M: "Christoffel", "momentum", "spin" are.
    """
    rule = choice_named(choice)

    def virtual_force(a: Array) -> Any:
        M = inertia_of(a)
        return M @ A_r + rule.dyadic(M, V) @ V_r

    return jax.jacfwd(virtual_force)(jnp.zeros(10))


@system_argument
def adaptive_tracking(
    system: System,
    craft: str,
    reference: Reference,
    *,
    guess: Any,
    rate: float = 1.0,
    gain: Any = 1.0,
    learning: Any = 1.0,
    dt: float = 0.01,
) -> dict[str, Sampled]:
    """A sampled controller that learns (m, m r, J) of a craft while it tracks.

    guess      a_hat (10,) at the start; see `parameters_of`
    learning   G: one number, or one for each parameter

    What else acts on the craft is taken off, as `tracking` does.
    """
    edge = craft_edge(system, craft)
    motor = craft_motor(system, edge)
    K = np.eye(6) * gain if np.ndim(gain) == 0 else np.asarray(gain, float)
    G = np.broadcast_to(np.asarray(learning, float), (10,))

    def parts(t: Scalar, q: Array, z: Array) -> tuple[Any, Any, Any]:
        p: Pursuit = pursuit(edge, reference, rate, StateArrays(t, q, z))
        others = acting(system, [motor], StateArrays(t, q, z))[edge.child]
        return regressor(z[edge.z], p.speeds, p.rates), p.sliding, others

    ask = doubled(parts)

    def law(t: float, state: State, memory: np.ndarray) -> tuple[Any, np.ndarray]:
        Y, s, others = ask(t, state.q, state.z)
        return Y @ memory - K @ s - others, memory - dt * G * (Y.T @ s)

    return {motor: Sampled(law, dt, state=np.asarray(guess, float))}
