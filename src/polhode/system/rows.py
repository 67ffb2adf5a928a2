"""The equations of all constraints of a system, and their rates.

    g(t, q) = 0                          positions, of the holonomic ones
    phi(t, q, z) = 0                     velocities, of all: phi = dg/dt for those
    A z_dot = gamma                      accelerations: the rate of phi is zero

    A = d phi/dz,      gamma = -(d phi/dt + d phi/dq q_dot)

The rates are found by JAX from what each constraint says. Outside a trace the compiled
function runs in double precision and gives NumPy arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, namespace
from polhode.constraints.constraint import Moving, Placed
from polhode.double import doubled
from polhode.geometry.vector import skew
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import kinematics
from polhode.system.loads import still_world, with_world

if TYPE_CHECKING:
    from polhode.system.system import System


def names(system: System) -> tuple[str, ...]:
    """One name a row of A: the constraint's, and which of its equations."""
    return tuple(
        constraint.name if len(constraint.rows) == 1 else f"{constraint.name}: {row}"
        for constraint in system.constraints
        for row in constraint.rows
    )


def positions(system: System, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
    """g (rows of the holonomic constraints,), zero where they are kept."""
    if kinematics.in_loops(system, q) and system.constraints:
        from polhode.system.rolled import rows as rolled

        return rolled.positions(system, t, q, table)
    table = system.table(table)
    poses = with_world(kinematics.poses(system, t, q, table))
    parts = [
        constraint.position(placed(system, constraint, poses, q), t, table)
        for constraint in system.constraints
        if constraint.is_holonomic
    ]
    return namespace(q, *parts).concatenate([np.zeros(0), *parts])


def velocities(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Any:
    """phi (rows,) of all constraints, zero where the speeds keep them."""
    return _traced(system, "velocities", _velocities)(t, q, z, dict(table))


def constraint_rows(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> tuple[Any, Any]:
    """A (rows, speeds) and gamma (rows,) with A z_dot = gamma."""
    if not system.constraints:
        return np.zeros((0, system.tree.speeds)), np.zeros(0)
    return _traced(system, "rows", _rows)(t, q, z, dict(table))


def placed(system: System, constraint: Any, poses: Poses, q: Array) -> Placed:
    """What a constraint reads of where things are; `poses` ends with the world's."""
    own = np.array(system.places_of(constraint.bodies), dtype=int)
    edges = [system.edge(joint.name) for joint in constraint.joints]
    coordinates = tuple(q[edge.q] for edge in edges)
    return Placed(poses.rotations[own], poses.origins[own], coordinates)


def moving(system: System, constraint: Any, twists: Twists, z: Array) -> Moving:
    """What a constraint reads of how things move; `twists` ends with the world's."""
    own = np.array(system.places_of(constraint.bodies), dtype=int)
    edges = [system.edge(joint.name) for joint in constraint.joints]
    return Moving(twists.angular[own], twists.linear[own], tuple(z[e.z] for e in edges))


def _velocities(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    if kinematics.in_loops(system, q, z) and system.constraints:
        from polhode.system.rolled import rows as rolled

        return rolled.velocities(system, t, q, z, table)
    twists = kinematics.twists(system, t, q, z, table)
    return of_motion(system, t, q, twists, z, table=table)


def of_motion(
    system: System,
    t: Scalar,
    q: Array,
    twists: Twists,
    z: Array,
    *,
    table: Table = NOMINAL,
) -> Any:
    """phi (rows,) for velocities of bodies and of joints that are given apart.

    The derivative by the twists of the bodies gives the wrenches with which
    constraints hold bodies, by z their efforts on joints.
    Traced: use it inside JAX.
    """
    table = system.table(table)
    poses = with_world(kinematics.poses(system, t, q, table))
    twists = still_world(twists)
    parts = []
    for constraint in system.constraints:
        here = placed(system, constraint, poses, q)
        now = moving(system, constraint, twists, z)
        if constraint.is_holonomic:
            parts.append(rate_of_position(constraint, here, now, t, table))
        else:
            parts.append(constraint.velocity(here, now, t, table))
    return namespace(q, z, *parts).concatenate([np.zeros(0), *parts])


def rate_of_position(
    constraint: Any, here: Placed, now: Moving, t: Scalar, table: Table
) -> Any:
    """dg/dt along R_dot = [w] R, p_dot = v, and the rates of the joints."""
    import jax

    xp = jax.numpy
    pairs = zip(constraint.joints, here.coordinates, now.speeds, strict=True)
    q_dot = tuple(1.0 * xp.asarray(joint.rates(q, z)) for joint, q, z in pairs)
    R_dot = skew(now.angular) @ here.rotations
    rates = Placed(1.0 * xp.asarray(R_dot), 1.0 * xp.asarray(now.linear), q_dot)
    point = jax.tree.map(lambda x: 1.0 * xp.asarray(x), here)
    t = 1.0 * xp.asarray(t)

    def g(placed: Placed, time: Array) -> Any:
        return constraint.position(placed, time, table)

    return jax.jvp(g, (point, t), (rates, xp.ones_like(t)))[1]


def _rows(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> tuple[Any, Any]:
    import jax

    xp = jax.numpy
    t, q, z = (1.0 * xp.asarray(x) for x in (t, q, z))

    def phi(t: Scalar, q: Array, z: Array) -> Any:
        return _velocities(system, t, q, z, table)

    q_dot = kinematics.rates(system, t, q, z, table)
    A = jax.jacfwd(phi, argnums=2)(t, q, z)
    rest = xp.ones_like(t), q_dot, xp.zeros_like(z)
    return A, -jax.jvp(phi, (t, q, z), rest)[1]


def _traced(system: System, key: str, function: Any) -> Any:
    """The function of the system, traced once for each, also inside other traces."""
    import jax

    def of_system(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return function(system, t, q, z, table)

    return system.remembered(key, lambda: doubled(jax.jit(of_system)))
