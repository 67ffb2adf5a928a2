"""Momentum and angular momentum of a rigid body, and their rates.

Kernels on columns of one frame: Q is any point of the body, r = r_QG goes to the mass
centre, v_Q and w are the velocities that the observer sees, a_Q and alpha their rates
before the same observer, I_Q the inertia about Q. With S = -m [r]:

    momentum                p   = m v_Q + S w
    angular momentum        L_Q = S^T v_Q + I_Q w
    about any pole          L_H = L_Q + (Q - H) x p
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, Scalar, namespace
from polhode.errors import FrameMismatch
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.point import Point
from polhode.geometry.twist import Twist, require_same_place
from polhode.geometry.vector import Vector, cross
from polhode.matter.inertia import Inertia
from polhode.matter.spatial_inertia import require_same_body


def linear_momentum(mass: Scalar, r_QG: Array, v_Q: Array, w: Array) -> Any:
    """p = m v_Q + S_Q w = m v_G."""
    return mass * (v_Q + cross(w, r_QG))


def angular_momentum(
    mass: Scalar, r_QG: Array, I_Q: Array, v_Q: Array, w: Array
) -> Any:
    """L_Q = S_Q^T v_Q + I_Q w, about the body's point Q, with absolute velocities."""
    return mass * cross(r_QG, v_Q) + (I_Q @ w)


def shift_angular_momentum(L_Q: Array, momentum: Array, p_HQ: Array) -> Any:
    """About any pole H, fixed, moving or material: L_H = L_Q + (Q - H) x p."""
    return L_Q + cross(p_HQ, momentum)


def linear_momentum_rate(
    mass: Scalar, r_QG: Array, w: Array, a_Q: Array, alpha: Array
) -> Any:
    """p_dot = m a_Q + S alpha + w x (S w) = m a_G."""
    return mass * (a_Q + cross(alpha, r_QG) + cross(w, cross(w, r_QG)))


def angular_momentum_rate(
    mass: Scalar,
    r_QG: Array,
    I_Q: Array,
    *,
    v_Q: Array,
    w: Array,
    a_Q: Array,
    alpha: Array,
) -> Any:
    """The rate of L_Q, Q being a point of the body.

    L_dot = S^T (a_Q - w x v_Q) + I alpha + w x (S^T v_Q + I w)
    """
    L_Q = angular_momentum(mass, r_QG, I_Q, v_Q, w)
    material = a_Q - cross(w, v_Q)
    return mass * cross(r_QG, material) + I_Q @ alpha + cross(w, L_Q)


def shift_angular_momentum_rate(
    L_Q_dot: Array, momentum: Array, momentum_rate: Array, p_HQ: Array, p_HQ_dot: Array
) -> Any:
    """About a moving pole: L_H_dot = L_Q_dot + (v_Q - v_H) x p + (Q - H) x p_dot."""
    return L_Q_dot + cross(p_HQ_dot, momentum) + cross(p_HQ, momentum_rate)


def central_angular_momentum(I_G: Array, w: Array) -> Any:
    """About the mass centre: L_G = I_G w."""
    return I_G @ w


def central_angular_momentum_rate(I_G: Array, w: Array, alpha: Array) -> Any:
    """About the mass centre: L_G_dot = I_G alpha + w x I_G w."""
    return I_G @ alpha + cross(w, I_G @ w)


def spatial_momentum(M_Q: Array, V_Q: Array) -> Any:
    """The momentum (6,) [L_Q; p] = M_Q V_Q of any spatial inertia, angular first."""
    return M_Q @ V_Q


def spatial_momentum_rate(M_Q: Array, V_Q: Array, V_Q_dot: Array) -> Any:
    """The wrench about Q that a motion needs; Q a point of the body, axes the body's.

        F = M V_dot + [ w x L + v x p ; w x p ],        [L; p] = M V

    V_Q_dot holds the rates of components along body axes. These are Kirchhoff's
    equations; v x p is Munk's moment, zero for a rigid body about its mass centre
    but not when the fluid makes the mass depend on direction.
    """
    return M_Q @ V_Q_dot + momentum_transport(V_Q, spatial_momentum(M_Q, V_Q))


def momentum_transport(V_Q: Array, h_Q: Array) -> Any:
    """[w x L + v x p; w x p]: what turning and moving axes add to a momentum's rate."""
    xp = namespace(V_Q, h_Q)
    w, v = V_Q[..., :3], V_Q[..., 3:]
    L, p = h_Q[..., :3], h_Q[..., 3:]
    return xp.concatenate([cross(w, L) + cross(v, p), cross(w, p)], axis=-1)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Momentum:
    """The momentum of a body, and its angular momentum about a pole.

    Both before one observer and written in one frame. The pole may be any point,
    moving or not: velocities are the observer's, never relative to the pole.
    """

    linear: Vector
    angular: Vector
    pole: Point
    of: Frame
    seen_from: Frame

    __array_ufunc__ = None  # NumPy must not drop the frames

    def at(self, pole: Point) -> Momentum:
        """The same motion about another pole: L_H = L_Q + (Q - H) x p."""
        arm = self.pole - pole
        return replace(self, angular=self.angular + arm.cross(self.linear), pole=pole)

    def __add__(self, other: Momentum) -> Momentum:
        """The momentum of two bodies together, about one pole."""
        if self.seen_from is not other.seen_from:
            raise FrameMismatch(
                f"cannot add a momentum seen from {self.seen_from.name!r} and one"
                f" seen from {other.seen_from.name!r}.",
                "A velocity, and so a momentum, is different before each observer.",
                "Take both before the same observer.",
            )
        moved = other.at(self.pole)
        linear, angular = self.linear + moved.linear, self.angular + moved.angular
        return replace(self, linear=linear, angular=angular)

    def is_close(self, other: Momentum, rtol: float = 1e-12) -> bool:
        """The same momenta, each within `rtol`, the other's taken about this pole.

        Of one body and before one observer; others are not compared.
        """
        require_same_frame("compare", self.of, other.of)
        require_same_frame("compare", self.seen_from, other.seen_from)
        moved = other.at(self.pole)
        linear = self.linear.is_close(moved.linear, rtol)
        return linear and self.angular.is_close(moved.angular, rtol)

    def __repr__(self) -> str:
        return (
            f"Momentum(linear={self.linear!r}, angular={self.angular!r},"
            f" pole={self.pole!r}, of={self.of.name!r},"
            f" seen_from={self.seen_from.name!r})"
        )

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.concatenate([self.angular, self.linear]).astype(dtype or float)


def momentum_of(inertia: Inertia, twist: Twist) -> Momentum:
    """The momentum of a body that moves with a twist, about the twist's point.

    Inertia and twist are of one body, about one point and written in one frame.
    """
    require_same_place("multiply", inertia, twist)
    require_same_body(inertia.of, twist)
    r_QG = (inertia.centre - inertia.point).components
    v_Q, w = twist.linear, twist.angular
    p = linear_momentum(inertia.mass, r_QG, v_Q, w)
    L = angular_momentum(inertia.mass, r_QG, inertia.dyadic.components, v_Q, w)
    return Momentum(
        linear=Vector(p, twist.frame),
        angular=Vector(L, twist.frame),
        pole=inertia.point,
        of=twist.of,
        seen_from=twist.seen_from,
    )
