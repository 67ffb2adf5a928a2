"""How any point of a body moves, in the velocities of any formulation.

v = dP/dt + (dP/dq) q_dot(t, q, y)
a = dv/dt + (dv/dq) q_dot + (dv/dy) y_dot,      da/dy_dot = dv/dy
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.formulation.shared.jacobians import locate
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.state import State


class PointMotion(NamedTuple):
    """Place, velocity and acceleration (3,) of a point, along the world's axes."""

    place: Any
    velocity: Any
    acceleration: Any


def point_functions(equations: Equations, place: Any) -> Callable[..., PointMotion]:
    """(t, q, y, y_dot, table) -> `PointMotion` of a point; traced."""
    core, system = equations.functions, equations.system

    def position(t: Scalar, q: Array, table: Table) -> Any:
        arm, body = locate(equations, place, table)
        R_WB, p_WoBo_W = system.poses(t, q, table)
        return p_WoBo_W[body] + R_WB[body] @ arm

    def velocity(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        along = jnp.ones_like(t), 1.0 * core.rates(t, q, y, table)
        return jax.jvp(lambda t, q: position(t, q, table), (t, q), along)[1]

    def motion(t: Scalar, q: Array, y: Any, y_dot: Array, table: Table) -> PointMotion:
        t, q, y, y_dot = (1.0 * jnp.asarray(x) for x in (t, q, y, y_dot))
        along = jnp.ones_like(t), 1.0 * core.rates(t, q, y, table), y_dot
        v, a = jax.jvp(lambda t, q, y: velocity(t, q, y, table), (t, q, y), along)
        return PointMotion(position(t, q, table), v, a)

    return motion


@equations_argument
def point_motion(
    equations: Equations, state: State, place: Any, table: Table = NOMINAL
) -> PointMotion:
    """Where a point is, its velocity and its true acceleration at a state."""
    move = point_functions(equations, place)

    def moved(t: Scalar, q: Array, y: Array, table: Table) -> PointMotion:
        y_dot, _ = equations.functions.accelerations(t, q, y, table)
        return move(t, q, y, y_dot, table)

    arm, body = locate(equations, place, table)
    word = ("point", body, tuple(np.asarray(arm, float)))
    return equations.ask(str(word), moved, state, table)
