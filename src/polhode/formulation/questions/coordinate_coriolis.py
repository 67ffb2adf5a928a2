"""Coriolis matrices of coordinates: two ways to split what Lagrange's equations give.

    Lagrange      C_ij = (d_k M_ij - d_i M_kj / 2) q_dot^k                   not passive
    Christoffel   C_ij = (d_k M_ij + d_j M_ik - d_i M_jk) q_dot^k / 2            passive

Both have the same C q_dot. Speeds z that are nobody's rates add their structure, with
G_iac = M_ib g^b_ac, g as in Boltzmann and Hamel's equations, and d_k along z_k alone:

    Lagrange      C_ij += G_kij z^k
    Christoffel   C_ij += (G_ikj - G_jki - G_kji) z^k / 2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.boltzmann_hamel import structure_coefficients
from polhode.formulation.shared.chart import origin
from polhode.matter.parameter import Table
from polhode.system.system import System


def lagrange_split(M: Array, slopes: Array, speeds: Array, structure: Any = 0.0) -> Any:
    """What falls out of d/dt dT/dq_dot - dT/dq; M' - 2 C is not skew.

    M (k, k); slopes d_k M_ij (i, j, k); structure g^b_ac (b, a, c), zero for rates.
    """
    growth = jnp.einsum("ijk,k->ij", slopes, speeds)
    pull = jnp.einsum("kji,k->ij", slopes, speeds)
    return growth - pull / 2 + _turning(M, speeds, structure)


def christoffel_split(
    M: Array, slopes: Array, speeds: Array, structure: Any = 0.0
) -> Any:
    """By Christoffel's symbols: M' - 2 C is skew. Arguments as `lagrange_split`."""
    growth = jnp.einsum("ijk,k->ij", slopes, speeds)
    shear = jnp.einsum("ikj,k->ij", slopes, speeds)
    g = structure + jnp.zeros_like(slopes)
    carried = jnp.einsum("ib,bkj,k->ij", M, g, speeds)
    skewed = (growth + shear - shear.T + carried - carried.T) / 2
    return skewed + _turning(M, speeds, g) / 2


SPLITS: dict[str, Callable[..., Any]] = {
    "Christoffel": christoffel_split,
    "Lagrange": lagrange_split,
}


def coordinate_coriolis(
    mass_matrix: Callable[[Any], Any],
    q: Array,
    q_dot: Array,
    split: str = "Christoffel",
) -> Any:
    """C (k, k) of a mass matrix M(q), by Christoffel's symbols or Lagrange's split."""
    if split not in SPLITS:
        raise ModelError(
            f"there is no split {split!r} of Lagrange's equations.",
            "Many matrices give the same C q_dot; each has a name.",
            f"Choose one of {', '.join(map(repr, SPLITS))}.",
        )
    slopes = jax.jacfwd(mass_matrix)(q)
    return SPLITS[split](mass_matrix(q), slopes, q_dot)


def split_of_speeds(split: str, system: System) -> Callable[..., Any]:
    """(t, q, z, table) -> C (nz, nz) of the system's own speeds."""

    def coriolis(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        def M(x: Array) -> Any:
            return system.mass_matrix(t, system.local(q, x), table)

        still = origin(system)
        g = structure_coefficients(system, t, q)
        return SPLITS[split](M(still), jax.jacfwd(M)(still), z, g)

    return coriolis


def _turning(M: Array, speeds: Array, structure: Any) -> Any:
    """g^b_ij p_b, with the momenta p = M z."""
    g = structure + jnp.zeros((*M.shape, M.shape[0]))
    return jnp.einsum("bij,b->ij", g, M @ speeds)
