"""The uniform motion of a whole tree, which no mass feels.

A tree that hangs on the world by a joint that lets it be displaced may be given any
steady velocity: its masses resist as they do at rest (Galilei). With the speeds split
into z0, where that velocity is zero, and the rest,

    b(q, z) = b(q, z0) + M s,      z_dot(z) = z_dot(z0) - s

b is the bias of the equations and s the rate at which the components of a steady
velocity change: w x v where they are along the body's axes, zero where along the
world's. A craft in orbit moves at 7.7 km/s: terms of the order of m v^2, which cancel
by algebra, would leave a torque by rounding. Here they are not formed, and the speeds
of rotation and of inner joints have the same bits at any velocity.

A fluid that a body carries does feel the velocity (Munk's moment), so that trees with
such bodies keep theirs. So does a joint walked backwards, whose speeds are the world's
before the body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.formulation.equations import Terms
from polhode.geometry.vector import cross
from polhode.joints.cylindrical import Cylindrical
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.planar import Planar
from polhode.joints.prismatic import Prismatic
from polhode.joints.slider import Slider
from polhode.joints.translation import Translation
from polhode.matter.parameter import Table, at
from polhode.system.system import System
from polhode.system.tree import Edge, outward

# Which speeds of a joint displace all that it carries, each along a fixed direction;
# those of a free joint are along the body's axes.
TRANSLATIONS: dict[type[Joint], slice] = {
    Free: slice(3, 6),
    Translation: slice(0, 3),
    Planar: slice(1, 3),
    Slider: slice(0, 2),
    Cylindrical: slice(1, 2),
    Prismatic: slice(0, 1),
}


class Still(NamedTuple):
    """z0 (nz,): speeds without uniform motions; s (nz,): see the module."""

    speeds: Any
    shift: Any


def still(system: System, z: Array) -> Still:
    """The speeds without the uniform motions of the trees, and what those shift."""
    removed, parts, shifts, xp = removable_edges(system), [], [], namespace(z)
    for edge in system.tree.edges:
        own: Any = z[edge.z]
        shift: Any = np.zeros(edge.joint.speeds)
        if edge.child in removed:
            place = TRANSLATIONS[type(edge.joint)]
            gone = np.zeros(place.stop - place.start)
            own = xp.concatenate([own[: place.start], gone, own[place.stop :]])
            if isinstance(edge.joint, Free):
                turned = cross(z[edge.z][:3], z[edge.z][3:])
                shift = xp.concatenate([np.zeros(3), turned])
        parts.append(own)
        shifts.append(shift)
    return Still(xp.concatenate(parts), xp.concatenate(shifts))


def removable_edges(system: System) -> frozenset[int]:
    """The numbers of the bodies whose joint on the world displaces a whole dry tree."""
    roots = outward(system.tree, -1, lambda e, root: e.child if e.parent < 0 else root)
    wet = {
        root for root, b in zip(roots, system.bodies, strict=True) if b.carries_fluid
    }
    return frozenset(
        edge.child
        for edge in system.tree.edges
        if edge.parent < 0 and edge.child not in wet and _displaces(edge)
    )


def is_all_freedom(edge: Edge) -> bool:
    """Whether the speeds are the body's twist in its own axes, and nothing more."""
    is_free = isinstance(edge.joint, Free) and not edge.is_reversed
    return is_free and not has_rotor(edge.joint)


def has_rotor(joint: Joint) -> bool:
    """Whether a motor with a rotor is on the joint; a bare zero is none."""
    return any(not isinstance(r, float) or at(r) != 0.0 for r in joint.rotor_inertia)


def has_shift(system: System) -> bool:
    """Whether any uniform motion is along axes that turn."""
    removed = removable_edges(system)
    return any(isinstance(system.joints[k], Free) for k in removed)


def without_uniform_motion(
    system: System, terms: Callable[..., Terms], solve: Callable[[Terms], Any]
) -> tuple[Callable[..., Terms], Callable[..., Any]]:
    """Terms and accelerations that form nothing of the square of a uniform velocity.

    terms(t, q, z, table, comoving) has forces and rows of the speeds z, and inertia of
    the comoving speeds z0, z where not given: only inertia knows no uniform motion.
    """
    if not removable_edges(system):
        return terms, lambda t, q, z, table: solve(terms(t, q, z, table))

    def at_rest(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Terms, Any]:
        z0, s = still(system, z)
        return terms(t, q, z, table, z0), s

    def whole(t: Scalar, q: Array, z: Array, table: Table) -> Terms:
        found, s = at_rest(t, q, z, table)
        return found._replace(bias=found.bias + found.mass_matrix @ s)

    def accelerations(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        found, s = at_rest(t, q, z, table)
        if found.rows.shape[0] and has_shift(system):
            found = found._replace(right=found.right + found.rows @ s)
        z_dot, intensities = solve(found)
        return z_dot - s, intensities

    return whole, accelerations


def comoving_velocities(system: System, V: Array, w_A: Array) -> tuple[Any, Any]:
    """The velocities that inertia feels, and the rates that the others add; (n, 6).

        C V = C [w; 0] + M [0; w_A x v]

    V (n, 6) are of all bodies, each free, about any point of it, along axes that turn
    with w_A (n, 3). A mass feels no steady velocity: what is left of it is the rate of
    its components along those axes. A fluid feels it.
    """
    comoving, shift, none = [], [], jnp.zeros(3)
    for k, body in enumerate(system.bodies):
        w, v = V[k, :3], V[k, 3:]
        kept, turned_v = (v, none) if body.carries_fluid else (none, cross(w_A[k], v))
        comoving.append(jnp.concatenate([w, kept]))
        shift.append(jnp.concatenate([none, turned_v]))
    return jnp.stack(comoving), jnp.stack(shift)


def _displaces(edge: Edge) -> bool:
    if edge.is_reversed or type(edge.joint) not in TRANSLATIONS:
        return False
    # A rotor on a free joint resists what the shift adds to the rates of its speeds.
    return not (isinstance(edge.joint, Free) and has_rotor(edge.joint))
