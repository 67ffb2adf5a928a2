"""The motion of two bodies about each other: conics, their elements and their laws.

    r_ddot = -mu r/|r|^3,      r = p/(1 + e cos nu),      p = h^2/mu,     h = |r x v|

r is the way from one body to the other and mu = G (m1 + m2); nu is the angle from the
nearest point, along the motion.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import final

import numpy as np

from polhode.arrays import Array
from polhode.errors import StateError

# Below this eccentricity or inclination an angle's origin is a matter of rounding.
ROUND = 1e-11


@final
@dataclass(frozen=True)
class Orbit:
    """A conic with one focus in the other body, and a place on it.

    mu                     G (m1 + m2), m^3/s^2
    parameter              p, the distance at nu = 90 degrees (m)
    eccentricity           e: 0 circle, below 1 ellipse, 1 parabola, above 1 hyperbola
    inclination            of the plane to the XY plane
    node                   from X to where the orbit rises through that plane
    periapsis              from the node to the nearest point, in the plane
    anomaly                nu, from the nearest point to the place

    Where an angle has no origin, that of a circle or of an orbit in the XY plane, it is
    counted from the node or from X.

    >>> orbit = Orbit.from_state((1.0, 0.0, 0.0), (0.0, 1.2, 0.0), mu=1.0)
    >>> orbit.kind, round(orbit.eccentricity, 12), round(orbit.parameter, 12)
    ('ellipse', 0.44, 1.44)
    """

    mu: float
    parameter: float
    eccentricity: float
    inclination: float = 0.0
    node: float = 0.0
    periapsis: float = 0.0
    anomaly: float = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = float(getattr(self, entry.name))
            if not np.isfinite(value):
                raise StateError(
                    f"an orbit cannot have {entry.name} = {value}.",
                    "Its elements are finite numbers.",
                    "Check where the value comes from.",
                )
            object.__setattr__(self, entry.name, value)
        if self.mu <= 0 or self.parameter <= 0 or self.eccentricity < 0:
            raise StateError(
                f"no orbit has mu = {self.mu:g}, parameter = {self.parameter:g} m,"
                f" eccentricity = {self.eccentricity:g}.",
                "mu and the parameter are above zero, the eccentricity is not below;"
                " the parameter is a (1 - e^2), also of a hyperbola, whose a is below"
                " zero.",
                "Correct the element that is not.",
            )
        if 1 + self.eccentricity * np.cos(self.anomaly) <= 0:
            raise StateError(
                f"an orbit of eccentricity {self.eccentricity:g} has no place at"
                f" anomaly {self.anomaly:g} rad.",
                "Beyond its asymptotes a hyperbola or parabola has no distance.",
                f"Keep |anomaly| below {np.arccos(-1 / self.eccentricity):g} rad.",
            )

    @staticmethod
    def from_state(position: Array, velocity: Array, mu: float) -> Orbit:
        """The orbit of a relative position (m) and velocity (m/s)."""
        r, v = np.array(position, float), np.array(velocity, float)
        h, distance = np.cross(r, v), np.linalg.norm(r)
        size = float(np.linalg.norm(h))
        if not size > 1e-14 * distance * np.linalg.norm(v) or not np.isfinite(size):
            raise StateError(
                f"position {r} m and velocity {v} m/s are on no orbit.",
                "One is zero, or they are along one line: the bodies fall into each"
                " other and the conic is a line.",
                "Give a velocity across the position.",
            )
        pull = np.cross(v, h) / float(mu) - r / distance
        e, up = float(np.linalg.norm(pull)), h / size
        tilt = np.hypot(up[0], up[1])
        rising = np.array([-up[1], up[0], 0.0]) / tilt if tilt > ROUND else np.eye(3)[0]
        nearest = pull / e if e > ROUND else rising
        return Orbit(
            mu=mu,
            parameter=size**2 / float(mu),
            eccentricity=e if e > ROUND else 0.0,
            inclination=np.arctan2(tilt, up[2]),
            node=np.arctan2(rising[1], rising[0]),
            periapsis=_between(rising, nearest, up),
            anomaly=_between(nearest, r, up),
        )

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """The relative position (m) and velocity (m/s)."""
        near, ahead = self.axes[:2]
        c, s, e = np.cos(self.anomaly), np.sin(self.anomaly), self.eccentricity
        r = self.parameter / (1 + e * c) * (c * near + s * ahead)
        return r, np.sqrt(self.mu / self.parameter) * (-s * near + (e + c) * ahead)

    @property
    def axes(self) -> np.ndarray:
        """Rows: to the nearest point, ahead of it, along r x v."""
        turn = _about_z(self.node) @ _about_x(self.inclination)
        return (turn @ _about_z(self.periapsis)).T

    @property
    def kind(self) -> str:
        """circle, ellipse, parabola or hyperbola."""
        e = self.eccentricity
        if e == 0.0:
            return "circle"
        if abs(e - 1) <= ROUND:
            return "parabola"
        return "ellipse" if e < 1 else "hyperbola"

    @property
    def energy(self) -> float:
        """v^2/2 - mu/r = -mu (1 - e^2)/(2 p) (J/kg): its sign says the kind."""
        return -self.mu * (1 - self.eccentricity**2) / (2 * self.parameter)

    @property
    def semi_major_axis(self) -> float:
        """a = p/(1 - e^2) (m); below zero for a hyperbola, infinite for a parabola."""
        shape = 1 - self.eccentricity**2
        return self.parameter / shape if self.kind != "parabola" else np.inf

    @property
    def areal_velocity(self) -> float:
        """h/2 (m^2/s): the area that r sweeps in a second, the same everywhere."""
        return np.sqrt(self.mu * self.parameter) / 2

    @property
    def period(self) -> float:
        """T = 2 pi (a^3/mu)^(1/2) (s); infinite where the orbit does not close."""
        a = self.semi_major_axis
        return 2 * np.pi * np.sqrt(a**3 / self.mu) if 0 < a < np.inf else np.inf

    @property
    def foci(self) -> tuple[np.ndarray, np.ndarray]:
        """The place of the other body, and the second focus (m), seen from it."""
        far = -2 * self.semi_major_axis * self.eccentricity * self.axes[0]
        return np.zeros(3), far


def _between(first: np.ndarray, second: np.ndarray, axis: np.ndarray) -> float:
    """The angle from one vector to another about an axis."""
    return float(np.arctan2(axis @ np.cross(first, second), first @ second))


def _about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
