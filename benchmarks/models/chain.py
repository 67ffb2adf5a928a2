"""A chain of hinged links: its dynamics by recursion over `lax.scan`, dense blocks.

    world --hinge Y-- link 1 --hinge X-- link 2 --hinge Y-- link 3 ...

Each link is a thin bar hanging from its hinge. All angles zero: straight down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.models.spatial import (
    cross_force,
    cross_motion,
    motion_transform,
    rotation,
)

Array = Any
GRAVITY = 9.81
STEP = 1e-3  # seconds


@dataclass(frozen=True)
class Chain:
    """Equal links, hinge axes Y and X by turns, or as said."""

    links: int
    mass: float = 1.0
    length: float = 0.5
    twist_moment: float = 1e-3  # about the link's own line
    turns: tuple[tuple[int, int, int], ...] = ((0, 1, 0), (1, 0, 0))

    def axes(self) -> np.ndarray:
        """Hinge axes (n, 3), in the frame of the link before."""
        return np.array(self.turns * self.links, float)[: self.links]

    def hinges(self) -> np.ndarray:
        """Where each hinge sits on the link before (n, 3)."""
        places = np.tile([0, 0, -self.length], (self.links, 1))
        places[0] = 0
        return places

    def centre(self) -> np.ndarray:
        """The mass centre of a link from its own hinge (3,)."""
        return np.array([0, 0, -self.length / 2])

    def moments(self) -> np.ndarray:
        """Principal moments about the mass centre (3,)."""
        across = self.mass * self.length**2 / 12
        return np.array([across, across, self.twist_moment])

    def inertia(self) -> np.ndarray:
        """Spatial inertia of a link about its hinge (6, 6)."""
        x, y, z = self.centre()
        C = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turning = np.diag(self.moments()) + self.mass * C @ C.T
        return np.block(
            [[turning, self.mass * C], [self.mass * C.T, self.mass * np.eye(3)]]
        )

    def tables(self) -> tuple[Array, Array, Array]:
        """What the recursions scan over: hinge twists, places, inertias."""
        S = np.concatenate([self.axes(), np.zeros((self.links, 3))], 1)
        inertias = np.tile(self.inertia(), (self.links, 1, 1))
        return jnp.asarray(S), jnp.asarray(self.hinges()), jnp.asarray(inertias)


def forward_dynamics(chain: Chain, q: Array, v: Array, tau: Array) -> Array:
    """Joint accelerations from torques, by articulated bodies (Featherstone).

    Outward for velocities, inward for the inertia that each hinge feels, outward again
    for accelerations; q, v, tau and the result are (n,).
    """
    S, places, inertias = chain.tables()

    def velocity(V: Array, link: tuple) -> tuple:
        q, v, S, place, I = link
        X = motion_transform(rotation(S[:3], q), place)
        V = X @ V + S * v
        return V, (X, cross_motion(V) @ (S * v), cross_force(V) @ (I @ V))

    _, (X, c, p) = lax.scan(velocity, jnp.zeros(6), (q, v, S, places, inertias))

    def articulate(beyond: tuple, link: tuple) -> tuple:
        X, c, p, S, I, tau = link
        I, p = I + beyond[0], p + beyond[1]
        U = I @ S
        d, u = S @ U, tau - S @ p
        I = I - jnp.outer(U, U) / d
        p = p + I @ c + U * u / d
        return (X.T @ I @ X, X.T @ p), (U, d, u)

    nothing = (jnp.zeros((6, 6)), jnp.zeros(6))
    inward = (X, c, p, S, inertias, tau)
    _, (U, d, u) = lax.scan(articulate, nothing, inward, reverse=True)

    def accelerate(A: Array, link: tuple) -> tuple:
        X, c, U, d, u, S = link
        A = X @ A + c
        v_dot = (u - U @ A) / d
        return A + S * v_dot, v_dot

    return lax.scan(accelerate, upward(), (X, c, U, d, u, S))[1]


def inverse_dynamics(
    chain: Chain, q: Array, v: Array, v_dot: Array, scan: Callable = lax.scan
) -> Array:
    """Torques from joint accelerations: outward motion, inward wrenches (n,)."""
    S, places, inertias = chain.tables()

    def motion(before: tuple, link: tuple) -> tuple:
        q, v, v_dot, S, place, I = link
        X = motion_transform(rotation(S[:3], q), place)
        V = X @ before[0] + S * v
        A = X @ before[1] + S * v_dot + cross_motion(V) @ (S * v)
        return (V, A), (X, I @ A + cross_force(V) @ (I @ V))

    base = (jnp.zeros(6), upward())
    _, (X, F) = scan(motion, base, (q, v, v_dot, S, places, inertias))

    def wrench(beyond: Array, link: tuple) -> tuple:
        X, F, S = link
        F = F + beyond
        return X.T @ F, S @ F

    return scan(wrench, jnp.zeros(6), (X, F, S), reverse=True)[1]


def python_scan(
    body: Callable, carry: Any, xs: tuple, reverse: bool = False
) -> tuple[Any, Any]:
    """`lax.scan` as a Python loop: the trace holds every link on its own."""
    order = range(len(xs[0]))
    rows = []
    for k in reversed(order) if reverse else order:
        carry, row = body(carry, tuple(x[k] for x in xs))
        rows.append(row)
    rows = rows[::-1] if reverse else rows
    return carry, jax.tree.map(lambda *row: jnp.stack(row), *rows)


def mass_matrix(chain: Chain, q: Array) -> Array:
    """M (n, n) by composite inertias: what lies beyond a hinge moves as one body."""
    S, places, inertias = chain.tables()
    X = jax.vmap(lambda S, q, p: motion_transform(rotation(S[:3], q), p))(S, q, places)
    rows = [[jnp.zeros(())] * chain.links for _ in range(chain.links)]
    beyond = jnp.zeros((6, 6))
    for i in reversed(range(chain.links)):
        composite = inertias[i] + beyond
        F = composite @ S[i]
        for j in range(i, -1, -1):
            rows[i][j] = rows[j][i] = S[j] @ F
            F = X[j].T @ F
        beyond = X[i].T @ composite @ X[i]
    return jnp.stack([jnp.stack(row) for row in rows])


def upward() -> Array:
    """Weight, as an acceleration of the ground."""
    return jnp.array([0, 0, 0, 0, 0, GRAVITY])


def step(chain: Chain, q: Array, v: Array) -> tuple[Array, Array]:
    """One semi-implicit Euler step of the unactuated chain."""
    v = v + STEP * forward_dynamics(chain, q, v, jnp.zeros(chain.links))
    return q + STEP * v, v


def stepping(chain: Chain, steps: int) -> Callable:
    """A function (q, v) -> (q, v) that makes many steps."""

    def advance(q: Array, v: Array) -> tuple[Array, Array]:
        def once(_: int, state: tuple) -> tuple:
            return step(chain, *state)

        return lax.fori_loop(0, steps, once, (q, v))

    return advance
