"""Random bodies made of particles, and the particle oracle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from hypothesis import strategies as st

from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import vee
from polhode.matter.cloud import Cloud
from polhode.matter.inertia import Inertia
from strategies_geometry import Motion, generators


def random_cloud(rng: np.random.Generator, count: int = 8) -> Cloud:
    """Particles of scale one, not about the origin."""
    return Cloud(rng.uniform(0.1, 2, count), rng.normal(size=(count, 3)) + 0.5)


clouds = generators.map(random_cloud)


@st.composite
def inertias(draw) -> Inertia:
    """The inertia of some body about some point that is not its mass centre."""
    rng = draw(generators)
    cloud = random_cloud(rng)
    frame = Frame("body")
    point = Point(frame, rng.normal(size=3), "O")
    return Inertia.of_points(cloud.masses, cloud.positions, point)


@dataclass(frozen=True)
class Oracle:
    """A rigid cloud at one instant of a smooth motion, all written in the world.

    x, v, a (n, 3) are the particles', by differentiating x = R(t) y + p(t) twice, and
    so are R, w, alpha; Q is the particle 0, whose x, v, a stand for a body point.
    """

    masses: np.ndarray
    body: np.ndarray
    R: np.ndarray
    w: np.ndarray
    alpha: np.ndarray
    x: np.ndarray
    v: np.ndarray
    a: np.ndarray

    @property
    def mass(self) -> float:
        return float(np.sum(self.masses))

    @property
    def centre(self) -> np.ndarray:
        return self.masses @ self.x / self.mass

    @property
    def r_QG(self) -> np.ndarray:
        return self.centre - self.x[0]

    def inertia(self, pole: np.ndarray) -> np.ndarray:
        """By the sum of squares, entry by entry."""
        x, y, z = (self.x - pole).T
        m = self.masses
        return np.array(
            [
                [m @ (y * y + z * z), -(m @ (x * y)), -(m @ (x * z))],
                [-(m @ (x * y)), m @ (x * x + z * z), -(m @ (y * z))],
                [-(m @ (x * z)), -(m @ (y * z)), m @ (x * x + y * y)],
            ]
        )

    def momentum(self) -> np.ndarray:
        return self.masses @ self.v

    def angular_momentum(self, pole: np.ndarray) -> np.ndarray:
        return self.masses @ np.cross(self.x - pole, self.v)

    def energy(self) -> float:
        return float(self.masses @ np.sum(self.v**2, axis=1)) / 2

    def force(self) -> np.ndarray:
        return self.masses @ self.a

    def moment(self, pole: np.ndarray) -> np.ndarray:
        return self.masses @ np.cross(self.x - pole, self.a)


def oracle_of(motion: Motion, cloud: Cloud, t: float) -> Oracle:
    """The cloud, fixed in a frame that moves so, at one instant."""
    (R, p), (Rd, pd), (Rdd, pdd) = instant(motion, t)
    y = cloud.positions
    return Oracle(
        cloud.masses,
        y,
        R,
        vee(Rd @ R.T),
        vee(Rdd @ R.T + Rd @ Rd.T),
        y @ R.T + p,
        y @ Rd.T + pd,
        y @ Rdd.T + pdd,
    )


@st.composite
def oracles(draw) -> Oracle:
    """Any rigid cloud in any smooth motion."""
    rng = draw(generators)
    motion, cloud = Motion.random(rng), random_cloud(rng)
    return oracle_of(motion, cloud, float(rng.uniform(-1, 1)))


def instant(motion: Motion, t: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Placement, and its first and second rate: [(R, p), (R', p'), (R'', p'')]."""
    import jax

    with jax.enable_x64(True):
        rows = _differentiated()(motion.turns, motion.shifts, t)
    return [(np.asarray(R), np.asarray(p)) for R, p in rows]


@cache
def _differentiated():
    import jax

    def rows(turns, shifts, t):
        def placement(s):
            return Motion(turns, shifts).placement(s)

        def rate(s):
            return jax.jvp(placement, (s,), (1.0,))[1]

        return placement(t), rate(t), jax.jvp(rate, (t,), (1.0,))[1]

    return jax.jit(rows)
