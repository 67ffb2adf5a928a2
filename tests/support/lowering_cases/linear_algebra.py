"""What `jnp.linalg` traces to: factorisations, solves, small eigenproblems."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import lax

from lowering_cases.case import case, definite, normal, one_a_system

NAN = np.nan
# The largest entry of the first column is not on the diagonal, differently in each.
TURNED = np.stack([np.roll(np.eye(3), k, axis=0) for k in range(5)])
PIVOTS = TURNED + 0.1 * normal(3, 3)
SINGULAR = one_a_system([
    [[1.0, 2], [2, 4]], [[0, 0], [0, 0]], [[0, 1], [0, 1]], [[0, 1], [1, 0]],
    [[3, 1], [0, 0]],
])  # fmt: skip
INDEFINITE = one_a_system([
    [[1.0, 2], [2, 1]], [[0, 0], [0, 1]], [[4, 2], [2, 3]], [[-1, 0], [0, 1]],
    [[NAN, 0], [0, 1]],
])  # fmt: skip
SIDES = [
    {"left_side": left, "lower": lower, "transpose_a": turned, "unit_diagonal": unit}
    for left in (True, False)
    for lower in (True, False)
    for turned in (True, False)
    for unit in (True, False)
]


def solves(a, b):
    return [lax.linalg.triangular_solve(a, b, **side) for side in SIDES]


def rebuilt(a):
    """Eigenvectors are told apart by their signs only: compare what they rebuild."""
    values, vectors = jnp.linalg.eigh(a)
    return values, vectors @ jnp.diag(values) @ vectors.T, vectors.T @ vectors


def newton(a, b):
    """A solve whose derivative is an implicit one."""
    matvec = partial(jnp.matmul, a)
    return lax.custom_linear_solve(
        matvec, b, lambda _, y: jnp.linalg.solve(a, y), lambda _, y: y, symmetric=False
    )


CASES = [
    case("cholesky", jnp.linalg.cholesky, definite(4), rtol=1e-14),
    case("cholesky of a batch", jnp.linalg.cholesky,
         np.stack([definite(2), definite(2)], axis=1), rtol=1e-14),
    case("cholesky where there is none", jnp.linalg.cholesky, INDEFINITE, ulps=4),
    case("upper cholesky and its solve", lambda a, b: (
        jnp.linalg.cholesky(a, upper=True),
        jsl.cho_solve((jnp.linalg.cholesky(a), True), b)),
        definite(3), normal(3), rtol=1e-14),
    case("cholesky of one", jnp.linalg.cholesky, definite(1), ulps=1),
    case("triangular solve", solves, definite(3), normal(3, 3), rtol=1e-14),
    case("triangular solve of a batch", lambda a, b: lax.linalg.triangular_solve(
        a, b, left_side=True, lower=True), np.stack([definite(2)] * 2, axis=1),
        normal(2, 2, 1), rtol=1e-14),
    case("lu", lambda a: lax.linalg.lu(a), PIVOTS, rtol=1e-14),
    case("lu of a tall matrix", lambda a: lax.linalg.lu(a), normal(4, 2), rtol=1e-14),
    case("lu of a wide matrix", lambda a: lax.linalg.lu(a), normal(2, 4), rtol=1e-14),
    case("lu of a batch", lambda a: lax.linalg.lu(a), normal(2, 3, 3), rtol=1e-14),
    case("lu of singular matrices", lambda a: lax.linalg.lu(a), SINGULAR, rtol=1e-14),
    case("permutation of pivots", lambda a: lax.linalg.lu_pivots_to_permutation(
        lax.linalg.lu(a)[1], 3), PIVOTS),
    case("solve", jnp.linalg.solve, normal(4, 4), normal(4, 2), rtol=1e-12),
    case("solve of a vector", jnp.linalg.solve, PIVOTS, normal(3), rtol=1e-13),
    case("solve of a batch", jnp.linalg.solve, normal(2, 3, 3), normal(2, 3, 1),
         rtol=1e-12),
    case("inverse", jnp.linalg.inv, PIVOTS, rtol=1e-13),
    case("determinant", lambda a: (jnp.linalg.det(a), jnp.linalg.slogdet(a)),
         normal(4, 4), rtol=1e-13),
    case("determinants of small matrices", lambda a: (
        jnp.linalg.det(a[:1, :1]), jnp.linalg.det(a[:2, :2]), jnp.linalg.det(a)),
        PIVOTS, rtol=1e-14),
    case("determinant of singular matrices", jnp.linalg.det, SINGULAR, ulps=4),
    case("eigh", rebuilt, definite(3), rtol=2e-14),
    case("eigh of five", rebuilt, definite(5), rtol=2e-14),
    case("eigenvalues", jnp.linalg.eigvalsh, definite(3), rtol=2e-14),
    case("eigh of a diagonal", rebuilt, np.stack([np.diag(np.roll([3.0, 1, 2], k))
                                                  for k in range(5)]), rtol=2e-14),
    case("custom_linear_solve", newton, PIVOTS, normal(3), rtol=1e-13),
    case("its derivative", lambda a, b: jax.jacfwd(newton, argnums=1)(a, b), PIVOTS,
         normal(3), rtol=1e-12),
    case("matrix powers", lambda a: jnp.linalg.matrix_power(a, 3), normal(3, 3),
         rtol=1e-14),
    case("matrix exponential", jsl.expm, 0.3 * normal(3, 3), rtol=1e-13),
    case("solve within a larger function", lambda a, b: jnp.sin(
        jnp.linalg.solve(a + jnp.eye(3) * 9, b)) @ b, PIVOTS, normal(3), rtol=1e-13),
]  # fmt: skip
