"""Paths: places and placements as functions of time, differentiated by JAX.

A path is a plain function of t written with `jax.numpy`. Its components are along axes
held constant, so that components of the rate are rates of the components:

    r = x_i e_i,    v = xdot_i e_i,    a = xddot_i e_i

A path may also be traced: everything here works inside `jit` and `vmap`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar, removable
from polhode.geometry.admission import is_traced
from polhode.geometry.motion.angular_velocity import spatial_components
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint
from polhode.geometry.vector import cross, dot, norm


def jet(path: Callable[[Any], Any], t: Scalar) -> tuple[Any, Any, Any]:
    """The value of a path, its first and its second derivative at t.

    >>> value, rate, second = jet(lambda t: t**3, 2.0)
    >>> float(value), float(rate), float(second)
    (8.0, 12.0, 12.0)
    """
    import jax

    traced = is_traced(t)
    with nullcontext() if traced else jax.enable_x64(True):
        at = t if traced else jax.numpy.asarray(t, dtype=float)
        one = jax.numpy.ones_like(at)

        def with_rate(t: Scalar) -> Any:
            return jax.jvp(path, (t,), (one,))

        (value, rate), (_, second) = jax.jvp(with_rate, (at,), (one,))
        if traced:
            return value, rate, second
        return tuple(jax.tree.map(np.asarray, part) for part in (value, rate, second))


def moving_point(path: Callable[[Any], Any], t: Scalar) -> MovingPoint:
    """Place, velocity and acceleration at t of a point given by its path t -> (3,)."""
    return MovingPoint(*jet(path, t))


def moving_frame(path: Callable[[Any], Any], t: Scalar) -> MovingFrame:
    """The motion at t of a frame given by its path t -> (R_AB, p_AoBo_A).

    [w] = Rdot R^T,    [alpha] = d/dt (Rdot R^T) = skew part of Rddot R^T
    """
    (R, p), (R_dot, v), (R_ddot, a) = jet(path, t)
    w, alpha = spatial_components(R, R_dot), spatial_components(R, R_ddot)
    return MovingFrame(R, p, w, v, alpha, a)


def acceleration_along(velocity: Array, acceleration: Array) -> tuple[Any, Any]:
    """The parts of an acceleration along and across the velocity.

        along = (a . u) u,    across = u x (a x u),      u = v/|v|

    The first changes the speed, the second bends the path. At rest there is no
    direction: all of it is along, for that is where the point will go.
    """
    speed = norm(velocity)
    rest = speed == 0
    u = velocity / removable(rest, 1.0, speed)[..., None]
    across = cross(u, cross(acceleration, u))
    along = removable(
        rest[..., None], acceleration, dot(acceleration, u)[..., None] * u
    )
    return along, across
