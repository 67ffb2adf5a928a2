"""Six-vectors, angular part first, as dense 3x3 and 6x6 blocks, nothing spared."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

Array = Any


def skew(a: Array) -> Array:
    """The matrix of a cross product: skew(a) b = a x b."""
    zero = jnp.zeros_like(a[0])
    return jnp.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])


def rotation(axis: Array, angle: Array) -> Array:
    """Components in the turned frame from those before the turn (Rodrigues)."""
    K = skew(axis)
    return jnp.eye(3) - jnp.sin(angle) * K + (1 - jnp.cos(angle)) * K @ K


def motion_transform(E: Array, p: Array) -> Array:
    """Twists moved to a frame turned by E whose origin is at p."""
    return jnp.block([[E, jnp.zeros((3, 3))], [-E @ skew(p), E]])


def cross_motion(v: Array) -> Array:
    """The rate at which a twist v carries other twists along."""
    w, u = skew(v[:3]), skew(v[3:])
    return jnp.block([[w, jnp.zeros((3, 3))], [u, w]])


def cross_force(v: Array) -> Array:
    """The same for wrenches."""
    return -cross_motion(v).T
