"""Constraint rows on the host, without a compiler: for checks and for assembly.

A constraint reads only its own few bodies and joints. Its derivatives by their motions
are differences of five values, good to about 1e-12, and the bodies' Jacobians do the
rest:

    dg/dz = sum over its bodies of (dg/dX) J + sum over its joints of dg/dq_joint

Of a large system like ones are asked together: `rolled.host_rows`.

The compiled rows in `rows` are exact; a test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import (
    Constraint,
    HolonomicConstraint,
    Moving,
    Placed,
    VelocityConstraint,
)
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from polhode.geometry.vector import shown
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import kinematics
from polhode.system.lengths import natural_length, speed_lengths
from polhode.system.loads import still_world, with_world
from polhode.system.rolled.size import is_rolled
from polhode.system.rows import moving, placed

if TYPE_CHECKING:
    from polhode.system.rolled.host_rows import LikeRow
    from polhode.system.state import State
    from polhode.system.system import System

STEP = 1e-3  # of a radian, and of the natural length
ZERO_ROW = 1e-8  # of a row's natural size: what it feels less of is rounding


class Scene(NamedTuple):
    """Everything at one time and configuration that rows are made from.

    length   the natural one of the system: a displacement by it is as large as a radian
    likes    by name what constraints say that have many like them
    """

    t: float
    q: np.ndarray
    poses: Poses
    J: np.ndarray
    table: Table
    length: float
    likes: dict[str, LikeRow]


# Values, slopes, sizes and scales of the rows of one constraint.
_Part: TypeAlias = tuple[Any, np.ndarray, np.ndarray, np.ndarray]


class HostRows(NamedTuple):
    """Values (rows,), slopes by the speeds (rows, speeds), and natural sizes (rows,).

    A size is how strongly a row feels the motions of its own bodies and joints, by a
    radian or a metre, whether or not the system can make them: one that feels none of
    the system's is redundant. A scale is the same by a radian or the natural length, so
    that `values / scales` and `relative` do not depend on units. `along` (speeds,) are
    these displacements.
    """

    values: np.ndarray
    slopes: np.ndarray
    sizes: np.ndarray
    scales: np.ndarray
    along: np.ndarray

    @property
    def relative(self) -> np.ndarray:
        """Slopes by radians and natural lengths, of each row's scale."""
        return self.slopes * self.along / self.scales[:, None]


def scene(system: System, t: float, q: np.ndarray, values: Table = NOMINAL) -> Scene:
    """Poses, the world's last, and Jacobians of all bodies in their own axes."""
    table = system.table(values)
    poses = with_world(kinematics.poses(system, t, q, table))
    J, length = kinematics.jacobians(system, t, q, table), natural_length(system, q)
    likes: dict[str, LikeRow] = {}
    if is_rolled(system):
        # Here, for it needs JAX, which a system of few bodies is built without.
        from polhode.system.rolled.host_rows import like_rows

        likes = like_rows(system, t, q, poses, table)
    return Scene(t, q, poses, J, table, length, likes)


# Equations of no value are refused by name; NumPy's warning would come before that.
@np.errstate(all="ignore")
def positions(system: System, now: Scene) -> HostRows:
    """g of the holonomic constraints, and dg/dz."""
    parts: list[_Part] = []
    for constraint in system.constraints:
        if constraint.is_holonomic:
            here = placed(system, constraint, now.poses, now.q)
            like = now.likes.get(constraint.name)
            g = constraint.position(here, now.t, now.table) if not like else like.values
            _require_numbers(constraint, g, now.t, "position")
            parts.append((g, *_slope(system, constraint, here, now)))
    return _stacked(system, parts, now)


@np.errstate(all="ignore")
def velocities(system: System, now: Scene, z: np.ndarray) -> HostRows:
    """phi of all constraints at the speeds z, and d phi/dz."""
    parts: list[_Part] = []
    for constraint in system.constraints:
        here = placed(system, constraint, now.poses, now.q)
        if constraint.is_holonomic:
            A, *sizes = _slope(system, constraint, here, now)
            like = now.likes.get(constraint.name)
            rate = like.rate if like else _by_time(system, constraint, here, now)
            phi = A @ z + rate
            parts.append((phi, A, *sizes))
        else:
            parts.append(_velocity(system, constraint, here, now, z))
        _require_numbers(constraint, parts[-1][0], now.t, "velocity")
    return _stacked(system, parts, now)


def moving_rows(system: System, state: State, table: Table = NOMINAL) -> np.ndarray:
    """Which rows (rows,) feel any motion of the system there.

    A hinge in line with another feels none that the other leaves: compiled, its rows
    are rounding, which has no size of its own to be measured by.
    """
    if not system.constraints:
        return np.ones(0, dtype=bool)
    now = scene(system, float(state.t), np.asarray(state.q), table)
    found = velocities(system, now, np.asarray(state.z)).relative
    return np.linalg.norm(found, axis=1) > ZERO_ROW


def _require_numbers(
    constraint: Constraint, values: Array, t: float, what: str
) -> None:
    if not np.all(np.isfinite(values)):
        raise ModelError(
            f"{constraint.name!r} is not finite at t = {t:g} s: its equation of"
            f" {what} is {shown(np.asarray(values))}.",
            "An equation that is not finite can be neither kept nor broken.",
            "Look for a division by zero, a logarithm or a root at the edge of where"
            " its law is defined.",
        )


def _velocity(
    system: System,
    constraint: VelocityConstraint,
    here: Placed,
    now: Scene,
    z: np.ndarray,
) -> _Part:
    """Of its equation at z, by the twists of its own bodies and speeds of its joints.

    Slopes by the system's speeds would not do: what no joint lets a row feel would be
    rounding, and have rounding as its size.
    """
    motion = moving(system, constraint, _twists(now, z), z)
    along = speed_lengths(system, now.length)
    # One rad/s would drown in quick motions, and be a leap in slow ones.
    rate = float(np.max(np.abs(z) / along, initial=0.0)) or 1.0

    def phi(motion: Moving) -> Any:
        return constraint.velocity(here, motion, now.t, now.table)

    A = np.zeros((len(constraint.rows), system.speeds))
    by, effects, natural = np.repeat([1.0, now.length], 3), [], []
    for k, body in enumerate(system.places_of(constraint.bodies)):
        if body >= 0:
            G = _columns(_with_twist(phi, motion, k, now.length * rate, rate), 6) / rate
            G = _along_own_axes(G, here.rotations[k])
            A += G / by @ now.J[body]
            effects.append(G / by)
            natural.append(G)
    for k, joint in enumerate(constraint.joints):
        own = system.edge(joint.name).z
        G = (
            _columns(_with_speed(phi, motion, k, along[own] * rate), joint.speeds)
            / rate
        )
        A[:, own] += G / along[own]
        effects.append(G / along[own])
        natural.append(G)
    if not effects:
        return phi(motion), A, np.ones(len(A)), np.ones(len(A))
    sizes, scales = (np.concatenate(part, axis=1) for part in (effects, natural))
    return phi(motion), A, _lengths(sizes), _lengths(scales, now.length)


def _along_own_axes(G: np.ndarray, R_WB: np.ndarray) -> np.ndarray:
    """Slopes (rows, 6) by a twist along the world's axes, by one along the body's."""
    return np.concatenate([G[:, :3] @ R_WB, G[:, 3:] @ R_WB], axis=1)


def _with_twist(
    phi: Callable[[Moving], Any], motion: Moving, k: int, linear: float, angular: float
) -> Callable[[int, float], Any]:
    """phi with the twist of body k changed along one of the world's six directions."""

    def changed(direction: int, h: float) -> Any:
        w, v = motion.angular.copy(), motion.linear.copy()
        if direction < 3:
            w[k, direction] += h * angular
        else:
            v[k, direction - 3] += h * linear
        return phi(motion._replace(angular=w, linear=v))

    return changed


def _with_speed(
    phi: Callable[[Moving], Any], motion: Moving, k: int, sizes: np.ndarray
) -> Callable[[int, float], Any]:
    """phi with one of the speeds of joint k changed."""

    def changed(direction: int, h: float) -> Any:
        speeds = list(motion.speeds)
        speeds[k] = speeds[k] + h * np.diag(sizes)[direction]
        return phi(motion._replace(speeds=tuple(speeds)))

    return changed


def _stacked(system: System, parts: list[_Part], now: Scene) -> HostRows:
    none = np.zeros(0)
    nothing = (none, np.zeros((0, system.speeds)), none, none)
    g, A, sizes, scales = map(np.concatenate, zip(nothing, *parts, strict=True))
    return HostRows(g, A, sizes, scales, speed_lengths(system, now.length))


def _slope(
    system: System, constraint: HolonomicConstraint, here: Placed, now: Scene
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    A = np.zeros((len(constraint.rows), system.speeds))
    by, along = np.repeat([1.0, now.length], 3), speed_lengths(system, now.length)
    effects, natural = [], []
    like = now.likes.get(constraint.name)
    for k, body in enumerate(system.places_of(constraint.bodies)):
        if body >= 0:
            if like:
                G = _along_own_axes(like.bodies[k], here.rotations[k]) * by
            else:
                G = _remembered(system, constraint, here, k, now)
            A += G / by @ now.J[body]
            effects.append(G / by)
            natural.append(G)
    for k, joint in enumerate(constraint.joints):
        own = system.edge(joint.name).z
        if like:
            G = like.joints[k] * along[own]
        else:
            G = _by_joint(constraint, here, k, now, along[own])
        A[:, own] += G / along[own]
        effects.append(G / along[own])
        natural.append(G)
    if not effects:
        return A, np.ones(len(A)), np.ones(len(A))
    sizes, scales = (np.concatenate(part, axis=1) for part in (effects, natural))
    return A, _lengths(sizes), _lengths(scales, now.length)


def _lengths(rows: np.ndarray, least: float = 1.0) -> np.ndarray:
    """The length of each row; another one for a row that feels nothing."""
    sizes = np.linalg.norm(rows, axis=1)
    return np.where(sizes > 0, sizes, least)


def _remembered(
    system: System, constraint: HolonomicConstraint, here: Placed, k: int, now: Scene
) -> np.ndarray:
    """`_by_pose` of the place that was last asked for: checks ask one many times."""
    numbers = (here.rotations, here.origins, *here.coordinates, *now.table.values())
    place = [now.t, now.length, *now.table, *(np.asarray(n).tobytes() for n in numbers)]
    key = ("slope", constraint.name, k)
    before, found = system.compiled.get(key, (None, None))
    if before != place:
        found = _by_pose(constraint, here, k, now)
        system.compiled[key] = place, found
    return found


def _by_pose(
    constraint: HolonomicConstraint, here: Placed, k: int, now: Scene
) -> np.ndarray:
    """dg by a twist (6) of its body k, in its axes: radians and natural lengths."""
    R, p = here.rotations[k], here.origins[k]

    def position_at(direction: int, h: float) -> Any:
        rotations, origins = here.rotations.copy(), here.origins.copy()
        if direction < 3:
            rotations[k] = R @ _turn(direction, h)
        else:
            origins[k] = p + h * now.length * R[:, direction - 3]
        return constraint.position(
            Placed(rotations, origins, here.coordinates), now.t, now.table
        )

    return _columns(position_at, 6)


@cache
def _turn(axis: int, angle: float) -> np.ndarray:
    """A rotation about an axis; there are few, and they are asked for often."""
    return np.asarray(so3.exp(angle * np.eye(3)[axis]))


def _by_joint(
    constraint: HolonomicConstraint, here: Placed, k: int, now: Scene, along: np.ndarray
) -> np.ndarray:
    """dg by radians or natural lengths along the speeds of its joint k."""
    joint, q = constraint.joints[k], here.coordinates[k]

    def position_at(direction: int, h: float) -> Any:
        parts = list(here.coordinates)
        parts[k] = joint.local(q, h * np.diag(along)[direction])
        changed = here._replace(coordinates=tuple(parts))
        return constraint.position(changed, now.t, now.table)

    return _columns(position_at, joint.speeds)


def _by_time(
    system: System, constraint: HolonomicConstraint, here: Placed, now: Scene
) -> np.ndarray | float:
    """dg/dt, exact however fast a driver is; most constraints do not know the time."""

    def at(t: float) -> Any:
        return constraint.position(here, t, now.table)

    if np.all(at(now.t) == at(now.t + 0.7312)) and np.all(
        at(now.t) == at(now.t + 1e-3)
    ):
        return 0.0
    key = f"rate of {constraint.name} in time"
    rate = system.remembered(key, lambda: _rate_in_time(constraint))
    return rate(now.t, here, dict(now.table))


def _rate_in_time(constraint: HolonomicConstraint) -> Callable[..., Any]:
    import jax

    def rate(t: Scalar, here: Placed, table: Table) -> Any:
        def g(t: Scalar) -> Any:
            return constraint.position(here, t, table)

        return jax.jvp(g, (t,), (jax.numpy.ones_like(t),))[1]

    return doubled(rate)


def _twists(now: Scene, z: np.ndarray) -> Twists:
    V = now.J @ z
    R_WB = now.poses.rotations[:-1]
    parts = [(R_WB @ half[..., None])[..., 0] for half in (V[:, :3], V[:, 3:])]
    return still_world(Twists(*parts))


def _columns(function: Callable[[int, float], Any], count: int) -> np.ndarray:
    """Derivatives at h = 0 of function(k, h), a column for each k."""
    found = []
    for k in range(count):
        far = np.asarray(function(k, 2 * STEP)) - function(k, -2 * STEP)
        near = np.asarray(function(k, STEP)) - function(k, -STEP)
        found.append((8 * near - far) / (12 * STEP))
    return np.stack(found, axis=-1)
