"""Rates of coordinates as velocities: with them Gauss's equations are Lagrange's.

    y = x_dot,      x the coordinates of joints, Euler angles for rotations

A unit quaternion has one number too many to be a coordinate, so rotations get angles;
near their lock these velocities are no good, and another sequence is.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.shared.velocities import Velocities
from polhode.geometry.rotations import euler_angles, quaternion
from polhode.joints.joint import Joint
from polhode.system.system import System


def jet(system: System, sequence: str = "zyx") -> Velocities:
    """The rates of all coordinates, for rotations those of Euler angles in a sequence.

    The angles are of R_FM, the second frame of a joint seen from its first.
    """
    edges = system.tree.edges

    def to_speeds(t: Scalar, q: Array, y: Array) -> Any:
        parts = [_speeds(e.joint, sequence, q[e.q], y[e.z]) for e in edges]
        return jnp.concatenate(parts)

    def from_speeds(t: Scalar, q: Array, z: Array) -> Any:
        parts = [_rates(e.joint, sequence, q[e.q], z[e.z]) for e in edges]
        return jnp.concatenate(parts)

    names = [name for joint in system.joints for name in _names(joint)]
    return Velocities(names, to_speeds, from_speeds)


def _turns(joint: Joint) -> bool:
    """Whether a joint's first four coordinates are a quaternion."""
    return joint.coordinates != joint.speeds


def _names(joint: Joint) -> tuple[str, ...]:
    if not _turns(joint):
        return tuple(f"{name}'" for name in joint.coordinate_names)
    angles = tuple(f"{joint.name}.angle{k}'" for k in (1, 2, 3))
    return (*angles, *(f"{name}'" for name in joint.coordinate_names[4:]))


def _angles(sequence: str, q: Array) -> Any:
    return euler_angles.from_matrix(sequence, quaternion.to_matrix(q[:4]))


def _speeds(joint: Joint, sequence: str, q: Array, y: Array) -> Any:
    if not _turns(joint):
        return joint.speeds_from(q, y)
    w = euler_angles.body_rate_matrix(sequence, _angles(sequence, q)) @ y[:3]
    turning = quaternion.rates_of_body(q[:4], w)
    return joint.speeds_from(q, jnp.concatenate([turning, y[3:]]))


def _rates(joint: Joint, sequence: str, q: Array, z: Array) -> Any:
    q_dot = joint.rates(q, z)
    if not _turns(joint):
        return jnp.asarray(q_dot)
    w = quaternion.body_angular_velocity(q[:4], q_dot[:4])
    angles = euler_angles.body_rate_inverse(sequence, _angles(sequence, q)) @ w
    return jnp.concatenate([angles, q_dot[4:]])
