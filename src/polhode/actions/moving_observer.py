"""The world as a moving frame: apparent forces on rigid bodies, one action a term.

A system is described before a frame that moves along a path, as if it were the world;
these actions make its motion true. d goes from the frame's origin, v is what the frame
sees; a_o, w, alpha are of the frame before an inertial one, all along its own axes:

    m a = F - m [a_o + alpha x d + 2 w x v + w x (w x d)]          of each particle

Summed over a body with the central inertia I and spin u before the frame:

    origin       -m a_o at the mass centre
    euler        -m alpha x d_G,        couple -I alpha
    coriolis     -2 m w x v_G,          couple -(I (w x u) + w x I u + u x I w)
    centrifugal  -m w x (w x d_G),      couple -w x I w

A fluid that a body carries is at rest before the inertial frame. With its inertia M
about the body's origin at d, the twist V = [u; v] that the frame sees and the frame's
own there, U = [w; v_o + w x d], the same four terms are

    origin       -M [0; a_o]
    euler        -M [alpha; alpha x d]
    coriolis     -(M (U x V) + U x* M V + V x* M U)
    centrifugal  -(U x* M U - M [0; w x v_o])

Where M is that of a mass, v_o cancels; in a fluid it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.particle import Particle
from polhode.matter.rigid_body import Body

TERMS = ("origin", "euler", "coriolis", "centrifugal")
Path = Callable[[Any], tuple[Any, Any]]


@final
@dataclass(frozen=True, eq=False)
class ApparentForce(BodyAction):
    """One kind of apparent force on all bodies, for an observer who is the world."""

    term: str
    of: Sequence[Body | Particle]
    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", tuple(self.of))
        for body in self.of:
            if not isinstance(body, Body | Particle):
                raise ModelError(
                    f"an apparent force cannot act on {body!r}.",
                    "It is mass times an acceleration of the frame: it acts on matter.",
                    "Give a list of bodies and particles: [rod, bob].",
                )
        if self.term not in TERMS:
            raise ModelError(
                f"there is no apparent force {self.term!r}.",
                "A moving frame has four kinds of them.",
                f"Choose one of {', '.join(TERMS)}; ph.theory.observed_from has all.",
            )

    @property
    def name(self) -> str:
        """That of the term."""
        return self.term

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those it acts on; none of them exerts it."""
        return tuple(body.frame for body in self.of)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the masses."""
        return tuple(dict.fromkeys(p for body in self.of for p in body.parameters))

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """0: none is stored."""
        return 0.0

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The force through each mass centre and the couple, about bodies' origins."""
        xp = namespace(*poses, *twists, t)
        at = moving_frame(self.path, t)
        axes = at.rotation.T
        frame = [axes @ x for x in (at.acceleration, at.angular_acceleration)]
        spin, torques, forces = axes @ at.angular_velocity, [], []
        flight = _Flight(frame[0], frame[1], spin, axes @ at.velocity)
        for k, body in enumerate(self.of):
            mass, centre, inertia = body.moments(table)
            R, u = poses.rotations[k], twists.angular[k]
            arm = R @ xp.asarray(centre)
            seen = poses.origins[k] + arm, twists.linear[k] + cross(u, arm)
            I = R @ xp.asarray(inertia) @ R.T
            force = -mass * _acceleration(self.term, frame, spin, seen)
            couple = -_moment(self.term, frame[1], spin, I, u)
            torque = couple + cross(arm, force)
            if body.carries_fluid:
                M = _turn_inertia(xp.asarray(body.added_inertia(table)), R)
                V = xp.concatenate([u, twists.linear[k]])
                W = -_of_fluid(self.term, flight, M, poses.origins[k], V)
                torque, force = torque + W[:3], force + W[3:]
            forces.append(force)
            torques.append(torque)
        return Wrenches(xp.stack(torques), xp.stack(forces))

    def fault(self) -> str:
        """The path has no second derivative there."""
        return "The path of the observer, or its rates, are not finite."


def observed_from(
    path: Path, bodies: Sequence[Body | Particle]
) -> tuple[ApparentForce, ...]:
    """The apparent forces on bodies described before a frame that moves along a path.

    `path(t)` is (R, p) of the frame before an inertial one; traceable, with two
    derivatives. One action for each of "origin", "euler", "coriolis", "centrifugal", so
    that shares, powers and ledgers itemise them.
    """
    return tuple(ApparentForce(term, bodies, path) for term in TERMS)


def _acceleration(term: str, frame: Any, w: Array, seen: Any) -> Any:
    """What the term adds to the acceleration of a point at d with the velocity v."""
    (a_o, alpha), (d, v) = frame, seen
    if term == "origin":
        return a_o + 0.0 * d
    if term == "euler":
        return cross(alpha, d)
    return 2 * cross(w, v) if term == "coriolis" else cross(w, cross(w, d))


def _moment(term: str, alpha: Array, w: Array, I: Array, u: Array) -> Any:
    """What the term adds to the moment of inertia forces about the mass centre."""
    if term == "origin":
        return 0.0 * u
    if term == "euler":
        return I @ alpha + 0.0 * u
    if term == "centrifugal":
        return cross(w, I @ w) + 0.0 * u
    return I @ cross(w, u) + cross(w, I @ u) + cross(u, I @ w)


class _Flight(NamedTuple):
    """The motion of the frame, along its own axes: a_o, alpha, w and v_o, all (3,)."""

    acceleration: Any
    angular_acceleration: Any
    spin: Any
    velocity: Any


def _of_fluid(term: str, frame: _Flight, M: Array, d: Array, V: Array) -> Any:
    """What the term adds to the inertial wrench (6,) of a fluid, about the point d."""
    xp = namespace(*frame, M, d, V)
    a_o, alpha, w, v_o = frame
    if term == "origin":
        return M @ xp.concatenate([0.0 * a_o, a_o])
    if term == "euler":
        return M @ xp.concatenate([alpha, cross(alpha, d)])
    U = xp.concatenate([w, v_o + cross(w, d)])
    if term == "centrifugal":
        return _momentum_rate(U, M @ U) - M @ xp.concatenate([0.0 * w, cross(w, v_o)])
    bracket = [cross(U[:3], V[:3]), cross(U[:3], V[3:]) + cross(U[3:], V[:3])]
    return (
        M @ xp.concatenate(bracket)
        + _momentum_rate(U, M @ V)
        + _momentum_rate(V, M @ U)
    )


def _momentum_rate(V: Array, h: Array) -> Any:
    """V x* h: the rate of a momentum h = [moment; linear] that is carried with V."""
    moment = cross(V[:3], h[:3]) + cross(V[3:], h[3:])
    return namespace(V, h).concatenate([moment, cross(V[:3], h[3:])])


def _turn_inertia(M: Array, R: Array) -> Any:
    """An inertia (6, 6) along axes in which its own are R."""
    parts = [[R @ M[i : i + 3, k : k + 3] @ R.T for k in (0, 3)] for i in (0, 3)]
    xp = namespace(M, R)
    return xp.concatenate([xp.concatenate(row, axis=1) for row in parts])
