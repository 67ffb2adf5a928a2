"""Reductions, running reductions, extremes and dot products."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import case, coins, each, normal, one_a_system, whole

NAN, INF = np.nan, np.inf
TIES = one_a_system(
    [[1.0, 3.0, 3.0, -2.0, -2.0], [NAN, 5.0, NAN, 1.0, 0.0], [4.0, NAN, 9.0, NAN, -INF],
     [-0.0, 0.0, -0.0, 0.0, 0.0], [INF, -INF, INF, -INF, NAN]]
)  # fmt: skip
UINT = np.uint32


def along(function):
    return lambda x: (function(x), function(x, axis=0), function(x, axis=(0, 2)))


def dots(x, y):
    """Batch dimensions anywhere, contracted dimensions anywhere."""
    both = lax.dot_general(x, y, (((2,), (0,)), ((0, 1), (2, 1))))
    one = lax.dot_general(x, y, (((1, 2), (1, 0)), ((0,), (2,))))
    outer = lax.dot_general(x[0], y[..., 0], (((), ()), ((), ())))
    return both, one, outer


CASES = [
    case("reduce_sum", along(jnp.sum), normal(2, 3, 4), rtol=1e-14),
    case("reduce_prod", along(jnp.prod), normal(2, 3, 2), ulps=16),
    case("reduce_max", along(jnp.max), normal(2, 3, 2)),
    case("reduce_min", along(jnp.min), normal(2, 3, 2)),
    case("extremes with NaN", lambda x: (jnp.max(x), jnp.min(x)), TIES[:, :, None]),
    case("reduce_and and reduce_or", lambda b: (
        jnp.all(b), jnp.any(b), jnp.all(b, 0), jnp.any(b, 1)), coins(2, 3)),
    case("reduce bits", lambda n: [
        op(n, axes=(0,)) for op in (lax.reduce_and_p.bind, lax.reduce_or_p.bind,
                                    lax.reduce_xor_p.bind)], whole(-99, 99, 4, 2)),
    case("reduce_xor of booleans", lambda b: lax.reduce_xor_p.bind(b, axes=(0,)),
         coins(5)),
    case("integer extremes", lambda n, m: (jnp.max(n), jnp.min(n), jnp.max(m),
                                           jnp.min(m)),
         whole(-9, 9, 5, dtype=np.int32), each([0, 1, 2**32 - 1], UINT)),
    case("empty reductions", lambda x: (
        jnp.sum(x, 0), jnp.prod(x, 0), jnp.all(x > 0, 0), jnp.any(x > 0, 0),
        jnp.max(x, 0, initial=-INF), jnp.min(x, 0, initial=INF)), normal(0, 2)),
    case("reductions to nothing", lambda x: (
        jnp.sum(x, 1), jnp.prod(x, (0, 2)), jnp.all(x > 0, 2)), normal(0, 0, 3)),
    case("sum of booleans and mean", lambda b: (jnp.sum(b), jnp.mean(b * 1.0),
                                                jnp.count_nonzero(b)), coins(7),
         ulps=2),
    case("argmax", lambda x: (jnp.argmax(x), jnp.argmin(x)), TIES),
    case("argmax along axes", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0),
                                         lax.argmax(x, 0, jnp.int32)),
         whole(-2, 2, 3, 4).astype(float)),
    case("argmax of integers", lambda n, b: (jnp.argmax(n), jnp.argmin(n),
                                             jnp.argmax(b), jnp.argmin(b)),
         whole(-2, 2, 5, dtype=np.int32), coins(4)),
    case("cumsum", lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x, 1),
                              lax.cumsum(x, 0, reverse=True)), normal(4, 3),
         rtol=1e-15),
    case("cumprod", lambda x: (jnp.cumprod(x, 0), lax.cumprod(x, 1, reverse=True)),
         normal(3, 4), ulps=8),
    case("cummax and cummin", lambda x: (lax.cummax(x), lax.cummin(x),
                                         lax.cummax(x, reverse=True)), TIES),
    case("cumsum of integers", lambda n: (jnp.cumsum(n), lax.cummax(n), lax.cummin(n)),
         whole(-9, 9, 6, dtype=np.int32)),
    case("cumlogsumexp", lambda x: (lax.cumlogsumexp(x),
                                    lax.cumlogsumexp(x, reverse=True)),
         10 * normal(6), ulps=8),
    case("cumlogsumexp of infinities", lambda x: lax.cumlogsumexp(x),
         each([-INF, -INF, 1.0, 2.0]), ulps=4),
    case("logsumexp", jax.nn.logsumexp, 100 * normal(6), ulps=4),
    case("matrix products", lambda a, b, x: (a @ b, a @ x, x @ a.T, jnp.dot(x, x),
                                             jnp.vdot(a, a)),
         normal(2, 3), normal(3, 4), normal(3), rtol=2e-15),
    case("batched matrix products", jnp.matmul, normal(2, 3, 4), normal(2, 4, 2),
         rtol=2e-15),
    case("dot_general", dots, normal(2, 3, 4), normal(4, 3, 2), rtol=2e-15),
    case("einsum", lambda a, b: (jnp.einsum("ijk,kl->lij", a, b),
                                 jnp.einsum("iij->j", a), jnp.einsum("ij,ij", b, b)),
         normal(2, 2, 3), normal(3, 2), rtol=2e-15),
    case("tensordot and kron", lambda a, b: (jnp.tensordot(a, b, 1), jnp.kron(a, b)),
         normal(2, 2), normal(2, 3), rtol=2e-15),
    case("integer dots", lambda a, b: a @ b, whole(-9, 9, 2, 3, dtype=np.int32),
         whole(-9, 9, 3, 2, dtype=np.int32)),
    case("dot with known zeros", lambda x: jnp.diag(jnp.arange(3.0)) @ x, normal(3, 2),
         rtol=4e-16),
    case("known dot", lambda x: x + jnp.arange(4.0) @ jnp.arange(4.0), normal(2)),
    case("cross and norm", lambda a, b: (jnp.cross(a, b), jnp.linalg.norm(a)),
         normal(3), normal(3), rtol=1e-15),
    case("statistics", lambda x: (jnp.mean(x), jnp.var(x), jnp.std(x, 0),
                                  jnp.ptp(x)), 4.0 + normal(4, 2), rtol=4e-15),
    case("long sums", lambda x: (jnp.sum(x), jnp.dot(x, x), jnp.sum(x * 0.0)),
         normal(37), rtol=2e-14),
]  # fmt: skip
