"""A rigid spacecraft on its orbit: six degrees of freedom, classical Runge-Kutta.

    r_dd = -mu r / |r|^3,      J w_d = 3 mu / |r|^3  n x (J n) - w x (J w)

n is the upward direction r / |r| in the body's axes, J the principal moments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Array = Any
EARTH = 3.986004418e14  # mu, m^3/s^2
MOMENTS = np.array([10.0, 20.0, 25.0])  # kg m^2
STEP = 1.0  # seconds


class Craft(NamedTuple):
    """Position and velocity (inertial), attitude (w, x, y, z), spin (body axes)."""

    r: Array
    v: Array
    q: Array
    w: Array


def cross(a: Array, b: Array) -> Array:
    return jnp.stack(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )


def across(numbers: np.ndarray, like: Array) -> Array:
    """A column of constants, beside an array whose first axis it is."""
    return numbers.reshape(-1, *(1,) * (like.ndim - 1))


def rates(s: Craft) -> Craft:
    """The equations of motion. Components are on the first axis."""
    near = 1 / jnp.sqrt(jnp.sum(s.r * s.r, axis=0))
    pull = EARTH * near * near * near
    up, scalar, vector = s.r * near, s.q[0], s.q[1:]
    turn = 2 * cross(vector, up)
    up_B = up - scalar * turn + cross(vector, turn)
    J = across(MOMENTS, s.w)
    torque = 3 * pull * cross(up_B, J * up_B) - cross(s.w, J * s.w)
    scalar_d = -jnp.sum(vector * s.w, axis=0)[None]
    vector_d = scalar * s.w + cross(vector, s.w)
    q_dot = jnp.concatenate([scalar_d, vector_d]) / 2
    return Craft(s.v, -pull * s.r, q_dot, torque / J)


def step(s: Craft) -> Craft:
    """One step of order four; the attitude is made a unit quaternion again."""

    def ahead(slope: Craft, h: float) -> Craft:
        return jax.tree.map(lambda x, k: x + h * k, s, slope)

    k1 = rates(s)
    k2 = rates(ahead(k1, STEP / 2))
    k3 = rates(ahead(k2, STEP / 2))
    k4 = rates(ahead(k3, STEP))
    mean = jax.tree.map(lambda a, b, c, d: (a + 2 * b + 2 * c + d) / 6, k1, k2, k3, k4)
    s = ahead(mean, STEP)
    return s._replace(q=s.q / jnp.sqrt(jnp.sum(s.q * s.q, axis=0)))


def stepping(steps: int) -> Callable:
    """Many steps of one craft (k,), or of a fleet with components first (k, N)."""

    def advance(s: Craft) -> Craft:
        return lax.fori_loop(0, steps, lambda _, s: step(s), s)

    return advance


def fleet(count: int, seed: int = 0) -> Craft:
    """Craft near one low orbit in any attitude, turning slowly: arrays (N, k)."""
    draw = np.random.default_rng(seed)
    r = np.array([7e6, 0, 0]) + draw.normal(size=(count, 3)) * 1e3
    v = np.array([0, 7546.0, 0]) + draw.normal(size=(count, 3))
    q = draw.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return Craft(r, v, q, draw.normal(size=(count, 3)) * 0.01)
