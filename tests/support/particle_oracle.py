"""A rigid body as random particles in a given motion: sums that no formula touches.

    F = sum m a,      M_P = sum (r - P) x m a

Accelerations are derivatives of the particles' own places, by JAX.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.double import doubled
from polhode.geometry.rotations import quaternion


class MovingCloud:
    """Eight particles that move as one body, R(t) and p(t) smooth; free otherwise."""

    def __init__(self, seed: int, actions=()):
        rng = np.random.default_rng(seed)
        self.masses = rng.uniform(0.2, 1.0, 8)
        self.places = rng.uniform(-0.5, 0.5, (8, 3))
        self.turn, self.way = rng.normal(size=(2, 4, 4)), rng.normal(size=(3, 4))
        self.body = ph.Body("body", ph.Cloud(self.masses, self.places))
        free = ph.Free("free", ph.World().origin, self.body.origin)
        self.system = ph.System([free], [make(self.body) for make in actions])
        self._at = doubled(self._sums)
        self._rates = {}

    def pose(self, t):
        """q (7,): a unit quaternion and a place."""
        powers = jnp.stack([jnp.ones_like(t), t, t**2, jnp.sin(t)])
        turn = quaternion.normalised(self.turn[0] @ powers + jnp.array([2.0, 0, 0, 0]))
        return jnp.concatenate([turn, self.way @ powers])

    def particles(self, t):
        """The places (8, 3) of the particles, in the world."""
        q = self.pose(t)
        return q[4:] + self.places @ quaternion.to_matrix(q[:4]).T

    def _sums(self, t):
        t = 1.0 * jnp.asarray(t)
        rate = lambda f: lambda t: jax.jvp(f, (t,), (jnp.ones_like(t),))[1]  # noqa: E731
        q, r = self.pose(t), self.particles(t)
        v, a = rate(self.particles)(t), rate(rate(self.particles))(t)
        z = lambda t: self.system.speeds_from(t, self.pose(t), rate(self.pose)(t))  # noqa: E731
        m = self.masses[:, None]
        return q, z(t), rate(z)(t), (r, m * v, m * a)

    def at(self, t):
        """A state, z_dot, and the particles' places, momenta and their rates."""
        q, z, z_dot, sums = self._at(t)
        return ph.State(self.system, t, q, z), np.asarray(z_dot), sums

    def wrench(self, t, pole):
        """[M; F] (6,) of the inertia about a pole, along the world's axes."""
        r, _, rates = self.at(t)[2]
        return np.concatenate([np.cross(r - pole, rates).sum(0), rates.sum(0)])

    def momentum(self, t, pole):
        """[G; Q] (6,) about a pole, along the world's axes."""
        r, momenta, _ = self.at(t)[2]
        return np.concatenate([np.cross(r - pole, momenta).sum(0), momenta.sum(0)])

    def y_dot(self, equations, t):
        """The rates of a formulation's velocities in this motion."""
        start = equations.functions.start

        def y(t):
            q = self.pose(t)
            q_dot = jax.jvp(self.pose, (t,), (jnp.ones_like(t),))[1]
            return start(t, q, self.system.speeds_from(t, q, q_dot), {})

        def rate(t):
            t = 1.0 * jnp.asarray(t)
            return jax.jvp(y, (t,), (jnp.ones_like(t),))[1]

        if equations not in self._rates:
            self._rates[equations] = doubled(rate)
        return np.asarray(self._rates[equations](float(t)))
