"""The natural sizes of what must balance, so that nothing depends on units.

A force along a speed is measured by the largest that acts there in a sample of places;
where forces cancel to rounding, by what cancels. An equation of place is measured by
how it feels motions of the system's own size, of velocities by that times its rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.analyse.machinery.damped_newton import Balance, natural_rows
from polhode.arrays import Array, Scalar
from polhode.integrate.field.scales import displacements
from polhode.matter.parameter import Table
from polhode.system import numeric_constraints
from polhode.system.system import System

ROUNDING = 1e-11  # of what cancels


class Sizes(NamedTuple):
    """At a place: net forces, what makes them up, speeds (nz,), and |A| (m, nz).

    `inertia` (nz,) is the diagonal of the mass matrix.
    """

    net: Any
    gross: Any
    speeds: Any
    rows: Any
    inertia: Any


def row_scales(
    balance: Balance, q: np.ndarray, xi: np.ndarray, t: float, table: Table
) -> np.ndarray:
    """The scale (r,) of every row of a balance, from places q (s, nq), rates (s, k)."""
    system = balance.system
    found = Sizes(*(part.max(axis=0) for part in sizes_at(balance, t, q, xi, table)))
    D = np.max([displacements(system, each) for each in q], axis=0)
    force, rate = force_scales(found, D), rate_of(found, D)
    row_scale, natural = found.rows @ D, natural_rows(system, t, q[0])
    row_scale = np.where(
        row_scale > numeric_constraints.ZERO_ROW * natural, row_scale, natural
    )
    holonomic = _holonomic(system)
    parts = [force, row_scale[holonomic]]
    if balance.is_moving:
        parts += [row_scale * rate, row_scale * rate**2]
    count = sum(_length(c, t, q[0], found.speeds) for c in balance.conditions)
    return np.concatenate([*parts, np.ones(count)])


def force_scales(found: Sizes, D: np.ndarray) -> np.ndarray:
    """What a force is measured by, along each speed (nz,)."""
    energy = float(np.max(found.gross * D, initial=0.0))
    # Where nothing acts at all, an inertia, a length and a second make a force.
    spare = energy / D if energy > 0 else np.maximum(found.inertia, 1e-300) * D
    real = found.net > ROUNDING * found.gross
    scale = np.where(real, found.net, found.gross)
    return np.where(scale > ROUNDING * spare, scale, spare)


def rate_of(found: Sizes, D: np.ndarray) -> float:
    """The quickest rate (1/s): of the speeds, and of what acts on the inertias."""
    moving = float(np.max(found.speeds / D, initial=0.0))
    inertia = np.where(found.inertia > 0, found.inertia, np.inf)
    pushed = float(np.sqrt(np.max(found.gross / (inertia * D), initial=0.0)))
    return max(moving, pushed) or 1.0


def sizes_at(
    balance: Balance, t: float, q: np.ndarray, xi: np.ndarray, table: Table
) -> Sizes:
    """The sizes at places q (s, nq) and rates xi (s, k), a row a place."""
    name, one = ("sizes", balance.key), (float(t), q[0], xi[0], dict(table))
    program = balance.system.program(name, _sizes(balance), one, batched=["q", "xi"])
    return Sizes(*program(float(t), q, xi, dict(table)))


def _sizes(balance: Balance) -> Callable[..., Sizes]:
    import jax.numpy as jnp

    from polhode.formulation.shared.spatial import inertial_wrenches
    from polhode.formulation.shared.speeds import drift

    system = balance.system

    def sizes(t: Scalar, q: Array, xi: Array, table: Table) -> Sizes:
        z, z_dot = balance.motion(t, q, xi, table)
        J, inertias = system.jacobians(t, q, table), system.inertias(table)
        W, V = system.applied(t, q, z, table), system.body_twists(t, q, z, table)
        V_dot = J @ z_dot + drift(system, t, q, z, table)
        held = inertial_wrenches(inertias, V, V_dot)
        flat = J.reshape(-1, system.speeds)
        net = (W - held).reshape(-1) @ flat
        parts = jnp.abs(W) + jnp.abs(held) + gyroscopic_momenta(inertias, V)
        gross = parts.reshape(-1) @ jnp.abs(flat)
        A, _ = system.constraint_rows(t, q, z, table)
        inertia = jnp.diagonal(system.mass_matrix(t, q, table))
        return Sizes(jnp.abs(net), gross, jnp.abs(z), jnp.abs(A), 1.0 * inertia)

    return sizes


def gyroscopic_momenta(inertias: Any, V: Array) -> Any:
    """What may cancel within w x h and w x p, on each body (n, 6): a quick spin's own.

    Of a rotor w x I w is nothing but the rounding error of |w| |I w|.
    """
    import jax.numpy as jnp

    P = jnp.einsum("nij,nj->ni", inertias, V)
    w, v, h, p = (jnp.linalg.norm(x, axis=1) for x in (*_halves(V), *_halves(P)))
    sizes = jnp.stack([w * h + v * p, w * p], axis=1)
    return jnp.repeat(sizes, 3, axis=1)


def _halves(vectors: Array) -> tuple[Any, Any]:
    return vectors[:, :3], vectors[:, 3:]


def _holonomic(system: System) -> np.ndarray:
    """Which rows are equations of place."""
    flags = [c.is_holonomic for c in system.constraints for _ in c.rows]
    return np.array(flags, dtype=bool)


def _length(condition: Any, t: float, q: np.ndarray, z: np.ndarray) -> int:
    from polhode.double import doubled

    return int(np.size(doubled(condition)(t, q, z)))
