"""Systems that several tests set in motion, each made and compiled once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np

import polhode as ph
from polhode.formulation.gauss import gauss
from polhode.integrate.field.vector_field import field_of
from strategies_system import double_pendulum as new_double_pendulum
from strategies_system import four_bar as new_four_bar

G = 9.81


@cache
def point_pendulum() -> ph.System:
    """A point mass of 1 kg on a massless rod of 1 m."""
    bob = ph.Body.from_inertia(
        "bob", mass=1.0, inertia=np.zeros((3, 3)), centre=(0, 0, -1.0)
    )
    hinge = ph.Revolute("hinge", ph.World().origin, bob.origin, axis=ph.Y)
    return ph.System([hinge], [ph.Weight(G)], name="point pendulum")


@cache
def double_pendulum() -> ph.System:
    """Two thin rods on parallel hinges."""
    return new_double_pendulum()


@cache
def four_bar() -> ph.System:
    """A loop of three moving bars."""
    return new_four_bar()


@cache
def heavy_top() -> ph.System:
    """A body of three moments on a ball joint, its mass centre above."""
    top = ph.Body.from_inertia(
        "top", mass=1.0, inertia=np.diag([0.2, 0.25, 0.1]), centre=(0, 0, 0.3)
    )
    ball = ph.Spherical("ball", ph.World().origin, top.origin)
    return ph.System([ball], [ph.Weight(G)], name="heavy top")


@cache
def turning(*moments: float) -> ph.System:
    """A body that turns about its mass centre and feels nothing."""
    body = ph.Body.from_inertia("body", mass=1.0, inertia=np.diag(moments))
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    return ph.System([ball], name="free rotation")


def spin(system: ph.System, w: tuple[float, ...]) -> ph.State:
    """Turning at w in the body's axes, which are the world's at first."""
    return system.state(speeds={"ball": w})


@cache
def many_steps(
    system: ph.System, method: Any, form: Callable[..., ph.results.Equations] = gauss
) -> ph.results.Program:
    """(x, h, n) -> x after n bare steps of h: no step control, nothing put right.

    `method` is one or its type. Where a step was not solved x is no number.
    """
    equations, way = form(system), stepping(method)

    def walk(x, h, count):
        field = field_of(equations, {})

        def step(k, x):
            t = k * h
            moved = way.attempt(field, t, x, field.x_dot(t, x), h)
            return jax.numpy.where(moved.is_solved, moved.x, np.nan)

        return jax.lax.fori_loop(0, count, step, x)

    width = system.coordinates + len(equations.velocity_names)
    return ph.compile(walk, np.zeros(width), 0.1, np.int64(1))


def stepping(method: Any) -> Any:
    """A method, from itself or from its type."""
    if not isinstance(method, type):
        return method
    return method() if method.is_adaptive else method(step=1.0)


def column(state: ph.State) -> np.ndarray:
    """[q; z]"""
    return np.concatenate([state.q, state.z])
