"""Velocities of free bodies along the axes of the world, for the length of a step.

    P = p + R c,      u = R (v + w x c),      P_dot = u
    u_dot = R (v_dot + w x v + w_dot x c + w x (w x c))

c is the mass centre in the body. The speeds of a free joint are along the body's axes.
There the velocity of a craft that drifts turns as the craft does, twice as quickly as
its quaternion, and a method errs by v (w h)^6 in what is constant: that would limit the
steps, at 7.7 km/s as at 7.7 m/s. Along the world's axes a uniform motion is followed
without error, so that a craft in flight turns in the steps of one at rest. Rows, events
and dense output see v as ever: a step turns x into its columns, and what it leads to
back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.formulation.shared.uniform_motion import removable_edges
from polhode.geometry.vector import cross
from polhode.integrate.field.dense_output import between
from polhode.joints.free import Free
from polhode.system.rolled.size import is_rolled

if TYPE_CHECKING:
    from polhode.system.system import System


class FreeBody(NamedTuple):
    """Where the numbers of a free body begin in x = [q; z], and its mass centre.

    c is None where it is the origin. Any point serves; about this one nothing of its
    velocity turns with the body.
    """

    pose: int
    twist: int
    centre: tuple[float, float, float] | None

    @property
    def place(self) -> int:
        """Of p, or of P: 3 numbers."""
        return self.pose + 4

    @property
    def linear(self) -> int:
        """Of v, or of u: 3 numbers."""
        return self.twist + 3

    def to_world(self, x: Array, v: Array) -> Any:
        """R v, of a quaternion that need not be of length one."""
        return _turned(x[self.pose : self.place], v, 1.0)

    def to_body(self, x: Array, u: Array) -> Any:
        """Rᵀ u"""
        return _turned(x[self.pose : self.place], u, -1.0)

    def spin(self, x: Array) -> Any:
        """w"""
        return x[self.twist : self.linear]

    def velocity(self, x: Array) -> Any:
        """v of a state, u of a column."""
        return x[self.linear : self.linear + 3]

    def column(self, x: Array) -> dict[int, Any]:
        """P and u of a state."""
        v, c = self.velocity(x), self.centre
        if c is None:
            return {self.linear: self.to_world(x, v)}
        place = x[self.place : self.place + 3] + self.to_world(x, np.array(c))
        carried = v + cross(self.spin(x), np.array(c))
        return {self.place: place, self.linear: self.to_world(x, carried)}

    def state(self, column: Array) -> dict[int, Any]:
        """p and v of a column."""
        v, c = self.to_body(column, self.velocity(column)), self.centre
        if c is None:
            return {self.linear: v}
        place = column[self.place : self.place + 3]
        place = place - self.to_world(column, np.array(c))
        return {
            self.place: place,
            self.linear: v - cross(self.spin(column), np.array(c)),
        }

    def vectors(self, x: Array) -> dict[int, Any]:
        """The place and the velocity."""
        return {k: x[k : k + 3] for k in (self.place, self.linear)}

    def turning(self, x: Array, rate: Array) -> Any:
        """w x v + w_dot x c + w x (w x c), with w_dot of a rate."""
        w, found = self.spin(x), self.velocity(x)
        if self.centre is not None:
            c = np.array(self.centre)
            return cross(w, found + cross(w, c)) + cross(self.spin(rate), c)
        return cross(w, found)


def free_bodies(system: System) -> tuple[FreeBody, ...]:
    """The bodies that move freely in the world, and that no fluid turns with.

    A hull keeps its velocity along its own axes. Bodies that touch others, and very
    many, are stepped as they are.
    """
    if is_rolled(system) or system.supports:
        return ()
    removed, n = removable_edges(system), system.coordinates
    return tuple(
        FreeBody(edge.q.start, n + edge.z.start, _centre(system, edge.child))
        for edge in system.tree.edges
        if edge.child in removed and isinstance(edge.joint, Free)
    )


def without_drift(system: System, z: Array, z_dot: Array) -> tuple[Any, Any]:
    """z (..., nz) without velocities of free bodies, and z_dot without w x v."""
    xp, n = namespace(z, z_dot), system.coordinates
    for b in free_bodies(system):
        first, at = b.twist - n, b.linear - n
        w, v = z[..., first:at], z[..., at : at + 3]
        change_in_space = z_dot[..., at : at + 3] + cross(w, v)
        z_dot = xp.concatenate(
            [z_dot[..., :at], change_in_space, z_dot[..., at + 3 :]], axis=-1
        )
        z = xp.concatenate([z[..., :at], 0 * v, z[..., at + 3 :]], axis=-1)
    return z, z_dot


class Knot(NamedTuple):
    """A column and its slope: one end of a step."""

    column: Any
    slope: Any


class InertialAxes(NamedTuple):
    """Columns c of states x, with velocities of free bodies along the world's axes."""

    bodies: tuple[FreeBody, ...]

    def column(self, x: Array) -> Any:
        """c of a state."""
        return _replaced(x, _joined(b.column(x) for b in self.bodies))

    def state(self, c: Array) -> Any:
        """x of a column."""
        return _replaced(c, _joined(b.state(c) for b in self.bodies))

    def slope(self, c: Array, x: Array, x_dot: Array) -> Any:
        """c_dot where x_dot is the rate of the state x of the column c."""
        found: dict[int, Any] = {}
        for b in self.bodies:
            u_dot = b.to_world(x, b.velocity(x_dot) + b.turning(x, x_dot))
            found |= {b.place: b.velocity(c), b.linear: u_dot}
        return _replaced(x_dot, found)

    def rate(self, x: Array, c_dot: Array) -> Any:
        """x_dot of a slope."""
        found: dict[int, Any] = {}
        for b in self.bodies:
            v_dot = b.to_body(x, b.velocity(c_dot)) - b.turning(x, c_dot)
            found |= {b.place: b.to_world(x, b.velocity(x)), b.linear: v_dot}
        return _replaced(c_dot, found)

    def slopes(self, x_dot: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """(t, c) -> c_dot, of (t, x) -> x_dot."""

        def slope(t: Scalar, c: Array) -> Any:
            x = self.state(c)
            return self.slope(c, x, x_dot(t, x))

        return slope

    def sizes(self, each: Array, before: Array, after: Array) -> Any:
        """The sizes of numbers, each its own; of a place and a velocity its length.

        A quaternion is a vector of length one.
        """
        found = {}
        for b in self.bodies:
            found[b.pose] = jnp.ones(4)
            ends = b.vectors(before), b.vectors(after)
            for k in ends[0]:
                one, other = (jnp.sum(end[k] * end[k]) for end in ends)
                length = jnp.sqrt(jnp.where(one > other, one, other))
                found[k] = jnp.broadcast_to(length, (3,))
        return _replaced(each, found)

    def dense(self, h: Scalar, start: Knot, end: Knot, terms: Any) -> tuple[Any, ...]:
        """Terms for x of those for columns, by as many places within the step.

        Between rows v is turned by the quaternion that
        dense output has there.
        """
        if not self.bodies:
            return tuple(terms)
        states = [self.state(knot.column) for knot in (start, end)]
        slopes = [start.slope, end.slope]
        first, last = (
            (x, self.rate(x, k)) for x, k in zip(states, slopes, strict=True)
        )
        places, missed = np.arange(1, len(terms) + 1) / (len(terms) + 1), []
        for s in places.tolist():
            x = self.state(between(s, h, start, end, jnp.stack(terms)))
            cubic = between(s, h, first, last, jnp.zeros((0, x.shape[0])))
            missed.append((x - cubic) / (s * (1 - s)) ** 2)
        weights = np.linalg.inv(_basis(places)).tolist()
        found = [
            sum(w * m for w, m in zip(row, missed, strict=True)) for row in weights
        ]
        return tuple(
            _replaced(term, _joined(b.vectors(own) for b in self.bodies))
            for term, own in zip(terms, found, strict=True)
        )


# Columns are x itself.
AS_STORED = InertialAxes(())


def _basis(s: np.ndarray) -> np.ndarray:
    """Products of the terms of dense output at places: 1, s, s (1 - s), ..."""
    columns = [np.ones_like(s)]
    for k in range(len(s) - 1):
        columns.append(columns[-1] * (s if k % 2 == 0 else 1 - s))
    return np.stack(columns, axis=1)


def _turned(q: Array, v: Array, sign: float) -> Any:
    """R v, or Rᵀ v by the other sign.   v + 2 (± q0 a + r x a)/|q|²,    a = r x v

    One quotient for both ways: in a stage they follow each other.
    """
    r = q[1:]
    a = cross(r, v)
    return v + 2 / jnp.sum(q * q) * (sign * q[0] * a + cross(r, a))


def _centre(system: System, body: int) -> tuple[float, float, float] | None:
    c = np.asarray(system.bodies[body].moments().centre, float)
    return tuple(c.tolist()) if np.any(c) else None


def _joined(parts: Iterable[dict[int, Any]]) -> dict[int, Any]:
    return {place: vector for part in parts for place, vector in part.items()}


def _replaced(x: Array, parts: dict[int, Any]) -> Any:
    """x with others of its numbers at some places."""
    found, at = [], 0
    for place in sorted(parts):
        found += [x[at:place], parts[place]]
        at = place + len(parts[place])
    return jnp.concatenate([*found, x[at:]])
