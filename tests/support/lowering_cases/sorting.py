"""Sorting networks: order, stability, several keys."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import case, coins, each, normal, whole
from lowering_cases.reduction import TIES

SOME = whole(0, 3, 9)  # many ties

CASES = [
    case("sort", jnp.sort, normal(7)),
    *(case(f"sort of {n}", jnp.sort, normal(n)) for n in (0, 1, 2, 3, 8)),
    case("sort along axes", lambda x: (jnp.sort(x, 0), jnp.sort(x, 1)), normal(3, 4)),
    case("sort with NaN and zeros", lambda x: lax.sort(x), TIES),
    case("stable argsort", lambda n: (jnp.argsort(n), jnp.argsort(n, descending=True)),
         SOME),
    case("argsort with NaN and zeros", jnp.argsort, TIES),
    case("payload keeps the order of ties",
         lambda n, x: lax.sort((n, x), num_keys=1, is_stable=True), SOME, normal(9)),
    case("two keys", lambda n, b, x: lax.sort((n, b, x), num_keys=2), whole(0, 1, 8),
         coins(8), normal(8)),
    case("sort of integers", lambda n, m, b: (jnp.sort(n), jnp.sort(m), jnp.sort(b)),
         whole(-9, 9, 6, dtype=np.int8), each([0, 2**64 - 1, 5], np.uint64), coins(5)),
    case("sort of constants", lambda x: x + lax.sort(jnp.array([3.0, 1.0, 2.0])),
         normal(3)),
    case("top_k", lambda x: (lax.top_k(x, 3), lax.top_k(x, 0)), normal(2, 6)),
    case("top_k of ties", lambda n: lax.top_k(n, 5), whole(0, 2, 7, dtype=np.int32)),
    case("median and quantiles", lambda x: (
        jnp.median(x), jnp.quantile(x, jnp.array([0.1, 0.75]))), normal(7), ulps=4),
    case("searchsorted", lambda x, v: jnp.searchsorted(jnp.sort(x), v), normal(6),
         normal(4)),
    case("interpolation", lambda x: jnp.interp(
        x, jnp.array([-1.0, 0.0, 2.0]), jnp.array([3.0, 1.0, 5.0])), normal(5),
        rtol=1e-15),
]  # fmt: skip
