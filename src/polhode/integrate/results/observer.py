"""A body along a motion as an observer sees it: any frame, without another model.

The observer W' has its own pose and motion before the world, row by row: a body of the
system, a frame that moves along a path, the local frame of an orbit. What it sees is

    R_W'B = R^T R_WB,     x = R^T (p_B - p),     w_W'B = R^T (w_B - w)
    v = R^T (v_B - v_o - w x d),                                       d = p_B - p
    a = R^T (a_B - a_o - alpha x d - 2 w x v - w x (w x d))

all along the observer's axes. No force is rewritten: true forces are the same to all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.space.frames import LOCAL_FRAMES, LocalFrame
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import StateError
from polhode.geometry.frame import Frame
from polhode.geometry.motion.angular_velocity import spatial_components
from polhode.geometry.motion.moving_frame import MovingFrame, apply, compose, inverse
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.vector import cross, dot
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.results.state_functions import at_rows
from polhode.matter.parameter import Table
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

Path = Callable[[Any], tuple[Any, Any]]


@final
@dataclass(frozen=True, eq=False, repr=False)
class SeenMotion:
    """A body along a motion, seen from an observer, in its axes; rows are first.

    position, orientation, velocity, angular_velocity, acceleration,
    angular_acceleration; momentum, angular_momentum about the observer's origin,
    kinetic_energy. `written(columns)` are columns along the world's axes, such as
    forces, along the observer's.
    """

    motion: Trajectory
    place: int
    observer: str
    first: MovingFrame
    second: Callable[[], MovingFrame]

    @property
    def position(self) -> np.ndarray:
        """From the observer's origin to the body's (n, 3)."""
        return self._velocities.place

    @property
    def orientation(self) -> np.ndarray:
        """(n, 3, 3): columns are the body's axes."""
        return self._velocities.rotation

    @property
    def velocity(self) -> np.ndarray:
        """Of the body's origin (n, 3)."""
        return self._velocities.velocity

    @property
    def angular_velocity(self) -> np.ndarray:
        """Of the body before the observer (n, 3)."""
        return self._velocities.angular_velocity

    @property
    def acceleration(self) -> np.ndarray:
        """Of the body's origin (n, 3)."""
        return self._accelerations.acceleration

    @property
    def angular_acceleration(self) -> np.ndarray:
        """The rate of the angular velocity, as the observer sees it (n, 3)."""
        return self._accelerations.angular_acceleration

    @property
    def momentum(self) -> np.ndarray:
        """m v of the mass centre (n, 3)."""
        return _momenta(self)[0]

    @property
    def angular_momentum(self) -> np.ndarray:
        """About the observer's origin (n, 3)."""
        return _momenta(self)[1]

    @property
    def kinetic_energy(self) -> np.ndarray:
        """m v^2/2 + w . I w/2 (n,), other for every observer."""
        return _momenta(self)[2]

    def written(self, columns: Array) -> np.ndarray:
        """Columns (n, 3) along the world's axes, along the observer's."""
        turn = np.swapaxes(self.first.rotation, -1, -2)
        return np.asarray(apply(turn, np.asarray(columns)))

    def __repr__(self) -> str:
        body = self.motion.system.bodies[self.place].name
        rows = len(self.motion)
        return f"SeenMotion({body!r} seen from {self.observer!r}, {rows} rows)"

    @cached_property
    def _velocities(self) -> MovingFrame:
        return compose(inverse(self.first), _body_frame(self.motion, self.place))

    @cached_property
    def _accelerations(self) -> MovingFrame:
        own = body_frame_to_second_order(self.motion, self.place)
        return compose(inverse(self.second()), own)


def _momenta(seen: SeenMotion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Momentum, angular momentum about the observer's origin, kinetic energy."""
    system = seen.motion.system
    body = system.bodies[seen.place]
    mass, centre, inertia = body.moments(system.table(seen.motion.table))
    R, w = seen.orientation, seen.angular_velocity
    arm = apply(R, np.broadcast_to(centre, (len(w), 3)))
    v = seen.velocity + cross(w, arm)
    own = apply(np.swapaxes(R, -1, -2), w)
    spin = apply(R, own @ np.asarray(inertia))
    moment = mass * cross(seen.position + arm, v) + spin
    return mass * v, moment, (mass * dot(v, v) + dot(w, spin)) / 2


def seen_motion(motion: Trajectory, place: int, observer: Any) -> SeenMotion:
    """A body of a motion as an observer sees it; see `BodyMotion.seen_from`."""
    if isinstance(observer, LocalFrame):
        local = _local_motion(motion, observer)
        return SeenMotion(motion, place, repr(observer), local, lambda: local)
    if callable(observer) and not hasattr(observer, "frame"):
        along = _path_motion(motion, observer)
        name = getattr(observer, "__name__", "observer")
        return SeenMotion(motion, place, name, along, lambda: along)
    name = observer if isinstance(observer, str) else _frame_name(observer)
    there = _body_place(motion, name, observer)
    if there < 0:
        count = len(motion)
        zero = np.zeros((count, 3))
        turns = np.broadcast_to(np.eye(3), (count, 3, 3))
        still = MovingFrame(turns, zero, zero, zero, zero, zero)
        return SeenMotion(motion, place, name, still, lambda: still)
    first = _body_frame(motion, there)

    def second() -> MovingFrame:
        return body_frame_to_second_order(motion, there)

    return SeenMotion(motion, place, name, first, second)


def body_frame_to_second_order(motion: Trajectory, place: int) -> MovingFrame:
    """A body's frame before the world with its accelerations, at all rows."""
    found = _rows(motion, "frames", _frames_of_bodies(motion))
    return MovingFrame(*(part[:, place] for part in found))


def _body_frame(motion: Trajectory, place: int) -> MovingFrame:
    """Its pose and twist; accelerations are zero, and are not asked for."""
    poses, twists = at_rows(motion, "poses"), at_rows(motion, "twists")
    w, v = twists.angular[:, place], twists.linear[:, place]
    nothing = np.zeros_like(w)
    p = poses.origins[:, place]
    return MovingFrame(poses.rotations[:, place], p, w, v, nothing, nothing)


def _body_place(motion: Trajectory, name: str, observer: Any) -> int:
    system = motion.system
    names = [body.name for body in system.bodies]
    frame = observer if isinstance(observer, Frame) else getattr(observer, "frame", 0)
    own = {system.tree.world.frame, *(body.frame for body in system.bodies)}
    is_known = isinstance(observer, str) or frame in own
    if is_known and name == system.tree.world.name:
        return -1
    if is_known and name in names:
        return names.index(name)
    raise StateError(
        f"the motion of {system.name!r} cannot be seen from {observer!r}.",
        "An observer is the world or a body of the system, a function t -> (R, p) in"
        " jax.numpy, or ph.space.LocalFrame of a body.",
        suggestion(name, [system.tree.world.name, *names]),
    )


def _frame_name(observer: Any) -> str:
    frame = observer if isinstance(observer, Frame) else getattr(observer, "frame", 0)
    return str(getattr(frame, "name", observer))


def _path_motion(motion: Trajectory, path: Path) -> MovingFrame:
    def frame(t: Scalar) -> MovingFrame:
        return jax.vmap(lambda each: moving_frame(path, each))(t)

    try:
        return MovingFrame(*doubled(frame)(motion.t))
    except (TypeError, ValueError) as reason:
        raise StateError(
            f"the motion of {motion.system.name!r} cannot be seen along the path"
            f" {getattr(path, '__name__', path)!r}: {reason}",
            "A path is a function of time alone, and gives R (3, 3) and p (3,).",
            "Write it in jax.numpy: lambda t: (jnp.eye(3), jnp.stack([t, 0, 0])).",
        ) from reason


def _rows(motion: Trajectory, word: Any, function: Callable[..., Any]) -> Any:
    """A function (t, x, x_dot of (t, x)) at all rows, compiled once for each word."""
    equations, table = motion.equations, dict(motion.table)
    drive, held = motion.inputs.inputs.drive, motion.inputs.held(motion.t)

    def at(t: Scalar, x: Array, held: Any, table: Table) -> Any:
        def driven(t: Scalar, q: Array, z: Array, own: Any, y: Array) -> Any:
            return drive.table(t, q, z, own, held, y=y)

        field = field_of(equations, table, driven)
        return function(1.0 * t, 1.0 * x, field.x_dot, table)

    example = (0.0, motion.steps.x[0], np.zeros(held.shape[1]), table)
    name, batched = ("observer", word, drive.key), ["t", "x", "held"]
    program = equations.program(name, at, example, batched=batched)
    return program(motion.t, motion.steps.x, held, table)


def _frames_of_bodies(motion: Trajectory) -> Callable[..., MovingFrame]:
    """All bodies' frames with twists and their rates along the motion."""
    system, core = motion.system, motion.equations.functions
    n = system.coordinates

    def frames(t: Any, x: Any, x_dot: Any, table: Table) -> MovingFrame:
        def twists(t: Scalar, x: Array) -> Any:
            z = core.speeds(t, x[:n], x[n:], table)
            return tuple(system.twists(t, x[:n], z, table))

        rates = jnp.ones_like(t), x_dot(t, x)
        (w, v), (alpha, a) = jax.jvp(twists, (t, x), rates)
        R, p = system.poses(t, x[:n], table)
        return MovingFrame(R, p, w, v, alpha, a)

    return frames


def _local_motion(motion: Trajectory, local: LocalFrame) -> MovingFrame:
    """The local frame of a body's orbit about another, to second order."""
    system, core = motion.system, motion.equations.functions
    n = system.coordinates
    there = _body_place(motion, local.body, local.body)
    centre = _body_place(motion, local.by, local.by)
    axes = LOCAL_FRAMES[local.kind]

    def frame(t: Any, x: Any, x_dot: Any, table: Table) -> MovingFrame:
        def pose(t: Scalar, x: Array) -> Any:
            z = core.speeds(t, x[:n], x[n:], table)
            p = system.poses(t, x[:n], table).origins
            v = system.twists(t, x[:n], z, table).linear
            if centre < 0:
                return axes(p[there], v[there]), p[there]
            return axes(p[there] - p[centre], v[there] - v[centre]), p[there]

        def rate(t: Any, x: Any) -> Any:
            return jax.jvp(pose, (t, x), (jnp.ones_like(t), x_dot(t, x)))

        along = jnp.ones_like(t), x_dot(t, x)
        ((R, p), (R_dot, v)), (_, (R_ddot, a)) = jax.jvp(rate, (t, x), along)
        w, alpha = spatial_components(R, R_dot), spatial_components(R, R_ddot)
        return MovingFrame(R, p, w, v, alpha, a)

    word = ("local", local.kind, there, centre)
    return MovingFrame(*_rows(motion, word, frame))
