"""Derivatives of a chain's forward dynamics, from the relation that defines it.

Forward dynamics a(q, v, tau) is what makes inverse dynamics give the torques:

    ID(q, v, a(q, v, tau)) = tau,   so   da = M^-1 (dtau - ID_q dq - ID_v dv)

with M = ID_a the mass matrix. JAX differentiates ID, in reverse: n rows serve q and v
at once. Nothing else is derived by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.models.chain import Chain, inverse_dynamics, mass_matrix, python_scan
from polhode.lowering.linear_algebra import ldl

Array = Any


def forward_dynamics(chain: Chain) -> Callable:
    """a(q, v, tau) of a chain of few links, with the derivatives above."""

    def torques(q: Array, v: Array, a: Array) -> Array:
        return inverse_dynamics(chain, q, v, a, scan=python_scan)

    def inverse_mass(q: Array) -> Array:
        return inverse(mass_matrix(chain, q))

    def solve(q: Array, v: Array, tau: Array, mobility: Array) -> Array:
        return mobility @ (tau - torques(q, v, jnp.zeros(chain.links)))

    @jax.custom_jvp
    def accelerations(q: Array, v: Array, tau: Array) -> Array:
        return solve(q, v, tau, inverse_mass(q))

    @accelerations.defjvp
    def tangent(point: tuple, moved: tuple) -> tuple[Array, Array]:
        mobility = inverse_mass(point[0])
        a = solve(*point, mobility)
        by_q, by_v = jax.jacrev(torques, (0, 1))(*point[:2], a)
        dq, dv, dtau = moved
        return a, -(mobility @ by_q) @ dq - (mobility @ by_v) @ dv + mobility @ dtau

    return accelerations


def inverse(a: Array) -> Array:
    """a^-1 = L^-T D^-1 L^-1 of a symmetric definite matrix, one half computed."""
    n = a.shape[0]
    lower, d = ldl(a)
    zero, one = jnp.zeros(()), jnp.ones(())
    W = [[one if i == j else zero for j in range(n)] for i in range(n)]  # L^-1
    for i in range(n):
        for j in range(i):
            W[i][j] = -sum(lower[i, k] * W[k][j] for k in range(j, i))
    scaled = [[w / d[i] for w in W[i]] for i in range(n)]
    half = [
        [sum(W[k][i] * scaled[k][j] for k in range(i, n)) for j in range(i + 1)]
        for i in range(n)
    ]
    rows = [[half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    return jnp.stack([jnp.stack(row) for row in rows])
