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

from polhode.errors import ModelError
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.linear_rows import require_linear
from polhode.formulation.speeds import in_speeds
from polhode.geometry.vector import cross
from polhode.matter.spatial_inertia import spatial_inertia
from polhode.system.system import System


class Central(NamedTuple):
    """Masses (n,), arms from origins to mass centres, central inertias; world's axes.

    arms (n, 3), inertias (n, 3, 3)
    """

    masses: Any
    arms: Any
    inertias: Any


def central(system: System, t: Any, q: Any, table: Any) -> Central:
    """Mass, mass centre and central inertia of every body, along the world's axes."""
    R_WB = system.poses(t, q, table).rotations
    moments = [body.moments(system.table(table)) for body in system.bodies]
    masses, centres, inertias = (jnp.stack(part) for part in zip(*moments, strict=True))
    arms = (R_WB @ centres[..., None])[..., 0]
    return Central(masses, arms, R_WB @ inertias @ R_WB.swapaxes(-1, -2))


def centre_velocities(system: System, t: Any, q: Any, z: Any, table: Any) -> Any:
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


def kane(system: System) -> Equations:
    """Kane's equations in the system's speeds."""
    require_central(system, "Kane's")
    require_linear(system, "Kane's")

    def terms(t: Any, q: Any, z: Any, table: Any) -> Terms:
        def velocities(q: Any, z: Any) -> Any:
            return centre_velocities(system, t, q, z, table)

        m, arms, I_G = central(system, t, q, table)
        partial_w, partial_v = jax.jacfwd(velocities, 1)(q, z)
        q_dot = system.rates(t, q, z, table)
        (w, _), (alpha, a_G) = jax.jvp(lambda q: velocities(q, z), (q,), (q_dot,))
        turning = _on(I_G, alpha) + cross(w, _on(I_G, w))
        given = list(system.wrenches(t, q, z, table).values())
        R = sum((each.forces for each in given), jnp.zeros_like(arms))
        M_O = sum((each.torques for each in given), jnp.zeros_like(arms))
        inertia = jnp.einsum("nir,n,nis->rs", partial_v, m, partial_v)
        inertia += jnp.einsum("nir,nij,njs->rs", partial_w, I_G, partial_w)
        return Terms(
            inertia + jnp.eye(system.speeds) * system.rotor_inertias(table),
            _sum(partial_v, m[:, None] * a_G) + _sum(partial_w, turning),
            _sum(partial_v, R) + _sum(partial_w, M_O - cross(arms, R)),
            *system.constraint_rows(t, q, z, table),
        )

    return in_speeds("Kane", system, terms)


def _on(dyadics: Any, vectors: Any) -> Any:
    return (dyadics @ vectors[..., None])[..., 0]


def _sum(partial: Any, vectors: Any) -> Any:
    """sum over bodies of vectors . partial velocities."""
    return jnp.einsum("nir,ni->r", partial, vectors)
