"""Where a formulation's own equations bring a state, by many small steps."""

from __future__ import annotations

import jax.numpy as jnp

from polhode import State, compile
from polhode.results import Equations
from rk4 import rk4


def moved(equations: Equations, state: State, time: float, steps: int = 400) -> State:
    """The state a time later, by the formulation's velocities and Runge-Kutta."""
    core, n = equations.functions, equations.system.coordinates

    def slope(t, x):
        q, y = x[:n], x[n:]
        y_dot, _ = core.accelerations(t, q, y, {})
        return jnp.concatenate([core.rates(t, q, y, {}), y_dot])

    def begin(t, q, z):
        return jnp.concatenate([q, core.start(t, q, z, {})])

    def end(t, x):
        return core.speeds(t, x[:n], x[n:], {})

    t, until = float(state.t), float(state.t) + time
    x = compile(begin, t, state.q, state.z)(t, state.q, state.z)
    x = rk4(compile(slope, t, x), x, t, until, steps)
    return State(equations.system, until, x[:n], compile(end, t, x)(until, x))
