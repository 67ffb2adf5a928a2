"""Where a third body is at a time: at rest, on a Keplerian orbit, or by a table.

An ephemeris answers `at(t)`, the place (3,) in metres seen from the planet's centre
along axes at rest; t is in seconds from the epoch of the model. A plain traceable
function t -> (3,) serves as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from polhode.arrays import Scalar, namespace, read_by_name
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.admission import admit

# Danby's steps of fourth order from his start: below 1e-15 for every e under 0.99.
KEPLER_STEPS = 4


def eccentric_anomaly(mean: Scalar, eccentricity: float) -> Any:
    """E with   E - e sin E = M,   for e below one."""
    xp, e = namespace(mean), eccentricity
    M = xp.mod(mean + np.pi, 2 * np.pi) - np.pi
    E = M + 0.85 * e * xp.sign(xp.sin(M))
    for _ in range(KEPLER_STEPS):
        s, c = e * xp.sin(E), e * xp.cos(E)
        f, f1 = E - s - M, 1 - c
        first = -f / f1
        second = -f / (f1 + first * s / 2)
        E = E - f / (f1 + second * s / 2 + second * second * c / 6)
    return E + (mean - M)


@final
@dataclass(frozen=True, eq=False)
class FixedPlace:
    """A body that stays where it is: the Sun over a day, a star.

    >>> FixedPlace((1.496e11, 0, 0)).at(3600.0).tolist()
    [149600000000.0, 0.0, 0.0]
    """

    position: Any

    def __post_init__(self) -> None:
        column = admit(self.position, (3,), "the place of a third body")
        object.__setattr__(self, "position", column)

    def at(self, t: Scalar) -> Any:
        """The place (3,), the same at all times."""
        xp = namespace(t)
        return xp.asarray(self.position) + 0.0 * t


@final
@dataclass(frozen=True)
class KeplerianEphemeris:
    """A body on an ellipse about the planet, or the planet's own seen the other way.

    mu                G M of both, m^3/s^2
    semi_major_axis   m
    mean_anomaly      at t = 0, rad; the other angles as those of `ph.formations.Orbit`

    >>> moon = KeplerianEphemeris(mu=4.04e14, semi_major_axis=3.844e8)
    >>> moon.at(0.0).tolist()
    [384400000.0, 0.0, 0.0]
    """

    mu: float
    semi_major_axis: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    node: float = 0.0
    periapsis: float = 0.0
    mean_anomaly: float = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = float(admit(getattr(self, entry.name), (), f"its {entry.name}"))
            object.__setattr__(self, entry.name, value)
        sound = self.mu > 0 and self.semi_major_axis > 0
        if not sound or not 0 <= self.eccentricity < 1:
            raise ModelError(
                f"no ellipse has mu = {self.mu:g}, semi_major_axis ="
                f" {self.semi_major_axis:g} m, eccentricity = {self.eccentricity:g}.",
                "mu and the axis are above zero, and the eccentricity is below one.",
                "Correct the element; an orbit that does not close is a"
                " TableEphemeris.",
            )

    @staticmethod
    def of(orbit: Any, t: float = 0.0) -> KeplerianEphemeris:
        """The ephemeris of an `Orbit` whose anomaly is that at a time t."""
        e, nu = orbit.eccentricity, orbit.anomaly
        half = np.sqrt((1 - e) / (1 + e)) * np.sin(nu / 2) if e < 1 else np.nan
        E = 2 * np.arctan2(half, np.cos(nu / 2))
        rate = 2 * np.pi / orbit.period
        return KeplerianEphemeris(
            mu=orbit.mu,
            semi_major_axis=orbit.semi_major_axis,
            eccentricity=e,
            inclination=orbit.inclination,
            node=orbit.node,
            periapsis=orbit.periapsis,
            mean_anomaly=E - e * np.sin(E) - rate * t,
        )

    @property
    def rate(self) -> float:
        """The mean motion n = (mu/a^3)^(1/2), rad/s."""
        return float(np.sqrt(self.mu / self.semi_major_axis**3))

    @cached_property
    def axes(self) -> np.ndarray:
        """Columns: to the nearest point, ahead of it, along the normal."""
        W, i, w = self.node, self.inclination, self.periapsis
        about_z = [
            np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
            for a in (W, w)
        ]
        c, s = np.cos(i), np.sin(i)
        tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        return about_z[0] @ tilt @ about_z[1]

    def at(self, t: Scalar) -> Any:
        """The place (3,)."""
        xp, e = namespace(t), self.eccentricity
        E = eccentric_anomaly(self.mean_anomaly + self.rate * t, e)
        near = self.semi_major_axis * (xp.cos(E) - e)
        ahead = self.semi_major_axis * np.sqrt(1 - e * e) * xp.sin(E)
        return near * self.axes[:, 0] + ahead * self.axes[:, 1]


@final
@dataclass(frozen=True, eq=False)
class TableEphemeris:
    """A body by a table of times (n,) s and positions (n, 3) m.

    Between rows it is Hermite's cubic, with the velocities (n, 3) where they are given
    and else with slopes of the neighbours. Before the first row and after the last it
    is NaN: a run ends there and says so.
    """

    times: Any
    positions: Any
    velocities: Any = None

    def __post_init__(self) -> None:
        t = np.array(self.times, dtype=float)
        x = np.array(self.positions, dtype=float)
        sound = t.ndim == 1 and len(t) > 1 and x.shape == (len(t), 3)
        if not sound or not np.all(np.diff(t) > 0) or not np.all(np.isfinite(x)):
            raise ModelError(
                f"no ephemeris has times {t.shape} and positions {x.shape}.",
                "Times rise from row to row, and a position is three finite numbers.",
                "Give times (n,) and positions (n, 3), sorted by time.",
            )
        v = np.gradient(x, t, axis=0) if self.velocities is None else self.velocities
        v = np.array(v, dtype=float)
        if v.shape != x.shape or not np.all(np.isfinite(v)):
            raise ModelError(
                f"the velocities of an ephemeris have shape {v.shape}, its positions"
                f" {x.shape}.",
                "There is one velocity to a position.",
                "Give velocities (n, 3), finite, or none.",
            )
        for name, value in (("times", t), ("positions", x), ("velocities", v)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def at(self, t: Scalar) -> Any:
        """The place (3,)."""
        return self._at(t)

    @cached_property
    def _at(self) -> Callable[..., Any]:
        return doubled(self._between)

    def _between(self, t: Scalar) -> Any:
        import jax.numpy as jnp

        times, x, v = map(jnp.asarray, (self.times, self.positions, self.velocities))
        k = jnp.searchsorted(times, t, side="right") - 1
        k = jnp.clip(k, 0, len(self.times) - 2)
        h = times[k + 1] - times[k]
        s = (t - times[k]) / h
        here, there = x[k], x[k + 1]
        # Hermite's cubic, from the nearer end's value: differences keep their digits.
        rise = s * s * (3 - 2 * s)
        bend = h * (s * (1 - s) ** 2 * v[k] - s * s * (1 - s) * v[k + 1])
        inside = (t >= times[0]) & (t <= times[-1])
        return jnp.where(inside, here + rise * (there - here) + bend, np.nan)


Ephemeris: TypeAlias = (
    FixedPlace | KeplerianEphemeris | TableEphemeris | Callable[[Any], Any]
)


def admit_ephemeris(name: str, given: Any) -> Any:
    """An ephemeris; three numbers are a place that stays."""
    if hasattr(given, "at"):
        return given
    if callable(given):
        return given
    return FixedPlace(given)


def place_at(ephemeris: Any, t: Scalar, name: str) -> Any:
    """Where it is at t (3,); equations are read with name_x(t), ... if it moves."""
    if isinstance(ephemeris, FixedPlace):
        return ephemeris.at(t)
    known = hasattr(ephemeris, "at")
    law = ephemeris.at if known else doubled(ephemeris)
    return read_by_name(name, law)(1.0 * t)
