"""Small motions about a craft in orbit: Clohessy, Wiltshire and Hill, and beyond.

    x'' - 2 n y' - 3 n^2 x = fx,    y'' + 2 n x' = fy,    z'' + n^2 z = fz

about a circle of rate n, x outwards, y ahead and z along r x v, as the orbital frame of
the leader sees it. About other conics the coefficients change along the orbit. Nothing
of this is written down: two craft are linearised along their motion, and turned to the
orbital frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.gravitation import Gravitation, PointMass
from polhode.analyse.linear.linearise import linearise
from polhode.analyse.linear.state_space import StateSpace
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import StateError
from polhode.formation.orbit import Orbit
from polhode.formation.tree import formation_tree
from polhode.geometry.vector import cross, dot, norm, skew
from polhode.integrate.methods.runge_kutta.dop853 import DormandPrince8
from polhode.integrate.simulate import simulate
from polhode.matter.particle import Particle
from polhode.matter.world import World

if TYPE_CHECKING:
    from polhode.analyse.linear.linear_along import LinearAlong

STATES = ("x", "y", "z", "x'", "y'", "z'")
INPUTS = ("fx", "fy", "fz")
# Of both craft: places of the leader and the follower, then their speeds.
FOLLOWER = np.array([3, 4, 5, 9, 10, 11])


@final
@dataclass(frozen=True, eq=False, repr=False)
class RelativeOrbit:
    """The linear motion of a follower about a leader on an orbit.

    orbit   of the leader at t = 0
    along   both craft, linearised along the motion in axes that do not turn

    States are x, y, z outwards, ahead and normal (m), and their rates in the frame that
    turns with the orbit (m/s); inputs are differences of force a mass (m/s^2).
    """

    orbit: Orbit
    along: LinearAlong

    def at(self, t: float = 0.0) -> StateSpace:
        """The linear system at a time, in the orbital frame: constant on a circle."""
        T, T_dot = self._turn(t)
        A = self.along.at(t)[0][np.ix_(FOLLOWER, FOLLOWER)]
        own = (T @ A + T_dot) @ np.linalg.inv(T)
        B = np.concatenate([np.zeros((3, 3)), np.eye(3)])
        seen, passed = np.eye(6), np.zeros((6, 3))
        return StateSpace(own, B, seen, passed, STATES, INPUTS, STATES)

    def transition(self, start: float, end: float) -> np.ndarray:
        """P (6, 6): a small relative state x at `start` is P x at `end`."""
        P = self.along.transition(start, end)[np.ix_(FOLLOWER, FOLLOWER)]
        return self._turn(end)[0] @ P @ np.linalg.inv(self._turn(start)[0])

    def frame(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """R_WO (3, 3), columns outwards, ahead, normal; and its angular velocity (3,).

        Both of the orbital frame at a time, the latter along its own axes.
        """
        R, w = _frame(*self._leader(t))
        return np.asarray(R), np.asarray(w)

    def _leader(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        state = self.along.motion.at(t)
        return state.q[:3], state.z[:3]

    def _turn(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """T (6, 6) with x_O = T x_W, and its rate along the orbit."""
        return doubled(_turn_and_rate)(*self._leader(t), self.orbit.mu)

    def __repr__(self) -> str:
        span = self.along.t[-1]
        return f"RelativeOrbit(about {self.orbit.kind}, {span:g} s)"


def relative_orbit(orbit: Orbit, until: float | None = None) -> RelativeOrbit:
    """The linear relative motion about an orbit, over one period or `until` (s).

    >>> import polhode as ph
    >>> circle = ph.formations.Orbit(mu=1.0, parameter=1.0, eccentricity=0.0)
    >>> near = relative_orbit(circle)
    >>> near.at(0.0).A[3].round(6)
    array([3., 0., 0., 0., 2., 0.])
    """
    span = orbit.period if until is None else float(until)
    if not 0 < span < np.inf:
        raise StateError(
            f"the relative motion about a {orbit.kind} has no span of {span:g} s.",
            "An orbit that does not close has no period.",
            "Give until=..., in seconds.",
        )
    craft = [Particle(name, 1.0) for name in ("leader", "follower")]
    centre = PointMass(World().origin, 1.0, "centre")
    pulls = [
        Gravitation((centre, PointMass.of(c)), orbit.mu, name=f"pull on {c.name}")
        for c in craft
    ]
    system = formation_tree(craft, "leader", actions=pulls, name="relative orbit")
    r, v = orbit.state
    start = system.state(leader=r, speeds={"leader": v})
    motion = simulate(system, start, until=span, method=DormandPrince8(rtol=1e-13))
    return RelativeOrbit(orbit, linearise(system, motion))


def _frame(r: Array, v: Array) -> tuple[Any, Any]:
    """R_WO and w_WO_O of the orbital frame:   w = |r x v| / r^2 about the normal."""
    h = cross(r, v)
    out, up = r / norm(r), h / norm(h)
    R_WO = jnp.stack([out, cross(up, out), up], axis=-1)
    return R_WO, jnp.array([0.0, 0.0, 1.0]) * norm(h) / dot(r, r)


def _turn(r: Array, v: Array) -> Any:
    """x_O = R^T x_W,      x_O' = R^T x_W' - w x x_O"""
    R, w = _frame(r, v)
    upper = jnp.concatenate([R.T, jnp.zeros((3, 3))], axis=1)
    return jnp.concatenate([upper, jnp.concatenate([-skew(w) @ R.T, R.T], axis=1)])


def _turn_and_rate(r: Array, v: Array, mu: Scalar) -> tuple[Any, Any]:
    pull = -mu * r / norm(r) ** 3
    return jax.jvp(_turn, (r, v), (v, pull))
