"""A short motion by each formulation's own equations, from one state.

    q_dot = psi(t, q, y),      y_dot from the formulation,      classical Runge-Kutta

Steps are so short that what the method errs by in one formulation's velocities and in
another's is rounding: a difference after them is one of the equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

if TYPE_CHECKING:
    from collections.abc import Callable

    from polhode.formulation.equations import Equations
    from polhode.system.state import State

SHARE = 2e-3  # of the shortest time in which anything changes: a step
NODES, WEIGHTS = np.array([0.0, 0.5, 0.5, 1.0]), np.array([1.0, 2.0, 2.0, 1.0]) / 6


def moved(equations: Equations, steps: int) -> Callable[..., tuple[Any, Any]]:
    """(t, q, z, h) -> q and the bodies' velocities after so many steps of length h."""
    core, system = equations.functions, equations.system

    def slopes(t: Any, x: tuple[Any, Any]) -> tuple[Any, Any]:
        q, y = x
        return core.rates(t, q, y, {}), core.accelerations(t, q, y, {})[0]

    def motion(t: Any, q: Any, z: Any, h: Any) -> tuple[Any, Any]:
        tables = NODES, WEIGHTS, np.roll(NODES, -1)
        nodes, weights, following = (jnp.asarray(each) for each in tables)

        def stage(k: Any, now: tuple) -> tuple:
            start, at, total = now
            s, time = k % 4, t + h * (k // 4)
            slope = slopes(time + nodes[s] * h, at)
            total = _along(total, weights[s], slope)
            ended = _along(start, h, total)
            last = s == 3
            start = _chosen(last, ended, start)
            inside = _along(start, h * following[s], slope)
            at = _chosen(last, ended, inside)
            still = tuple(jnp.zeros_like(part) for part in total)
            return start, at, _chosen(last, still, total)

        x = 1.0 * q, 1.0 * core.start(t, q, z, {})
        still = tuple(jnp.zeros_like(part) for part in x)
        (q, y), _, _ = lax.fori_loop(0, 4 * steps, stage, (x, x, still))
        q, end = system.normalised(q), t + h * steps
        return q, system.body_twists(end, q, core.speeds(end, q, y, {}), {})

    return motion


def step_of(state: State, accelerations: np.ndarray) -> float:
    """A length of time in which little changes: a share of 1/w and of (1/a)^(1/2)."""
    V = state.system.body_twists(state.t, state.q, state.z)
    fastest = max(np.max(np.abs(V)), np.sqrt(np.max(np.abs(accelerations))), 1.0)
    return float(SHARE / fastest)


def _along(x: tuple, h: Any, slope: tuple) -> tuple:
    return tuple(a + h * b for a, b in zip(x, slope, strict=True))


def _chosen(which: Any, yes: tuple, no: tuple) -> tuple:
    return tuple(jnp.where(which, a, b) for a, b in zip(yes, no, strict=True))
