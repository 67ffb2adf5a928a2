"""A body of particles that tumbles and flies: what is true of it without any theory.

Places of the particles are given functions of time; velocities, accelerations and what
must act are derivatives and sums, and know nothing of rigid bodies.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.double import doubled
from polhode.geometry.rotations import so3
from polhode.matter.cloud import Cloud
from polhode.matter.moments import Moments

DRAWS = 20


class Tumbling(NamedTuple):
    """One moment of the motion, along the world's axes.

    body       mass, arm from o to the mass centre c, central inertia
    about_o    V_o (6,); V_c about c
    rates_o    by observer "inertial", "body", "turning": the rate of V_o it sees
    w_A        angular velocity of the turning observer in the world
    wrench_o   what the particles need, sum of m a, about o; wrench_c about c
    momentum_c [h; p] of the particles about c
    R, x_o     where the body's axes and the point o are
    places     of the particles (7, 3), and their velocities
    """

    body: Moments
    V_o: Any
    V_c: Any
    rates_o: dict
    rates_c: dict
    w_A: Any
    wrench_o: Any
    wrench_c: Any
    momentum_c: Any
    R: Any
    x_o: Any
    places: Any
    velocities: Any

    @property
    def central(self) -> Moments:
        """The same body about its mass centre."""
        return self.body._replace(centre=np.zeros(3))

    @property
    def w(self) -> Any:
        """The angular velocity."""
        return self.V_o[:3]

    def about(self, place: str) -> tuple:
        """Moments, velocity, rates, wrench about the "mass centre" or "point"."""
        if place == "mass centre":
            return self.central, self.V_c, self.rates_c, self.wrench_c
        return self.body, self.V_o, self.rates_o, self.wrench_o

    def seen(self, observer: str) -> Any:
        """What the `rates` argument of the library is for this observer."""
        return self.w_A if observer == "turning" else observer


def _turn(coefficients, t):
    return so3.exp(coefficients[0] + coefficients[1] * t + coefficients[2] * t**2)


def _halves(R, V):
    return jnp.concatenate([R @ V[:3], R @ V[3:]])


def _spin(R, R_dot):
    S = R_dot @ R.T
    return jnp.stack([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def _velocity(motion, point, t):
    """[w; v] of the body about one of its points."""
    one = jnp.ones_like(t)
    R, R_dot = jax.jvp(lambda t: _turn(motion[:3], t), (t,), (one,))
    _, v = jax.jvp(lambda t: _place(motion, point, t), (t,), (one,))
    return jnp.concatenate([_spin(R, R_dot), v])


def _place(motion, points, t):
    path = motion[3] * jnp.sin(t) + motion[4] * t**2
    return path + points @ _turn(motion[:3], t).T


def _rates(motion, observer, point, t):
    one = jnp.ones_like(t)

    def seen(axes):
        def components(t):
            return _halves(axes(t).T, _velocity(motion, point, t))

        return _halves(axes(t), jax.jvp(components, (t,), (one,))[1])

    return {
        "inertial": seen(lambda t: jnp.eye(3)),
        "body": seen(lambda t: _turn(motion[:3], t)),
        "turning": seen(lambda t: _turn(observer, t)),
    }


@doubled
def _found(masses, places, point, motion, observer, t):
    one = jnp.ones_like(t)
    centre = masses @ places / masses.sum()

    def velocities(t):
        return jax.jvp(lambda t: _place(motion, places, t), (t,), (one,))[1]

    x, (v, a) = _place(motion, places, t), jax.jvp(velocities, (t,), (one,))
    x_o, x_c = _place(motion, point, t), _place(motion, centre, t)

    def total(rate, about):
        moments = jnp.cross(x - about, masses[:, None] * rate).sum(0)
        return jnp.concatenate([moments, masses @ rate])

    arms = x - x_c
    squares = (arms**2).sum(1)
    inertia = jnp.einsum("k,k,ij->ij", masses, squares, jnp.eye(3))
    inertia -= jnp.einsum("k,ki,kj->ij", masses, arms, arms)
    A, A_dot = jax.jvp(lambda t: _turn(observer, t), (t,), (one,))
    return Tumbling(
        Moments(masses.sum(), x_c - x_o, inertia),
        _velocity(motion, point, t),
        _velocity(motion, centre, t),
        _rates(motion, observer, point, t),
        _rates(motion, observer, centre, t),
        _spin(A, A_dot),
        total(a, x_o),
        total(a, x_c),
        total(v, x_c),
        _turn(motion[:3], t),
        x_o,
        x,
        v,
    )


def matter(seed: int) -> tuple[Cloud, np.ndarray]:
    """Seven random particles, and a random point o of the body they make."""
    rng = np.random.default_rng(seed)
    cloud = Cloud(rng.uniform(0.3, 2.0, 7), rng.normal(size=(7, 3)))
    return cloud, rng.normal(size=3)


@cache
def tumbling(seed: int, body: int | None = None) -> Tumbling:
    """A random body in a random motion, or one body in many motions."""
    cloud, point = matter(seed if body is None else body)
    rng = np.random.default_rng([seed, 1])
    motion, observer = rng.normal(size=(5, 3)), rng.normal(size=(3, 3))
    return _found(cloud.masses, cloud.positions, point, motion, observer, 0.4)
