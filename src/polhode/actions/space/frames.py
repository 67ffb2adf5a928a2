"""Frames of orbits: local axes, the perifocal frame, the turning Earth, and time.

R_WF (3, 3) has the axes of frame F as columns, so that x_W = R_WF x_F. Times are plain
seconds; an `Epoch` says what date their zero is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, final

import numpy as np

from polhode.actions.space.ephemeris import KeplerianEphemeris
from polhode.actions.space.moon import CENTURY, DAY, OBLIQUITY, MoonEphemeris
from polhode.actions.space.planet import ASTRONOMICAL_UNIT, EARTH, SUN
from polhode.arrays import Array, Numbers, namespace
from polhode.errors import ModelError
from polhode.geometry.vector import cross, norm

NOON_2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)


def rtn(r: Numbers, v: Numbers) -> Any:
    """R_WF of the local frame: columns radial, transverse (ahead), normal (r x v).

    >>> rtn(np.array([7e6, 0, 0]), np.array([0, 7.5e3, 0])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    xp = namespace(r, v)
    h = cross(r, v)
    out, up = r / norm(r)[..., None], h / norm(h)[..., None]
    return xp.stack([out, cross(up, out), up], axis=-1)


def lvlh(r: Array, v: Array) -> Any:
    """R_WF of local vertical, local horizontal: columns ahead, minus normal, down.

    >>> lvlh(np.array([7e6, 0, 0]), np.array([0, 7.5e3, 0]))[:, 2] + 0.0
    array([-1.,  0.,  0.])
    """
    xp = namespace(r, v)
    h = cross(r, v)
    down, left = -r / norm(r)[..., None], -h / norm(h)[..., None]
    return xp.stack([cross(left, down), left, down], axis=-1)


def local_rate(r: Array, v: Array) -> Any:
    """The angular velocity (..., 3) of both local frames, world's axes.  r x v/r^2

    Exact where the acceleration is in the plane of r and v; the slow turning of the
    plane itself is left out.
    """
    return cross(r, v) / (norm(r) ** 2)[..., None]


def perifocal(orbit: Any) -> np.ndarray:
    """R_WF: columns to the nearest point, ahead of it, along the normal.

    `orbit` is a `ph.formations.Orbit` or a `KeplerianEphemeris`.
    """
    axes = np.asarray(orbit.axes)
    return axes if isinstance(orbit, KeplerianEphemeris) else axes.T


def rotating(t: Numbers, rate: Numbers = EARTH.rate, angle: Numbers = 0.0) -> Any:
    """R_WF of a planet that turns about Z: its X is the prime meridian.

    >>> rotating(0.0, angle=np.pi / 2).round(12).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    turn = angle + rate * t
    xp = namespace(turn)
    c, s, o = xp.cos(turn), xp.sin(turn), 0.0 * turn
    rows = [[c, -s, o], [s, c, o], [o, o, 1.0 + o]]
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


LOCAL_FRAMES = {"rtn": rtn, "lvlh": lvlh}


@final
@dataclass(frozen=True)
class LocalFrame:
    """The local frame of a body on its orbit, as an observer of a motion.

    body   by name; its origin is that of the frame
    kind   "rtn": radial, ahead, normal; "lvlh": ahead, minus normal, down
    by     the body or the world about which it orbits, by name

    >>> LocalFrame("leader", "lvlh")
    LocalFrame(body='leader', kind='lvlh', by='world')
    """

    body: str
    kind: str = "rtn"
    by: str = "world"

    def __post_init__(self) -> None:
        if self.kind not in LOCAL_FRAMES:
            raise ModelError(
                f"there is no local frame {self.kind!r}.",
                "Axes are radial, ahead and normal, or local vertical and horizontal.",
                f"Choose one of {', '.join(LOCAL_FRAMES)}.",
            )


@final
@dataclass(frozen=True)
class Epoch:
    """The date at which the time of a model is zero, UTC.

    The world's axes are then those of the Earth's mean equator and equinox. UTC is
    taken for UT1 (less than 0.9 s) and for the time of the Sun's elements (70 s).

    >>> round(Epoch("2000-01-01T12:00:00").angle, 9)
    4.894961213
    """

    date: str

    def __post_init__(self) -> None:
        self.days  # noqa: B018 - refuses what is no date

    @property
    def days(self) -> float:
        """Days since noon of the first of January 2000."""
        try:
            found = datetime.fromisoformat(str(self.date))
        except ValueError as reason:
            raise ModelError(
                f"an epoch cannot be {self.date!r}.",
                "It is a date and time of the calendar.",
                'Give ISO 8601: ph.space.Epoch("2026-03-20T14:46:00").',
            ) from reason
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return (found - NOON_2000).total_seconds() / DAY

    def seconds(self, date: str) -> float:
        """The model's time (s) of another date."""
        return (Epoch(date).days - self.days) * DAY

    @property
    def angle(self) -> float:
        """From X of the world to the Earth's prime meridian (rad), 0 to 2 pi.

        The Earth rotation angle of the IAU, from 2000 on.
        """
        turns = 0.7790572732640 + 1.00273781191135448 * self.days
        return float(2 * np.pi * (turns % 1.0))

    @property
    def sun(self) -> KeplerianEphemeris:
        """The Sun seen from the Earth, by mean elements: to 0.01 degrees for years."""
        T = self.days / CENTURY
        return KeplerianEphemeris(
            mu=SUN.mu + EARTH.mu,
            semi_major_axis=1.00000011 * ASTRONOMICAL_UNIT,
            eccentricity=0.016708634 - 0.000042037 * T,
            inclination=float(OBLIQUITY),
            periapsis=float(np.radians(282.93735 + 1.71946 * T)),
            mean_anomaly=float(np.radians((357.52911 + 35999.05029 * T) % 360)),
        )

    @property
    def moon(self) -> MoonEphemeris:
        """The Moon seen from the Earth: to some minutes of arc, and 500 km."""
        return MoonEphemeris(self.days)
