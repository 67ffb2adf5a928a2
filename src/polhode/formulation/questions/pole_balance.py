"""Forward and inverse dynamics of one rigid body by its balances about any pole.

    p_dot = R,        L_H_dot + v_H x p = M_H

H is any pole: a point of the body, its mass centre, a point at rest, or one that moves
as it likes. Whatever the pole, the accelerations are the same. All is along the world's
axes; Q is a point of the body, V = [w; v_Q], and V_dot holds the inertial rates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Array, namespace
from polhode.formulation.spatial_forms.forms import matrix_about
from polhode.geometry.vector import cross
from polhode.matter import momentum
from polhode.matter.moments import Moments

__all__ = ["Pole", "kinetic_energy_rate", "needed_about", "rates_about"]


class Pole(NamedTuple):
    """Where a pole H is, from Q: p_QH (3,), and its velocity v_H (3,)."""

    place: Any
    velocity: Any


def needed_about(body: Moments, V: Array, V_dot: Array, pole: Pole) -> Any:
    """[M_H; R] (6,) that a motion needs: L_H_dot + v_H x p and p_dot.

    `body` has its mass centre and central inertia along the world's axes, from Q.
    """
    m, r, _ = body
    I_Q = matrix_about(body)[:3, :3]
    w, v, alpha, a = V[:3], V[3:], V_dot[:3], V_dot[3:]
    p = momentum.linear_momentum(m, r, v, w)
    p_dot = momentum.linear_momentum_rate(m, r, w, a, alpha)
    L_dot = momentum.angular_momentum_rate(m, r, I_Q, v_Q=v, w=w, a_Q=a, alpha=alpha)
    L_H_dot = momentum.shift_angular_momentum_rate(
        L_dot, p, p_dot, -pole.place, v - pole.velocity
    )
    moment = L_H_dot + cross(pole.velocity, p)
    return namespace(V, V_dot).concatenate([moment, p_dot])


def rates_about(body: Moments, V: Array, wrench: Array, pole: Pole) -> Any:
    """V_dot (6,) = [alpha; a_Q] under a wrench [M_H; R] about the pole."""
    rest = needed_about(body, V, np.zeros(6), pole)
    units = [needed_about(body, V, unit, pole) - rest for unit in np.eye(6)]
    xp = namespace(V, wrench)
    return xp.linalg.solve(xp.stack(units, axis=-1), wrench - rest)


def kinetic_energy_rate(V: Array, wrench: Array) -> Any:
    """K_dot = v_Q . R + w . M_Q, about any point Q of the body."""
    return (V * wrench).sum(-1)
