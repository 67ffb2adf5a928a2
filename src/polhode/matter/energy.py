"""Kinetic energy of a rigid body from the motion of any of its points."""

from __future__ import annotations

from typing import Any

from polhode.arrays import Array, Scalar
from polhode.geometry.vector import cross, dot

__all__ = [
    "energy_of_momentum",
    "kinetic_energy",
    "kinetic_energy_rate",
    "koenig_energy",
    "spatial_kinetic_energy",
]


def kinetic_energy(mass: Scalar, r_QG: Array, I_Q: Array, v_Q: Array, w: Array) -> Any:
    """T = m v_Q.v_Q/2 + v_Q . S_Q w + w . I_Q w/2, the same for every body point Q."""
    static = dot(v_Q, cross(w, r_QG))
    return mass * (0.5 * dot(v_Q, v_Q) + static) + 0.5 * dot(w, I_Q @ w)


def energy_of_momentum(p: Array, L_Q: Array, v_Q: Array, w: Array) -> Any:
    """T = v_Q . p/2 + w . L_Q/2."""
    return 0.5 * (dot(v_Q, p) + dot(w, L_Q))


def koenig_energy(mass: Scalar, I_G: Array, v_G: Array, w: Array) -> Any:
    """Of the mass centre and about it: T = m v_G.v_G/2 + w . I_G w/2."""
    return 0.5 * mass * dot(v_G, v_G) + 0.5 * dot(w, I_G @ w)


def kinetic_energy_rate(p: Array, p_dot: Array, L_Q_dot: Array, V_Q: Array) -> Any:
    """T_dot = v_Q . p_dot + w . (L_Q_dot + v_Q x p): the power of what moves the body.

    V_Q = [w; v_Q]. For a rigid body L_Q_dot + v_Q x p is the moment about Q.
    """
    w, v_Q = V_Q[..., :3], V_Q[..., 3:]
    return dot(v_Q, p_dot) + dot(w, L_Q_dot + cross(v_Q, p))


def spatial_kinetic_energy(M_Q: Array, V_Q: Array) -> Any:
    """T = V^T M V/2 of any spatial inertia, a submerged body's included."""
    return 0.5 * (V_Q @ (M_Q @ V_Q))
