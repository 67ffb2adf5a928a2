"""Structural primitives: where elements lie, not what they are."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import case, coins, normal, whole

TABLE = np.arange(6.0).reshape(2, 3)


def padded(x, fill):
    configs = [
        [(1, 2, 0), (0, 1, 1)],
        [(-1, 0, 0), (0, -1, 0)],
        [(2, -1, 2), (-1, 3, 0)],
        [(0, 0, 3), (0, 0, 1)],
    ]
    return [lax.pad(x, fill, config) for config in configs]


CASES = [
    case("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (2, 3, 2), (1,)),
         normal(3)),
    case("broadcast of a scalar", lambda x: jnp.broadcast_to(x, (2, 0, 3)), normal()),
    case("broadcast against", lambda x, y: x[:, None] + y, normal(3), normal(2)),
    case("reshape", lambda x: (x.reshape(3, 4), x.reshape(2, 2, 3).T.reshape(-1)),
         normal(12)),
    case("reshape of one", lambda x: (x.reshape(()), x.reshape(1, 1)), normal(1)),
    case("squeeze and expand", lambda x: (
        jnp.squeeze(x, (0, 2)), jnp.expand_dims(x, (1, 3))), normal(1, 2, 1)),
    case("transpose", lambda x: (x.T, jnp.transpose(x, (1, 2, 0))), normal(2, 3, 2)),
    case("slice", lambda x: (x[1:4], x[::2], x[-3:], x[4:1:-1], x[2:2]), normal(6)),
    case("slice with strides", lambda x: lax.slice(x, (0, 1), (4, 5), (3, 2)),
         normal(5, 5)),
    case("concatenate", lambda x, y: jnp.concatenate([x, TABLE, y, x], axis=0),
         normal(1, 3), normal(2, 3)),
    case("stack and unstack", lambda x, y: (
        jnp.stack([x, y, TABLE[0]]), jnp.stack([x, y], axis=1),
        list(jnp.unstack(jnp.stack([x, y]), axis=1))), normal(3), normal(3)),
    case("split", lambda x: (jnp.split(x, 3), jnp.split(x, (1, 4))), normal(6)),
    case("split primitive", lambda x: lax.split(x, (1, 0, 3), axis=1), normal(2, 4)),
    case("pad", padded, normal(3, 2), normal()),
    case("pad of nothing", lambda x: lax.pad(x, 7.0, [(2, 1, 1)]), normal(0)),
    case("pad with constants", lambda x: jnp.pad(x, ((1, 0), (0, 2))), normal(2, 2)),
    case("pad by edges", lambda x: (
        jnp.pad(x, 2, mode="edge"), jnp.pad(x, 2, mode="wrap")), normal(4)),
    case("rev", lambda x: (jnp.flip(x), jnp.flip(x, 1), x[::-1]), normal(2, 3)),
    case("iota", lambda x: (x + jnp.arange(3), lax.broadcasted_iota("int32", (2, 3), 1),
                            lax.iota("uint8", 3)), normal(3)),
    case("eye, tri, diagonals", lambda x: (
        jnp.eye(3) * x, jnp.tril(x), jnp.triu(x, 1), jnp.diag(x), jnp.diag(x[0]),
        jnp.trace(x)), normal(3, 3), rtol=4e-16),
    case("tile and repeat", lambda x: (jnp.tile(x, (2, 1)), jnp.repeat(x, 2, axis=1)),
         normal(2, 2)),
    case("roll", lambda x: (jnp.roll(x, 1), jnp.roll(x, -2, axis=1)), normal(2, 3)),
    case("mesh and outer", lambda x, y: (jnp.meshgrid(x, y), jnp.outer(x, y)),
         normal(2), normal(3)),
    case("move axes", lambda x: (jnp.moveaxis(x, 0, -1), jnp.swapaxes(x, 0, 1),
                                 jnp.rot90(x[0])), normal(2, 3, 2)),
    case("empty arrays", lambda x, y: (
        jnp.concatenate([x, y]), x * 2.0, jnp.sum(x), y[:0], jnp.prod(x)),
        normal(0), normal(3)),
    case("empty matrices", lambda x: (x @ x.T, x.T @ x, jnp.sum(x, axis=0)),
         normal(0, 2)),
    case("input unchanged", lambda x, n, b: (x, n, b, x), normal(2), whole(-3, 3, 2),
         coins(2)),
    case("constants", lambda x: (1.5, np.arange(3), True, jnp.zeros((0, 2)),
                                 jnp.float64(-0.0), x[0]), normal(1)),
    case("closure over arrays", lambda x: x @ jnp.asarray(TABLE) + np.float64(2),
         normal(2), rtol=1e-15),
    case("trees", lambda x: {"a": (x, [x + 1.0]), "b": None, "c": {}}, normal(2)),
    case("scalars", lambda x, n, b: (x * n, jnp.where(b, x, 0.0)), normal(),
         whole(-3, 3), coins()),
    case("empty", lambda x: lax.empty((2,), "float64") * 0.0 + x, normal(2)),
]  # fmt: skip
