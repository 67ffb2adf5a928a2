"""Motions on which solvers are compared: one state, one end, equations by hand.

double pendulum   two bars on parallel hinges, swinging widely but regularly
free top          Euler's equations and a unit quaternion
arm               the chain of seven links, let go from a bent pose
Kepler            an ellipse of eccentricity 0.5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.models.chain import GRAVITY, Chain
from benchmarks.models.systems import chain_system

MOMENTS = np.array([1.0, 2.0, 3.0])  # of the top, kg m^2
ECCENTRICITY = 0.5
PENDULUM = Chain(2, mass=1.0, length=1.0, turns=((0, 1, 0),))
ARM = Chain(7)


@dataclass(frozen=True)
class Motion:
    """One motion: y = [q; z] at the start, the same in our coordinates and in theirs.

    rates    (t, y, xp) -> y_dot in closed form, with NumPy or jax.numpy as xp; None
             where there is none that a person would write
    plane    of y: the entries that the closed form has; others rest at zero
    end      y at the end, where it is known; of the entries that all have
    """

    name: str
    until: float
    system: ph.System
    q: np.ndarray
    z: np.ndarray
    rates: Callable[..., Any] | None = None
    plane: tuple[int, ...] | None = None
    chain: Chain | None = None
    end: np.ndarray | None = None

    @property
    def start(self) -> np.ndarray:
        """What solvers of equations begin with."""
        return self.compared(np.concatenate([self.q, self.z]))

    def compared(self, y: np.ndarray) -> np.ndarray:
        """The entries of our [q; z] that all contenders have."""
        return y if self.plane is None else y[list(self.plane)]


def double_pendulum() -> Motion:
    """Five minutes of it, from rest; angles are relative to the bar before."""
    q = np.array([0.6, 0.4])
    system = chain_system(PENDULUM)
    rates = pendulum_rates
    return Motion("double pendulum", 300.0, system, q, 0 * q, rates, None, PENDULUM)


def pendulum_rates(t: float, y: Any, xp: Any = np) -> Any:
    """(a, b, a_dot, b_dot) -> its rate of change; thin bars of unit mass and length."""
    a, b, u, v = y[0], y[1], y[2], y[3]
    c, s = xp.cos(b), xp.sin(b)
    m11, m12, m22 = 5 / 3 + c, 1 / 3 + c / 2, 1 / 3
    f1 = s / 2 * v * (2 * u + v) - GRAVITY / 2 * (3 * xp.sin(a) + xp.sin(a + b))
    f2 = -s / 2 * u * u - GRAVITY / 2 * xp.sin(a + b)
    inverse = 1 / (m11 * m22 - m12 * m12)
    du, dv = (m22 * f1 - m12 * f2) * inverse, (m11 * f2 - m12 * f1) * inverse
    return xp.stack([u, v, du, dv]) if xp is not np else np.array([u, v, du, dv])


def free_top() -> Motion:
    """Five minutes of a body that nothing acts on, about its fixed mass centre."""
    body = ph.Body.from_inertia("top", mass=1.0, inertia=np.diag(MOMENTS))
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="free top")
    q, z = np.array([1.0, 0, 0, 0]), np.array([0.5, 2.0, 0.3])
    return Motion("free top", 300.0, system, q, z, top_rates)


def top_rates(t: float, y: Any, xp: Any = np) -> Any:
    """(w, x, y, z of the attitude, spin in the body) -> its rate of change."""
    a, b, c, d, p, q, r = (y[k] for k in range(7))
    J1, J2, J3 = MOMENTS
    entries = [
        (-b * p - c * q - d * r) / 2,
        (a * p + c * r - d * q) / 2,
        (a * q + d * p - b * r) / 2,
        (a * r + b * q - c * p) / 2,
        (J2 - J3) / J1 * q * r,
        (J3 - J1) / J2 * r * p,
        (J1 - J2) / J3 * p * q,
    ]
    return xp.stack(entries) if xp is not np else np.array(entries)


def arm() -> Motion:
    """A minute of the chain, let go bent; its equations are those of libraries."""
    q = 0.2 * np.array([1.0, -0.5, 0.8, 0.4, -0.7, 0.3, 0.6])
    return Motion("arm", 60.0, chain_system(ARM), q, 0 * q, chain=ARM)


def kepler() -> Motion:
    """A hundred turns about a fixed centre; theirs in the plane, ours in space."""
    ball, sun = ph.Particle("planet", 1.0), ph.World().origin
    masses = ph.PointMass(ball.mass_centre, 1.0), ph.PointMass(sun, 1.0, "sun")
    system = ph.System([ball], [ph.Gravitation(masses, 1.0)], name="Kepler")
    e = ECCENTRICITY
    q, z = np.array([1 - e, 0, 0]), np.array([0, np.sqrt((1 + e) / (1 - e)), 0])
    plane = (0, 1, 3, 4)
    end = np.concatenate([q, z])[list(plane)]  # where it began: a turn takes 2 pi
    turns = 200 * np.pi
    return Motion("Kepler", turns, system, q, z, kepler_rates, plane, end=end)


def kepler_rates(t: float, y: Any, xp: Any = np) -> Any:
    """(x, y, x_dot, y_dot) -> its rate of change, with G M = 1."""
    a, b, u, v = y[0], y[1], y[2], y[3]
    square = a * a + b * b
    pull = -1 / (square * xp.sqrt(square))
    entries = [u, v, pull * a, pull * b]
    return xp.stack(entries) if xp is not np else np.array(entries)


MOTIONS = {
    "pendulum": double_pendulum,
    "top": free_top,
    "arm": arm,
    "kepler": kepler,
}
