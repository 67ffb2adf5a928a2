"""Sensors: what is measured of a motion, with bias, drift and noise by a seed.

    gyroscope       w_B + bias + walk + noise         along the body's axes
    star tracker    R_WB exp(noise)
    accelerometer   R_WB^T (a_P - g_P) + bias + noise at a point P, g of all gravity

Sample k of a sensor depends on its seed and on k alone: `measured` between samples
gives that of the last one, and a motion measured twice is measured the same.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.actions.attachment import Attachment, require_points
from polhode.actions.fields.gravity import field_of_points
from polhode.actions.gravitation import Gravitation
from polhode.actions.space.harmonic_gravity import HarmonicGravity
from polhode.actions.space.third_body import ThirdBody
from polhode.actions.space.zonal_gravity import ZonalGravity
from polhode.actions.weight import WeightOf
from polhode.arrays import Scalar
from polhode.errors import ModelError
from polhode.formulation.equations import Equations
from polhode.formulation.questions.point_motion import point_motion
from polhode.geometry.rotations import so3
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Table, at
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

# Streams of one seed: what is drawn for one purpose tells nothing of another.
NOISE, WALK = 0, 1
# How many steps of a random walk are drawn at once.
BLOCK = 1024


@final
@dataclass(frozen=True)
class Gyroscope:
    """Angular velocity of a body, along its axes.

    body    its name
    noise   standard deviation of each sample, rad/s
    drift   of the bias, a random walk: rad/s by the square root of a second
    bias    at t = 0, rad/s (3,)
    dt      between samples, s

    >>> Gyroscope("hub", noise=1e-5, drift=1e-7, dt=0.1, seed=3).drift
    1e-07
    """

    body: str
    _: KW_ONLY
    noise: float = 0.0
    drift: float = 0.0
    bias: Any = (0.0, 0.0, 0.0)
    dt: float = 0.1
    seed: int = 0
    _walk: list[np.ndarray] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        _require_sound("gyroscope", (self.noise, self.drift), self.dt, self.seed)

    def measured(self, state: State) -> np.ndarray:
        """What it reads at a state (3,)."""
        k = _place(state.system, self.body)
        poses = state.system.poses(state.t, state.q)
        spin = state.system.twists(state.t, state.q, state.z).angular[k]
        own = np.asarray(poses.rotations[k]).T @ np.asarray(spin)
        return own + self.error(state.t)

    def along(self, motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Times (n,) of its samples along a motion, and what it reads there (n, 3)."""
        times, rows = _sample(motion, self.dt)
        body = rows[self.body]
        own = np.einsum("nji,nj->ni", body.orientation, body.angular_velocity)
        return times, own + np.stack([self.error(t) for t in times])

    def error(self, t: float) -> np.ndarray:
        """Bias, walk and noise of the sample at a time (3,)."""
        k = _index(t, self.dt)
        walk = self.drift * np.sqrt(self.dt) * self._walked(k)
        return np.asarray(self.bias) + walk + self.noise * _normal(self.seed, NOISE, k)

    def _walked(self, k: int) -> np.ndarray:
        """The sum of the first k steps, each of deviation one."""
        if not self.drift or k <= 0:
            return np.zeros(3)
        while len(self._walk) * BLOCK < k + 1:
            steps = _normal(self.seed, WALK, len(self._walk), (BLOCK, 3))
            before = self._walk[-1][-1] if self._walk else np.zeros(3)
            self._walk.append(before + np.cumsum(steps, axis=0))
        return self._walk[(k - 1) // BLOCK][(k - 1) % BLOCK]


@final
@dataclass(frozen=True)
class StarTracker:
    """The attitude R_WB of a body, turned a little by noise about its own axes.

    noise   standard deviation about each axis, rad: one number or three

    >>> StarTracker("hub", noise=(5e-5, 5e-5, 4e-4)).dt
    0.1
    """

    body: str
    _: KW_ONLY
    noise: Any = 0.0
    dt: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        _require_sound("star tracker", np.ravel(self.noise), self.dt, self.seed)

    def measured(self, state: State) -> np.ndarray:
        """What it reads at a state (3, 3)."""
        k = _place(state.system, self.body)
        R = state.system.poses(state.t, state.q).rotations[k]
        return np.asarray(R) @ self.error(state.t)

    def along(self, motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Times (n,) of its samples, and what it reads there (n, 3, 3)."""
        times, rows = _sample(motion, self.dt)
        turns = np.stack([self.error(t) for t in times])
        return times, rows[self.body].orientation @ turns

    def error(self, t: float) -> np.ndarray:
        """The turn (3, 3) of the sample at a time, about the body's axes."""
        k = _index(t, self.dt)
        return np.asarray(so3.exp(self.noise * _normal(self.seed, NOISE, k)))


@final
@dataclass(frozen=True, eq=False)
class Accelerometer:
    """Specific force at a point of a body, along the body's axes: no gravity in it.

    point   of a body of the system, where it sits
    noise   standard deviation of each sample, m/s^2; `bias` (3,) m/s^2

    In free fall it reads zero at the mass centre; standing, 1 g upwards.
    """

    point: Attachment
    _: KW_ONLY
    noise: float = 0.0
    bias: Any = (0.0, 0.0, 0.0)
    dt: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        require_points("accelerometer", self.point)
        _require_sound("accelerometer", (self.noise,), self.dt, self.seed)

    def measured(self, equations: Equations, state: State) -> np.ndarray:
        """What it reads at a state (3,), by the equations of its motion."""
        system = equations.system
        found = point_motion(equations, state, self.point)
        R = system.poses(state.t, state.q).rotations[self._place(system)]
        g = gravity_at(system, state, self.point)
        return np.asarray(R).T @ (found.acceleration - g) + self.error(state.t)

    def along(self, motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Times (n,) of its samples, and what it reads there (n, 3)."""
        times, rows = _sample(motion, self.dt)
        body = rows[motion.system.bodies[self._place(motion.system)].name]
        R, w = body.orientation, body.angular_velocity
        arm = R @ _coordinates(self.point, motion.table)
        turning = np.cross(body.angular_acceleration, arm)
        a = body.acceleration + turning + np.cross(w, np.cross(w, arm))
        states = [rows[k] for k in range(len(times))]
        g = np.stack([gravity_at(motion.system, s, self.point) for s in states])
        own = np.einsum("nji,nj->ni", R, a - g)
        return times, own + np.stack([self.error(t) for t in times])

    def error(self, t: float) -> np.ndarray:
        """Bias and noise of the sample at a time (3,)."""
        k = _index(t, self.dt)
        return np.asarray(self.bias) + self.noise * _normal(self.seed, NOISE, k)

    def _place(self, system: System) -> int:
        return system.places_of([self.point.frame])[0]


def gravity_at(system: System, state: State, point: Attachment) -> np.ndarray:
    """g (3,) of everything that pulls, at a point of a body, along the world's axes."""
    t, q = float(state.t), state.q
    poses, table = system.poses(t, q), system.table()
    places = [*poses.origins, np.zeros(3)]
    turns = [*poses.rotations, np.eye(3)]
    (own,) = system.places_of([point.frame])
    here = places[own] + turns[own] @ _coordinates(point, table)
    total = np.zeros(3)
    for action in system.actions:
        if isinstance(action, WeightOf):
            (by,) = system.places_of([action.by])
            up = np.asarray(action.law.up, float)
            g = at(action.law.gravity, table) / np.linalg.norm(up)
            total = total - g * (turns[by] @ up)
        elif isinstance(action, Gravitation):
            for mass in action.masses:
                (by,) = system.places_of([mass.point.frame])
                if by != own:
                    there = places[by] + turns[by] @ _coordinates(mass.point, table)
                    mu = at(action.constant, table) * at(mass.mass, table)
                    total = total + field_of_points(here, there[None], np.array([mu]))
        elif isinstance(action, ZonalGravity | HarmonicGravity | ThirdBody):
            (by,) = system.places_of([action.by.frame])
            centre = places[by] + turns[by] @ _coordinates(action.by, table)
            x = turns[by].T @ (here - centre)
            total = total + turns[by] @ np.asarray(action.field(x, t, table))
    return total


def _coordinates(point: Attachment, table: Table) -> np.ndarray:
    own = point.at(table) if isinstance(point, MaterialPoint) else point.coordinates
    return np.asarray(own, float)


def _place(system: System, body: str) -> int:
    names = [each.name for each in system.bodies]
    if body not in names:
        raise ModelError(
            f"{system.name!r} has no body {body!r} to carry a sensor.",
            "A sensor moves with a body, called by its name.",
            suggestion(body, names),
        )
    return names.index(body)


def _sample(motion: Trajectory, dt: float) -> tuple[np.ndarray, Trajectory]:
    """The times of samples within a motion, and the motion at them."""
    first, last = np.ceil(motion.t[0] / dt - 1e-9), np.floor(motion.t[-1] / dt + 1e-9)
    times = dt * np.arange(int(first), int(last) + 1)
    return times, motion.resampled(times)


def _index(t: Scalar, dt: float) -> int:
    """The number of the last sample, a time just before one counted as on it."""
    return max(int(np.floor(float(t) / dt + 1e-6)), 0)


def _normal(seed: int, stream: int, k: int, shape: Any = (3,)) -> np.ndarray:
    bits = np.random.Philox(key=seed, counter=[0, k, stream, 0])
    return np.random.Generator(bits).standard_normal(shape)


def _require_sound(what: str, sizes: Any, dt: Any, seed: Any) -> None:
    sound = all(np.isfinite(size) and size >= 0 for size in sizes)
    whole = isinstance(seed, int | np.integer) and 0 <= seed < 2**63
    if not sound or not 0 < float(dt) < np.inf or not whole:
        raise ModelError(
            f"a {what} cannot have deviations {list(sizes)}, dt = {dt!r} s and the"
            f" seed {seed!r}.",
            "Deviations are zero or more, samples a positive time apart, and the seed"
            " says which errors are drawn.",
            "Give finite numbers, dt > 0, and a whole seed of zero or more.",
        )
