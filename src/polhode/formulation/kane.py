"""Kane's equations: generalised active and inertia forces along partial velocities.

    F_r + F*_r = 0
    F_r  =  sum over bodies of   R . v_r + M_G . w_r
    F*_r = -sum over bodies of   m a_G . v_r + (I_G alpha + w x I_G w) . w_r

v_r = dv_G/dz_r and w_r = dw/dz_r are the partial velocities of a body's mass centre G
and of its rotation, written along the world's axes; R and M_G what acts on it there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.linear_rows import require_linear
from polhode.formulation.shared.maximal import in_twists
from polhode.formulation.shared.spatial import block_diagonal, turned
from polhode.formulation.shared.speeds import in_speeds
from polhode.formulation.shared.velocities import (
    Velocities,
    in_velocities,
    own_speeds,
    rows_in,
    speeds_and_rates,
)
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table
from polhode.matter.spatial_inertia import spatial_inertia
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


class Central(NamedTuple):
    """Masses (n,), arms from origins to mass centres, central inertias; world's axes.

    arms (n, 3), inertias (n, 3, 3)
    """

    masses: Any
    arms: Any
    inertias: Any


def central(system: System, t: Scalar, q: Array, table: Table) -> Central:
    """Mass, mass centre and central inertia of every body, along the world's axes."""
    R_WB = system.poses(t, q, table).rotations
    moments = [body.moments(system.table(table)) for body in system.bodies]
    masses, centres, inertias = (jnp.stack(part) for part in zip(*moments, strict=True))
    arms = (R_WB @ centres[..., None])[..., 0]
    return Central(masses, arms, R_WB @ inertias @ R_WB.swapaxes(-1, -2))


def centre_velocities(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> Any:
    """w and v_G of every body, (2, n, 3)."""
    w, v_O = system.twists(t, q, z, table)
    return jnp.stack([w, v_O + cross(w, central(system, t, q, table).arms)])


def require_central(system: System, whose: str) -> None:
    """Refuse bodies whose inertia is not that of a mass, such as those in a fluid."""
    for body in system.bodies:
        whole = body.spatial_inertia()
        rigid = spatial_inertia(*body.moments())
        if not np.allclose(whole, rigid, rtol=0, atol=1e-12 * np.max(np.abs(whole))):
            raise ModelError(
                f"{whose} equations do not apply to {system.name!r}:"
                f" {body.name!r} carries a fluid with it.",
                "They are written with a mass at its centre, and the added mass of a"
                " fluid differs from direction to direction.",
                "Use Kirchhoff's or Lagrange's.",
            )


@dense_form
def kane(
    system: System, velocities: Velocities | None = None, joints: str = "coordinates"
) -> Equations:
    """Kane's equations in the system's speeds, or in a user's own velocities.

    With joints="constraints" every body keeps its six velocities, w and v_G along the
    world's axes, and multipliers are the reactions.
    """
    require_central(system, "Kane's")
    require_linear(system, "Kane's")
    _require_choice(system, velocities, joints)
    if joints == "constraints":
        return _of_free_bodies(system)
    chosen = velocities or own_speeds(system)

    def terms(
        t: Scalar, q: Array, y: Array, table: Table, comoving: Array | None = None
    ) -> Terms:
        u = y if comoving is None else comoving
        t = 1.0 * jnp.asarray(t)

        def moving(t: Scalar, q: Array, y: Array) -> Any:
            return centre_velocities(system, t, q, chosen.zeta(t, q, y), table)

        m, arms, I_G = central(system, t, q, table)
        partial_w, partial_v = jax.jacfwd(moving, 2)(t, q, y)
        z, z_dot = speeds_and_rates(
            system, chosen, StateArrays(t, q, u), jnp.zeros_like(y), table
        )
        along = jnp.ones_like(t), 1.0 * system.rates(t, q, z, table)
        (w, _), (alpha, a_G) = jax.jvp(lambda t, q: moving(t, q, u), (t, q), along)
        turning = _on(I_G, alpha) + cross(w, _on(I_G, w))
        R, M_G = _at_centres(
            system, StateArrays(t, q, chosen.zeta(t, q, y)), arms, table
        )
        inertia = jnp.einsum("nir,n,nis->rs", partial_v, m, partial_v)
        inertia += jnp.einsum("nir,nij,njs->rs", partial_w, I_G, partial_w)
        rotors = system.rotor_inertias(table)
        E = jax.jacfwd(chosen.zeta, 2)(t, q, y)
        return Terms(
            inertia + E.T @ (rotors[:, None] * E),
            _sum(partial_v, m[:, None] * a_G)
            + _sum(partial_w, turning)
            + E.T @ (rotors * z_dot),
            _sum(partial_v, R) + _sum(partial_w, M_G),
            *rows_in(system, chosen, StateArrays(t, q, y), table),
        )

    if velocities is None:
        return in_speeds("Kane", system, terms)
    return in_velocities("Kane", system, chosen, terms)


def _require_choice(system: System, velocities: Any, joints: str) -> None:
    if joints not in ("coordinates", "constraints") or (
        velocities is not None and joints == "constraints"
    ):
        raise ModelError(
            f"Kane's equations of {system.name!r} cannot have joints as {joints!r}.",
            "Joints are coordinates, with velocities of any choice, or constraints on"
            " the velocities of all bodies.",
            'Give joints="constraints" alone, or leave it out.',
        )


def _of_free_bodies(system: System) -> Equations:
    """F_r + F*_r = 0 with w and v_G of all bodies, along the world's axes, as speeds.

    All partial velocities are unit vectors, and joints are rows.
    """
    n = len(system.bodies)

    def to_body(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        R_BW = system.poses(t, q, table).rotations.swapaxes(-1, -2)
        w, v_G = y.reshape(n, 2, 3).swapaxes(0, 1)
        v_O = v_G - cross(w, central(system, t, q, table).arms)
        return turned(R_BW, jnp.concatenate([w, v_O], axis=-1))

    def from_body(t: Scalar, q: Array, V: Array, table: Table) -> Any:
        w, v_O = jnp.split(turned(system.poses(t, q, table).rotations, V), 2, axis=-1)
        v_G = v_O + cross(w, central(system, t, q, table).arms)
        return jnp.concatenate([w, v_G], axis=-1).reshape(-1)

    def mass(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        m, arms, I_G = central(system, t, q, table)
        w = y.reshape(n, 6)[:, :3]
        z = equations.functions.speeds(t, q, y, table)
        R, M_G = _at_centres(system, StateArrays(t, q, z), arms, table)
        zero = jnp.zeros((n, 3, 3))
        upper = jnp.concatenate([I_G, zero], -1)
        lower = jnp.concatenate([zero, m[:, None, None] * jnp.eye(3)], -1)
        turning = cross(w, _on(I_G, w))
        bias = jnp.concatenate([turning, jnp.zeros((n, 3))], -1)
        force = jnp.concatenate([M_G, R], -1)
        blocks = block_diagonal(jnp.concatenate([upper, lower], -2))
        return blocks, bias.reshape(-1), force.reshape(-1)

    equations = in_twists("Kane", system, to_body, from_body, mass)
    return equations


def _at_centres(
    system: System, state: StateArrays, arms: Array, table: Table
) -> tuple[Any, Any]:
    """R and M_G (n, 3): all that acts on each body, about its mass centre."""
    t, q, z = state
    given = list(system.wrenches(t, q, z, table).values())
    R = sum((each.forces for each in given), jnp.zeros_like(arms))
    M_O = sum((each.torques for each in given), jnp.zeros_like(arms))
    return R, M_O - cross(arms, R)


def _on(dyadics: Array, vectors: Array) -> Any:
    return (dyadics @ vectors[..., None])[..., 0]


def _sum(partial: Array, vectors: Array) -> Any:
    """sum over bodies of vectors . partial velocities."""
    return jnp.einsum("nir,ni->r", partial, vectors)
